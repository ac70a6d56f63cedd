"""Complete tournaments: their speed."""

import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import NamedTuple

from arena.bench.referee import plan_of
from arena.programs.bot import Bot
from arena.tournament import run as tournament
from arena.tournament.engine.local import Local
from arena.tournament.formats.plan import Plan
from arena.tournament.run import Progress
from arena.tournament.runs.store import Store

_OnProgress = Callable[[Progress], None]


class Run(NamedTuple):
    """Games per second from the start of the first process to the last commit."""

    bot: str
    seats: int
    jobs: int
    games: int
    games_per_s: float


def complete_run(
    bot: Bot, seats: int, games: int, jobs: int, on_progress: _OnProgress = lambda progress: None
) -> Run:
    plan, began = plan_of(bot, seats, games), perf_counter()
    with played(plan, jobs, on_progress) as store:
        seconds = perf_counter() - began
        return Run(bot.name, seats, jobs, store.count(), store.count() / seconds)


@contextmanager
def played(plan: Plan, jobs: int, on_progress: _OnProgress = lambda progress: None) -> Iterator[Store]:
    """A run file with all games of the plan, which have been played."""
    with tempfile.TemporaryDirectory() as folder, Store(Path(folder) / "run.db", writer=True) as store:
        tournament.run(plan, store, partial(Local, jobs=jobs), on_progress, lambda message: None)
        yield store
