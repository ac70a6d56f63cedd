"""A run that is killed again and again, anywhere, ends as an undisturbed one, and leaves nothing behind.

`ARENA_KILLS=150 pytest -m slow tests/tournament/test_kills.py` kills more often than a few times.
"""

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import psutil
import pytest
from programs import MARK, PLAIN, fixture, games_in, shell, survivors
from runs import begin_with_log

from arena.programs.bot import BotError
from arena.tournament.batches import closing_engine, play
from arena.tournament.engine.interface import Setup
from arena.tournament.engine.local import Local
from arena.tournament.work_queue import WorkQueue

pytestmark = pytest.mark.slow


KILLS = int(os.environ.get("ARENA_KILLS", "12"))

VICTIMS = (
    "multiprocessing.spawn",
    "arena.programs.sandbox.supervisor.main",
)  # what the commands of workers and supervisors have


@pytest.mark.parametrize("tier", ["limits", pytest.param("bubblewrap", marks=pytest.mark.sandbox)])
def test_after_any_number_of_kills_the_games_are_those_of_an_undisturbed_run(
    arena, plan_file, tmp_path, kin, tier
):
    """Coordinators, workers and supervisors die with `kill -9`; the same command goes on each time."""
    moments, groups = random.Random(tier), 3 * KILLS
    plan = plan_file(f"seats: [2, 3]\nseed: 5\ngroups: {groups}\nclock: {{move: 5s}}\nsandbox: {tier}\n")
    assert arena("run", plan, "--out", "whole.db").returncode == 0
    total = 9 * groups
    process = begin_with_log(plan, tmp_path)
    for count in sorted(moments.randrange(total * 9 // 10) for _ in range(KILLS)):
        time.sleep(moments.uniform(0, 0.5))  # or while it starts
        while process.poll() is None and games_in(tmp_path / "run.db") < count:
            time.sleep(0.01)
        victim = moments.choice([process, *of(kin(), moments.choice(VICTIMS))])
        with suppress(psutil.NoSuchProcess):
            victim.kill()
        if victim is process:
            process.wait()
        if process.poll() is not None:
            process = begin_with_log(plan, tmp_path)
    while process.wait(120) == 1:  # three workers in a row had no time to play anything
        process = begin_with_log(plan, tmp_path)
    assert process.returncode == 0, (tmp_path / "said.txt").read_text()
    whole = arena("export", "whole.db").stdout
    assert len(set(whole.splitlines())) == total
    assert arena("export", "run.db").stdout == whole
    assert table(arena, "run.db") == table(arena, "whole.db")
    assert psutil.wait_procs(kin(), timeout=2)[1] == []
    assert {each.name: os.listdir(each) for each in (tmp_path / "tmp").iterdir()} == {}


def test_a_bot_that_is_killed_has_crashed_and_no_other_bot_is_affected(arena, plan_file, tmp_path, kin):
    """A bot that is killed between two games is just restarted. All games without a crash are the same.

    A bot that is killed while it starts is unstarted.
    """
    moments = random.Random("bots")
    plan = plan_file(f"seats: [2, 3]\nseed: 5\ngroups: {3 * KILLS}\nclock: {{move: 5s}}\n")
    assert arena("run", plan, "--out", "whole.db").returncode == 0
    process = begin_with_log(plan, tmp_path)
    for count in sorted(moments.randrange(27 * KILLS * 9 // 10) for _ in range(KILLS)):
        while games_in(tmp_path / "run.db") < count or not (found := of(kin(), "_bot.py")):
            assert process.poll() is None
            time.sleep(0.01)
        with suppress(psutil.NoSuchProcess):
            moments.choice(found).kill()
    assert process.wait(120) == 0
    runs = [map(json.loads, arena("export", run).stdout.splitlines()) for run in ("whole.db", "run.db")]
    faults = []
    for undisturbed, game in zip(*runs, strict=True):
        assert game == undisturbed or game["faults"]
        faults += [
            (game["fixture"]["bots"][int(fault["seat"][1]) - 1], fault["fault"]) for fault in game["faults"]
        ]
    assert set(faults) <= {("bot1", "crashed"), ("bot1", "unstarted")} and 0 < len(faults) <= KILLS


def of(processes: list[psutil.Process], words: str) -> list[psutil.Process]:
    """Those that have these words in their commands."""
    found = {}
    for process in processes:
        with suppress(psutil.Error):  # it has ended meanwhile
            if words in " ".join(process.cmdline()):
                found[process] = process.ppid()
    pids = {process.pid for process in found}  # a child that is so too is about to become something else
    return [process for process, parent in found.items() if parent not in pids]


def table(arena, run: str) -> dict:
    """All of it that games decide; how many were void is the machine's matter."""
    shown = json.loads(arena("table", run, "--format", "json").stdout)
    return {key: value for key, value in shown.items() if "void" not in key}


STAYS = """
import sys, time
for line in sys.stdin:
    words = line.split()
    if words[0] == "ask":
        print(words[1], words[words.index(":") + 1], flush=True)
time.sleep(1000)
"""
"""Plays well, but does not exit when its stdin ends: it has to be killed."""


class Run:
    """`arena run` as a process of its own; what it says is in a file, so that no survivor holds it open."""

    def __init__(self, folder: Path, bot: str, groups: int, out: str = "run.db", **more: object):
        self.folder, self.store = folder, folder / out
        self.plan, self.said = folder / "plan.yaml", folder / "said.txt"
        bots = "".join(f"  {name}: {bot}_bot.py\n" for name in "abc")
        self.plan.write_text(f"game: complots\nseats: 2\ngroups: {groups}\nseed: 7\nbots:\n{bots}")
        with self.said.open("w") as said:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "arena", "run", self.plan, "--out", self.store, "--jobs", "2"],
                stdout=said,
                stderr=said,
                env=os.environ | {MARK: str(folder)},
                **more,
            )

    @property
    def workers(self) -> list[psutil.Process]:
        return workers_of(psutil.Process(self.process.pid)) if self.process.poll() is None else []

    def wait(self) -> int:
        """Its exit status, when it has ended by itself."""
        return self.process.wait(60)

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()

    def interrupt(self) -> None:
        self.process.send_signal(signal.SIGINT)

    def until(self, condition: Callable[[], bool]) -> None:
        """Wait for something to come about before the run ends."""
        deadline = time.monotonic() + 20
        while not condition():
            assert self.process.poll() is None, self.said.read_text()
            assert time.monotonic() < deadline, "the run is stuck"
            time.sleep(0.01)

    def has_games(self, count: int) -> None:
        self.until(lambda: games_in(self.store) >= count)

    def family(self) -> list[psutil.Process]:
        """Whatever is alive of it: its own processes by their mark, bots by where their programs are."""
        alive = []
        for process in psutil.process_iter():
            try:
                command = process.cmdline()
                bot = command and command[-1].startswith(f"{self.folder}/")
                if bot or process.environ().get(MARK) == str(self.folder):
                    alive.append(process)
            except psutil.Error:
                pass  # gone meanwhile, a zombie, or of another user
        return alive

    def is_gone(self) -> bool:
        """Whether nothing of it is alive any more, two seconds from now at the latest."""
        deadline = time.monotonic() + 2
        while self.family():
            if time.monotonic() > deadline:
                return False
            time.sleep(0.05)
        return True


def workers_of(parent: psutil.Process) -> list[psutil.Process]:
    found = []
    for child in parent.children():
        with suppress(psutil.Error):  # a zombie
            if "multiprocessing.spawn" in " ".join(child.cmdline()):
                found.append(child)
    return found


def export(path: Path) -> str:
    command = [sys.executable, "-m", "arena", "export", path]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


@pytest.fixture
def run(tmp_path, checkout):
    """Starts runs with bots of one kind, and in the end kills what is left of them."""
    (tmp_path / "stays_bot.py").write_text(STAYS)
    shutil.copy(checkout / "bots" / "python" / "random_bot.py", tmp_path / "random_bot.py")
    runs = []

    def start(*words: object, **more: object) -> Run:
        runs.append(Run(tmp_path, *words, **more))
        return runs[-1]

    yield start
    for each in runs:
        each.kill()
        for process in each.family():
            process.kill()


@pytest.mark.attack("leave processes behind")
@pytest.mark.parametrize("bot", ["random", "stays"])
def test_after_kill_9_of_a_run_nothing_of_it_is_alive(run, bot):
    """At any moment: while it starts and greets the bots, while workers start, while they play."""
    moments = random.Random(bot)
    for _ in range(4):
        disturbed = run(bot, 5000)
        time.sleep(moments.uniform(0.2, 1.2))
        disturbed.kill()
        assert disturbed.is_gone()


@pytest.mark.parametrize("bot", ["random", "stays"])
def test_after_kill_9_of_a_worker_the_run_goes_on_and_leaves_nothing_alive(run, bot):
    disturbed = run(bot, 5000)
    for count in (20, 100):
        disturbed.has_games(count)
        disturbed.until(lambda: disturbed.workers)
        disturbed.workers[0].kill()
    disturbed.has_games(250)
    disturbed.interrupt()
    assert disturbed.wait() == 130
    assert disturbed.is_gone()


def test_workers_that_die_while_the_coordinator_writes_are_replaced():
    """The pool is broken before the coordinator asks it for anything; every game is played all the same."""
    bots = {name: shell(name, PLAIN) for name in ("one", "two")}
    fixtures = [replace(fixture("one", "two", game="complots"), group=str(number)) for number in range(150)]
    played: list[str] = []
    engine = Local(Setup(bots, reuse=True, start_limit=10), jobs=2)
    queue = WorkQueue(iter(fixtures), 2, lambda game, attempt: game, {})
    with closing_engine(engine):
        for done in play(engine, queue):
            if not played:
                for child in workers_of(psutil.Process()):
                    child.kill()
                time.sleep(0.5)  # as long as a slow disk takes
            ended = [row.columns.id for each in done for row in each.games]
            played += filter(queue.counts, ended)
    assert sorted(played) == sorted(each.id for each in fixtures)
    assert survivors(within=1) == []


def test_a_supervisor_that_is_killed_while_bots_are_greeted_is_replaced():
    """The next one reports what the bot does."""

    def kill() -> None:
        while not (
            found := [each for each in psutil.Process().children(recursive=True) if is_supervisor(each)]
        ):
            time.sleep(0.05)
        time.sleep(0.3)
        found[0].kill()

    def is_supervisor(process: psutil.Process) -> bool:
        with suppress(psutil.Error):
            return "arena.programs.sandbox.supervisor.main" in " ".join(process.cmdline())

    killer = threading.Thread(target=kill)
    killer.start()
    with pytest.raises(BotError) as raised:
        Local(Setup({"one": shell("one", "sleep 1; exit 3")}, reuse=True, start_limit=10), jobs=1)
    assert "exited with status 3 before it answered hello" in raised.value.unstarted["one"]
    killer.join()
    assert survivors(within=1) == []


@pytest.mark.parametrize("victim", ["coordinator", "worker"])
def test_a_run_that_is_killed_again_and_again_ends_as_an_undisturbed_one(run, tmp_path, victim):
    """Every fixture is played once, and the records are the same byte for byte."""
    groups, moments = 25, random.Random(victim)
    assert run("random", groups, "whole.db").wait() == 0
    for _ in range(2):
        disturbed = run("random", groups)
        time.sleep(moments.uniform(0.3, 0.7))
        if victim == "coordinator":
            disturbed.kill()
        else:
            for worker in disturbed.workers[:1]:
                worker.kill()
            assert disturbed.wait() == 0, disturbed.said.read_text()
        assert disturbed.is_gone()
    assert run("random", groups).wait() == 0
    assert games_in(tmp_path / "run.db") == 3 * 2 * groups
    assert export(tmp_path / "run.db") == export(tmp_path / "whole.db")


@pytest.mark.parametrize("bot", ["random", "stays"])
@pytest.mark.parametrize("whom", ["process", "group"])
def test_ctrl_c_at_any_moment_says_how_to_go_on(run, bot, whom):
    """Once the run has said what it will play. A terminal sends it to the workers too."""
    for delay in (0, 0.2, 0.5):
        stopped = run(bot, 5000, process_group=0)
        stopped.until(lambda at=stopped.said: "games" in at.read_text())
        time.sleep(delay)
        os.kill(stopped.process.pid * (-1 if whom == "group" else 1), signal.SIGINT)
        assert stopped.wait() == 130, stopped.said.read_text()
        assert f"resume with: arena run {stopped.plan} --out {stopped.store}" in stopped.said.read_text()
        assert "Traceback" not in stopped.said.read_text()
        assert stopped.is_gone()


def test_after_ctrl_c_the_run_goes_on_where_it_was(run, tmp_path):
    assert run("random", 25, "whole.db").wait() == 0
    stopped = run("random", 25)
    stopped.has_games(20)
    stopped.interrupt()
    assert stopped.wait() == 130
    before = games_in(stopped.store)
    assert 20 <= before < 150
    again = run("random", 25)
    assert again.wait() == 0
    assert f"{before} of 150 games played" in again.said.read_text()
    assert export(tmp_path / "run.db") == export(tmp_path / "whole.db")


@pytest.mark.parametrize("sign", [signal.SIGTERM, signal.SIGHUP], ids=lambda sign: sign.name)
@pytest.mark.parametrize("whom", ["process", "group"])
def test_a_run_that_is_ended_leaves_nothing_alive(run, sign, whom):
    """By an administrator, or by a terminal that is closed: that ends the workers at the same moment."""
    ended = run("stays", 5000, process_group=0)
    ended.has_games(20)
    os.kill(ended.process.pid * (-1 if whom == "group" else 1), sign)
    ended.wait()
    assert ended.is_gone()
