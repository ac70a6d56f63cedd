"""`arena schema`: the JSON Schema of plans."""

import json

import click

from arena.cli.base import all_games, command


@click.command()
@command
def schema() -> None:
    """Print the JSON Schema of plans.

    With it, editors complete and check plans. A plan refers to it in a comment:
    # yaml-language-server: $schema=plan.schema.json
    """
    from arena.tournament.plan.schema import schema

    click.echo(json.dumps(schema(all_games()), indent=1))
