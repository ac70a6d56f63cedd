"""`arena replay`: show a recorded game."""

import json
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

import click

from arena.cli.base import FILE, command, print_result
from arena.cli.completion import RUNS
from arena.config.document import ConfigError
from arena.config.text import printable
from arena.programs.machine import install_command
from arena.show.tables.commands import command_line

if TYPE_CHECKING:  # These imports are slow, and other commands do not need them.
    from arena.referee.record import Record
    from arena.tournament.runs.moments import Moment
    from arena.tournament.runs.store import Store

_ID_LENGTH = 16  # characters


@click.command()
@click.argument("run", type=FILE, shell_complete=RUNS)
@click.argument("game", required=False)
@click.option("--seat", metavar="pK", help="Only what this seat received and sent.")
@click.option(
    "--at",
    type=click.IntRange(min=1),
    metavar="MOMENT",
    help="Begin at this moment; without a terminal, show the table at it.",
)
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "json", "input", "stderr"]),
    help="`input` is exactly the input of the bot of --seat, `stderr` the stderr of the bots."
    "  [default: full screen in a terminal (extra stepper), else text]",
)
@command
def replay(run: Path, game: str | None, seat: str | None, at: int | None, form: str | None) -> None:
    """Show a recorded GAME of a RUN, in a terminal step by step.

    GAME is a number from `arena list RUN`, which never changes, or the beginning of an id. Digits mean a
    number unless they are a whole id. GAME may be left out if the run has only one game.
    """
    if form == "input" and seat is None:
        raise click.UsageError("--format input needs --seat, whose bot read it")
    is_interactive = form is None and _in_terminal()
    in_full_screen = is_interactive and find_spec("textual") is not None
    if at and form in ("input", "stderr"):
        raise click.UsageError(f"--at does not apply to --format {form}")
    with open_record(run, game) as record:
        if in_full_screen:
            _step_through(record, at or 1, seat)
        elif at:
            _print_moment(record, at, seat, form or "text")
        elif form == "stderr":
            _print_stderr(record, seat)
        elif form == "input":
            _print_input(record, seat or "")
        else:
            print_record(record, form or "text", seat, trace=True)
    if is_interactive and not in_full_screen:
        steps = f"with textual, replay shows a game step by step: {install_command('stepper')}"
        click.echo(f"arena: {steps}", err=True)


@contextmanager
def open_record(run: Path, game: str | None) -> "Iterator[Record]":
    """Yield the record of `game`, a number or the beginning of an id; None for the only game of the run.

    Raises:
        ConfigError: There is no such game, there are several, or the record is damaged.
    """
    from arena.tournament.runs.game_list import shown_record
    from arena.tournament.runs.store import Store

    with Store(run) as store:
        id = _find_game(store, game) if game else _only_game(store)
        with store.reading(id):
            yield shown_record(store, id)


def _only_game(store: "Store") -> str:
    ids = [game.id for game in islice(store.games(), 2)]
    if len(ids) != 1:
        which = f"which GAME? {command_line('list', store.path)} shows them"
        problem = which if ids else "no game was played yet"
        raise ConfigError(f"{store.path}: {problem}")
    return ids[0]


def _find_game(store: "Store", wanted: str) -> str:
    advice = f"games are numbered 1 to {store.last_number()}"
    if wanted.isascii() and wanted.isdecimal() and len(wanted) < _ID_LENGTH:
        if id := store.id_of(int(wanted)):
            return id
        raise ConfigError(f"{store.path}: no game {wanted}; {advice}")
    found = store.ids_from(wanted) if wanted.isascii() else []
    if len(found) != 1:
        raise ConfigError(f"{store.path}: {len(found) or 'no'} games match {wanted!r}; {advice}")
    return found[0]


def _in_terminal() -> bool:
    return sys.stdin.isatty() and sys.stdout.isatty() and os.environ.get("TERM", "dumb") != "dumb"


def _step_through(record: "Record", number: int, seat: str | None) -> None:
    found, eyes = _moments(record, number, seat)
    from arena.show.stepper.screen import Stepper  # This imports textual, which is slow.

    Stepper(record, found, number - 1, eyes).run()


def _print_moment(record: "Record", number: int, seat: str | None, form: str) -> None:
    """Print the table and the events of a moment, or of the last moment before it that the seat can see."""
    from rich.console import Console

    from arena.programs.play.drawing import draw_table
    from arena.show.stepper.cursor import Cursor
    from arena.show.stepper.words import MomentText

    found, eyes = _moments(record, number, seat)
    cursor, words = Cursor(found, eyes, number - 1), MomentText(record)
    news = [*words.lines(cursor.said(cursor.at), True)]
    if form == "json":
        at = {"moment": cursor.at + 1, "of": len(found), "turn": cursor.turns[cursor.at], "seat": seat}
        happened = [line.plain.strip() for line in news if line]
        print_result(form, {**at, "table": cursor.table, "happened": happened}, ())
        return
    eye = "all seats" if seat is None else f"seen by {seat}"
    console = Console(highlight=False, markup=False)
    console.print(f"{record.fixture.game}: moment {cursor.at + 1} of {len(found)}, {eye}")
    for part in (*draw_table(cursor.table, record.fixture.bots, words.prose, eyes), *news):
        console.print(part)


def _moments(record: "Record", number: int, seat: str | None) -> "tuple[list[Moment], int | None]":
    """All moments, and the number of `seat` or None.

    Raises:
        ConfigError: There is no moment `number`, or no such seat.
    """
    from arena.tournament.runs.moments import moments_of

    found = list(moments_of(record))
    if number > len(found):
        raise ConfigError(f"--at: no moment {number}; the game has the moments 1 to {len(found)}")
    return found, None if seat is None else seat_of(record, seat)


def print_record(record: "Record", form: str, seat: str | None = None, trace: bool = False) -> None:
    """Print the events of a game.

    Args:
        record: The record of the game.
        form: "text" or "json".
        seat: A seat such as "p1", to print only the events that it has seen.
        trace: Whether to print times and stderr, which differ each time that a game is played.

    Raises:
        ConfigError: There is no such seat.
    """
    from arena.tournament.runs import transcript

    if form == "json" and seat is None:
        click.echo(json.dumps(transcript.to_json(record, trace), indent=1))
        return
    if seat is None:
        lines = transcript.for_spectator(record, trace)
    else:
        lines = transcript.for_seat(record, seat_of(record, seat), trace)
    if form == "json":
        click.echo(json.dumps(list(lines), indent=1))
        return
    for line in lines:
        click.echo(line)


def _print_input(record: "Record", seat: str) -> None:
    from arena.tournament.runs.bot_input import bot_input

    text = bot_input(record, seat_of(record, seat))
    click.echo(text.encode(), nl=False)  # Bytes do not depend on the encoding of the terminal.


def _print_stderr(record: "Record", seat: str | None) -> None:
    from arena.tournament.runs import asks

    if seat is not None:
        seat_of(record, seat)
    for name, text in asks.stderr(record).items():
        if seat in (None, name):
            click.echo("\n".join([f"{name}:", *(f"  {printable(line)}" for line in text.splitlines())]))


def seat_of(record: "Record", seat: str) -> int:
    """The number, from 0, of a seat such as `p1`.

    Raises:
        ConfigError: The game has no such seat.
    """
    bots = len(record.fixture.bots)
    if seat not in [f"p{number}" for number in range(1, bots + 1)]:
        raise ConfigError(f"--seat: no seat {seat}; seats are p1 to p{bots}")
    return int(seat[1:]) - 1
