"""What the commands share: options, exit statuses, and the parsing of arguments."""

import os
import signal
import sys
from collections.abc import Callable, Iterable
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from arena.cli.completion import OPTIONS
from arena.core.config import ConfigError, MachineError
from arena.core.text import printable
from arena.report import FORMATS
from arena.rules.choices import RulesError

if TYPE_CHECKING:  # heavy imports, which not every command needs
    from arena.core.conditions import TimeControl
    from arena.rules import Game

MOST_PLACES = 10  # that a contest gives points for
FILE = click.Path(path_type=Path, readable=False)  # unreadable files get a message of their own

JOBS = click.IntRange(1, 1000)

FORMAT = click.option(
    "--format",
    "form",
    type=click.Choice(["text", "json"]),
    default="text",
    help="For people or for programs.",
)


TABLE_FORMAT = click.option(
    "--format", "form", type=click.Choice(FORMATS), default="text", help="The format of the output."
)


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


def command(function: Callable[..., int | None]) -> Callable[..., None]:
    """Set the exit status: the result, or 2 for user errors, 1 for other errors, 130 for Ctrl-C."""

    @wraps(function)
    def wrapped(**arguments: Any) -> None:
        for ending in (signal.SIGTERM, signal.SIGHUP):  # SystemExit unwinds the stack, which ends the bots
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
        except KeyboardInterrupt:
            sys.exit(130)
        except BrokenPipeError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # the reader of the output is gone; discard the rest
            sys.exit(0)

    return wrapped


def within(low: float, high: float, ends: bool = True) -> Callable[..., float | None]:
    """A callback that parses a number within the bounds that a plan has too; NaN is refused.

    Without `ends` the bounds themselves are refused.
    """

    def number(context: click.Context, option: click.Option, text: str | None) -> float | None:
        try:
            if text is None or low < float(text) < high or (ends and float(text) in (low, high)):
                return None if text is None else float(text)
        except ValueError:
            pass
        bounds = f"from {low:g} to {high:g}" if ends else f"between {low:g} and {high:g}"
        raise click.BadParameter(f"should be a number {bounds}, not {text!r}")

    return number


def place_points(context: click.Context, option: click.Option, text: str | None) -> tuple[float, ...] | None:
    """A callback that parses points for places, such as 10,6,3,1, as a plan has them."""
    try:
        points = None if text is None else tuple(map(float, text.split(",")))
        if points is None or (len(points) <= MOST_PLACES and all(0 <= each <= 1e6 for each in points)):
            return points
    except ValueError:
        pass
    raise click.BadParameter(
        f"should be up to {MOST_PLACES} numbers from 0 to 1000000, separated by commas, not {text!r}"
    )


def all_games() -> "list[Game]":
    """All games that can be loaded. Why others cannot is told on stderr."""
    from arena.games import loadable

    games, problems = loadable()
    for problem in problems:
        click.echo(f"arena: {printable(problem)}", err=True)
    return games


def plan_file(plan: Path) -> Path:
    """The file of a plan. `quickstart` is that of the arena, unless the folder has a plan of this name."""
    from arena.kits import quickstart

    if plan != Path("quickstart"):
        return plan
    return next((own for own in (plan, Path("quickstart.yaml")) if own.exists()), quickstart())


def control_of(move: str) -> "TimeControl":
    """The clock of `--move 500ms`."""
    from arena.core.conditions import TimeControl
    from arena.core.values import move_time

    try:
        return TimeControl(move=move_time(move))
    except ValueError as error:
        raise ConfigError(f"--move: {error}") from None


def pairs(options: tuple[str, ...]) -> dict[str, str]:
    for option in options:
        if "=" not in option:
            raise ConfigError(f"--option {option}: should be KEY=VALUE")
    return dict(option.split("=", 1) for option in options)


def refuse_unused(what: str, used: Iterable[str]) -> None:
    """UsageError: the command line has an option or argument besides `used`, which `what` would ignore."""
    context = click.get_current_context()
    for parameter in context.command.params:
        name = parameter.name or ""
        if is_given(name) and context.params[name] not in (None, ()) and name not in used:
            word = (
                parameter.opts[0] if isinstance(parameter, click.Option) else f"the argument {name.upper()}"
            )
            raise click.UsageError(f"{word} does not apply to {what}")


def is_given(name: str) -> bool:
    """Whether an option or argument stands on the command line."""
    return click.get_current_context().get_parameter_source(name) is ParameterSource.COMMANDLINE


def usable_cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
