"""`arena bench`: measure the cost of the referee, or the quality of the ratings."""

from pathlib import Path

import click

from arena.cli.base import FILE, command, usable_cores


@click.command()
@click.argument("bot", type=FILE, default="bots/c/random")
@click.option(
    "--games", "count", type=click.IntRange(10), default=8000, show_default=True, help="Games of each kind."
)
@click.option("--ratings", is_flag=True, help="Measure the ratings instead, on simulated games.")
@command
def bench(bot: Path, count: int, ratings: bool) -> None:
    """Measure the speed of this machine with a fast BOT.

    Measured are the start of a bot in each sandbox, the cost of the referee compared to a bare pipe, games
    per second, memory, and the cost of a bot with many threads.

    With --ratings: how many intervals contain the truth, the time for a million games, how many games
    adaptive pairing saves, and how many verdicts of the sequential test are wrong.
    """
    from itertools import chain

    from arena.bench import metering, referee
    from arena.bench import ratings as rating

    lines = chain(referee.measure(bot, count, usable_cores()), metering.measure(count // 4))
    for line in rating.measure() if ratings else lines:
        click.echo(line)
