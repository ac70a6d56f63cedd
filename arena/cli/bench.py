"""`arena bench`: measure what the arena costs on this machine."""

import json
import platform
import shlex
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import click

from arena.bench.bots import fast_bot
from arena.bench.referee import AskCost, ask_costs
from arena.bench.runs import RunSpeed, TimeLimit, complete_runs, time_limit
from arena.bench.starts import Cost, costs
from arena.cli.base import FILE, FORMAT, command
from arena.cli.completion import BOTS
from arena.programs.bot import Bot
from arena.programs.machine import arena_build, cpu_model, python_build, usable_cores
from arena.programs.play.build import build
from arena.programs.reading import read_bot
from arena.programs.sandbox.policy import LIMITS_ONLY, choose
from arena.referee.conditions import Limits

_STARTS_PER_GAME = 0.05


class _Subject(NamedTuple):
    """Measure `bot` in `games` games on `cores` cores. Minimal bots are built in `folder`."""

    bot: Bot
    games: int
    cores: int
    folder: Path


def _machine(cores: int) -> dict[str, Any]:
    return {
        "cpu": cpu_model(),
        "cores": cores,
        "system": f"{platform.system()} {platform.release()} {platform.machine()}",
        "python": platform.python_version(),
        "python_build": python_build(),
        "arena": arena_build(),
        "sandbox": choose(Limits()).tier,
    }


def _machine_lines(subject: _Subject) -> Iterator[str]:
    found, bot = _machine(subject.cores), subject.bot
    yield f"{found['cores']} cores, {found['cpu']}; {found['system']}"
    yield f"Python {found['python']} ({found['python_build']}); the arena is {found['arena']}"
    yield f"sandbox {found['sandbox']}; the bot is {bot.name}: {shlex.join(bot.command)}"


def _line(name: str, value: float, unit: str, more: str = "", places: int = 0) -> str:
    return f"{name:30}{value:8.{places}f} {unit}" + (f" ({more})" if more else "")


def _ask_lines(found: list[AskCost]) -> Iterator[str]:
    for each in found:
        pipe = f"{each.overhead_us:.1f} us above a bare pipe of {each.bare_us:.1f} us"
        more = f"CPU {each.cpu_us:.1f} us; {pipe}"
        yield _line(f"{each.seats} seats, one table, one core", each.ask_us, "us per ask", more, 1)
        tail = f"us, 99 % within {each.p99_us:.0f} us, 99.9 % within {each.p999_us:.0f} us"
        yield _line("  50 % of the answers within", each.p50_us, tail)
        asks = f"{each.asks / each.games:.1f} asks per game"
        yield _line("  speed", each.games_per_s, "games/s", asks)


def _start_lines(found: list[Cost]) -> Iterator[str]:
    for each in found:
        more = f"{each.round_trip_us:.1f} us per round trip, one core"
        yield _line(f"{each.around} around the bot", each.start_ms, "ms from start to answer", more, 2)


def _run_lines(found: list[RunSpeed]) -> Iterator[str]:
    for each in found:
        name = f"{each.seats} seats, {each.jobs} cores, recorded"
        yield _line(name, each.games_per_s, "games/s", each.bot)


def limit_lines(found: TimeLimit) -> Iterator[str]:
    yield _line("shortest honest time limit", found.move_ms, "ms", f"99.9 %: {found.p999_us:.0f} us")
    words = f"promised: {found.promised:.2%} at most{'' if found.holds else ', which does NOT hold'}"
    yield _line("late at this limit", found.late, f"of {found.answers} answers", words)


def _measure_starts(subject: _Subject) -> list[Cost]:
    return list(costs(subject.bot, max(15, int(_STARTS_PER_GAME * subject.games)), 5 * subject.games))


def _measure_runs(subject: _Subject) -> list[RunSpeed]:
    return complete_runs(subject.bot, subject.games, subject.cores, subject.folder)


# Each section has a function that measures, and one that renders the result as lines of text.
_SECTIONS: Mapping[str, tuple[Callable[[_Subject], Any], Callable[[Any], Iterator[str]]]] = {
    "asks": (lambda subject: ask_costs(subject.bot, subject.games), _ask_lines),
    "starts": (_measure_starts, _start_lines),
    "runs": (_measure_runs, _run_lines),
    "time-limit": (lambda subject: time_limit(subject.bot, subject.games, subject.cores), limit_lines),
}


@click.command()
@click.argument("bot", type=FILE, shell_complete=BOTS, required=False)
@click.option("--games", "count", type=click.IntRange(20), default=2000, help="Games of each kind.")
@click.option(
    "--only", type=click.Choice(_SECTIONS), multiple=True, help="Measure only this; may be repeated."
)
@FORMAT
@command
def bench(bot: Path | None, count: int, only: tuple[str, ...], form: str) -> None:
    """Measure the speed of this machine with a fast BOT.

    The BOT is by default a minimal one in C or Python. The benchmark measures the cost of an ask compared to
    a bare pipe, the start of a bot in each sandbox, games per second, and the shortest honest time limit.
    benchmarks/README.md explains each number.
    """
    with TemporaryDirectory() as folder:
        measured = read_bot(bot) if bot else fast_bot(Path(folder))
        build([measured], LIMITS_ONLY)
        subject, found = _Subject(measured, count, usable_cores(), Path(folder)), {}
        if form == "text":
            click.echo("\n".join(_machine_lines(subject)))
        for name, (measure, lines) in _SECTIONS.items():
            if name in (only or _SECTIONS):
                found[name] = measure(subject)
                if form == "text":
                    click.echo("\n".join(lines(found[name])))
        if form == "json":
            click.echo(json.dumps(_as_json(subject, found), indent=2))


def _plain(value: Any) -> Any:
    """The value of a section for JSON: named tuples as objects, floats rounded to four decimals."""
    if isinstance(value, tuple) and hasattr(value, "_asdict"):
        return {name: _plain(each) for name, each in value._asdict().items()}
    if isinstance(value, list):
        return [_plain(each) for each in value]
    return round(value, 4) if isinstance(value, float) else value


def _as_json(subject: _Subject, found: Mapping[str, Any]) -> dict[str, Any]:
    """The results: `machine`, `bot`, and a key for each section of `found`.

    If asks were measured, the cost of an ask at 2 seats is repeated at the top.
    """
    bot = {"name": subject.bot.name, "command": list(subject.bot.command)}
    head: dict[str, Any] = {"machine": _machine(subject.cores), "bot": bot}
    for name in ("overhead_us", "ask_us", "bare_us") if "asks" in found else ():
        head[name] = _plain(getattr(found["asks"][0], name))
    return head | {name.replace("-", "_"): _plain(value) for name, value in found.items()}
