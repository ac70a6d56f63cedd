"""Where the arena is root, each bot runs as a user of its own, if all users can read what it is made of."""

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest
from programs import fixture, heard, shell, table_with

from arena.programs.bot import Bot
from arena.programs.play.process import SandboxedProcess
from arena.programs.reading import bot_from_command, read_bot
from arena.programs.sandbox.client import SupervisorClient
from arena.programs.sandbox.linux import users
from arena.programs.sandbox.policy import LIMITS_ONLY

needs_users = pytest.mark.skipif(not users.can_be_given(), reason="only root, with all its rights, may do it")


@pytest.fixture
def public() -> Iterator[Path]:
    """A folder that all users can read, unlike those of pytest."""
    with tempfile.TemporaryDirectory() as name:
        Path(name).chmod(0o755)
        yield Path(name)


@pytest.mark.slow
@needs_users
def test_no_two_bots_are_the_same_user():
    with table_with(shell("misbehaving", "exit")) as table:
        table.play(fixture("one", "two"))
        ids = {psutil.Process(player.pid).uids() for player in table._players.values()}
        groups = {psutil.Process(player.pid).gids() for player in table._players.values()}
        supplementary = [Path(f"/proc/{player.pid}/status").read_text() for player in table._players.values()]
    assert len(ids) == len(groups) == 2
    assert all(len(set(each)) == 1 and each.real >= users.FIRST for each in (*ids, *groups))
    assert all("Groups:\t \n" in text for text in supplementary)


@pytest.mark.slow
@needs_users
@pytest.mark.attack("signal or trace other processes")
@pytest.mark.attack("change modes, owners, times of files")
def test_a_bot_that_escaped_all_else_would_own_nothing(public):
    """What a user id alone prevents, without Landlock and the filter: they are not in this child."""
    file = public / "note"
    file.write_text("mine")
    with table_with(shell("misbehaving", "exit")) as table:
        table.play(fixture("one", "two"))
        other = next(iter(table._players.values()))
        tries = {
            "kill": lambda: os.kill(other.pid, 0),
            "environment": lambda: Path(f"/proc/{other.pid}/environ").read_bytes(),
            "chmod": lambda: file.chmod(0o777),
            "utime": lambda: os.utime(file, (0, 0)),
            "write": lambda: file.write_text("theirs"),
            "root": lambda: os.setuid(0),
            "id of the other": lambda: os.setuid(psutil.Process(other.pid).uids().real),
        }
        assert refused_to_another_user(tries) == list(tries)


def refused_to_another_user(tries: dict) -> list[str]:
    """Which of these a child that has become another user is not permitted to do."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            users.become(users.random_id())
            for name, act in tries.items():
                try:
                    act()
                except PermissionError:
                    os.write(write, f"{name}\n".encode())
        finally:
            os._exit(0)
    os.close(write)
    os.waitpid(child, 0)
    with os.fdopen(read) as said:
        return said.read().splitlines()


@pytest.mark.slow
@needs_users
def test_its_home_is_its_own():
    script = 'stat -c "%u %a" "$TMPDIR" >&2; id -u >&2; echo x >"$TMPDIR/x"; cat "$TMPDIR/x" >&2'
    with table_with(shell("misbehaving", f"{script}; read hello; echo ok; exit 1")) as table:
        owner, user, x = heard(table.play(fixture("one", "misbehaving")), 1).splitlines()
    assert owner == f"{user} 700" and x == "x" and int(user) >= users.FIRST


@pytest.mark.slow
@needs_users
@pytest.mark.parametrize(
    "closed", ["nothing", "its folder", "a file of it", "a file behind a link", "a folder above it"]
)
def test_a_bot_that_others_cannot_read_runs_as_root(public, closed):
    """Without its rights, as before; and the run says which bots do."""
    folder = public / "above" / "kim"
    folder.mkdir(parents=True)
    (folder / "data").write_text("1")
    program = folder / "kim"
    program.write_text("#!/bin/sh\nid -u\n")
    program.chmod(0o755)
    (public / "elsewhere").write_text("2")
    (folder / "link").symlink_to(public / "elsewhere")
    paths = {
        "a file behind a link": public / "elsewhere",
        "its folder": folder,
        "a file of it": folder / "data",
        "a folder above it": folder.parent,
    }
    if closed in paths:
        paths[closed].chmod(0o700)
    bot = Bot("kim", (str(program),), folder, "0" * 16, files=(folder,))
    sandbox = LIMITS_ONLY.for_bots([bot])
    supervisor = SupervisorClient(sandbox)
    try:
        process = SandboxedProcess(supervisor, bot)
        process.end(5)
        user = int(os.read(process.out, 99))
        process.close()
    finally:
        supervisor.close()
    assert (user == 0) == (closed not in ("nothing", "a file behind a link"))
    note = "as root all bots run: other users cannot read their files, or the program that runs them"
    assert sandbox.root_note([bot]) == ("" if user else note)


@needs_users
@pytest.mark.attack("gain rights or make namespaces")
@pytest.mark.parametrize("run", ["sh, bot.sh, {tool}, link", "./script", "sh, bot.sh, circle"])
def test_no_entry_runs_as_root_because_of_what_it_names(public, run):
    """A private program in its command, behind a link or in a first line; and links in a circle."""
    tool, folder = public / "private" / "bin" / "tool", public / "kim"
    for path in (tool, folder / "bot.sh", folder / "script"):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("#!/bin/sh\n")
        path.chmod(0o755)
    tool.parent.chmod(0o700)
    (folder / "link").symlink_to(tool)
    (folder / "circle").symlink_to("circle")
    (folder / "bot.yaml").write_text(f"run: [{run.format(tool=tool)}]\n")
    bot = read_bot(folder)
    (folder / "script").write_text(f"#!{tool}\n")  # as a build could write it
    assert LIMITS_ONLY.has_own_user(bot, bot.command)


@needs_users
@pytest.mark.parametrize(("closed", "own"), [("checkout/arena", True), ("env/lib", False)])
def test_a_checkout_of_the_arena_that_others_cannot_read_makes_no_bot_root(public, monkeypatch, closed, own):
    """Python may read it only for bots that import the arena."""
    for name in ("env/bin", "env/lib", "checkout/arena", "kim"):
        (public / name).mkdir(parents=True)
    python = public / "env" / "bin" / "python"
    python.write_text("#!/bin/sh\n")
    python.chmod(0o755)
    monkeypatch.setattr("sys.prefix", str(public / "env"))
    for module in ("executables", "sandbox.policy"):
        monkeypatch.setattr(f"arena.programs.{module}.PACKAGE", public / "checkout" / "arena")
    bot = Bot("kim", (str(python),), public / "kim", "0" * 16, installed=(python,))
    assert public / "checkout" / "arena" in LIMITS_ONLY.reachable(bot, bot.command)
    assert LIMITS_ONLY.has_own_user(bot, bot.command)
    (public / Path(closed)).parent.chmod(0o700)
    assert LIMITS_ONLY.has_own_user(bot, bot.command) == own


@needs_users
def test_the_run_names_the_bots_that_run_as_root(public):
    ann = bot_from_command("ann", ["/bin/true"], public)
    (public / "closed").mkdir(0o700)
    kim = bot_from_command("kim", ["/bin/true"], public / "closed")
    assert LIMITS_ONLY.root_note([ann]) == ""
    assert LIMITS_ONLY.root_note([ann, kim]).startswith("as root run: kim: ")
