"""What it costs to measure and to supervise a bot with many threads, beside one with a single thread."""

import sys
from collections.abc import Iterator
from contextlib import closing
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
MANY, BATCHES = 200, 50  # measurements that are timed together, and how often
PROGRAM = """
import sys, threading
for _ in range({more}): threading.Thread(target=threading.Event().wait, daemon=True).start()
for line in sys.stdin:
    words = line.split()
    if words[0] == "ask":
        print(words[1], words[words.index(":") + 1], flush=True)
"""
"""A bot that always takes the first option, beside threads that wait."""


def measure(games: int) -> Iterator[str]:
    """Lines of results, in the tier limits: there the supervisor has most to do."""
    single, threaded = (bot_of(number) for number in (1, THREADS))
    yield f"measuring, {THREADS} threads to one".ljust(30) + f"{ratio(single, threaded):8.2f} times the cost"
    for bot in (single, threaded):
        yield shares(bot, games)


def bot_of(threads: int) -> Bot:
    command = (sys.executable, "-I", "-S", "-c", PROGRAM.format(more=threads - 1))
    return Bot(
        f"bots of {threads} threads" if threads > 1 else "bots of one thread", command, Path("/"), "0" * 16
    )


def ratio(*bots: Bot) -> float:
    """How much more it costs to measure an answer of the second bot than of the first; taken in turns."""
    with closing(SupervisorClient(LIMITS_ONLY)) as supervisor:
        players = [Player(bot, supervisor) for bot in bots]
        greet(players, limit=10.0)
        costs: list[list[float]] = [[], []]
        for _ in range(BATCHES):
            for player, found in zip(players, costs, strict=True):
                found.append(seconds_of(lambda player=player: answers(player)))
        end_all(players)
    return median(costs[1]) / median(costs[0])


def answers(player: Player) -> None:
    for _ in range(MANY):
        player.meter.start()
        player.meter.read(monotonic())


def shares(bot: Bot, games: int) -> str:
    """Who uses the CPU time of games at one table."""
    plan = plan_of(bot, 2, games)
    with Table(plan.bots, sandbox=LIMITS_ONLY) as table:
        fixtures = list(dealt(plan))
        for fixture in fixtures[:2]:  # of each rotation one, so that all processes are there
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
        f"{own / asks * 1e6:8.1f} us of the referee an ask ({own / whole:.0%} of all CPU time; "
        f"supervisor {used[0] / whole:.1%})"
    )
