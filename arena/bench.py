"""Measures what the referee costs, beside the bare pipe as the limit."""

import os
import resource
import select
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from time import perf_counter

import psutil

from arena import tournament
from arena.bot import Bot, bot_from_path, environment
from arena.build import build
from arena.clock import TimeControl
from arena.config import ConfigError
from arena.games import GAMES
from arena.plan import Plan
from arena.sandbox.tiers import LIMITS
from arena.schedule import due
from arena.store import Store, pack
from arena.table import Table

ASK = b"ask 1 challenge 1000 on=p1 claim=captain action=captain:p2 : pass challenge\n"


def measure(path: Path, games: int, cores: int) -> Iterator[str]:
    """Lines of results: the bare loop, the referee on one core, and whole runs on all cores."""
    bot = bot_from_path("random", path)
    build([bot], LIMITS)
    if not hasattr(os, "sched_setaffinity"):
        raise ConfigError("the benchmark pins processes to cores, which this system cannot do")
    everywhere = os.sched_getaffinity(0)
    with tempfile.TemporaryDirectory() as folder:
        os.sched_setaffinity(0, {max(everywhere)})
        bare = bare_loop(bot, folder, 20 * games)
        yield f"bare write/poll/read, one core     {bare * 1e6:8.1f} us a round trip"
        for seats in (2, 4):
            yield referee_cost(plan_of(bot, seats, games), bare)
        yield memory_line(plan_of(bot, 4, 20000))
        os.sched_setaffinity(0, everywhere)
        for seats in (2, 4):
            yield whole_run(plan_of(bot, seats, games), Path(folder) / f"{seats}.db", cores)
    yield f"start of `arena --help`            {startup() * 1e3:8.0f} ms"


def plan_of(bot: Bot, seats: int, games: int) -> Plan:
    bots = {f"random{number}": replace(bot, name=f"random{number}") for number in range(1, seats + 1)}
    game = GAMES["complots"]
    return Plan(
        name="bench",
        game=game,
        seats=(seats,),
        options=game.defaults(),
        groups=max(1, games // seats),
        seed="1",
        control=TimeControl(),
        bots=bots,
    )


def bare_loop(bot: Bot, folder: str, rounds: int) -> float:
    """Seconds a round trip of one ask takes with nothing around it."""
    pipe = subprocess.PIPE
    with subprocess.Popen(
        bot.command, cwd=bot.folder, env=environment(folder, os.defpath), stdin=pipe, stdout=pipe, bufsize=0
    ) as process:
        into, out = process.stdin.fileno(), process.stdout.fileno()
        poller = select.poll()
        poller.register(out, select.POLLIN)
        began = perf_counter()
        for _ in range(rounds):
            os.write(into, ASK)
            poller.poll(1000)
            os.read(out, 65536)
        seconds = perf_counter() - began
        process.stdin.close()
    return seconds / rounds


def referee_cost(plan: Plan, bare: float) -> str:
    """Games at one table, packed as for the disk; per ask, beyond the bare loop."""
    asks = games = 0
    with Table(plan.bots) as table:
        fixtures = list(due(plan, {}))
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
        f"{plan.seats[0]} seats, one table on one core      {own * 1e6:8.1f} us an ask beyond that"
        f"  ({asks / games:.0f} asks a game, {games / seconds:.0f} games/s)"
    )


def memory_line(plan: Plan) -> str:
    """How much the referee's memory grows over 20,000 games."""
    own = psutil.Process()
    with Table(plan.bots) as table:
        for number, fixture in enumerate(due(plan, {})):
            table.play(fixture)
            if number == 1000:
                before = own.memory_info().rss
        grown = own.memory_info().rss - before
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)
    return f"memory over 20,000 games           {grown / 2**20:+8.1f} MB (peak {peak / 2**20:.0f} MB)"


def whole_run(plan: Plan, path: Path, cores: int) -> str:
    """A tournament from the first process to the last commit."""
    with Store(path, writer=True) as store:
        began = perf_counter()
        progress = tournament.run(plan, store, cores, lambda progress: None, LIMITS)
        rate = len(progress.played) / (perf_counter() - began)
    return f"{plan.seats[0]} seats, {cores} cores, recorded         {rate:8.0f} games/s"


def startup() -> float:
    began = perf_counter()
    subprocess.run([sys.executable, "-m", "arena", "--help"], stdout=subprocess.DEVNULL, check=True)
    return perf_counter() - began
