"""Measures costs of the arena besides an ask, for its maintainers: `python benchmarks/costs.py [SECTION...]`.

- metering: the cost per ask of more threads in a bot, and the share of a core that the supervisor takes
- idle: the share of the cores' time that a tournament leaves idle
- memory: the growth of the referee
- languages: start and round trip of the starter kits
- command: the start of `arena --help`
"""

import argparse
import os
import resource
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import closing
from functools import partial
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from threading import get_native_id
from time import clock_gettime, monotonic, perf_counter, process_time
from typing import NamedTuple

import psutil

from arena.bench.bots import fast_bot
from arena.bench.referee import SEATS, answer_times, dealt, plan_of
from arena.bench.runs import complete_run
from arena.bench.starts import costs, seconds_of
from arena.config.document import ConfigError
from arena.programs.bot import Bot
from arena.programs.kits import LANGUAGES, create
from arena.programs.play.build import build
from arena.programs.play.player import Player, end_all
from arena.programs.play.table import ProgramTable, greet
from arena.programs.reading import read_bot
from arena.programs.sandbox.client import SupervisorClient
from arena.programs.sandbox.linux.procfs import children, cpu_clock, state, tasks, tree
from arena.programs.sandbox.policy import LIMITS_ONLY
from arena.programs.sandbox.supervisor.main import CHECK_SHARE
from arena.tournament.run import Progress

INTERVAL_S = 0.01
REFRESH = 50  # samples between two searches for new processes
STEADY = 0.9  # Later in the run, workers run out of games one after the other.
STARTS, ROUNDS = 9, 2000  # for a bot in each language
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

    `supervisor` is the supervisor's share of a core with fast bots, which it has to check all the time.
    """

    ratio: float
    tables: list[ThreadCost]
    supervisor: float


def metering(fast: Bot, games: int) -> Metering:
    """Play in the tier `limits`, in which the supervisor has most to do."""
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
    """The shares of referee, supervisor and bots in the CPU time of games at one table."""
    plan = plan_of(bot, seats, games)
    with ProgramTable(plan.bots, sandbox=LIMITS_ONLY) as table:
        fixtures = list(dealt(plan))
        for fixture in fixtures[:seats]:  # One game of each rotation starts all processes.
            table.play(fixture)
        found = [child for child in psutil.Process().children() if child.status() != psutil.STATUS_ZOMBIE]
        supervisor = next(
            child for child in found if "arena.programs.sandbox.supervisor" in " ".join(child.cmdline())
        )
        pids = [supervisor.pid, *(child.pid for child in supervisor.children())]
        before = [clock_gettime(cpu_clock(pid)) for pid in pids]
        began, own, asks = monotonic(), process_time(), 0
        for fixture in fixtures:
            asks += len(answer_times(table.play(fixture)))
        own, seconds = process_time() - own, monotonic() - began
        used = [clock_gettime(cpu_clock(pid)) - then for pid, then in zip(pids, before, strict=True)]
    return ThreadCost(threads, own / asks * 1e6, own / (own + sum(used)), used[0] / seconds)


# The idle share of the cores is measured by samples of the states of the tournament's processes. The counters
# of the system would not do: other work on the machine fills the time that the tournament leaves idle. So
# each sample counts the groups of processes that could compute: a worker with its supervisor and bots, which
# take turns on one core, and the coordinator. A runnable process that waits for another program's core (also
# state R) does not leave it idle.


def is_ready(group: list[int]) -> bool:
    """Whether a process of the group is runnable.

    Processes may take turns meanwhile, or be new, so a group that seems idle is read again.
    """
    return any(state(pid) == b"R" for pid in group)


class IdleSampler:
    """Samples in a thread of the coordinator, from `start` to `stop`."""

    def __init__(self, cores: int):
        self._cores = cores
        self._stopped = threading.Event()
        self._busy: list[int] = []  # busy cores in each sample
        self._thread = threading.Thread(target=self._sample, daemon=True)

    def start(self) -> None:
        if not self._thread.ident:
            self._thread.start()

    def stop(self) -> None:
        self._stopped.set()

    @property
    def share(self) -> float | None:
        """The share of the cores' time that was idle; None if there are too few samples."""
        if len(self._busy) < REFRESH:
            return None
        return 1 - sum(self._busy) / (self._cores * len(self._busy))

    def _sample(self) -> None:
        own, sampler, groups = os.getpid(), get_native_id(), list[list[int]]()
        while not self._stopped.wait(INTERVAL_S):
            if len(self._busy) % REFRESH == 0:
                groups = [tree(child) for child in children(own)]
            ready = sum(is_ready(group) or is_ready(tree(group[0])) for group in groups)
            coordinator = any(state(own, task) == b"R" for task in tasks(own) if task != sampler)
            self._busy.append(min(self._cores, ready + coordinator))


def idle_share(bot: Bot, seats: int, games: int, cores: int) -> float | None:
    """The share from the first commit until 90 % of the games were played; None: the time is too short."""
    sampler = IdleSampler(cores)

    def on_progress(progress: Progress) -> None:
        sampler.start()
        if progress.total and progress.fresh >= STEADY * progress.total:
            sampler.stop()

    complete_run(bot, seats, games, cores, on_progress)
    return sampler.share


def language_line(language: str, folder: Path) -> str:
    """The cost of a language's starter kit, or the reason why it cannot be measured."""
    try:
        create(language, folder / language, "complots")
        bot = read_bot(folder / language, name=language)
        build([bot], LIMITS_ONLY)
        found = list(costs(bot, STARTS, ROUNDS))
    except ConfigError as error:
        return f"{language:12} skipped: {error.args[0].partition(' (needed')[0].rpartition('run: ')[2]}"
    starts = ", ".join(f"{each.start_ms:.1f} ms {each.around}" for each in found)
    return f"{language:12} {starts}; round trip {found[0].round_trip_us:.1f} us"


# Each section is measured with the fast bot, and yields lines of text.


def metering_lines(bot: Bot, games: int) -> Iterator[str]:
    found = metering(bot, games // 4)
    yield f"metering an answer, {THREADS} threads to 1: {found.ratio:.2f} times the cost"
    for each in found.tables:
        yield (
            f"bots with {each.threads} threads: {each.referee_us:.1f} us of the referee per ask, "
            f"{each.referee_share:.0%} of all CPU time; supervisor {each.supervisor:.1%} of a core"
        )
    yield f"supervisor of fast bots: {found.supervisor:.1%} of a core; {CHECK_SHARE:.0%} is aimed at"


def idle_lines(bot: Bot, games: int) -> Iterator[str]:
    cores = len(os.sched_getaffinity(0))
    for seats in SEATS:
        share = idle_share(bot, seats, games, cores)
        yield f"{seats} seats: " + (
            "too short to tell" if share is None else f"{share:.1%} of {cores} cores idle"
        )


def memory_lines(bot: Bot, games: int) -> Iterator[str]:
    """The growth of the referee's memory after the first twentieth of the games, and its peak."""
    plan, own = plan_of(bot, 4, games), psutil.Process()
    with ProgramTable(plan.bots) as table:
        for number, fixture in enumerate(dealt(plan)):
            if number == games // 20:
                before = own.memory_info().rss
            table.play(fixture)
        grown = own.memory_info().rss - before
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)
    yield f"memory over {games:,} games: {grown / 2**20:.1f} MB more, peak {peak / 2**20:.0f} MB"


def languages_lines(bot: Bot, games: int) -> Iterator[str]:
    with TemporaryDirectory() as folder:
        for language in LANGUAGES:
            yield language_line(language, Path(folder))


def command_lines(bot: Bot, games: int) -> Iterator[str]:
    began = perf_counter()
    subprocess.run([sys.executable, "-P", "-m", "arena", "--help"], stdout=subprocess.DEVNULL, check=True)
    yield f"start of `arena --help`: {(perf_counter() - began) * 1e3:.0f} ms"


SECTIONS = {
    "metering": metering_lines,
    "idle": idle_lines,
    "memory": memory_lines,
    "languages": languages_lines,
    "command": command_lines,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("sections", nargs="*", choices=[*SECTIONS, []], metavar="SECTION")
    parser.add_argument("--games", type=int, default=4000)
    given = parser.parse_args()
    with TemporaryDirectory() as folder:
        bot = fast_bot(Path(folder))
        for section in given.sections or SECTIONS:
            for line in SECTIONS[section](bot, given.games):
                print(line, flush=True)


if __name__ == "__main__":
    main()
