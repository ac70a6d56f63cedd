"""The intake and its watchdog, with processes that do nothing and a clock that the tests set."""

import errno
import json
import os
import shutil
import sqlite3
import sys
from pathlib import Path
from threading import Event
from types import SimpleNamespace

import pytest
from contests import bot_archive, hand_in, new_contest, states, tgz
from servers import wait_for

from arena.contest import alarms, entrants, entries, intake
from arena.contest.intake import Intake
from arena.contest.stages import EntryWork
from arena.programs.check.finding import Finding
from arena.web import parent
from arena.web.address import address_of
from arena.web.settings import ServerSettings

SLEEP = (sys.executable, "-c", "import time; time.sleep(600)")
DIE = (sys.executable, "-c", "raise SystemExit(3)")


class Clock:
    now = 1000.0

    def __call__(self):
        return self.now


@pytest.fixture
def spring(tmp_path):
    return new_contest(tmp_path / "spring", "ada", "bob")


@pytest.fixture
def database(spring):
    return spring.database()


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def started(spring, clock, monkeypatch, tmp_path):
    """Starts an intake whose processes run a command instead."""
    opened = []

    def start(command=SLEEP):
        monkeypatch.setattr(parent, "python", lambda module: command)
        address, server = address_of("127.0.0.1", 8080, None), tmp_path / "server"
        settings = ServerSettings(server, server, spring.runs, address, socket=-1, lock=-1, guests=0)
        opened.append(Intake(spring, settings, jobs=2, clock=clock))
        return opened[-1]

    yield start
    for each in opened:
        each.close()


def pids(found):
    return [each.child.pid for each in found._processes.values()]


def test_entries_are_worked_on_side_by_side(spring, database, started):
    for name in ("ada", "bob"):
        hand_in(spring, name, bot_archive())
    found = started()
    found.look()
    assert states(database, "ada", "bob") == {"ada": ["unpacking"], "bob": ["unpacking"]}
    found.close()
    assert states(database, "ada", "bob") == {"ada": ["received"], "bob": ["received"]}


def test_a_process_that_dies_is_replaced_once(spring, database, started, clock):
    number = hand_in(spring, "ada", bot_archive())
    found = started(DIE)
    for deaths in (1, 2):
        found.look()
        wait_for(lambda: not found._processes[number].child.look(), "it has not died")
        found.look()
        assert entries.find(database, number).deaths == deaths
        found.look()
        assert not found._processes, "it pauses"
        clock.now += 11
    entry = entries.find(database, number)
    assert (entry.state, entry.by_arena) == ("failed", True)
    assert entry.why.startswith("its process ended with status 3 while unpacking")


def test_a_verdict_names_no_place_of_the_server(spring, database):
    number = hand_in(spring, "ada", bot_archive())
    work = EntryWork(spring, database, entries.find(database, number))
    place = spring.work(number, 0) / "ada"
    for python in (sys.executable, os.path.realpath(sys.executable), f"{sys.base_prefix}/bin/python3"):
        (found,) = work._shown([Finding("start", "fault", f"{python} {place}/bot.py ends in {place}")])
        assert found.words == "python3 bot.py ends in ."
    library = Path(json.__file__).relative_to(sys.base_prefix)
    said = f"{spring.folder}/runs, {json.__file__}, {Path.home()}/.profile, {Path.home()}x/, /tmp/x"
    (found,) = work._shown([Finding("start", "fault", "", (said,))])
    home = "" if str(Path.home()) == "/" else f"…/.profile, {Path.home()}x/"
    prefix = sys.base_prefix if sys.base_prefix in ("/usr", "/usr/local") else "…"
    assert found.details[0].startswith(f"…/runs, {prefix}/{library}, {home}")
    assert found.details[0].endswith("/tmp/x")


def test_the_verdict_on_a_program_that_fails_in_the_library_names_no_place(box, spring, database):
    number = hand_in(spring, "ada", tgz({"bot.py": b"import json\njson.loads('{')\n"}))
    entry = entries.take(database, lambda entry: True, 0.0, 1.0)
    EntryWork(spring, database, entry).run()
    entry = entries.find(database, number)
    said = str(entry.findings)
    assert entry.state == "failed" and "json" in said
    for place in (str(spring.folder), sys.prefix, os.path.dirname(os.path.realpath(sys.executable))):
        assert place not in said + entry.why


def test_a_manifest_has_64_kb(box, spring, database):
    manifest = b"run: [python3, bot.py]\n#".ljust(2**16, b"x")
    for size, words in ((0, "before it answered hello"), (1, "bot.yaml: longer than 64 KB")):
        number = hand_in(spring, "ada", tgz({"bot.yaml": manifest + b"x" * size, "bot.py": b""}))
        EntryWork(spring, database, entries.take(database, lambda entry: True, 0.0, 1.0)).run()
        assert words in entries.find(database, number).why


@pytest.mark.parametrize(
    "state, limit, verdict, why",
    [
        ("unpacking", 120, "received", ""),
        ("building", 180, "received", ""),
        ("checking", 600, "failed", "its check took longer than 10 min 0 s: it has to answer faster"),
    ],
)
def test_a_state_has_its_time(spring, database, started, clock, state, limit, verdict, why):
    number = hand_in(spring, "ada", bot_archive())
    found = started()
    found.look()
    entries.enter(database, entries.find(database, number), state, 0.0)
    found.look()
    clock.now += limit - 1
    found.look()
    assert entries.find(database, number).state == state
    database.write("UPDATE entry SET since = 0, until = 0")  # as after a jump of the wall clock
    found.look()
    assert entries.find(database, number).state == state
    clock.now += 2
    (pid,) = pids(found)
    found._take = lambda: None
    found.look()
    entry = entries.find(database, number)
    assert (entry.state, entry.by_arena, entry.why) == (verdict, False, why)
    assert not os.path.exists(f"/proc/{pid}")


def test_a_process_that_does_not_exit_after_the_verdict_is_killed(spring, database, started, clock):
    number = hand_in(spring, "ada", bot_archive())
    found = started()
    found.look()
    entries.fail(database, entries.find(database, number), "no bot", [], 0.0)
    found.look()
    clock.now += 11
    found.look()
    assert not found._processes and entries.find(database, number).why == "no bot"


@pytest.mark.parametrize("act", [entries.withdraw, entrants.delete])
def test_what_has_no_owner_any_more_is_not_worked_on(spring, database, started, act):
    hand_in(spring, "ada", bot_archive())
    found = started()
    found.look()
    (pid,) = pids(found)
    act(database, "ada")
    found.look()
    assert not os.path.exists(f"/proc/{pid}")


def test_what_a_killed_intake_was_working_on_is_tried_again_once(spring, database, started):
    number = hand_in(spring, "ada", bot_archive())
    for state in ("received", "failed"):
        entries.take(database, lambda entry: True, 0.0, 60.0)
        started()
        assert entries.find(database, number).state == state
    assert entries.find(database, number).why.startswith("the server was killed while it worked on it")


def test_with_a_full_disk_the_queue_waits_and_the_organiser_is_told(spring, database, started, monkeypatch):
    hand_in(spring, "ada", bot_archive())
    monkeypatch.setattr(shutil, "disk_usage", lambda path: SimpleNamespace(free=2**20))
    found = started()
    found.look()
    assert states(database, "ada") == {"ada": ["received"]}
    (alarm,) = alarms.unseen(database)
    assert alarm.text == "the disk is nearly full: no entry is taken up until there is room"


def test_what_the_machine_refuses_is_tried_again(started, monkeypatch):
    found, stop = started(), Event()
    problems = iter([sqlite3.OperationalError("database or disk is full"), OSError(errno.ENOSPC, "full")])

    def look():
        if problem := next(problems, None):
            raise problem
        stop.set()

    monkeypatch.setattr(found, "look", look)
    monkeypatch.setattr(intake, "_PAUSE_S", 0.0)
    found.run(stop)
    assert stop.is_set()


def test_an_entry_that_waits_for_the_ladder_for_long_is_an_alarm(spring, database, started, clock):
    hand_in(spring, "ada", bot_archive())
    accept(spring, database)
    found = started()
    found.look()
    clock.now += 901
    found.look()
    (alarm,) = alarms.unseen(database)
    assert alarm.text == "ada, version 1, has waited for the ladder for 15 min 0 s"


def accept(spring, database):
    entry = entries.take(database, lambda entry: True, 0.0, 60.0)
    (spring.entries / entry.entrant).mkdir()
    entries.accept(database, entry, "0123456789abcdef", [], 0.0, 60.0, lambda: None)


def test_folders_follow_the_database(spring, database, started, clock):
    found = started()
    for name in ("ada", "bob"):
        hand_in(spring, name, bot_archive())
        accept(spring, database)
        (spring.runs / "ladder.bots" / f"{name}-0123456789abcdef").mkdir(parents=True)
    (spring.server / "work" / "7-1").mkdir(parents=True)
    entrants.exclude(database, "ada", "two accounts")
    entrants.delete(database, "bob")
    clock.now += 60
    found.look()
    for folder in (spring.entries, spring.server / "work", spring.uploads("bob")):
        assert not folder.exists() or not [*folder.iterdir()], folder
    assert [path.name for path in spring.runs.glob("*/*")] == ["ada-0123456789abcdef"]
    entrants.readmit(database, "ada")  # its archive is still there, and is judged again
    clock.now += 60
    found.look()
    assert states(database, "ada") == {"ada": ["received"]}
