"""Commands on plans: what one will play, and the schema of all."""

import json
from pathlib import Path

import click

from arena.cli.base import FILE, FORMAT, command, usable_cores


@click.command()
@click.argument("file", type=FILE)
@click.option("--jobs", type=click.IntRange(1), help="Games at once, as for run.  [default: one a core]")
@click.option("--no-trial", is_flag=True, help="Start no bot, and say nothing of the time.")
@FORMAT
@command
def plan(file: Path, jobs: int | None, no_trial: bool, form: str) -> None:
    """Show what the plan of a FILE will play, without playing it.

    The time it takes is an estimate, from a trial of the first games for about two seconds. A game that
    has not ended after five is cut off, and the words say so.
    """
    from arena.cli.preview import lines, preview, trial, with_entries
    from arena.plan.load import load_plan

    loaded = with_entries(load_plan(file))
    about = preview(loaded, jobs or usable_cores(), None if no_trial else trial(loaded))
    click.echo(json.dumps(about, indent=1) if form == "json" else "\n".join(lines(about)))


@click.command()
@command
def schema() -> None:
    """Print the JSON Schema of plans, by which editors complete and check them.

    A plan names it in a line: # yaml-language-server: $schema=plan.schema.json
    """
    from arena.plan.schema import schema

    click.echo(json.dumps(schema(), indent=1))
