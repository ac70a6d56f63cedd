"""A contest in its real processes: entries come by HTTP, and no kill -9 loses one that was accepted."""

import os
import signal
import subprocess
import sys
import sysconfig
from contextlib import suppress
from threading import Thread
from time import sleep
from venv import create

import psutil
import pytest
from contests import bot_archive, new_contest, put, states, tgz
from servers import has_ended, served, wait_for

from arena.contest import alarms, entrants, entries
from arena.web.wheel import NAME

pytestmark = pytest.mark.slow
SERVE = ("contest", "serve")
SLOW = ("sh", "-c", "sleep 2")  # a build during which something is killed
DONE = {"waiting", "playing"}


@pytest.fixture
def spring(tmp_path, box):
    return new_contest(tmp_path / "spring", "ada", "bob", "cyd")


@pytest.fixture
def hand(spring):
    """Hands in a bot by HTTP, at the port of a server."""
    tokens = {name: entrants.new_token(spring.server_database(), name) for name in ("ada", "bob", "cyd")}

    def hand(server, name, data, declared=None):
        return put(server.port, tokens[name], data, declared)

    return hand


def kill(process):
    process.kill()
    with suppress(psutil.NoSuchProcess):
        process.wait(10)


def test_no_kill_loses_an_accepted_entry(spring, tmp_path, hand):
    database = spring.database()

    def await_state(name, *wanted):
        wait_for(lambda: states(database, name)[name][:1] and states(database, name)[name][0] in wanted, name)

    with served(tmp_path, "spring", command=SERVE) as server:
        assert hand(server, "ada", bot_archive("a", SLOW))[0] in (200, 201, 202)
        await_state("ada", "building")
        kill(server.child("arena.contest.intake"))
        assert hand(server, "bob", bot_archive("b", SLOW))[0] in (200, 201, 202)
        await_state("bob", "building")
        kill(server.child("arena.contest.stages"))
        await_state("ada", *DONE)
        await_state("bob", *DONE)

        late = Thread(target=lambda: hand_half(hand, server), daemon=True)
        late.start()
        wait_for(lambda: [*spring.uploads("cyd").glob("new-*")], "half of an archive")
        kill(server.child("arena.contest.web_process"))
        late.join(30)
        wait_for(lambda: not [*spring.uploads("cyd").glob("*")], "what came in part is removed")
        assert wait_for(lambda: try_to(hand, server, "cyd", bot_archive("c", SLOW)), "a new web process")
        await_state("cyd", "building")
        server.stop(signal.SIGKILL)
    with served(tmp_path, "spring", command=SERVE):
        await_state("cyd", *DONE)
        assert all(state[0] in DONE for state in states(database, "ada", "bob", "cyd").values())
        assert sorted(path.name for path in spring.entries.iterdir()) == ["ada", "bob", "cyd"]
        assert [*(spring.server / "work").iterdir()] == [] or entries.worked_on(database)


def test_what_hangs_is_replaced_and_what_is_slow_is_not(spring, tmp_path, hand):
    """A build takes longer than a process may be silent, in the intake and again on the ladder."""
    database = spring.database()
    with served(tmp_path, "spring", command=SERVE) as server:
        hand(server, "ada", bot_archive("a", ("sh", "-c", "sleep 25")))
        for name in ("bob", "cyd"):
            hand(server, name, bot_archive(name))
        for name in ("cyd", "bob", "ada"):
            wait_for(lambda name=name: states(database, name)[name][0] in DONE, name)
        modules = [f"arena.contest.{name}" for name in ("intake", "player", "remote_player")]
        hanging = [server.child(module) for module in modules]
        assert wait_for(lambda: "building bot ada" in server.said(), "the ladder builds its copies")
        sleep(25)
        assert '"hangs"' not in server.said() and not any(map(has_ended, hanging))
        for process in hanging:
            process.suspend()
        wait_for(lambda: all(map(has_ended, hanging)), "they still hang")
        wait_for(lambda: sum(" hung, " in each.text for each in alarms.unseen(database)) == 3, "alarms")
        assert server.said().count('"hangs"') == 3


def hand_half(hand, server):
    with suppress(OSError, EOFError, ValueError):
        hand(server, "cyd", bot_archive()[:100], 5000)


def try_to(hand, server, name, data):
    with suppress(OSError):
        return hand(server, name, data)[0] in (200, 201, 202)


def install(venv, address):
    """Install the arena as an entrant does, and play a game with it; what it needs is that of the tests."""
    create(venv, with_pip=False)
    pip = [sys.executable, "-m", "pip", "--python", venv / "bin" / "python", "install", "-q", "--no-deps"]
    subprocess.run([*pip, address], check=True, timeout=100)
    path = {"PATH": os.environ["PATH"], "PYTHONPATH": sysconfig.get_path("purelib")}
    play = [venv / "bin" / "arena", "play", "complots", "house:searching", "house:first"]
    done = subprocess.run(play, env=path, cwd=venv, capture_output=True, text=True, timeout=100)
    assert done.returncode == 0 and "places=" in done.stdout, done.stderr


def test_verdicts_in_the_box(spring, tmp_path, hand):
    database = spring.database()
    many = {f"data/{number}": bytes(4096) for number in range(300)}
    loop = {"bot.yaml": b"run: [sh, -c, 'while :; do :; done']\n"}
    with served(tmp_path, "spring", command=SERVE) as server:
        assert hand(server, "ada", tgz({"a/../../b": b""}))[0] < 300
        assert hand(server, "bob", tgz(loop | many))[0] < 300
        evil = b"run: [python3, bot.py]\nbuild: [sh, -c, 'cat /etc/shadow ../*/* > build/out; exit 1']\n"
        assert hand(server, "cyd", tgz({"bot.yaml": evil, "bot.py": b""}))[0] < 300
        assert put(server.port, "forged", bot_archive())[0] in (401, 403)
        install(tmp_path / "venv", f"http://127.0.0.1:{server.port}/{NAME}")
        wait_for(lambda: not entries.pending(database), "all verdicts")
    why = {name: entries.of(database, name)[0].why for name in ("ada", "bob", "cyd")}
    assert why["ada"] == "in the archive 'a/../../b' leads out of its folder"
    assert "hello" in why["bob"], why
    assert "failed" in why["cyd"], why
    assert not alarms.unseen(database)
