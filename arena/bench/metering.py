"""The cost of metering and supervising bots, and what more threads add to it."""

import sys
from contextlib import closing
from functools import partial
from pathlib import Path
from statistics import median
from time import clock_gettime, monotonic, process_time
from typing import NamedTuple

import psutil

from arena.bench.referee import SEATS, answer_times, dealt, plan_of
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


class ThreadCost(NamedTuple):
    """CPU time at one table: the referee's per ask and its share; the supervisor's share of a core."""

    threads: int
    referee_us: float
    referee_share: float
    supervisor: float


class Metering(NamedTuple):
    """`ratio` is the cost of metering an answer of a bot with `THREADS` threads, relative to one.

    `supervisor` is its share of a core with bots that answer fast, which it has to check all the time.
    """

    ratio: float
    tables: list[ThreadCost]
    supervisor: float


def metering(fast: Bot, games: int) -> Metering:
    """In the tier `limits`: there the supervisor has most to do."""
    bots = {threads: bot_of(threads) for threads in (1, THREADS)}
    tables = [cpu_shares(bot, games, threads) for threads, bot in bots.items()]
    return Metering(ratio(*bots.values()), tables, cpu_shares(fast, games, 1, SEATS[-1]).supervisor)


def bot_of(threads: int) -> Bot:
    command = (sys.executable, "-I", "-S", "-c", PROGRAM.format(more=threads - 1))
    return Bot(f"threads{threads}", command, Path("/"), "0" * 16, installed=(Path(sys.executable),))


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


def cpu_shares(bot: Bot, games: int, threads: int, seats: int = 2) -> ThreadCost:
    """How the CPU time of games at one table is shared between referee, supervisor and bots."""
    plan = plan_of(bot, seats, games)
    with Table(plan.bots, sandbox=LIMITS_ONLY) as table:
        fixtures = list(dealt(plan))
        for fixture in fixtures[:seats]:  # one of each rotation, so that all processes have been started
            table.play(fixture)
        found = [child for child in psutil.Process().children() if child.status() != psutil.STATUS_ZOMBIE]
        supervisor = next(child for child in found if "arena.sandbox.supervisor" in " ".join(child.cmdline()))
        pids = [supervisor.pid, *(child.pid for child in supervisor.children())]
        before = [clock_gettime(cpu_clock(pid)) for pid in pids]
        began, own, asks = monotonic(), process_time(), 0
        for fixture in fixtures:
            asks += len(answer_times(table.play(fixture)))
        own, seconds = process_time() - own, monotonic() - began
        used = [clock_gettime(cpu_clock(pid)) - then for pid, then in zip(pids, before, strict=True)]
    return ThreadCost(threads, own / asks * 1e6, own / (own + sum(used)), used[0] / seconds)
