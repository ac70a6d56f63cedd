"""New tables: the checked request of an operator or a guest, and the rematch of a game that is over."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from math import isfinite
from pathlib import Path
from secrets import token_hex
from typing import Any

from starlette.requests import HTTPConnection

from arena.config.document import ConfigError
from arena.programs.bot import HOUSE, distinct_name, naming_problem
from arena.programs.game_options import check_options, find_game, refuse_unsupported
from arena.programs.house import opponents
from arena.programs.reading import read_bot
from arena.referee.game_check import random_games
from arena.rules import Ask, Game
from arena.rules.match import Match
from arena.web.disk import FULL, has_room
from arena.web.events import encode
from arena.web.requests import Refusal
from arena.web.seatings import (
    PERSON,
    Seating,
    add_seating,
    find_seating,
    follow_seating,
    guests_now,
    note_rematch,
)
from arena.web.server import Server
from arena.web.sessions import is_from
from arena.web.sessions import seat as seat_holder

_GUEST_SEATS = 4
_SAMPLE = 8  # random games: enough to find a race
_MAX_S = 7 * 86400.0  # for an answer, and for a bank: a week, the same as in a plan


def check_room(server: Server) -> None:
    """Check that the disk has room for a game.

    Raises:
        Refusal: The disk is full.
    """
    if not has_room(server.folder):
        raise Refusal(503, f"{FULL} Try again later.")


async def open_table(
    server: Server,
    game: str,
    options: Mapping[str, Any],
    seats: Sequence[str],
    move: float | None = None,
    bank: float | None = None,
) -> str:
    """Make a table; returns its id.

    A seat is `person`, `person:NAME` or `house:NAME`. `move` and `bank` are the clock of people, in seconds;
    None for `move`: they have none.

    Raises:
        Refusal: Such a game cannot be played, or the disk is full.
    """
    check_room(server)
    seating = _new_seating(game, options, seats, move, bank)
    add_seating(server.database, seating)
    return seating.id


async def open_guest(server: Server, request: HTTPConnection, game: str, level: str) -> str:
    """Make a table for a guest, who sits at seat 0 among house bots of this level; returns its id.

    Raises:
        Refusal: The visitor has a game already, all tables are taken, the disk is full, or there is no such
            game.
    """
    check_room(server)
    _check_guest(server, request)
    rules = _find_game(game)
    size = min(max(_GUEST_SEATS, rules.seats[0]), rules.seats[-1])
    seating = _new_seating(game, {}, [f"{PERSON}:guest", *opponents(game, level, size - 1)], None, None)
    add_seating(server.database, replace(seating, is_guest=True))
    return seating.id


def guest_table(server: Server, request: HTTPConnection) -> tuple[str, int] | None:
    """The table and the seat of the game that the guest of this browser plays now; None: there is none.

    A game that is over for the guest does not count, even if it is still played.
    """
    for table in guests_now(server.database):
        seating = find_seating(server.database, table)
        for number in seating.people if seating else ():
            seat = server.gate.find(table, number)
            if is_from(server, request, seat_holder(table, number)) and not (seat and seat.is_over):
                return table, number
    return None


def _check_guest(server: Server, request: HTTPConnection) -> None:
    """Check that this visitor may have a table.

    Raises:
        Refusal: The visitor has a game, or all tables are taken.
    """
    if guest_table(server, request):
        raise Refusal(409, "You have a game already: finish it, or leave it.")
    most = server.settings.guests
    if len(guests_now(server.database)) >= most:
        server.counts["guests refused"] += 1
        raise Refusal(503, f"All {most} tables for guests are taken. Try again in a few minutes.")


async def rematch(server: Server, request: HTTPConnection, table: str, number: int) -> tuple[str, int] | None:
    """Ask for a rematch as the person of a seat; returns the new table and the person's seat there.

    All move on by one seat, and the deal is new. None: other people of the table have not asked yet.

    Raises:
        Refusal: The game is not over, or the guest has another game, or all tables for guests are taken.
    """
    seating = find_seating(server.database, table)
    if not seating or seating.state in ("new", "playing"):
        raise Refusal(409, "The game is not over.")
    if not note_rematch(server.database, table, number):
        return None
    if not seating.successor:
        if seating.is_guest:
            _check_guest(server, request)
        follow_seating(server.database, table, _rotated(seating))
        for each in seating.people:
            if seat := server.gate.find(table, each):
                seat.channel.publish(encode("{}", name="rematch"))
    found = find_seating(server.database, table)
    assert found and found.successor, "it was just added"
    return found.successor, (number + 1) % len(seating.seats)


def _rotated(seating: Seating) -> Seating:
    return replace(
        seating,
        id=token_hex(8),
        state="new",
        seats=[*seating.seats[-1:], *seating.seats[:-1]],
        names=[*seating.names[-1:], *seating.names[:-1]],
        over=None,
        successor=None,
    )


def _new_seating(
    game: str, options: Mapping[str, Any], seats: Sequence[str], move: float | None, bank: float | None
) -> Seating:
    """A new table as requested, after all checks.

    Raises:
        Refusal: Such a game cannot be played.
    """
    rules = _find_game(game)
    try:
        if len(seats) not in rules.seats:
            raise ConfigError(f"{game} has {rules.seats[0]} to {rules.seats[-1]} seats, not {len(seats)}")
        checked = check_options(rules, options, (len(seats),))
        bots = [None if _is_person(seat) else read_bot(_house(seat)) for seat in seats]
        for bot in filter(None, bots):
            refuse_unsupported(bot, rules, (len(seats),), checked)
        names = _names(bot.name if bot else _person_name(seat) for bot, seat in zip(bots, seats, strict=True))
    except ConfigError as error:
        raise Refusal(400, str(error)) from None
    if all(bots):
        raise Refusal(400, f"one of the seats should be {PERSON}")
    if _has_race(rules, checked, len(seats)):
        raise Refusal(400, "with these options the fastest answer counts, which is no game for people")
    _check_times(move, bank)
    kinds = [PERSON if bot is None else seat for bot, seat in zip(bots, seats, strict=True)]
    return Seating(token_hex(8), "new", False, game, checked, kinds, names, move, bank)


def _has_race(game: Game, options: dict[str, Any], seats: int) -> bool:
    """Whether random games with these options have an ask in which the first answer counts."""
    # A bot always answers first; and when a killed game is played again, answers arrive at other times.
    found = False

    def watch(match: Match[Any]) -> None:
        nonlocal found
        found = found or (isinstance(match.step, Ask) and match.step.race)

    for number in range(_SAMPLE):
        random_games.play(game, options, seats, f"race/{number}", watch=watch)
    return found


def _find_game(name: str) -> Game:
    try:
        return find_game(name)
    except ConfigError as error:
        raise Refusal(400, str(error)) from None


def _is_person(seat: str) -> bool:
    return seat.partition(":")[0] == PERSON


def _person_name(seat: str) -> str:
    """The name in `person:NAME`, or `person`.

    Raises:
        ConfigError: The name is not valid.
    """
    name = seat.partition(":")[2] or PERSON
    if problem := naming_problem(name):
        raise ConfigError(f"{seat!r}: {problem}")
    return name


def _house(seat: str) -> Path:
    if not seat.startswith(HOUSE):
        raise ConfigError(f"seat {seat!r} should be {PERSON}, {PERSON}:NAME or {HOUSE}NAME")
    return Path(seat)


def _names(wanted: Iterable[str]) -> list[str]:
    names: list[str] = []
    for name in wanted:
        names.append(distinct_name(name, names))
    return names


def _check_times(move: float | None, bank: float | None) -> None:
    for key, value, least in (("move", move, 1.0), ("bank", bank, 0.0)):
        if value is not None and not (isfinite(value) and least <= value <= _MAX_S):
            raise Refusal(400, f"{key} should be from {least:g} to {_MAX_S:g} seconds")
    if bank is not None and move is None:
        raise Refusal(400, "bank needs move: people have no clock without it")
