"""What all commands share: options, exit statuses, and the words that people type."""

import os
import signal
import sys
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Any

import click

from arena.core.config import ConfigError, MachineError
from arena.referee.protocol import shown
from arena.report import FORMATS

FILE = click.Path(path_type=Path, readable=False)  # what cannot be read has words of its own


FORMAT = click.option(
    "--format", "form", type=click.Choice(["text", "json"]), default="text", help="For people or machines."
)


TABLE_FORMAT = click.option(
    "--format", "form", type=click.Choice(FORMATS), default="text", help="What the table is for."
)


def command(function: Callable[..., int | None]) -> Callable[..., None]:
    """A command's exit status: what it returns, 2 for the user's mistakes, 1 for others, 130 for Ctrl-C."""

    @wraps(function)
    def wrapped(**arguments: Any) -> None:
        for ending in (signal.SIGTERM, signal.SIGHUP):  # so that bots are ended on the way out
            signal.signal(ending, lambda number, _: sys.exit(128 + number))
        try:
            sys.exit(function(**arguments) or 0)
        except ConfigError as error:
            for mistake in error.args:
                click.echo(f"arena: {shown(mistake)}", err=True)
            sys.exit(2)
        except MachineError as error:
            click.echo(f"arena: {shown(str(error))}", err=True)
            sys.exit(1)
        except KeyboardInterrupt:
            sys.exit(130)
        except BrokenPipeError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # the reader of our output has gone
            sys.exit(0)

    return wrapped


def within(low: float, high: float) -> Callable[..., float | None]:
    """Reads the number of an option, the same that a plan allows; NaN is none."""

    def number(context: click.Context, option: click.Option, text: str | None) -> float | None:
        try:
            if text is None or low <= float(text) <= high:
                return None if text is None else float(text)
        except ValueError:
            pass
        raise click.BadParameter(f"should be a number from {low:g} to {high:g}, not {text!r}")

    return number


def control_of(move: str) -> Any:
    """The clock of `--move 500ms`."""
    from arena.core.clock import TimeControl
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


def shown_record(store: Any, id: str) -> Any:
    """A record of a run as it may be published. ConfigError: there is none, or it is damaged."""
    record = store.record(id)
    return record.without_seed() if store.hides_seeds else record


def usable_cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
