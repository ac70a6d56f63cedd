"""Archives of strangers, and what becomes of them: nothing outside of its folder, no bomb, no odd names."""

import gzip
import io
import struct
import subprocess
import tarfile
import zipfile
import zlib

import pytest
from contests import tar_member, tar_of, tgz, zip_of

from arena.contest import unpacker


def unpack(archive, tmp_path):
    """What the unpacker says; the folder is `tmp_path / "new"`."""
    (tmp_path / "archive").write_bytes(archive)
    (tmp_path / "new").mkdir()
    with (tmp_path / "archive").open("rb") as file:
        return unpacker.unpack(file, tmp_path / "new")


def zip_entry(name, mode=0, system=3, **values):
    info = zipfile.ZipInfo(name)
    info.create_system, info.external_attr = system, mode << 16
    for key, value in values.items():
        setattr(info, key, value)
    return info


def linked(kind, target):
    return tar_of(tar_member("bot.yaml", b"run: [x]"), tar_member("x", type=kind, linkname=target))


def overlapping():
    """A zip whose entries all have the same bytes."""
    archive = zip_of({"a": b"x" * 5000, "b": b"x" * 5000})
    with zipfile.ZipFile(io.BytesIO(archive)) as found:
        offset = found.infolist()[1].header_offset
    place = archive.rindex(b"PK\1\2") + 42  # where the last entry says where its header is
    assert struct.unpack_from("<I", archive, place) == (offset,)
    return archive[:place] + struct.pack("<I", 0) + archive[place + 4 :]


def tar_in_latin_1(name):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w:gz", format=tarfile.GNU_FORMAT, encoding="latin-1") as tar:
        tar.addfile(tarfile.TarInfo(name))
    return out.getvalue()


def zip_flagged(bits, name="x"):
    """A zip whose headers have these flags; without 0x800 the name is not said to be in UTF-8."""
    archive = bytearray(zip_of({name: b""}))
    for magic, offset in ((b"PK\3\4", 6), (b"PK\1\2", 8)):
        struct.pack_into("<H", archive, archive.index(magic) + offset, bits)
    return bytes(archive)


def with_bad_checksum(data):
    archive, right = zip_of({"a": data}), zlib.crc32(data).to_bytes(4, "little")
    assert right in archive
    return archive.replace(right, b"\0\0\0\0")


def with_bad_crc(archive):
    return archive[:-8] + bytes([archive[-8] ^ 1]) + archive[-7:]


TAR = gzip.decompress(tgz({"a": b"x", "b": b""}))  # a header, its file, a header, and zeros

REFUSED = {
    "empty file": (b"", "should be a tar.gz or a zip file"),
    "script": (b"#!/bin/sh\nls", "is a script"),
    "xz": (b"\xfd7zXZ\0\0\0\0", "is an xz file"),
    "no members": (tar_of(), "is empty"),
    "only what is left out": (tgz({"__MACOSX/bot": b""}), "is empty"),
    "parent": (tgz({"../evil": b""}), "'../evil' leads out of its folder"),
    "parent inside": (tgz({"a/../../evil": b""}), "leads out of its folder"),
    "parent in a zip": (zip_of({"../evil": b""}), "leads out of its folder"),
    "absolute": (tar_of(tar_member("/etc/evil")), "has an absolute name"),
    "absolute in a zip": (zip_of({zip_entry("/etc/evil"): b""}), "has an absolute name"),
    "drive": (tgz({"c:evil": b""}), "no drive"),
    "backslash": (tgz({"..\\evil": b""}), "a name has no \\"),
    "symbolic link": (linked(tarfile.SYMTYPE, "/etc/passwd"), "'x' is a symbolic link"),
    "hard link": (linked(tarfile.LNKTYPE, "bot.yaml"), "'x' is a hard link"),
    "device": (linked(tarfile.CHRTYPE, ""), "'x' is a device"),
    "block device": (linked(tarfile.BLKTYPE, ""), "'x' is a device"),
    "pipe": (linked(tarfile.FIFOTYPE, ""), "'x' is a pipe"),
    "unknown type": (linked(b"Z", ""), "is something else"),
    "link in a zip": (zip_of({zip_entry("x", 0o120777): b"/etc/passwd"}), "'x' is a symbolic link"),
    "device in a zip": (zip_of({zip_entry("x", 0o020666): b""}), "no plain file and no folder"),
    "encrypted zip": (zip_flagged(0x1), "is encrypted"),
    "other method": (zip_of({zip_entry("x", compress_type=zipfile.ZIP_LZMA): b""}), "another method"),
    "twice": (tar_of(tar_member("a", b"1"), tar_member("a", b"2")), "'a' is there twice"),
    "twice but for case": (tgz({"Bot.py": b"", "bot.py": b""}), "'bot.py' is there twice: 'Bot.py'"),
    "twice but for form": (tgz({"\u00e9": b"", "e\u0301": b""}), "is there twice"),
    "file and folder": (tgz({"a": b"", "a/b": b""}), "'a' is there twice"),
    "name in latin-1": (tar_in_latin_1("caf\u00e9"), "its name is not in UTF-8"),
    "name of a zip": (zip_flagged(0, "caf\u00e9"), "its name is not in UTF-8"),
    "control character": (tgz({"a\nb": b""}), "no control characters"),
    "right to left": (tgz({"a\u202eb": b""}), "no control characters"),
    "too deep": (tgz({"/".join("a" * 40): b""}), "at most 30 folders deep"),
    "too long": (tgz({"a" * 240: b""}), "200 bytes"),
    "too long a path": (tgz({f"{'a' * 100}/" * 5 + "a": b""}), "500 for a path"),
    "too many files": (tgz({str(number): b"" for number in range(61)}), "more than 60 files"),
    "too many in a zip": (zip_of({str(number): b"" for number in range(61)}), "more than 60 files"),
    "bomb": (tgz({"zeros": bytes(8 * 2**20)}), "100 times its own size"),
    "bomb in a zip": (zip_of({"zeros": bytes(8 * 2**20)}), "100 times its own size"),
    "bomb after the last file": (gzip.compress(bytes(8 * 2**20) + b"x"), "100 times its own size"),
    "overlapping zip": (overlapping(), "is damaged"),
    "cut short": (tgz({"a": bytes(range(256)) * 20})[:-30], "is damaged"),
    "without its last byte": (tgz({"a": b"x"})[:-1], "is damaged"),
    "without its checksum": (tgz({"a": b"x"})[:-8], "is damaged"),
    "wrong CRC": (with_bad_crc(tgz({"a": b"x", "b": b""})), "is damaged: CRC check failed"),
    "garbage after it": (tgz({"a": b"x"}) + b"x", "is damaged"),
    "no end": (gzip.compress(TAR[:1024]), "its end is missing"),
    "cut in the second header": (gzip.compress(TAR[:1124]), "its end is missing"),
    "bad second header": (gzip.compress(TAR[:1024] + b"x" + TAR[1025:]), "more follows"),
    "two tars": (gzip.compress(TAR + TAR), "more follows"),
    "no gzip inside": (b"\x1f\x8b" + b"x" * 50, "is damaged"),
    "no tar inside": (gzip.compress(b"hello" * 1000), "is damaged"),
    "bad checksum": (with_bad_checksum(b"abc"), "is damaged"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_a_hostile_or_broken_archive_is_refused_with_a_reason(name, tmp_path, monkeypatch):
    monkeypatch.setattr(unpacker, "MAX_FILES", 60)
    archive, why = REFUSED[name]
    said = unpack(archive, tmp_path)
    assert why in said.get("refused", said)
    assert said["refused"].isascii() and "\n" not in said["refused"]
    assert {path.name for path in tmp_path.iterdir()} == {"archive", "new"}, "nothing is outside"
    assert all(path.is_dir() or path.is_file() for path in (tmp_path / "new").rglob("*"))


@pytest.mark.parametrize("pack", [tgz, zip_of])
def test_files_and_folders_are_unpacked(pack, tmp_path):
    said = unpack(pack({"bot/bot.yaml": b"run: [x]", "bot/data/f\u00fcr.txt": b"1"}), tmp_path)
    assert said == {"files": 4, "bytes": 9, "left_out": 0}
    assert (tmp_path / "new" / "bot" / "data" / "f\u00fcr.txt").read_bytes() == b"1"


def test_an_archive_of_other_programs_is_taken(tmp_path):
    """GNU tar fills up to 20 blocks with zeros; some programs write several gzip files one after another."""
    (tmp_path / "bot").mkdir()
    (tmp_path / "bot" / "a").write_bytes(bytes(5000))
    tar = subprocess.run(["tar", "c", "bot"], cwd=tmp_path, stdout=subprocess.PIPE, check=True).stdout
    said = unpack(gzip.compress(tar[:700]) + gzip.compress(tar[700:]), tmp_path)
    assert said == {"files": 2, "bytes": 5000, "left_out": 0}


def test_of_the_rights_only_that_to_execute_is_kept(tmp_path):
    unpack(tar_of(tar_member("run", mode=0o6777), tar_member("data", mode=0o444)), tmp_path)
    modes = {path.name: path.stat().st_mode & 0o7777 for path in (tmp_path / "new").iterdir()}
    assert modes == {"run": 0o755, "data": 0o644}


@pytest.mark.parametrize("pack", [tgz, zip_of])
def test_files_that_macos_adds_are_left_out_by_content_or_place_and_never_by_name(pack, tmp_path):
    macos = {"._a.py": b"\0\5\x16\7\0", ".DS_Store": b"\0\0\0\1Bud1", "__MACOSX/a.py": b""}
    own = {"lib/._a": b"\0\5\x16", "lib/.DS_Store": b"", "lib/__MACOSX/a": b"1", "build/a": b"2" * 70_000}
    said = unpack(pack(macos | own), tmp_path)
    assert (said["left_out"], said["bytes"]) == (3, 70_004)
    new = tmp_path / "new"
    found = {str(path.relative_to(new)): path.read_bytes() for path in new.rglob("*") if path.is_file()}
    assert found == own


def test_a_small_archive_may_compress_well(tmp_path):
    assert unpack(tgz({"zeros": bytes(2**20)}), tmp_path)["bytes"] == 2**20
