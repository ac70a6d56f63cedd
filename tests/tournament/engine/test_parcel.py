"""Bots as parcels: packed on one machine, laid out on another."""

import hashlib
import io
import os
import shutil
import sys
import tarfile
import zlib
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest

from arena.config.document import ConfigError, MachineError
from arena.programs.files import share
from arena.programs.reading import bot_from_command, read_bot
from arena.tournament.engine.parcel import lay_out, missing, pack, unpack


@pytest.fixture
def bot(tmp_path):
    """A bot with a program, a link, the output of a build, and a shared folder."""
    folder, shared = tmp_path / "there" / "bots" / "one", tmp_path / "there" / "shared"
    (folder / "build").mkdir(parents=True)
    (folder / "sub").mkdir()
    shared.mkdir()
    (folder / "bot.yaml").write_text(
        "build: [make]\nrun: [./play, ../../shared/data]\nfiles: [../../shared]\n"
    )
    (folder / "play").write_text("#!/bin/sh\n")
    (folder / "play").chmod(0o755)
    (folder / "sub" / "link").symlink_to("../play")
    (folder / "build" / "old").write_text("of another machine")
    (shared / "data").write_text("1")
    return read_bot(folder, [share(shared)], name="one")


@pytest.fixture
def cache(tmp_path):
    (tmp_path / "cache").mkdir()
    return tmp_path / "cache"


def test_a_bot_is_laid_out_with_the_same_paths_among_its_files(bot, cache, tmp_path):
    parcels, parts = pack([bot])
    shutil.rmtree(tmp_path / "there")
    assert sorted(missing(parts, cache)) == sorted(parts)
    unpack(parts, cache)
    assert missing(parts, cache) == []
    here = lay_out(parcels["one"], cache)
    assert here.fingerprint == bot.fingerprint
    assert here.command == (str(here.folder / "play"), "../../shared/data")
    assert os.access(here.folder / "play", os.X_OK)
    assert not os.access(here.folder / "bot.yaml", os.X_OK)
    assert (here.folder / "sub" / "link").readlink().as_posix() == "../play"
    assert (here.folder / here.command[1]).read_text() == "1"
    assert not (here.folder / "build").exists()
    assert here.files == (here.folder, here.folder.parent.parent / "shared")
    assert read_bot(here.folder, [share(here.files[1])], name="one").fingerprint == bot.fingerprint


def test_the_hash_of_a_part_follows_content_and_executable_bits_alone(bot):
    _, before = pack([bot])
    os.utime(bot.folder / "play", (1, 1))
    (bot.folder / "build" / "new").write_text("")
    os.link(bot.folder / "play", bot.folder.parent / "another name")
    assert pack([bot])[1].keys() == before.keys()
    (bot.folder / "play").chmod(0o644)
    assert pack([bot])[1].keys() != before.keys()


def test_bots_share_parts_and_workers_of_a_machine_lay_them_out_at_once(bot, cache):
    parcels, parts = pack([bot, replace(bot, name="two", fingerprint="0" * 16)])
    assert len(parts) == 2
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda _: unpack(parts, cache), range(8)))
        laid = list(
            pool.map(lambda number: lay_out(parcels["one" if number % 2 else "two"], cache), range(8))
        )
    assert len({each.folder for each in laid}) == 2
    assert not list(cache.glob("new-*"))
    data = {(each.files[1] / "data").stat().st_ino for each in laid}
    own = {(each.folder / "play").stat().st_ino for each in laid}
    assert (len(data), len(own)) == (1, 2)  # a build of one does not change the other


def test_a_damaged_part_is_refused(bot, cache):
    _, parts = pack([bot])
    with pytest.raises(MachineError, match="damaged"):
        unpack({made: data + b"x" for made, data in parts.items()}, cache)


@pytest.mark.parametrize(
    ("entries", "why"),
    [
        ([("/tmp/arena-was-here", tarfile.REGTYPE)], "outside its folder"),
        ([("item/../../there", tarfile.REGTYPE)], "outside its folder"),
        ([("item", tarfile.SYMTYPE), ("item/there", tarfile.REGTYPE)], "outside its folder"),
        ([("item", tarfile.SYMTYPE), ("item", tarfile.DIRTYPE)], "outside its folder"),
        ([("item", tarfile.LNKTYPE)], "no file, folder or symbolic link"),
        ([("item", tarfile.FIFOTYPE)], "no file, folder or symbolic link"),
    ],
    ids=["absolute", "above", "below a link", "a folder at a link", "hard link", "pipe"],
)
def test_a_part_that_would_write_outside_its_folder_is_refused(entries, why, cache, tmp_path):
    (tmp_path / "outside").mkdir()
    with pytest.raises(MachineError, match=why):
        unpack(part(*entries, linkname=str(tmp_path / "outside")), cache)
    assert not list((tmp_path / "outside").iterdir()) and not list(cache.iterdir())


def test_unpacked_files_belong_to_their_user_alone(cache):
    (made,) = parts = part(("item", tarfile.REGTYPE), mode=0o6777)
    unpack(parts, cache)
    assert (cache / made / "item").stat().st_mode & 0o7777 == 0o755


def part(*entries, **attributes):
    """A part of a bot with these entries, as no coordinator makes it."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as tar:
        for name, kind in entries:
            entry = tarfile.TarInfo(name)
            entry.type = kind
            for key, value in attributes.items():
                setattr(entry, key, value)
            tar.addfile(entry)
    data = zlib.compress(buffer.getvalue())
    return {hashlib.sha256(data).hexdigest(): data}


def test_an_interpreter_is_that_of_the_worker_and_an_installed_program_must_be_the_same(tmp_path, cache):
    script = tmp_path / "bot.py"
    script.write_text("")
    parcels, parts = pack([read_bot(script)])
    unpack(parts, cache)
    there = replace(parcels["bot"], bot=replace(parcels["bot"].bot, command=("/far/python", str(script))))
    here = lay_out(replace(there, python="/far/python"), cache)
    assert here.command[0] == sys.executable
    assert here.command[1] == str(here.files[0])
    with pytest.raises(ConfigError, match="python-of-far: not found on this machine"):
        lay_out(replace(there, bot=replace(there.bot, command=("/far/python-of-far", str(script)))), cache)
    parcels, parts = pack([bot_from_command("sh", ["/bin/sh", "bot.py"], tmp_path)])
    unpack(parts, cache)
    assert len(parts) == 1 and lay_out(parcels["sh"], cache).command[0] == "/bin/sh"
    (program, _), *_ = parcels["sh"].installed
    with pytest.raises(ConfigError, match="not the same file as on the coordinator"):
        lay_out(replace(parcels["sh"], installed=((program, "0" * 64),)), cache)
