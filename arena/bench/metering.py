"""The cost of metering and supervising a bot with many threads, compared to one with a single thread."""

import sys
from collections.abc import Iterator
from contextlib import closing
from functools import partial
from pathlib import Path
from statistics import median
from time import clock_gettime, monotonic, process_time

import psutil

from arena.bench.referee import dealt, plan_of
from arena.bench.starts import seconds_of
from arena.core.bot import Bot
from arena.play.player import Player, end_all
from arena.play.table import Table, greet
from arena.sandbox.client import SupervisorClient
from arena.sandbox.linux.procfs import cpu_clock
from arena.sandbox.policy import LIMITS_ONLY

THREADS = 8
MANY, BATCHES = 200, 50  # measurements in a batch, and number of batches
PROGRAM = """
import sys, threading
for _ in range({more}): threading.Thread(target=threading.Event().wait, daemon=True).start()
for line in sys.stdin:
    words = line.split()
    if words[0] == "ask":
        print(words[1], words[words.index(":") + 1], flush=True)
"""
"""A bot that always takes the first option, with more threads that only wait."""


def measure(games: int) -> Iterator[str]:
    """Lines of results, in the tier `limits`: there the supervisor has most to do."""
    single, threaded = (bot_of(number) for number in (1, THREADS))
    yield f"metering, {THREADS} threads to 1".ljust(30) + f"{ratio(single, threaded):8.2f} times the cost"
    for bot in (single, threaded):
        yield cpu_shares(bot, games)


def bot_of(threads: int) -> Bot:
    command = (sys.executable, "-I", "-S", "-c", PROGRAM.format(more=threads - 1))
    return Bot(
        f"bots with {threads} threads" if threads > 1 else "bots with one thread",
        command,
        Path("/"),
        "0" * 16,
    )


def ratio(*bots: Bot) -> float:
    """The cost of metering an answer of the second bot, relative to the first; measured in turns."""
    with closing(SupervisorClient(LIMITS_ONLY)) as supervisor:
        players = [Player(bot, supervisor) for bot in bots]
        greet(players, limit=10.0)
        costs: list[list[float]] = [[], []]
        for _ in range(BATCHES):
            for player, found in zip(players, costs, strict=True):
                found.append(seconds_of(partial(meter_answers, player)))
        end_all(players)
    return median(costs[1]) / median(costs[0])


def meter_answers(player: Player) -> None:
    for _ in range(MANY):
        player.meter.start()
        player.meter.read(monotonic())


def cpu_shares(bot: Bot, games: int) -> str:
    """How the CPU time of games at one table is shared between referee, supervisor and bots."""
    plan = plan_of(bot, 2, games)
    with Table(plan.bots, sandbox=LIMITS_ONLY) as table:
        fixtures = list(dealt(plan))
        for fixture in fixtures[:2]:  # one of each rotation, so that all processes have been started
            table.play(fixture)
        found = psutil.Process().children()
        supervisor = next(child for child in found if "arena.sandbox.supervisor" in " ".join(child.cmdline()))
        pids = [supervisor.pid, *(child.pid for child in supervisor.children())]
        before = [clock_gettime(cpu_clock(pid)) for pid in pids]
        own, asks = process_time(), 0
        for fixture in fixtures:
            asks += sum(map(len, table.play(fixture).trace["microseconds"]))
        own = process_time() - own
        used = [clock_gettime(cpu_clock(pid)) - then for pid, then in zip(pids, before, strict=True)]
    whole = own + sum(used)
    return bot.name.ljust(30) + (
        f"{own / asks * 1e6:8.1f} us of the referee per ask ({own / whole:.0%} of all CPU time; "
        f"supervisor {used[0] / whole:.1%})"
    )
