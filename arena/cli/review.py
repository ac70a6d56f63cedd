"""`arena review`: how one bot plays against the field, and where it loses."""

import gc
import json
from dataclasses import replace
from pathlib import Path

import click

from arena.cli.base import FILE, FORMAT, command
from arena.cli.completion import BOTS_OF_RUN, RUNS


@click.command()
@click.argument("run", type=FILE, shell_complete=RUNS)
@click.argument("bot", shell_complete=BOTS_OF_RUN)
@FORMAT
@command
def review(run: Path, bot: str, form: str) -> None:
    """Show how a BOT of a RUN plays against the field, and where it loses.

    The review compares the bot's decisions of each kind with the decisions of all other bots, and shows its
    seats and opponents. Then there are the three games in which its score fell most below the score that its
    Elo expects, each with the moment that cost it most. All games are replayed for it.
    """
    from arena.cli.live import seconds
    from arena.config.text import printable
    from arena.show.tables.report import Report, rate_now
    from arena.show.tables.review import review as review_of
    from arena.show.tables.text import text
    from arena.tournament.formats.config import rating_settings
    from arena.tournament.runs.sources import load

    gc.disable()  # All objects live until the end, so a collection would find nothing.
    with seconds() as next_is:
        next_is("rating the bots")
        source = load([run], False, False)
        report = Report(source, rating_settings(source.settings, {}), runs=[run])
        rate_now(report)
        next_is("replaying the games")
        tables = review_of(report, bot)
    if form == "json":
        found = {"bot": bot, **{table.name: [*table.for_programs.records()] for table in tables}}
        click.echo(json.dumps(found, indent=2, allow_nan=False))
        return
    click.echo(printable(text([replace(table, part={"table": table.name}) for table in tables])))
