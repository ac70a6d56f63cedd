"""The command line: parses arguments, calls the packages, prints, and turns errors into exit statuses.

The module of `arena NAME` is `arena.cli.NAME`, with `_` for `-`. All of them are imported at start, so they
import heavy packages (numpy, pydantic, the games) only inside functions.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager

import click

import arena
from arena.cli.bench import bench
from arena.cli.check import check
from arena.cli.check_game import check_game
from arena.cli.compare import compare
from arena.cli.doctor import doctor
from arena.cli.exclude import exclude
from arena.cli.export import export
from arena.cli.games import games
from arena.cli.plan import plan
from arena.cli.play import play
from arena.cli.replay import replay
from arena.cli.run import run
from arena.cli.schema import schema
from arena.cli.table import table
from arena.referee.protocol import shown


class Commands(click.Group):
    """Prints usage errors on one line, like all other errors."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if not args:
            return super().parse_args(ctx, args)
        with usage_errors_on_one_line(ctx):
            return super().parse_args(ctx, args)

    def invoke(self, ctx: click.Context) -> None:
        with usage_errors_on_one_line(ctx):
            super().invoke(ctx)


@contextmanager
def usage_errors_on_one_line(ctx: click.Context) -> Iterator[None]:
    try:
        yield
    except click.UsageError as error:
        message = " ".join(error.format_message().split()).rstrip(".")
        path = error.ctx.command_path if error.ctx else ctx.command_path
        click.echo(f"arena: {shown(message[:1].lower() + message[1:])}; see {path} --help", err=True)
        ctx.exit(2)


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(arena.__version__)
def main() -> None:
    """Games of bluff and bargaining between programs."""
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # the matrices are small, and games need the cores


for each in (
    run,
    plan,
    table,
    compare,
    check,
    check_game,
    play,
    replay,
    games,
    exclude,
    export,
    schema,
    doctor,
    bench,
):
    main.add_command(each)
