"""The command line: parses arguments, calls the packages, prints, and turns errors into exit statuses.

`arena NAME` is the command NAME of the module `arena.cli.NAME`, with `_` for `-`, imported when it runs.
"""

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module

import click

import arena

COMMANDS = {
    "bench": "Measure the speed of this machine with a fast BOT, by default a minimal one in C or Python.",
    "check": "Play a few games with BOTS and list their problems.",
    "check-game": "Check the rules of a game: that it repeats, ends and leaks nothing.",
    "compare": "Test whether bot ONE is better than bot TWO.",
    "doctor": "Show what this machine offers to sandbox bots.",
    "exclude": "Exclude a BOT from the standings of a RUN.",
    "explain": "Print the definition and source of every number in a table.",
    "export": "Print all games of a RUN in fixture order.",
    "games": "List the games, or show the page of one: seats, options, rules.",
    "new": "Write a small working bot in a LANGUAGE into a new FOLDER, with its bot.yaml.",
    "plan": "Show what the plan in a FILE will play, without playing it.",
    "play": "Play one GAME between BOTS and show it.",
    "replay": "Show a recorded GAME of a RUN; without GAME, list the games.",
    "report": "Write pages of RUNS into a folder: standings, charts, bots, and a viewer of the games.",
    "run": "Play or resume the tournament of a PLAN and show the standings.",
    "schema": "Print the JSON Schema of plans.",
    "table": "Show the standings (Elo table) of RUNS, or another VIEW of them.",
}


class Commands(click.Group):
    """Imports only the command that runs, and prints usage errors on one line, like all other errors."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        module = cmd_name.replace("-", "_")
        found: click.Command = getattr(import_module(f"arena.cli.{module}"), module)
        return found

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        width = formatter.width - 6 - max(map(len, COMMANDS))
        commands = [click.Command(name, help=COMMANDS[name]) for name in self.list_commands(ctx)]
        with formatter.section("Commands"):
            formatter.write_dl([(each.name or "", each.get_short_help_str(width)) for each in commands])

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if not args:
            return super().parse_args(ctx, args)
        with usage_errors_on_one_line(ctx), full_disk_on_one_line(ctx):
            return super().parse_args(ctx, args)

    def invoke(self, ctx: click.Context) -> None:
        with usage_errors_on_one_line(ctx), full_disk_on_one_line(ctx):
            super().invoke(ctx)


@contextmanager
def usage_errors_on_one_line(ctx: click.Context) -> Iterator[None]:
    try:
        yield
    except click.UsageError as error:
        from arena.referee.protocol import shown

        message = " ".join(error.format_message().split()).rstrip(".")
        path = error.ctx.command_path if error.ctx else ctx.command_path
        click.echo(f"arena: {shown(message[:1].lower() + message[1:])}; see {path} --help", err=True)
        ctx.exit(2)


@contextmanager
def full_disk_on_one_line(ctx: click.Context) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        if error.errno != errno.ENOSPC:
            raise
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # for what is still in the buffer
        click.echo(f"arena: {error.filename or 'the output'}: {error.strerror}", err=True)
        ctx.exit(1)


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(arena.__version__)
def main() -> None:
    """Games of bluff and bargaining between programs."""
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # the matrices are small, and games need the cores
