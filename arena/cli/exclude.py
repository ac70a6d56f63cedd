"""`arena exclude`: leave a bot out of the standings of a run."""

from pathlib import Path

import click

from arena.cli.base import FILE, command
from arena.cli.completion import BOTS_OF_RUN, RUNS
from arena.config.document import ConfigError


@click.command()
@click.argument("run", type=FILE, shell_complete=RUNS)
@click.argument("bot", shell_complete=BOTS_OF_RUN)
@click.option("--why", help="The reason, shown below the standings.")
@click.option("--undo", is_flag=True, help="Include the bot again.")
@command
def exclude(run: Path, bot: str, why: str | None, undo: bool) -> None:
    """Exclude a BOT from the standings of a RUN.

    Its games are kept. The results of the other bots against each other still count. An adaptive run, or one
    with a focus, plays no more games with it.
    """
    from arena.tournament.runs.sources import exclude

    if undo and why:
        raise click.UsageError("--undo and --why contradict each other")
    if not undo and not why:
        raise ConfigError("exclude: --why is missing; it gives the reason to readers of the standings")
    games, before = exclude(run, bot, None if undo else why)
    of = f"{games} game{'s' * (games != 1)}"
    if undo and before is None:
        click.echo(f"{bot} was not excluded from {run}: nothing to undo")
    elif undo:
        click.echo(f"{bot} counts again in the standings of {run}, with {of} (it was excluded: {before})")
    elif before is None:
        click.echo(f"{bot} no longer counts in the standings of {run}; its {of} stay in the file")
    else:
        click.echo(f"{bot} was excluded already; the reason is now the new one, not: {before}")
