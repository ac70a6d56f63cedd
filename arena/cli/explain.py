"""`arena explain`: the definition of every number."""

import click

from arena.cli.base import command


@click.command()
@command
def explain() -> None:
    """Define every number of the tables, with its source."""
    from arena.report.columns import page

    click.echo(page())
