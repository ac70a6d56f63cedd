"""Reading a bot is one act, in three modules, which starts nothing."""

import subprocess
import sys

import pytest
from walk import Walk

from arena.config.document import ConfigError
from arena.programs.files import share
from arena.programs.reading import broken_bot, read_bot, read_manifest

SCRIPT = "#!/bin/sh\nread line\n"


@pytest.fixture
def folder(tmp_path):
    path = tmp_path / "entry"
    path.mkdir()
    (path / "main.sh").write_text(SCRIPT)
    (path / "bot.yaml").write_text("name: ann\nrun: [sh, main.sh]\ngames: [complots]\nfiles: [../table]\n")
    (tmp_path / "table").write_text("numbers")
    return path


def walk_through(path, trust):
    walk = Walk()
    sys.setprofile(walk)
    try:
        read_bot(path, trust)
    finally:
        sys.setprofile(None)
    return walk


def test_a_bot_is_read_without_going_back_and_forth(folder):
    shared = [share(folder.parent / "table")]
    read_bot(folder, shared)
    assert walk_through(folder, shared).stays == [
        *("programs/reading", "programs/bot", "programs/files", "programs/executables")
    ]
    program = folder / "main.sh"
    assert set(walk_through(program, ()).stays) == {*walk_through(folder, shared).stays}


def test_the_value_has_all_that_was_read(folder, monkeypatch):
    def refuse(*args, **kwargs):
        raise AssertionError(f"{args} was started")

    monkeypatch.setattr(subprocess, "Popen", refuse)
    bot = read_bot(folder, [share(folder.parent / "table")])
    assert (bot.name, bot.folder, bot.games.keys()) == ("ann", folder, {"complots"})
    assert bot.files == (folder, folder.parent / "table")
    assert bot.command[0].endswith("/sh") and bot.command[1:] == ("main.sh",)
    assert [str(path) for path in bot.installed] == [bot.command[0]]
    assert read_bot(folder, [share(folder.parent / "table")], name="bob") != bot
    with pytest.raises(ConfigError, match=r"bot.yaml:4:1: files: .*share it by the plan or --files"):
        read_bot(folder)
    (folder.parent / "table").write_text("other numbers")
    assert read_bot(folder, [share(folder.parent / "table")]).fingerprint != bot.fingerprint


def test_what_an_unchecked_bot_names_grants_nothing(folder):
    """A copy is read so, beside which the shared files may be missing."""
    (folder / "bot.yaml").write_text("run: [/root/secret, main.sh]\nfiles: [../none]\n")
    bot = read_bot(folder, None)
    assert bot.installed == () and bot.files == (folder,)
    with pytest.raises(ConfigError, match="files: "):
        read_bot(folder, [share(folder.parent / "table")])
    assert broken_bot(None, folder, "x").broken == "x"


def test_a_manifest_stays_in_its_folder_also_where_that_is_reached_by_a_link(folder):
    link = folder.parent / "link"
    link.symlink_to(folder)
    assert read_manifest(link)[1].name == "ann"
    (folder / "bot.yaml").rename(folder.parent / "outside.yaml")
    (folder / "bot.yaml").symlink_to("../outside.yaml")
    for path in (folder, link):
        with pytest.raises(ConfigError, match="is a link to a file outside the folder of the bot"):
            read_manifest(path)
