"""Reads results of games from CSV files, to rate games of other programs.

A file has a row for each seat of each game; arena/rating/README.md explains the columns. The other columns
that `arena export` writes (`MORE_COLUMNS`) are allowed, but not read. A spreadsheet would run a text that
begins with =, +, - or @ as a formula. The arena writes a ' before such a text, and removes it here.
"""

import csv
import re
from bisect import bisect_left
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import compress
from operator import itemgetter
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from arena.config.document import ConfigError
from arena.config.text import suggestion
from arena.rating.outcomes import Outcome
from arena.tournament.runs.pgn import read_pgn
from arena.tournament.runs.result_lines import to_name

_NEEDED = ("game", "bot", "place")
COLUMNS = ("game", "group", "seat", "bot", "place", "status")
_HEADER = ",".join(COLUMNS)
MORE_COLUMNS = ("score", "faults", "asks", "thought_ms", "replies", "seconds", "seed", "options")
_STATUSES = ("", "ok", "forfeit", "void")
_MAX_SEATS = 64
_Line = tuple[int, str, "_Seat"]  # (number, group, seat); a class costs too much for millions of lines
_OTHER_GAME = "number its seats in a column seat, or give another game another name"
_APART = f"are not together; {_OTHER_GAME}"
_FORMULA = re.compile(r"'*[=+\-@]")
_NO_FORFEITS: Mapping[int, str] = MappingProxyType({})


@dataclass(frozen=True)
class FileResults:
    """The games in a file that count, and the numbers of `void` and `unfinished` ones (without a result).

    A game whose seed group has a void game is counted as void. `ungrouped` is the number of games without a
    seed group, each of which is a group of its own; `repeats` says whether some of these have the same
    line-up. `ids` are the names of the games in a CSV file, or hashes of their records in a PGN file.
    """

    outcomes: tuple[Outcome, ...]
    void: int = 0
    unfinished: int = 0
    ungrouped: int = 0
    repeats: bool = False
    ids: Sequence[Hashable] = field(default=(), compare=False, repr=False)


class _Seat(NamedTuple):
    """The seat that a line describes; `number` is 0 if the file has no column `seat`."""

    number: int
    bot: str
    place: int
    status: str


def escape_formula(text: str) -> str:
    """The text as a cell that no spreadsheet runs as a formula: with a ' before it if needed."""
    return f"'{text}" if _FORMULA.match(text) else text


def unescape_formula(cell: str) -> str:
    """The text from which `escape_formula` made this cell."""
    return cell[1:] if cell.startswith("'") and _FORMULA.match(cell) else cell


def read_results(path: Path) -> FileResults:
    """The results in a .csv or .pgn file.

    Raises:
        ConfigError: The file has no games, or a mistake; the message names the line.
    """
    suffix = kind_of_results(path)
    if not suffix:
        raise ConfigError(f"{path}: the name of a file with results should end in .csv or .pgn")
    try:
        results = _read_csv(path) if suffix == ".csv" else _from_pgn(path)
    except FileNotFoundError:
        raise ConfigError(f"{path}: no such file") from None
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read: {error.strerror}") from None
    if results == FileResults(()):
        raise ConfigError(f"{path}: has no games")
    return results


def kind_of_results(path: Path) -> str:
    """`.csv` or `.pgn`, by the name of the file, else "". A pipe whose name has no suffix counts as CSV."""
    suffix = path.suffix.lower()
    if suffix in (".csv", ".pgn"):
        return suffix
    return ".csv" if path.is_fifo() and not suffix else ""


def _from_pgn(path: Path) -> FileResults:
    outcomes, records, unfinished = read_pgn(path)
    return FileResults(tuple(outcomes), unfinished=unfinished, ids=records)


def _read_csv(path: Path) -> FileResults:
    """The results in a CSV file; the games are in the order of their first lines."""
    games: dict[str, list[_Line]] = {}
    before = ""
    for number, name, group, seat in _read_lines(path):
        if (game := games.get(name)) is None:
            if not name:
                raise ConfigError(f"{path}:{number}: game: should be a name or number")
            game = games[name] = []
        else:
            if not seat.number and name != before:
                raise ConfigError(f"{path}:{number}: game: the rows of game {name} {_APART}")
            if group == game[0][1]:
                group = game[0][1]  # This keeps one string in memory instead of one for each line.
        before = name
        game.append((number, group, seat))
        if len(game) > _MAX_SEATS:
            raise ConfigError(f"{path}:{number}: game {name} has more than {_MAX_SEATS} seats")
    outcomes = [_outcome(path, name, game) for name, game in games.items()]
    is_void = [any(seat.status == "void" for _, _, seat in game) for game in games.values()]
    void = {outcome.group for outcome in compress(outcomes, is_void)}
    counts = [outcome.group not in void for outcome in outcomes]
    counted = tuple(compress(outcomes, counts))
    has_no_group = [not game[0][1] for game in games.values()]
    ungrouped = [each for each in compress(outcomes, has_no_group) if each.group not in void]
    line_ups = {tuple(sorted(bots)) for bots in {each.bots for each in ungrouped}}
    voids, repeats = len(outcomes) - len(counted), len(line_ups) < len(ungrouped)
    ids = tuple(compress(games, counts))
    return FileResults(counted, voids, ungrouped=len(ungrouped), repeats=repeats, ids=ids)


def _read_lines(path: Path) -> Iterator[tuple[int, str, str, _Seat]]:
    """The number, game, group and seat of each line of a CSV file, each checked by itself."""
    number = 1
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            header = file.readline()
            separator = max(",;\t", key=header.count)  # No column name contains one of these.
            columns = _columns(next(csv.reader([header], delimiter=separator), []))
            width = len(columns)
            game, group, *rest = (columns.index(name) if name in columns else width for name in COLUMNS)
            seat = itemgetter(*rest)
            for cells in (reader := csv.reader(file, delimiter=separator, strict=True)):
                number = reader.line_num + 1
                if not cells:
                    continue
                if len(cells) != width:
                    raise ValueError(f"should have {width} columns, like the header, not {len(cells)}")
                cells.append("")  # for the columns that the file lacks
                name, deal = unescape_formula(cells[game].strip()), unescape_formula(cells[group].strip())
                yield number, name, deal, _seat(rest[0] < width, *seat(cells))
    except UnicodeDecodeError:
        raise ConfigError(f"{path}{_undecodable_line(path)}: not UTF-8 text") from None
    except csv.Error as error:
        raise ConfigError(f"{path}:{number + 1}: not CSV: {error}") from None
    except ValueError as error:
        raise ConfigError(f"{path}:{number}: {error}") from None


def _undecodable_line(path: Path) -> str:
    """A colon and the number of the first line that is not UTF-8; "" for a pipe, which cannot be reread."""
    if path.is_fifo():
        return ""
    with path.open("rb") as file:
        for number, line in enumerate(file, 1):
            try:
                line.decode()
            except UnicodeDecodeError:
                return f":{number}"
    return ""


def _columns(header: list[str]) -> list[str]:
    names = [name.strip().lower() for name in header]
    if not any(names):
        raise ValueError(f"should start with a header such as {_HEADER}")
    for number, name in enumerate(names):
        if name not in (*COLUMNS, *MORE_COLUMNS):
            raise ValueError(f"unknown column {name!r}{suggestion(name, COLUMNS)}")
        if name in names[:number]:
            raise ValueError(f"the column {name} appears twice")
    for name in _NEEDED:
        if name not in names:
            raise ValueError(f"the column {name} is missing; a header looks like {_HEADER}")
    return names


@lru_cache(1 << 16)  # Most lines repeat the values of these columns.
def _seat(numbered: bool, seat: str, bot: str, place: str, status: str) -> _Seat:
    status = status.strip()
    if status not in _STATUSES:
        raise ValueError(f"status: unknown status {status!r}{suggestion(status, _STATUSES[1:])}")
    name = to_name(unescape_formula(bot.strip()))
    if not name or not name.isprintable():
        raise ValueError(f"bot: should be a name, not {bot!r}")
    number = _whole_number("seat", seat.strip().removeprefix("p"), _MAX_SEATS) if numbered else 0
    return _Seat(number, name, _whole_number("place", place.strip()), status)


def _whole_number(column: str, text: str, most: int = 10**9) -> int:
    if text.isascii() and text.isdecimal() and len(text) < 11 and 1 <= int(text) <= most:
        return int(text)
    end = f"to {most}" if most < 10**9 else "up"
    raise ValueError(f"{column}: should be a whole number from 1 {end}, not {text!r}")


def _outcome(path: Path, name: str, game: list[_Line]) -> Outcome:
    """The outcome of game `name` from its lines.

    Raises:
        ConfigError: The lines contradict each other.
    """
    first, group, _ = game[0]
    if len(game) == 1:
        raise ConfigError(f"{path}:{first}: game {name} has only one seat")
    for number, other, _ in game:
        if other != group:
            both = f"is in {group!r} on line {first} and in {other!r} here"
            raise ConfigError(f"{path}:{number}: group: game {name} {both}")
    order, bots, places, statuses = zip(*[line[2] for line in game], strict=True)
    if not order[0] and 1 < len({*bots}) < len(bots):
        bot = next(bot for bot in bots if bots.count(bot) > 1)
        raise ConfigError(f"{path}:{first}: game: game {name} has the bot {bot} twice; {_OTHER_GAME}")
    if order[0] and order != tuple(range(1, len(game) + 1)):
        order, bots, places, statuses = zip(*_in_order(path, name, game), strict=True)
    forfeits = _NO_FORFEITS
    if "forfeit" in statuses:
        _check_forfeits(path, game)
        forfeits = {number: status for number, status in enumerate(statuses) if status == "forfeit"}
    return Outcome(bots, _standard_places(places), group or f"{path}: game {name}", forfeits)


def _check_forfeits(path: Path, game: list[_Line]) -> None:
    """Raise ConfigError if a seat that forfeited has the best place, unless all seats forfeited."""
    best = min(seat.place for _, _, seat in game)
    if all(seat.status == "forfeit" for _, _, seat in game):
        return
    for number, _, seat in game:
        if seat.status == "forfeit" and seat.place == best:
            right = f"its place should be behind those of the bots that do not, not {seat.place}"
            raise ConfigError(f"{path}:{number}: place: {seat.bot} forfeits, so {right}")


def _in_order(path: Path, name: str, game: list[_Line]) -> list[_Seat]:
    """The seats of a game, sorted by number.

    Raises:
        ConfigError: The numbers are not 1, 2, …, each once.
    """
    numbers: set[int] = set()
    for line, _, seat in game:
        if seat.number in numbers:
            advice = "; give another game another name"
            raise ConfigError(f"{path}:{line}: seat: game {name} has seat {seat.number} twice{advice}")
        numbers.add(seat.number)
    for number in sorted({*range(1, len(game) + 1)} - numbers):
        raise ConfigError(f"{path}:{line}: seat: game {name} has no seat {number}")
    return sorted(seat for _, _, seat in game)


@lru_cache(1 << 16)
def _standard_places(ranks: tuple[int, ...]) -> tuple[int, ...]:
    """Places in standard competition ranking: ranks 3, 5, 5, 9 become 1, 2, 2, 4."""
    order = sorted(ranks)
    return tuple(1 + bisect_left(order, rank) for rank in ranks)
