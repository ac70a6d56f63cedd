"""The cost of the referee, compared to a bare pipe, which is the lower limit."""

import resource
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from time import perf_counter

import psutil

from arena.bench.starts import costs, one_core
from arena.core.bot import Bot, bot_from_path
from arena.engine.local import Local
from arena.formats.plan import Plan
from arena.formats.round_robin import FORMAT, Config
from arena.games import GAMES
from arena.play.build import build
from arena.play.table import Table
from arena.records.deals import deal
from arena.records.fixture import Fixture
from arena.results.store import Store
from arena.results.stored_game import pack
from arena.sandbox.policy import LIMITS_ONLY
from arena.tournament import run as tournament
from arena.tournament.schedule import due

STARTS = 150
MEMORY = 2.5  # the memory is measured over this many times the games


def measure(path: Path, games: int, cores: int) -> Iterator[str]:
    """Lines of results: a bot alone and in each tier, the referee on one core, complete runs on all cores."""
    bot = bot_from_path("random", path)
    build([bot], LIMITS_ONLY)
    found = []
    for cost in costs(bot, STARTS, 20 * games):
        found.append(cost)
        yield (
            f"{cost.around} around the bot".ljust(30) + f"{cost.start * 1e3:8.2f} ms from start to answer "
            f"({cost.round_trip * 1e6:.1f} us per round trip, one core)"
        )
    with one_core():
        for seats in (2, 4):
            yield referee_cost(plan_of(bot, seats, games), found[0].round_trip)
        yield memory_line(plan_of(bot, 4, int(MEMORY * games)))
    with tempfile.TemporaryDirectory() as folder:
        for seats in (2, 4):
            yield complete_run(plan_of(bot, seats, games), Path(folder) / f"{seats}.db", cores)
    yield "start of `arena --help`".ljust(30) + f"{startup() * 1e3:8.1f} ms"


def plan_of(bot: Bot, seats: int, games: int) -> Plan:
    bots = {f"random{number}": replace(bot, name=f"random{number}") for number in range(1, seats + 1)}
    game = GAMES["complots"]
    return Plan(
        name="bench",
        game=game,
        seats=(seats,),
        options=game.defaults(),
        bots=bots,
        format=FORMAT,
        config=Config(groups=max(1, games // seats)),
        seed="1",
    )


def dealt(plan: Plan) -> Iterator[Fixture]:
    """All games of the plan, in order."""
    assert plan.seed is not None
    return (deal(fixture, plan.seed, 0) for fixture in due(plan, {}) if fixture is not None)


def referee_cost(plan: Plan, bare: float) -> str:
    """The time of the referee per ask, less that of a bare pipe; each record is packed as for a run file."""
    asks = games = 0
    with Table(plan.bots) as table:
        fixtures = list(dealt(plan))
        table.play(fixtures[0])
        began = perf_counter()
        for fixture in fixtures:
            record = table.play(fixture)
            pack(record)
            asks += sum(map(len, record.trace["microseconds"]))
            games += 1
        seconds = perf_counter() - began
    own = seconds / asks - bare
    return (
        f"{plan.seats[0]} seats, one table, one core".ljust(30)
        + f"{own * 1e6:8.1f} us per ask on top of that "
        f"({asks / games:.0f} asks per game, {games / seconds:.0f} games/s)"
    )


def memory_line(plan: Plan) -> str:
    """The growth of the referee's memory after the first twentieth of the games."""
    own, games = psutil.Process(), plan.config.groups * plan.seats[0]
    with Table(plan.bots) as table:
        for number, fixture in enumerate(dealt(plan)):
            if number == games // 20:
                before = own.memory_info().rss
            table.play(fixture)
        grown = own.memory_info().rss - before
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)
    return f"memory over {games:,} games".ljust(30) + f"{grown / 2**20:+8.1f} MB (peak {peak / 2**20:.0f} MB)"


def complete_run(plan: Plan, path: Path, cores: int) -> str:
    """The speed of a tournament, from the start of the first process to the last commit."""
    with Store(path, writer=True) as store:
        began = perf_counter()
        progress = tournament.run(
            plan, store, partial(Local, jobs=cores), lambda progress: None, lambda message: None
        )
        rate = len(progress.played) / (perf_counter() - began)
    return f"{plan.seats[0]} seats, {cores} cores, recorded".ljust(30) + f"{rate:8.0f} games/s"


def startup() -> float:
    began = perf_counter()
    subprocess.run([sys.executable, "-m", "arena", "--help"], stdout=subprocess.DEVNULL, check=True)
    return perf_counter() - began
