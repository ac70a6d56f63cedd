"""Scrimmages: unrated games on request, between the newest versions of two entrants."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from time import time
from typing import Literal

from arena.config.document import ConfigError
from arena.contest import entrants, entries
from arena.contest.database import read_rows
from arena.contest.settings import settings_of
from arena.web.database import Database

State = Literal["waiting", "playing", "over", "failed", "declined"]
HOURLY = 20  # scrimmages for which an entrant may ask
MAX_GAMES = 20  # of one scrimmage
_HOUR_S = 3600.0
WITHIN_S = 3600.0  # a scrimmage that is not played by then fails
_OPEN = "state IN ('waiting', 'playing')"
_LATEST = 100  # scrimmages on a page


@dataclass(frozen=True, kw_only=True)
class Scrimmage:
    """A row of the table `scrimmage`."""

    id: int
    entrant: str
    opponent: str
    games: int
    asked: datetime
    state: State
    until: datetime | None
    why: str


def ask(
    database: Database, entrant: str, opponent: str, games: int, clock: Callable[[], float] = time
) -> int:
    """Ask for a scrimmage; returns its id.

    Raises:
        ConfigError: The scrimmage is refused, with the reason.
    """
    if not 1 <= games <= MAX_GAMES:
        raise ConfigError(f"a scrimmage has 1 to {MAX_GAMES} games, not {games}")
    if settings_of(database).final:
        raise ConfigError("the deadline is over: there are no more scrimmages")
    if entrant == opponent:
        raise ConfigError("a scrimmage needs another entrant")
    if entrants.find(database, opponent).declines:
        raise ConfigError(f"{opponent} declines scrimmages")
    playing = {each.entrant for each in entries.playing(database)}
    for name in (entrant, opponent):
        if name not in playing:
            raise ConfigError(f"{name} has no entry that plays")
    now = clock()
    with database.transaction():
        sql = "SELECT count(*) AS count FROM scrimmage WHERE entrant = ? AND asked > ?"
        if database.rows(sql, entrant, now - _HOUR_S)[0]["count"] >= HOURLY:
            raise ConfigError(f"an entrant may ask for {HOURLY} scrimmages an hour")
        sql = (
            "INSERT INTO scrimmage (entrant, opponent, games, asked, state, until)"
            " VALUES (?, ?, ?, ?, 'waiting', ?) RETURNING id"
        )
        return int(database.rows(sql, entrant, opponent, games, now, now + WITHIN_S)[0]["id"])


def decline(database: Database, entrant: str, declines: bool, clock: Callable[[], float] = time) -> None:
    """Set whether an entrant declines scrimmages. If so, waiting ones are declined at once."""
    with database.transaction():
        entrants.set_declines(database, entrant, declines)
        if declines:
            where = "opponent = ? AND state = 'waiting'"
            _end(database, where, (entrant,), "declined", f"{entrant} declines scrimmages")


def end_late(database: Database, now: float) -> None:
    """Let late scrimmages fail. `now` is in seconds since 1970."""
    why = "it was not played in time, through no fault of its entries"
    _end(database, f"{_OPEN} AND until < ?", (now,), "failed", why)


def end_all(database: Database, why: str) -> None:
    """Let all unfinished scrimmages fail."""
    _end(database, _OPEN, (), "failed", why)


def of(database: Database, entrant: str) -> list[Scrimmage]:
    """The latest scrimmages that this entrant asked for, or was asked for, the newest first."""
    sql = "SELECT * FROM scrimmage WHERE ? IN (entrant, opponent) ORDER BY id DESC LIMIT ?"
    return read_rows(database, Scrimmage, sql, entrant, _LATEST)


def is_open(database: Database, scrimmage: int) -> bool:
    """Whether a scrimmage waits or is played."""
    return bool(database.rows(f"SELECT 1 FROM scrimmage WHERE id = ? AND {_OPEN}", scrimmage))


def next_due(database: Database) -> Scrimmage | None:
    """The scrimmage to play next; None: there is none to play.

    Its entrant has the fewest scrimmages begun among its requests since an hour before this one.
    """
    sql = (
        "SELECT * FROM scrimmage AS one WHERE state = 'waiting' OR state = 'playing'"
        " ORDER BY (SELECT count(*) FROM scrimmage AS other WHERE other.entrant = one.entrant"
        " AND other.state IN ('playing', 'over') AND other.asked > one.asked - ?), id LIMIT 1"
    )
    return next(iter(read_rows(database, Scrimmage, sql, _HOUR_S)), None)


def begin(database: Database, scrimmage: int) -> None:
    database.write("UPDATE scrimmage SET state = 'playing' WHERE id = ?", scrimmage)


def end(database: Database, scrimmage: int, state: State, why: str = "") -> None:
    _end(database, "id = ?", (scrimmage,), state, why)


def _end(database: Database, where: str, values: tuple[object, ...], state: State, why: str) -> None:
    """End the scrimmages for which the SQL `where` holds."""
    sql = f"UPDATE scrimmage SET state = ?, until = NULL, why = ? WHERE {where}"
    database.write(sql, state, why, *values)
