"""The command line: parses arguments, calls the packages, prints, and turns errors into exit statuses.

`arena NAME` is the command NAME of the module `arena.cli.NAME`, with `_` for `-`, imported when it runs.
"""

import errno
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from typing import Any

import click

import arena

GROUPS = {
    "Bot authors": {
        "bots": "List the house bots, or those that play a GAME.",
        "new": "Write a small working bot in a LANGUAGE into a new FOLDER.",
        "check": "Play a few games with BOTS and list their problems.",
        "play": "Play one GAME between BOTS and show it.",
        "compare": "Test whether bot ONE is better than bot TWO.",
        "score": "Measure the Elo of a BOT against a frozen pool of house bots.",
        "review": "Show how a BOT of a RUN plays against the field, and where it loses.",
        "connect": "Let a bot on this machine play at the server at URL.",
        "rehearse": "Show where a changed BOT answers a recorded game otherwise.",
    },
    "Organisers": {
        "plan": "Show what the plan in a FILE will play, without playing it.",
        "run": "Play or resume the tournament of a PLAN and show the standings.",
        "serve": "Serve a PLAN while it is played, a RUN, or a FOLDER of runs.",
        "contest": "Run a contest: entrants hand in bots, which play on a ladder and in a final.",
        "backup": "Copy a FOLDER of runs, with the state of its server, to TO.",
        "exclude": "Exclude a BOT from the standings of a RUN.",
        "verify": "Verify the commitment, all deals and all results of a RUN.",
        "reveal": "Close a RUN for good and print its secret, after a question.",
        "doctor": "Show what this machine offers to sandbox bots.",
    },
    "Readers": {
        "table": "Show the standings (Elo table) of RUNS, or another VIEW of them.",
        "explain": "Define every number of the tables, with its source.",
        "list": "List the games of a RUN, or of a BOT in it.",
        "replay": "Show a recorded GAME of a RUN, in a terminal step by step.",
        "report": "Write pages of RUNS: standings, charts, bots, a viewer of games.",
        "export": "Print all games of a RUN in fixture order.",
    },
    "Game authors and maintainers": {
        "games": "List the games, or show the page of one: seats, options, rules.",
        "check-game": "Check that a game is reproducible, ends and leaks nothing.",
        "bench": "Measure the speed of this machine with a fast BOT.",
        "schema": "Print the JSON Schema of plans.",
    },
}
if "_ARENA_COMPLETE" in os.environ:
    import_module("arena.cli.completion")  # This registers our completion for bash.

_SETTINGS = {"help_option_names": ["-h", "--help"], "show_default": True}
_MAX_VALUES = 12  # values of an option that a message names
COMMANDS = [name for group in GROUPS.values() for name in group]


class _Commands(click.Group):
    """Imports only the command that runs, and prints usage errors on one line, like other errors."""

    def main(self, args: Sequence[str] | None = None, *words: Any, **settings: Any) -> Any:
        if args is None:  # A program that passes arguments must not be restarted.
            _restart_in_utf_8()
        return super().main(args, *words, **settings)

    def list_commands(self, ctx: click.Context) -> list[str]:
        return COMMANDS

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        module = vars(import_module(f"arena.cli.{cmd_name.replace('-', '_')}"))
        commands = (each for each in module.values() if isinstance(each, click.Command))
        return next(each for each in commands if each.name == cmd_name)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        width = max(map(len, COMMANDS))
        for title, group in GROUPS.items():
            with formatter.section(title):
                formatter.write_dl([(name.ljust(width), text) for name, text in group.items()])

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if not args:
            return super().parse_args(ctx, args)
        with _errors_on_one_line(ctx):
            return super().parse_args(ctx, args)

    def invoke(self, ctx: click.Context) -> None:
        with _errors_on_one_line(ctx):
            super().invoke(ctx)


def _restart_in_utf_8() -> None:
    """Start this process anew with Python's UTF-8 mode, unless names of files are UTF-8 already.

    In a locale such as C or Latin-1 Python may use another encoding, but plans and run files are UTF-8.
    """
    if sys.getfilesystemencoding() != "utf-8" and os.environ.get("PYTHONUTF8") != "1":
        os.environ["PYTHONUTF8"] = "1"  # Processes that this one starts use UTF-8 mode as well.
        os.execv(sys.executable, [sys.executable, "-X", "utf8", *sys.orig_argv[1:]])


@contextmanager
def _errors_on_one_line(ctx: click.Context) -> Iterator[None]:
    try:
        yield
    except click.UsageError as error:
        from arena.config.text import printable

        message = " ".join(error.format_message().split()).rstrip(".")
        path = " ".join(filter(None, [ctx.command_path, ctx.invoked_subcommand]))
        if isinstance(error, click.BadOptionUsage) and message.endswith("requires an argument"):
            message = f"option '{error.option_name}' needs a value{_values_of(error.option_name, ctx)}"
        click.echo(f"arena: {printable(message[:1].lower() + message[1:])}; see {path} --help", err=True)
        ctx.exit(2)
    except OSError as error:
        if error.errno != errno.ENOSPC:
            raise
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # The rest of the buffer would fail again at exit.
        click.echo(f"arena: {error.filename or 'the output'}: {error.strerror}", err=True)
        ctx.exit(1)


def _values_of(spelling: str, ctx: click.Context) -> str:
    """The values that an option of the current command accepts, to end a message with; "" if unknown.

    `spelling` is the option as on the command line, such as `--format`.
    """
    from arena.config.text import list_words

    command = main.get_command(ctx, ctx.invoked_subcommand or "")
    option = next(each for each in command.params if spelling in each.opts) if command else None
    if not command or not option or isinstance(option.type, click.Path):
        return ""
    if isinstance(option.type, click.IntRange):
        low, high = option.type.min, option.type.max
        return f", a whole number from {low}" + ("" if high is None else f" to {high}")
    words: dict[str, str] = {}  # Of the words KEY=VALUE with the same key only the first is shown.
    for each in option.shell_complete(click.Context(command, parent=ctx), ""):
        words.setdefault(each.value.partition("=")[0], each.value)
    known = list_words([*words.values()][:_MAX_VALUES], "or") if words else ""
    return ": " + ", such as ".join(filter(None, [option.metavar, known])) if option.metavar or known else ""


@click.group("arena", cls=_Commands, context_settings=_SETTINGS)
@click.version_option(arena.__version__)
def main() -> None:
    """Games of bluff and bargaining between programs."""
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # The matrices are small, and games need the cores.
