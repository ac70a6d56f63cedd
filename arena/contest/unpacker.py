"""Unpacks an archive of a stranger: a program that uses only the standard library, and runs inside the box.

`python unpacker.py FOLDER < ARCHIVE` writes the files below FOLDER, and one line of JSON to stdout: the
numbers of `files` (with folders), of `bytes`, and of members that were `left_out`, because macOS adds them to
archives. If the archive is refused, the line has `refused` with the reason. A file is written only after its
name was checked, and no byte beyond the limits: the box is only the second guard. Only plain files and
folders are made, all of them new and below folders made by this program. So no member can lead outside.
Rights, owners and times of members are ignored, except whether a file is executable.
"""

import json
import os
import stat
import sys
import tarfile
import unicodedata
import zipfile
import zlib
from collections.abc import Iterator
from gzip import GzipFile
from pathlib import Path
from typing import IO, NamedTuple

MB = 2**20
MAX_FILES = 10_000  # files and folders
MAX_BYTES = 256 * MB
_MAX_RATIO = 100  # of the unpacked size to the archive's; bombs exceed it
_FREE_BYTES = 4 * MB  # always allowed, because zeros in small archives compress well
_MAX_DEPTH = 30
_MAX_NAME = 200  # bytes of a part of a name; systems take 255
_MAX_PATH = 500  # bytes of a whole name; the limit of the disk counts nothing beyond 1,024 of a path
_CHUNK = 2**16
_MACOS_FOLDER = "__MACOSX"  # at the top of archives made by macOS
_MACOS_FILES = (b"\0\5\x16\7", b"\0\0\0\1Bud1")  # the beginnings of its files `._NAME` and `.DS_Store`
_HOW = "make one by: tar czf bot.tgz FOLDER"
_FORMATS = {  # the beginnings of other files that entrants send
    b"BZh": "a bzip2 file",
    b"\xfd7zXZ\0": "an xz file",
    b"7z\xbc\xaf\x27\x1c": "a 7z file",
    b"Rar!": "a rar file",
    b"\x28\xb5\x2f\xfd": "a zstd file",
    b"\x7fELF": "a program",
    b"#!": "a script",
    b"%PDF": "a PDF file",
}


class Refused(Exception):
    """Raised if an archive is not unpacked, with the reason in one line."""


class Member(NamedTuple):
    """A file or a folder of an archive."""

    name: str
    is_folder: bool
    is_executable: bool
    size: int  # by the archive's own account
    content: IO[bytes] | None  # None: it is a folder


class _Bounded:
    """Reads the unpacked bytes of a tar.gz, and counts all of them, between the files as well."""

    def __init__(self, file: GzipFile, most: int):
        self._file, self._left = file, most
        self.size = 0  # bytes so far
        self.padding = 0  # where the zeros at their end begin

    def read(self, size: int) -> bytes:
        data = self._file.read(min(size, self._left + 1))
        self._left -= len(data)
        if self._left < 0:
            raise Refused(_too_large())
        if rest := data.rstrip(b"\0"):
            self.padding = self.size + len(rest)
        self.size += len(data)
        return data


def _too_large() -> str:
    return f"unpacks to more than {MAX_BYTES // MB} MB, or to more than {_MAX_RATIO} times its own size"


def _most_bytes(archive: int) -> int:
    """The maximum number of unpacked bytes of an archive of this size."""
    return min(MAX_BYTES, max(_FREE_BYTES, _MAX_RATIO * archive))


def members(archive: IO[bytes], size: int) -> Iterator[Member]:
    """The members of an archive of `size` bytes, in its order.

    Raises:
        Refused: The archive is neither tar.gz nor zip, or it has a forbidden member.
    """
    start = archive.read(8)
    archive.seek(0)
    if start.startswith(b"\x1f\x8b"):
        yield from _members_of_tar(archive, size)
    elif start.startswith(b"PK"):
        yield from _members_of_zip(archive, size)
    else:
        found = next((what for magic, what in _FORMATS.items() if start.startswith(magic)), "another file")
        raise Refused(f"should be a tar.gz or a zip file, and is {found}; {_HOW}")


def _members_of_tar(archive: IO[bytes], size: int) -> Iterator[Member]:
    content = _Bounded(GzipFile(fileobj=archive), _most_bytes(size))
    with tarfile.open(fileobj=content, mode="r|", errors="surrogateescape") as tar:  # type: ignore[call-overload]
        for each in tar:
            kind = _KINDS.get(each.type, "something else")
            if each.type not in (tarfile.REGTYPE, tarfile.AREGTYPE, tarfile.DIRTYPE) or each.sparse:
                raise Refused(f"{_quoted(each.name)} is {kind}; only plain files and folders are allowed")
            file = None if each.isdir() else tar.extractfile(each)
            yield Member(each.name, each.isdir(), bool(each.mode & 0o100), each.size, file)
        end = tar.offset
    # The end of a gzip file says whether its bytes were right; tarfile takes damage for the end.
    while content.read(_CHUNK):
        pass
    if content.size < end + tarfile.BLOCKSIZE:
        raise Refused("is damaged: its end is missing")
    if content.padding > end:
        raise Refused("is damaged: more follows where its files end")


_KINDS = {
    tarfile.SYMTYPE: "a symbolic link",
    tarfile.LNKTYPE: "a hard link",
    tarfile.CHRTYPE: "a device",
    tarfile.BLKTYPE: "a device",
    tarfile.FIFOTYPE: "a pipe",
    tarfile.GNUTYPE_SPARSE: "a sparse file",
    tarfile.CONTTYPE: "a contiguous file",
    tarfile.REGTYPE: "a sparse file",
}


def _members_of_zip(archive: IO[bytes], size: int) -> Iterator[Member]:
    with zipfile.ZipFile(archive) as found:
        infos = found.infolist()
        if len(infos) > MAX_FILES:
            raise Refused(_too_many())
        if sum(info.file_size for info in infos) > _most_bytes(size):
            raise Refused(_too_large())
        if sum(info.compress_size for info in infos) > size:
            raise Refused("has files that overlap, as in a bomb")
        for info in infos:
            _check_zip(info)
            with found.open(info) as content:
                mode = info.external_attr >> 16
                yield Member(info.filename, info.is_dir(), bool(mode & 0o100), info.file_size, content)


def _check_zip(info: zipfile.ZipInfo) -> None:
    name, mode = info.orig_filename, info.external_attr >> 16
    if "\0" in name:
        raise Refused(f"{_quoted(name)}: a name has no NUL")
    if info.flag_bits & 0x1:
        raise Refused(f"{_quoted(name)} is encrypted")
    if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise Refused(f"{_quoted(name)} is compressed by another method than deflate")
    if not name.isascii() and not info.flag_bits & 0x800:
        raise Refused(f"{_quoted(name)}: its name is not in UTF-8")
    kind = stat.S_IFMT(mode)
    if kind not in (0, stat.S_IFREG, stat.S_IFDIR) or (kind == stat.S_IFDIR) > info.is_dir():
        what = "a symbolic link" if kind == stat.S_IFLNK else "no plain file and no folder"
        raise Refused(f"{_quoted(name)} is {what}; only plain files and folders are allowed")


def _too_many() -> str:
    return f"has more than {MAX_FILES} files and folders"


def _parts_of(name: str) -> tuple[str, ...]:
    """The parts of a member's name; () for the top of the archive.

    Raises:
        Refused: A file may not have this name.
    """
    try:
        name.encode()
    except UnicodeEncodeError:
        raise Refused(f"{_quoted(name)}: its name is not in UTF-8") from None
    if name.startswith("/"):
        raise Refused(f"{_quoted(name)} has an absolute name")
    parts = tuple(part for part in name.split("/") if part not in ("", "."))
    if ".." in parts:
        raise Refused(f"{_quoted(name)} leads out of its folder")
    if "\\" in name or (len(name) > 1 and name[1] == ":"):
        raise Refused(
            f"{_quoted(name)}: a name has no \\ and no drive; make the archive with / between folders"
        )
    if any(unicodedata.category(letter) in ("Cc", "Cf", "Zl", "Zp", "Co", "Cn") for letter in name):
        raise Refused(f"{_quoted(name)}: a name has no control characters")
    is_long = len(name.encode()) > _MAX_PATH or any(len(part.encode()) > _MAX_NAME for part in parts)
    if is_long or len(parts) > _MAX_DEPTH:
        bounds = f"{_MAX_DEPTH} folders deep, {_MAX_NAME} bytes for each name, {_MAX_PATH} for a path"
        raise Refused(f"{_quoted(name)}: at most {bounds}")
    return parts


def _quoted(name: str) -> str:
    """A name for messages: in quotes, in ASCII, and not too long."""
    return ascii(name if len(name) <= 60 else f"{name[:57]}...")


class _Target:
    """The folder below which the files are made, with at most `most` bytes, and its content so far."""

    def __init__(self, folder: Path, most: int):
        self._folder, self._left = folder, most
        # By the form that some file systems use to compare names.
        self._seen: dict[str, tuple[bool, str]] = {}
        self.bytes = self.left_out = 0

    @property
    def files(self) -> int:
        """The number of files and folders so far."""
        return len(self._seen)

    def add(self, member: Member) -> None:
        parts = _parts_of(member.name)
        if not parts:
            return
        start = b""
        if member.content and (parts[-1] == ".DS_Store" or parts[-1].startswith("._")):
            start = member.content.read(_CHUNK)
        if parts[0] == _MACOS_FOLDER or start.startswith(_MACOS_FILES):
            self.left_out += 1
            return
        for depth in range(1, len(parts)):
            self._make_folder(parts[:depth])
        if member.is_folder:
            self._make_folder(parts)
        else:
            self._make_file(parts, member, start)

    def _make_folder(self, parts: tuple[str, ...]) -> None:
        if self._note(parts, is_folder=True):
            self._folder.joinpath(*parts).mkdir(0o755)

    def _make_file(self, parts: tuple[str, ...], member: Member, start: bytes) -> None:
        """Make a file with the content of a member, of which `start` was read already."""
        self._note(parts, is_folder=False)
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW
        mode = 0o755 if member.is_executable else 0o644
        with os.fdopen(os.open(self._folder.joinpath(*parts), flags, mode), "wb") as file:
            while data := start or (member.content.read(_CHUNK) if member.content else b""):
                start = b""
                self.bytes += len(data)
                if self.bytes > self._left:
                    raise Refused(_too_large())
                file.write(data)

    def _note(self, parts: tuple[str, ...], is_folder: bool) -> bool:
        """Note a name; returns whether it is new: the name of a folder may be repeated.

        Raises:
            Refused: The name is there already, on some file systems in another form, or there are too many
                names.
        """
        name = "/".join(parts)
        key = unicodedata.normalize("NFC", name).casefold()
        if key not in self._seen:
            if len(self._seen) == MAX_FILES:
                raise Refused(_too_many())
            self._seen[key] = is_folder, name
            return True
        before = self._seen[key]
        if before != (True, name) or not is_folder:
            same = "" if before[1] == name else f": {_quoted(before[1])} is the same name on some systems"
            raise Refused(f"{_quoted(name)} is there twice{same}")
        return False


def unpack(archive: IO[bytes], folder: Path) -> dict[str, object]:
    """Unpack an archive; returns the numbers `files`, `bytes` and `left_out`, or `refused`: the reason."""
    size = os.fstat(archive.fileno()).st_size
    target = _Target(folder, _most_bytes(size))
    try:
        for member in members(archive, size):
            target.add(member)
    except Refused as refused:
        return {"refused": str(refused)}
    except OSError as error:
        if error.errno is not None:  # an error of the machine; gzip raises one without a number
            raise
        return {"refused": f"is damaged: {error}"}
    except (tarfile.TarError, zipfile.BadZipFile, zlib.error, EOFError, ValueError, RuntimeError) as error:
        return {"refused": f"is damaged: {ascii(str(error))[1:-1][:200]}"}
    if not target.files:
        return {"refused": f"is empty; {_HOW}"}
    return {"files": target.files, "bytes": target.bytes, "left_out": target.left_out}


if __name__ == "__main__":
    with open(0, "rb") as stdin:
        print(json.dumps(unpack(stdin, Path(sys.argv[1]))))
