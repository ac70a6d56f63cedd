"""Pipes, devices, sockets and links among the entries: they are not opened, and never make the arena wait."""

import io
import os
import socket
import subprocess
import tarfile
import zlib
from pathlib import Path

import pytest
from samples import FIRST

from arena.config.document import ConfigError
from arena.programs.executables import required_paths
from arena.programs.reading import read_bot
from arena.tournament.engine.parcel import pack
from arena.tournament.ladder import copy_bot
from arena.tournament.plan.load import load_plan


@pytest.fixture
def place(tmp_path):
    """Entries: two programs and a folder."""
    (tmp_path / "entries" / "liar").mkdir(parents=True)
    for name in ("a.sh", "b.sh", "liar/bot.sh"):
        (tmp_path / "entries" / name).write_text(FIRST)
    (tmp_path / "entries" / "liar" / "bot.yaml").write_text("run: [sh, bot.sh]\n")
    return tmp_path


def a_program_that_is_a_pipe(path):
    os.mkfifo(path)


def a_program_without_end(path):
    path.symlink_to("/dev/zero")


def a_sparse_program(path):
    with open(path, "wb") as file:
        file.truncate(2**43)


@pytest.mark.parametrize(
    ("make", "why"),
    [
        (a_program_that_is_a_pipe, "is not a file or folder"),
        (a_program_without_end, "is not a file or folder"),
        (a_sparse_program, "has more than 1 GB of files"),
    ],
)
@pytest.mark.parametrize("name", ["entry.py", "entry"])
@pytest.mark.parametrize("broken", ["skip", "refuse"])
def test_an_entry_that_never_ends_is_broken(place, make, why, name, broken):
    make(place / "entries" / name)
    if name == "entry" and make is a_sparse_program:
        why = "not executable, and its suffix is not a known language"
    bots = f"[entries/a.sh, entries/b.sh, entries/{name}]"
    (place / "plan.yaml").write_text(f"game: complots\nbroken: {broken}\nbots: {bots}\n")
    if broken == "skip":
        assert why in "".join(load_plan(place / "plan.yaml").skipped.values())
    else:
        with pytest.raises(ConfigError, match=f"plan.yaml:3:.* {why}"):
            load_plan(place / "plan.yaml")


def test_pipes_sockets_and_links_in_an_entry_are_no_part_of_it(place):
    """They are neither opened, nor hashed, copied for a ladder, or sent to a worker."""
    entry, note = place / "entries" / "liar", place / "note"
    before = read_bot(entry)
    note.write_text("private")
    os.mkfifo(entry / "pipe")
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(entry / "socket"))
    assert read_bot(entry).fingerprint == before.fingerprint
    (entry / "link").symlink_to(note)
    (entry / "zero").symlink_to("/dev/zero")
    copy = copy_bot("liar", entry, place / "copies")
    (part,) = pack([copy])[1].values()
    with tarfile.open(fileobj=io.BytesIO(zlib.decompress(part))) as archive:
        kinds = {member.name.removeprefix("item/"): member.type for member in archive}
    assert kinds.keys() >= {"link", "zero"} and {kinds["link"], kinds["zero"]} == {tarfile.SYMTYPE}
    assert not kinds.keys() & {"pipe", "socket"} and b"private" not in zlib.decompress(part)


@pytest.mark.parametrize("command", ["run: [./pipe]", "run: [sh, pipe]", "run: [sh, zero]", "run: [./zero]"])
def test_a_command_that_names_a_pipe_does_not_wait_for_it(place, command):
    entry = place / "entries" / "liar"
    os.mkfifo(entry / "pipe", 0o755)
    (entry / "zero").symlink_to("/dev/zero")
    (entry / "bot.yaml").write_text(f"{command}\nbuild: [sh, build.sh]\n")
    if "zero" in command and "./" in command:
        with pytest.raises(ConfigError, match="belongs neither to the bot nor to the system"):
            read_bot(entry)
    else:
        bot = read_bot(entry)
        assert required_paths(bot.installed, (), bot.command) == required_paths(bot.installed)


def test_a_plan_may_be_a_pipe(place):
    """The user names it, as in `arena plan <(...)`."""
    text = f"game: complots\nseats: 2\nbots: [{place}/entries/*.sh]\n"
    read, write = os.pipe()
    os.write(write, text.encode())
    os.close(write)
    try:
        assert len(load_plan(Path(f"/dev/fd/{read}")).bots) == 2
    finally:
        os.close(read)


def test_results_may_be_a_pipe(arena, tmp_path):
    """As in `arena table <(...)`."""
    os.mkfifo(tmp_path / "results")
    writer = subprocess.Popen(
        ["sh", "-c", f"printf 'game,bot,place\\n1,ann,1\\n1,bob,2\\n' >{tmp_path}/results"]
    )
    done = arena("table", "results")
    assert writer.wait() == 0
    assert done.returncode == 0 and "ann" in done.stdout, done.stderr
