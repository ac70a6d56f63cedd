"""Results of games that were not played here, read from a file, so that they can be rated too.

A CSV file has a row for each seat of each game, under a header with these columns in any order:

    game    the game; its rows need not follow each other
    group   the seed group: games that share what chance gave, in other files too; empty or no column:
            the game alone
    seat    1, 2, ... or p1, p2, ...; no column: the rows of a game are its seats in order
    bot     its name; a bot may have several seats in a game
    place   1 is first, ties share; any ranks that order the bots do: 1, 2, 2, 3 is read as 1, 2, 2, 4
    status  empty or ok; forfeit: the seat lost by a fault of its own; void: the game does not count, nor
            does its seed group

Semicolons and tabs may separate the columns too. For chess games in a PGN file see `arena.results.pgn`.
"""

import csv
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import compress
from operator import itemgetter
from pathlib import Path
from typing import NamedTuple

from arena.core.config import ConfigError, suggestion
from arena.rating.outcome import Outcome

NEEDED = ("game", "bot", "place")
COLUMNS = ("game", "group", "seat", "bot", "place", "status")
HEADER = ",".join(COLUMNS)
STATUSES = ("", "ok", "forfeit", "void")
MOST_SEATS = 64
PGN_MISSING = "PGN files need the package chess (extra arena[pgn]): pip install 'chess>=1.10'"


@dataclass(frozen=True)
class Results:
    """What a file says: the games that count, how many are left out as void, and how many had no result."""

    outcomes: tuple[Outcome, ...]
    void: int = 0
    unfinished: int = 0


@dataclass(frozen=True)
class Seat:
    """What a row says of the bot; number 0 where there is no such column."""

    number: int
    bot: str
    place: int
    status: str


class Row(NamedTuple):
    """One seat of one game, and the line where it stands. A tuple, since a file may have millions."""

    line: int
    game: str
    group: str
    seat: Seat


def read_results(path: Path) -> Results:
    """The results in a .csv or .pgn file; ConfigError, with file and line, where it is not one."""
    suffix = path.suffix.lower()
    if suffix not in (".csv", ".pgn"):
        raise ConfigError(f"{path}: results are read from a .csv or .pgn file, by its name")
    try:
        results = Results(*read_csv(path)) if suffix == ".csv" else _of_pgn(path)
    except FileNotFoundError:
        raise ConfigError(f"{path}: no such file") from None
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read: {error.strerror}") from None
    if results == Results(()):
        raise ConfigError(f"{path}: has no games")
    return results


def _of_pgn(path: Path) -> Results:
    try:
        from arena.results.pgn import read_pgn  # the import takes a quarter of a second
    except ModuleNotFoundError as error:
        if error.name not in ("chess", "chess.pgn"):
            raise
        raise ConfigError(f"{path}: {PGN_MISSING}") from None
    outcomes, unfinished = read_pgn(path)
    return Results(tuple(outcomes), unfinished=unfinished)


def read_csv(path: Path) -> tuple[tuple[Outcome, ...], int]:
    """The games that count, in the order of their first rows, and the number of void ones."""
    games: dict[str, list[Row]] = {}
    for row in rows(path):
        game = games.setdefault(row.game, [])
        game.append(row)
        if not row.game:
            raise ConfigError(f"{path}:{row.line}: game: should be a name or number")
        if len(game) > MOST_SEATS:
            raise ConfigError(f"{path}:{row.line}: game {row.game} has more than {MOST_SEATS} seats")
    outcomes = [_outcome(path, game) for game in games.values()]
    lost = [any(row.seat.status == "void" for row in game) for game in games.values()]
    void = {outcome.group for outcome in compress(outcomes, lost)}
    counted = tuple(outcome for outcome in outcomes if outcome.group not in void)
    return counted, len(outcomes) - len(counted)


def rows(path: Path) -> Iterator[Row]:
    """The rows of a CSV file, each checked by itself."""
    line = 1
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            header = file.readline()
            separator = max(",;\t", key=header.count)  # no name of a column has one
            columns = _columns(next(csv.reader([header], delimiter=separator), []))
            width = len(columns)
            pick = itemgetter(*(columns.index(name) if name in columns else width for name in COLUMNS))
            for cells in (reader := csv.reader(file, delimiter=separator, strict=True)):
                line = reader.line_num + 1
                if not cells:
                    continue
                if len(cells) != width:
                    raise ValueError(f"should have {width} cells, as the header has, not {len(cells)}")
                game, group, *seat = pick([*cells, None])
                yield Row(line, game.strip(), (group or "").strip(), _seat(*seat))
    except UnicodeDecodeError:
        raise ConfigError(f"{path}: not UTF-8 text") from None
    except csv.Error as error:
        raise ConfigError(f"{path}:{line + 1}: not CSV: {error}") from None
    except ValueError as error:
        raise ConfigError(f"{path}:{line}: {error}") from None


def _columns(header: list[str]) -> list[str]:
    names = [name.strip().lower() for name in header]
    if not any(names):
        raise ValueError(f"should begin with a header such as {HEADER}")
    for number, name in enumerate(names):
        if name not in COLUMNS:
            raise ValueError(f"unknown column {name!r}{suggestion(name, COLUMNS)}")
        if name in names[:number]:
            raise ValueError(f"the column {name} is repeated")
    for name in NEEDED:
        if name not in names:
            raise ValueError(f"the column {name} is missing; a header is such as {HEADER}")
    return names


@lru_cache(1 << 16)  # few of them differ
def _seat(seat: str | None, bot: str, place: str, status: str | None) -> Seat:
    status = (status or "").strip()
    if status not in STATUSES:
        raise ValueError(f"status: {status!r} is not known{suggestion(status, STATUSES[1:])}")
    name = bot.strip()
    if not name or not name.isprintable():
        raise ValueError(f"bot: should be a name, not {bot!r}")
    number = 0 if seat is None else _whole("seat", seat.strip().removeprefix("p"), MOST_SEATS)
    return Seat(number, name, _whole("place", place.strip()), status)


def _whole(column: str, text: str, most: int = 10**9) -> int:
    if text.isascii() and text.isdecimal() and len(text) < 11 and 1 <= int(text) <= most:
        return int(text)
    end = f"to {most}" if most < 10**9 else "up"
    raise ValueError(f"{column}: should be a whole number from 1 {end}, not {text!r}")


def _outcome(path: Path, game: list[Row]) -> Outcome:
    """One game, its rows checked against each other."""
    first = game[0]
    if len(game) == 1:
        raise ConfigError(f"{path}:{first.line}: game {first.game} has one seat only")
    for row in game:
        if row.group != first.group:
            raise ConfigError(
                f"{path}:{row.line}: group: game {row.game} is in {first.group!r} on line {first.line} "
                f"and in {row.group!r} here"
            )
    seats = _in_order(path, game)
    places = standard(tuple(seat.place for seat in seats))
    forfeits = {number: seat.status for number, seat in enumerate(seats) if seat.status == "forfeit"}
    return Outcome(
        tuple(seat.bot for seat in seats), places, first.group or f"{path}: game {first.game}", forfeits
    )


def _in_order(path: Path, game: list[Row]) -> list[Seat]:
    """The seats of a game from 1 on, or as they come where they have no numbers."""
    numbers = [row.seat.number for row in game]
    if 0 not in numbers and numbers != list(range(1, len(game) + 1)):
        for row, number in zip(game, numbers, strict=True):
            if numbers.index(number) < game.index(row):
                raise ConfigError(f"{path}:{row.line}: seat: game {row.game} has seat {number} twice")
        for number in range(1, len(game) + 1):
            if number not in numbers:
                raise ConfigError(f"{path}:{game[-1].line}: seat: game {row.game} has no seat {number}")
        game = sorted(game, key=lambda row: row.seat.number)
    return [row.seat for row in game]


@lru_cache(1 << 16)
def standard(ranks: tuple[int, ...]) -> tuple[int, ...]:
    """Places as in sports, 1, 2, 2, 4, from any ranks in the same order."""
    order = sorted(ranks)
    return tuple(1 + bisect_left(order, rank) for rank in ranks)
