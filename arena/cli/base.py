"""What the commands share: options, exit statuses, and the parsing of arguments."""

import json
import os
import signal
import sys
from collections.abc import Callable, Iterable
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click
from click.core import ParameterSource

from arena.cli.completion import OPTIONS, completer
from arena.config.document import ConfigError, MachineError
from arena.config.text import nearest, printable
from arena.rules import RulesError
from arena.show.tables import FORMATS

if TYPE_CHECKING:  # These imports are slow, and not every command needs them.
    from arena.referee.conditions import TimeControl
    from arena.rules import Game

Command = TypeVar("Command", bound=Callable[..., object])
FILE = click.Path(path_type=Path, readable=False)  # We report unreadable files ourselves.

ENGINES = ("local", "dask")
MODEL_GAMES = 8


def _engine(context: click.Context, option: click.Option, text: str) -> str:
    if text in ENGINES or ":" in text:
        return text
    hint = f"should be local, dask, or an address such as tcp://host:8786, not {text!r}"
    raise click.BadParameter(f"{hint}{nearest(text, ENGINES)}")


ENGINE = click.option(
    "--engine",
    default="local",
    metavar="local|dask|ADDRESS",
    callback=_engine,
    shell_complete=completer(lambda context, incomplete: iter(ENGINES)),
    help="Play by processes of this machine, by a Dask cluster on it, or by the cluster of the Dask"
    " scheduler at this ADDRESS.",
)

ALLOW = click.option(
    "--allow",
    multiple=True,
    metavar="HOST",
    help="Let models of the plan call this host, with the key that the plan names; may be repeated.",
)

JOBS = click.option(
    "--jobs",
    type=click.IntRange(1, 1000),
    help="Games at once; bots of a game share a core.  [default: one per core]",
)


def format_option(*forms: str) -> Callable[[Command], Command]:
    return click.option(
        "--format", "form", type=click.Choice(forms), default=forms[0], help="The format of the output."
    )


FORMAT = format_option("text", "json")
TABLE_FORMAT = format_option(*FORMATS)

OPTION = click.option(
    "--option",
    "-o",
    "options",
    multiple=True,
    metavar="KEY=VALUE",
    shell_complete=OPTIONS,
    help="An option of the game; may be repeated.",
)

FILES = click.option(
    "--files", multiple=True, type=FILE, help="A file or folder that all bots may read; may be repeated."
)


def move_option(default: str) -> Callable[[Command], Command]:
    return click.option("--move", default=default, metavar="TIME", help="Time for an answer of a bot.")


def command(function: Callable[..., int | None]) -> Callable[..., None]:
    """Decorate a command: the process exits with its result, None as 0.

    Errors are printed to stderr. A ConfigError exits with 2, a MachineError or RulesError with 1, Ctrl-C
    with 130, SIGTERM and SIGHUP with 128 plus their number.
    """

    @wraps(function)
    def wrapped(**arguments: Any) -> None:
        for ending in (signal.SIGTERM, signal.SIGHUP):  # SystemExit unwinds the stack, which ends the bots..
            signal.signal(ending, lambda number, _: sys.exit(128 + number))
        try:
            sys.exit(function(**arguments) or 0)
        except ConfigError as error:
            for message in error.args:
                click.echo(f"arena: {printable(message)}", err=True)
            sys.exit(2)
        except (MachineError, RulesError) as error:
            click.echo(f"arena: {printable(str(error))}", err=True)
            sys.exit(1)
        except click.Abort:  # After Ctrl-C the cursor is still on the line of the question.
            click.echo(err=True)
            sys.exit(130)
        except KeyboardInterrupt:
            sys.exit(130)
        except BrokenPipeError:
            os.dup2(
                os.open(os.devnull, os.O_WRONLY), 1
            )  # The reader of the output is gone; discard the rest.
            sys.exit(0)

    return wrapped


def print_result(form: str, values: object, lines: Iterable[str]) -> None:
    """Print `values` as JSON if `form` is "json", else the lines."""
    click.echo(json.dumps(values, indent=1) if form == "json" else "\n".join(lines))


def all_games() -> "list[Game]":
    """All games that can be loaded; prints to stderr why the others cannot."""
    from arena.games import loadable

    games, problems = loadable()
    for problem in problems:
        click.echo(f"arena: {printable(problem)}", err=True)
    return games


def plan_file(plan: Path) -> Path:
    """The file that the argument PLAN names: a path, or `quickstart` for the plan that the arena includes.

    A file `quickstart` or `quickstart.yaml` in the current folder takes precedence over the included plan.
    """
    from arena.programs.kits import quickstart

    if plan != Path("quickstart"):
        return plan
    return next((own for own in (plan, Path("quickstart.yaml")) if own.exists()), quickstart())


def control_of(move: str) -> "TimeControl":
    """The time control for a value of `--move`, such as `500ms`.

    Raises:
        ConfigError: The value is not a time, or out of bounds.
    """
    from arena.referee.conditions import TimeControl

    try:
        return TimeControl.of(move)
    except ValueError as error:
        raise ConfigError(f"--move: {error}") from None


def pairs(words: tuple[str, ...], option: str = "--option") -> dict[str, str]:
    """The `words` of a repeated option as a dictionary.

    Args:
        words: The values of the option on the command line.
        option: The name of the option, for the message.

    Raises:
        ConfigError: A word is not KEY=VALUE.
    """
    for word in words:
        if "=" not in word:
            raise ConfigError(f"{option} {word}: should be KEY=VALUE")
    return dict(word.split("=", 1) for word in words)


def is_given(name: str) -> bool:
    """Whether the option or argument `name` of the current command was given on the command line."""
    return click.get_current_context().get_parameter_source(name) is ParameterSource.COMMANDLINE
