"""A contest whose processes are killed: no game is lost or counted twice, and the result verifies."""

import json
import random
import subprocess
import sys
import time
from collections import Counter
from contextlib import suppress
from hashlib import sha256

import psutil
import pytest
from contest_folders import contest_with, end_now, enter, put_settings

from arena.contest import entrants, entries
from arena.contest.settings import settings_of
from arena.tournament.runs.store import Store

pytestmark = pytest.mark.slow

NAMES = ("ada", "bob", "cyd", "dee")
GROUPS = 20  # of each of the pairs, two games each
VICTIMS = ("arena.contest.player", "multiprocessing.spawn", "arena.programs.sandbox.supervisor", "serve")


@pytest.fixture
def contest(tmp_path):
    return contest_with(tmp_path / "spring", NAMES, GROUPS)


class Server:
    """`arena contest serve`, started again whenever it was killed."""

    def __init__(self, folder):
        self._folder = folder
        self._start()

    def _start(self):
        command = [sys.executable, "-m", "arena", "contest", "serve", str(self._folder), "--port", "0"]
        with (self._folder.parent / "said.txt").open("a") as said:
            self.process = subprocess.Popen(command, stdout=said, stderr=said)

    def kill(self, victim):
        """Kill the server, or a process of it that has this word in its command, if there is one."""
        with suppress(psutil.NoSuchProcess):
            kin = psutil.Process(self.process.pid).children(recursive=True)
            found = [each for each in kin if any(victim in word for word in each.cmdline())]
            if victim == "serve":
                found = [self.process]
            if found:
                random.choice(found).kill()
        if victim == "serve":
            self.process.wait()
            self._start()

    def stop(self):
        self.process.terminate()
        self.process.wait(30)


@pytest.fixture
def server(contest):
    running = Server(contest.folder)
    yield running
    running.stop()


def wait_until(what, seconds=120):
    end = time.monotonic() + seconds
    while not (found := what()):
        assert time.monotonic() < end
        time.sleep(0.02)
    return found


def count(path):
    with suppress(Exception), Store(path) as store:
        return store.count()
    return 0


def test_a_contest_is_played_to_its_end_whatever_is_killed(contest, server, arena, tmp_path):
    database, random_ = contest.database(), random.Random(5)
    published = wait_until(lambda: settings_of(database).commitment)
    ladder, final = contest.runs / "ladder.db", contest.runs / "final.db"
    wait_until(lambda: count(ladder) > 20)
    wait_until(lambda: {each.state for each in entries.playing(database)} == {"playing"})
    before = count(ladder)
    server.kill("arena.contest.player")
    enter(contest, database, "ada", 2, "# a new version")
    entrants.exclude(database, "dee", "plays for two")
    wait_until(lambda: count(ladder) > before)

    end_now(database)
    fixed = wait_until(lambda: settings_of(database).final)
    entrants.readmit(database, "dee")
    for victim in (*VICTIMS, *random_.choices(VICTIMS, k=2)):
        now = count(final)
        wait_until(lambda now=now: count(final) > now or settings_of(database).places)
        time.sleep(random_.uniform(0, 0.3))
        server.kill(victim)
    wait_until(lambda: settings_of(database).places)
    assert settings_of(database).final.listed == fixed.listed
    assert [name for name, _ in fixed.listed] == [*NAMES][:3]

    put_settings(database, publish=True)
    time.sleep(0.5)
    server.kill("arena.contest.player")
    wait_until(lambda: settings_of(database).published)
    done = arena("verify", contest.published / "final.db", "--format", "json")
    verdict = json.loads(done.stdout)
    assert done.returncode == 0 and verdict["run"] == [] and verdict["missing"] == 0
    assert verdict["contest"] == published.sha256
    secret = (contest.published / "secret").read_bytes()
    assert sha256(secret).hexdigest() == published.sha256
    with Store(contest.published / "final.db") as store:
        played = Counter(name for game in store.games() for name in game.bots)
    assert played == dict.fromkeys(NAMES[:3], 2 * 2 * GROUPS)
