"""Measures complete tournaments: their speed, and the shortest honest time limit.

At that limit a late bot is at fault, not the machine. A bot that answers at once should be charged next to
nothing. The rest of its charge is the error of the clocks, which grows when other programs take the cores. So
the fast bot plays on all cores, beside an equal number of programs that compute without a pause. It has the
shortest possible limit, and every answer is metered. The limit is the charge that 999 of 1000 answers do not
exceed, times `_MARGIN`, rounded up to whole milliseconds. Then games are played at this limit on the same
loaded machine, and the late answers are counted.
"""

import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from math import ceil
from pathlib import Path
from time import perf_counter
from typing import NamedTuple

import numpy as np

from arena.bench.bots import minimal_bot
from arena.bench.referee import SEATS, answer_times, plan_of
from arena.config.values import MAX_COUNT
from arena.programs.bot import Bot
from arena.referee.conditions import Conditions, TimeControl
from arena.referee.record import Record
from arena.tournament import run as tournament
from arena.tournament.engine.local import Local
from arena.tournament.formats.plan import Plan
from arena.tournament.run import Progress
from arena.tournament.runs.store import Store

__all__ = ("RunSpeed", "TimeLimit", "complete_run", "complete_runs", "time_limit")

_MARGIN = 2
_PROMISED = 1e-4  # the share of late answers at the limit
_MIN_MOVE_S = 0.001  # the least time of an answer in a plan
_METERED_S = 600_000.0  # With any limit per game, every answer is metered.
_SEATS = 4
_BURNER = """
import os, sys, threading
threading.Thread(target=lambda: (sys.stdin.read(), os._exit(0)), daemon=True).start()
while True: pass
"""
"""Computes until its stdin is closed, which happens even if its parent just ends."""
_OnProgress = Callable[[Progress], None]


class RunSpeed(NamedTuple):
    """The speed of a tournament on `jobs` cores, from its new file to the end of its last process."""

    bot: str
    seats: int
    jobs: int
    games: int
    games_per_s: float


def complete_runs(bot: Bot, games: int, jobs: int, folder: Path) -> list[RunSpeed]:
    """The speed of tournaments of this bot, and of a minimal one in Python, which is built in `folder`."""
    python = minimal_bot("python", folder)  # Its games spend their time in the bots.
    fields = [*((bot, seats) for seats in SEATS), (python, 2)]
    return [complete_run(each, seats, games, jobs) for each, seats in fields]


def complete_run(
    bot: Bot, seats: int, games: int, jobs: int, on_progress: _OnProgress = lambda progress: None
) -> RunSpeed:
    plan, began = plan_of(bot, seats, games), perf_counter()
    with _play_plan(plan, jobs, on_progress) as store:
        took = perf_counter() - began
        return RunSpeed(bot.name, seats, jobs, store.count(), store.count() / took)


@contextmanager
def _play_plan(plan: Plan, jobs: int, on_progress: _OnProgress = lambda progress: None) -> Iterator[Store]:
    """Play all games of the plan; yields the open run file with them, which is removed afterwards."""
    with tempfile.TemporaryDirectory() as folder, Store(Path(folder) / "run.db", writer=True) as store:
        tournament.run(plan, store, partial(Local, jobs=jobs), on_progress, lambda message: None)
        yield store


class TimeLimit(NamedTuple):
    """The shortest honest limit, `move_ms` per answer: `late` of `answers` were late at it.

    It follows from `p999_us`, the charge that 999 of 1000 answers do not exceed.
    """

    p999_us: float
    move_ms: int
    answers: int
    late: int

    @property
    def promised(self) -> float:
        """The promise: the greatest share of late answers."""
        return _PROMISED

    @property
    def holds(self) -> bool:
        return self.late <= self.promised * self.answers


def time_limit(bot: Bot, games: int, cores: int) -> TimeLimit:
    """The shortest honest limit for this bot, from about `games` games on `cores` loaded cores."""
    with load(cores):
        metered = TimeControl(move=_MIN_MOVE_S, game=_METERED_S)
        charged = [
            times for record in _play(bot, games // 2, cores, metered) for times in answer_times(record)
        ]
        p999 = float(np.percentile(charged, 99.9))
        move = max(1, ceil(_MARGIN * p999 / 1e3))
        records = _play(bot, games, cores, TimeControl(move=move / 1e3))
    late = sum(fault.kind == "late" for record in records for fault in record.faults)
    return TimeLimit(p999, move, sum(len(answer_times(record)) for record in records), late)


@contextmanager
def load(cores: int) -> Iterator[list[subprocess.Popen[bytes]]]:
    """Run `cores` processes that compute without a pause; yields them, and kills them at the end."""
    with ExitStack() as stack:
        burners = []
        for _ in range(cores):
            command = [sys.executable, "-I", "-S", "-c", _BURNER]
            burner = stack.enter_context(subprocess.Popen(command, stdin=subprocess.PIPE))
            stack.callback(burner.kill)
            burners.append(burner)
        yield burners


def _play(bot: Bot, games: int, cores: int, clock: TimeControl) -> list[Record]:
    # No bot may lose by its strikes.
    plan = plan_of(bot, _SEATS, games, Conditions(clock=clock, strikes=MAX_COUNT))
    with _play_plan(plan, cores) as store:
        return [store.record(id) for id in store.played()]
