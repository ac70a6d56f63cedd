"""Complete tournaments: their speed, how busy they keep the cores, and the memory of the referee."""

import resource
import sys
import tempfile
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import NamedTuple

import psutil

from arena.bench.idle import IdleSampler
from arena.bench.referee import dealt, plan_of
from arena.core.bot import Bot
from arena.engine.local import Local
from arena.formats.plan import Plan
from arena.play.table import Table
from arena.results.store import Store
from arena.tournament import run as tournament
from arena.tournament.run import Progress

STEADY = 0.9  # of the games; later, workers run out of games one after the other


class Run(NamedTuple):
    """Games per second from the start of the first process to the last commit.

    `idle` is the share of the cores' time that the run left idle, from the first commit until 90 % of
    the games had been played. None: the run was too short to tell.
    """

    bot: str
    seats: int
    jobs: int
    games: int
    games_per_s: float
    idle: float | None


class Memory(NamedTuple):
    """The growth of the referee's memory after the first twentieth of the games, and its peak."""

    games: int
    growth_mb: float
    peak_mb: float


def complete_run(bot: Bot, seats: int, games: int, jobs: int) -> Run:
    plan = plan_of(bot, seats, games)
    sampler = IdleSampler(jobs)

    def on_progress(progress: Progress) -> None:
        sampler.start()
        if progress.total and progress.fresh >= STEADY * progress.total:
            sampler.stop()

    with tempfile.TemporaryDirectory() as folder, Store(Path(folder) / "run.db", writer=True) as store:
        began = perf_counter()
        progress = tournament.run(plan, store, partial(Local, jobs=jobs), on_progress, lambda message: None)
        seconds = perf_counter() - began
        played = len(progress.played)  # reads the run file
    return Run(bot.name, seats, jobs, played, played / seconds, sampler.share)


def memory(plan: Plan) -> Memory:
    own, games = psutil.Process(), plan.config.groups * plan.seats[0]
    with Table(plan.bots) as table:
        for number, fixture in enumerate(dealt(plan)):
            if number == games // 20:
                before = own.memory_info().rss
            table.play(fixture)
        grown = own.memory_info().rss - before
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)
    return Memory(games, grown / 2**20, peak / 2**20)
