"""`arena bench`: measure the cost of the referee, or the quality of the ratings."""

import json
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import click

from arena.cli.base import FILE, FORMAT, command, refuse_unused, usable_cores
from arena.cli.completion import BOTS

if TYPE_CHECKING:  # imports numpy, which other commands do not need
    from arena.bench.ratings import Row


SECTIONS = ("asks", "starts", "memory", "runs", "metering", "time-limit", "command", "languages")


@click.command()
@click.argument("bot", type=FILE, shell_complete=BOTS, required=False)
@click.option(
    "--games", "count", type=click.IntRange(20), default=2000, show_default=True, help="Games of each kind."
)
@click.option(
    "--only", type=click.Choice(SECTIONS), multiple=True, help="Measure only this; may be repeated."
)
@click.option("--ratings", is_flag=True, help="Measure the ratings instead, on simulated games.")
@click.option(
    "--samples",
    type=click.IntRange(2),
    default=200,
    show_default=True,
    help="Simulated tournaments of each kind, for --ratings.",
)
@FORMAT
@command
def bench(
    bot: Path | None, count: int, only: tuple[str, ...], ratings: bool, samples: int, form: str
) -> None:
    """Measure the speed of this machine with a fast BOT.

    The BOT is by default a minimal one in C or Python. Measured are the cost of an ask compared to a bare
    pipe, the start of a bot in each sandbox, memory, games per second and how idle the cores are meanwhile,
    the cost of a bot with many threads, the shortest honest time limit, and minimal bots in all languages of
    this machine. benchmarks/README.md says what each number means.

    With --ratings: how often intervals contain the truth, LOS, ranges of ranks and bounds are right, and how
    often the sequential test is, for each rating method; the time for a million games, and how many games
    adaptive pairing saves. --format json then shows its progress on stderr.
    """
    if ratings:
        refuse_unused("--ratings", {"ratings", "samples", "form"})
        measure_ratings(samples, form)
    else:
        refuse_unused("a benchmark without --ratings", {"bot", "count", "only", "form"})
        measure_speed(bot, count, only, form)


def measure_speed(path: Path | None, games: int, only: tuple[str, ...], form: str) -> None:
    from arena.bench.bots import fast_bot
    from arena.bench.report import SECTIONS, Subject, as_json, machine, machine_lines
    from arena.core.bot import bot_from_path
    from arena.play.build import build
    from arena.sandbox.policy import LIMITS_ONLY

    with TemporaryDirectory() as folder:
        bot = bot_from_path(None, path) if path else fast_bot(Path(folder))
        build([bot], LIMITS_ONLY)
        subject, found = Subject(bot, games, usable_cores(), Path(folder)), {}
        if form == "text":
            click.echo("\n".join(machine_lines(machine(subject.cores), bot)))
        for name, section in SECTIONS.items():
            if name in (only or SECTIONS):
                found[name] = section.measure(subject)
                if form == "text":
                    click.echo("\n".join(section.lines(found[name])))
        if form == "json":
            click.echo(json.dumps(as_json(subject, found), indent=2))


def measure_ratings(samples: int, form: str) -> None:
    from arena.bench.ratings import further_lines, plain, rows, text_lines

    found = []

    def kept() -> Iterator["Row"]:
        for row in rows(samples):
            found.append(row)
            yield row

    for line in text_lines(samples, kept()):
        click.echo(line, err=form == "json")
    if form == "json":
        click.echo(json.dumps([each for row in found for each in plain(row)], indent=2))
    else:
        for line in further_lines():
            click.echo(line)
