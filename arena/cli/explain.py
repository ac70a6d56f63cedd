"""`arena explain`: the definition and source of every number."""

import click

from arena.cli.base import command


@click.command()
@command
def explain() -> None:
    """Define every number of the tables, with its source."""
    from arena.show.tables.explain import explanation

    click.echo(explanation())
