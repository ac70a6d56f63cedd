"""`arena explain`: the definition and source of every number."""

import click

from arena.cli.base import command


@click.command()
@command
def explain() -> None:
    """Print the definition and source of every number in a table."""
    from arena.report.explain import explanation

    click.echo(explanation())
