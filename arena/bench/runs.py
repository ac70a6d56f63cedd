"""Complete tournaments: their speed."""

import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import NamedTuple

from arena.bench.referee import plan_of
from arena.programs.bot import Bot
from arena.tournament import run as tournament
from arena.tournament.engine.local import Local
from arena.tournament.run import Progress
from arena.tournament.runs.store import Store


class Run(NamedTuple):
    """Games per second from the start of the first process to the last commit."""

    bot: str
    seats: int
    jobs: int
    games: int
    games_per_s: float


def complete_run(
    bot: Bot,
    seats: int,
    games: int,
    jobs: int,
    on_progress: Callable[[Progress], None] = lambda progress: None,
) -> Run:
    plan = plan_of(bot, seats, games)
    with tempfile.TemporaryDirectory() as folder, Store(Path(folder) / "run.db", writer=True) as store:
        began = perf_counter()
        progress = tournament.run(plan, store, partial(Local, jobs=jobs), on_progress, lambda message: None)
        seconds = perf_counter() - began
        played = len(progress.played)  # reads the run file
    return Run(bot.name, seats, jobs, played, played / seconds)
