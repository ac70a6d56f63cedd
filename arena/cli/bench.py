"""`arena bench`: measure the cost of the referee, or the quality of the ratings."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from arena.cli.base import FILE, FORMAT, command, usable_cores
from arena.core.config import ConfigError

if TYPE_CHECKING:  # imports numpy, which other commands do not need
    from arena.bench.ratings import Row


@click.command()
@click.argument("bot", type=FILE, default="bots/c/random")
@click.option(
    "--games", "count", type=click.IntRange(10), default=8000, show_default=True, help="Games of each kind."
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
def bench(bot: Path, count: int, ratings: bool, samples: int, form: str) -> None:
    """Measure the speed of this machine with a fast BOT.

    Measured are the start of a bot in each sandbox, the cost of the referee compared to a bare pipe, games
    per second, memory, and the cost of a bot with many threads.

    With --ratings: how often intervals contain the truth, LOS, ranges of ranks and bounds are right, and how
    often the sequential test is, for each rating method; the time for a million games, and how many games
    adaptive pairing saves. --format json is for --ratings, and then shows its progress on stderr.
    """
    if ratings:
        measure_ratings(samples, form)
        return
    if form == "json":
        raise ConfigError("--format json: is for --ratings")
    from itertools import chain

    from arena.bench import metering, referee

    for line in chain(referee.measure(bot, count, usable_cores()), metering.measure(count // 4)):
        click.echo(line)


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
