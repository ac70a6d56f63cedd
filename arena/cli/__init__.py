"""The command line: parses, calls, prints, and turns errors into exit codes."""

import os
from collections.abc import Callable
from typing import Any

import click

import arena
from arena.cli.game import games, play, replay
from arena.cli.machine import bench, check, doctor
from arena.cli.plan import plan, schema
from arena.cli.run import compare, run
from arena.cli.table import exclude, export, table
from arena.referee.protocol import shown


class Commands(click.Group):
    """Mistakes in the words of a command get one line, as all others do."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        return in_one_line(super().parse_args, ctx, args) if args else super().parse_args(ctx, args)

    def invoke(self, ctx: click.Context) -> None:
        in_one_line(super().invoke, ctx)


def in_one_line(step: Callable[..., Any], ctx: click.Context, *more: Any) -> Any:
    try:
        return step(ctx, *more)
    except click.UsageError as error:
        words = " ".join(error.format_message().split()).rstrip(".")
        place = error.ctx.command_path if error.ctx else ctx.command_path
        click.echo(f"arena: {shown(words[:1].lower() + words[1:])}; see {place} --help", err=True)
        ctx.exit(2)


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(arena.__version__)
def main() -> None:
    """Games of bluff and bargaining between programs."""
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # our matrices are small; the cores are for the games


for each in (run, plan, table, compare, check, play, replay, games, exclude, export, schema, doctor, bench):
    main.add_command(each)
