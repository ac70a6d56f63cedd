"""Measures the cost of spectators for their games: CPU time per ask with and without them, in turns.

The first lines compare tables that write their game for spectators with tables that do not. The other lines
are for one run of `arena serve`, which is watched in every other round: half of the spectators watch the
standings, half a game. CPU time is the time of the workers, without their bots.
"""

import argparse
import asyncio
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from multiprocessing import get_context
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import process_time, sleep
from typing import NamedTuple
from urllib.parse import urlsplit

import psutil

from arena.bench.referee import answer_times, dealt, plan_of
from arena.bench.starts import one_core
from arena.programs.play.live import LiveGame
from arena.programs.play.table import ProgramTable
from arena.programs.reading import read_bot
from arena.tournament.runs.store import Store

_PARTS = 10  # of a round
_SAMPLE = 300  # games of a round whose asks are counted
_WORKER = "spawn_main"  # in the command of a worker
_BOT = """\"\"\"Answers each ask with its first option.\"\"\"
import sys
for line in sys.stdin:
    if line.startswith("ask "):
        words = line.split()
        print(words[1], words[words.index(":") + 1], flush=True)
"""


class _Cost(NamedTuple):
    """CPU microseconds of workers per ask, and the share of a core that the processes of the server took."""

    cpu_us: float
    asks: int
    web: float = 0.0


def _writing_costs(bot: Path, rounds: int, games: int) -> Iterator[tuple[_Cost, _Cost]]:
    """The cost of tables that write for spectators, and of tables that do not, for each round."""
    plan = plan_of(read_bot(bot), 4, 10**6)
    fixtures = dealt(plan)
    with one_core(), TemporaryDirectory() as folder:
        live = LiveGame(Path(folder, "0.json"))
        with ProgramTable(plan.bots, live=live) as watched, ProgramTable(plan.bots) as other:
            for table in (watched, other):
                _table_cost(table, islice(fixtures, 8))  # This starts the processes.
            for _ in range(rounds):
                parts: dict[ProgramTable, list[_Cost]] = {watched: [], other: []}
                for part in range(_PARTS):  # The speed of a machine changes from one second to the next.
                    for table in (watched, other) if part % 2 else (other, watched):
                        parts[table].append(_table_cost(table, islice(fixtures, games // _PARTS)))
                yield _together(parts[watched]), _together(parts[other])


def _table_cost(table: ProgramTable, fixtures: Iterator) -> _Cost:
    fixtures, before = list(fixtures), process_time()
    records = [table.play(fixture) for fixture in fixtures]
    spent = process_time() - before
    asks = sum(len(answer_times(record)) for record in records)
    return _Cost(1e6 * spent / asks, asks)


def _together(costs: Sequence[_Cost]) -> _Cost:
    asks = sum(cost.asks for cost in costs)
    return _Cost(sum(cost.cpu_us * cost.asks for cost in costs) / asks, asks)


@contextmanager
def _served(folder: Path, bot: Path) -> Iterator[tuple[str, psutil.Process]]:
    """The address and the process of `arena serve` with a long plan."""
    plan = folder / "plan.yaml"
    names = "".join(f"  bot{number}: {bot}\n" for number in range(1, 5))
    plan.write_text(f"game: complots\nseats: 4\ngroups: 100000\nclock: {{move: 5s}}\nbots:\n{names}")
    command = [sys.executable, "-m", "arena", "serve", str(plan), "--port", "0"]
    with subprocess.Popen(
        command, cwd=folder, text=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    ) as process:
        assert process.stdout
        try:
            yield process.stdout.readline().strip(), psutil.Process(process.pid)
        finally:
            process.terminate()


def _round(parent: psutil.Process, run: Path, seconds: float) -> tuple[range, float, float]:
    """The numbers of the games of a round, and the CPU seconds of the workers and of the server."""
    first, (workers, web) = _last(run), _cpu(parent)
    sleep(seconds)
    last, (workers_then, web_then) = _last(run), _cpu(parent)
    return range(first + 1, last + 1), workers_then - workers, web_then - web


def _last(run: Path) -> int:
    with Store(run) as store:
        return store.last_number()


def _cpu(parent: psutil.Process) -> tuple[float, float]:
    """The CPU seconds of the workers, and of the web process with the processes that read for it."""
    workers = web = 0.0
    for process in parent.children(recursive=True):
        command, times = " ".join(process.cmdline()), process.cpu_times()
        if _WORKER in command:
            workers += times.user + times.system
        elif "arena.web" in command:
            web += times.user + times.system
    return workers, web


def _asks(run: Path, numbers: range) -> float:
    """The asks of these games, from a sample."""
    sample = numbers[:: max(1, len(numbers) // _SAMPLE)]
    with Store(run) as store:
        found = [len(answer_times(store.record(store.id_of(number)))) for number in sample]
    return sum(found) / len(found) * len(numbers)


@contextmanager
def _spectators(url: str, run: str, count: int) -> Iterator[None]:
    """A process with so many connections, which read everything they are sent."""
    context = get_context("spawn")
    ready = context.Event()
    watching = context.Process(target=_watch, args=(url, run, count, ready))
    watching.start()
    try:
        assert ready.wait(60), "the spectators cannot connect"
        yield
    finally:
        watching.kill()
        watching.join()


def _watch(url: str, run: str, count: int, ready) -> None:  # type: ignore[no-untyped-def]
    asyncio.run(_watch_all(url, run, count, ready))


async def _watch_all(url: str, run: str, count: int, ready) -> None:  # type: ignore[no-untyped-def]
    paths = [f"/runs/{run}/events", f"/runs/{run}/live/0/events"]
    connections = [await _connect(url, paths[number % 2]) for number in range(count)]
    ready.set()
    await asyncio.gather(*(_read(reader) for reader, _ in connections))


async def _connect(url: str, path: str) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    address = urlsplit(url)
    reader, writer = await asyncio.open_connection(address.hostname, address.port)
    writer.write(f"GET {path} HTTP/1.1\r\nHost: {address.netloc}\r\n\r\n".encode())
    assert b" 200 " in await reader.readline(), path
    return reader, writer


async def _read(reader: asyncio.StreamReader) -> None:
    while await reader.read(1 << 16):
        pass


def _serving_costs(bot: Path, rounds: int, seconds: float, count: int) -> Iterator[tuple[_Cost, _Cost]]:
    """The cost of a run that `count` spectators watch, and of the same run without, for each round."""
    with TemporaryDirectory() as folder, _served(Path(folder), bot) as (url, parent):
        run = Path(folder, "runs", "plan.db")
        while not (run.with_name("plan.db.live") / "0.json").exists():
            sleep(0.1)
        measured = []
        for _ in range(rounds):
            with _spectators(url, "plan", count):
                sleep(1)
                watched = _round(parent, run, seconds)
            sleep(1)
            measured.append((watched, _round(parent, run, seconds)))
        for pair in measured:
            yield tuple(
                _Cost(1e6 * cpu / (asks := _asks(run, numbers)), int(asks), web / seconds)
                for numbers, cpu, web in pair
            )


def _line(what: str, values: Sequence[float], unit: str = "") -> str:
    return f"{what:44} {median(values):8.3g}{unit}  ({min(values):.3g} to {max(values):.3g})"


def _report(title: str, pairs: Sequence[tuple[_Cost, _Cost]]) -> None:
    print(title)
    print(_line("  CPU per ask with, us", [one.cpu_us for one, _ in pairs]))
    print(_line("  CPU per ask without, us", [two.cpu_us for _, two in pairs]))
    print(_line("  ratio", [one.cpu_us / two.cpu_us for one, two in pairs]))
    if any(one.web for one, _ in pairs):
        print(_line("  cores of the server with", [one.web for one, _ in pairs]))
        print(_line("  cores of the server without", [two.web for _, two in pairs]))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--spectators", type=int, default=200)
    parser.add_argument("--rounds", type=int, default=12)
    parser.add_argument("--seconds", type=float, default=2.0, help="of a round")
    options = parser.parse_args()
    with TemporaryDirectory() as folder:
        bot = Path(folder, "first.py")
        bot.write_text(_BOT)
        games = 100 * int(options.seconds)
        _report("writing the game for spectators", [*_writing_costs(bot, options.rounds, games)])
        pairs = [*_serving_costs(bot, options.rounds, options.seconds, options.spectators)]
        _report(f"{options.spectators} spectators of arena serve", pairs)


if __name__ == "__main__":
    main()
