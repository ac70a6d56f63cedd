"""A run that is killed again and again, anywhere, ends as an undisturbed one, and leaves nothing behind.

`ARENA_KILLS=150 pytest -m slow tests/tournament/test_kills.py` kills more often than a few times.
"""

import json
import os
import random
import time
from contextlib import suppress

import psutil
import pytest
from programs import games_in
from runs import begin_with_log

pytestmark = pytest.mark.slow  # whole runs, and what is left of them

KILLS = int(os.environ.get("ARENA_KILLS", "12"))
VICTIMS = (
    "multiprocessing.spawn",
    "arena.sandbox.supervisor.main",
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
