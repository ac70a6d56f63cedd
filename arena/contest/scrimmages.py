"""Scrimmages: games of one entrant against another that it chose. No table counts them.

    waiting -> playing -> over
       '---------'-------> failed
    declined, at once, if the opponent declines scrimmages

A scrimmage that waits or plays longer than its deadline fails with that reason, so none is pending for ever.
"""

from collections.abc import Callable, Mapping
from time import time
from typing import Any

from arena.config.document import ConfigError
from arena.contest import entrants, entries
from arena.web.database import Database

HOURLY = 20  # games that an entrant may ask for
_HOUR_S = 3600.0
_WAIT_S = 3600.0  # until it is played
Scrimmage = Mapping[str, Any]
"""A row of the table `scrimmage`."""


def ask(
    database: Database, entrant: str, opponent: str, games: int, clock: Callable[[], float] = time
) -> int:
    """Ask for games; the id of the scrimmage. ConfigError: why there are none."""
    now = clock()
    with database.transaction():
        declines = _check_opponent(database, entrant, opponent)
        _check_games(database, entrant, games, now)
        state = "declined" if declines else "waiting"
        sql = (
            "INSERT INTO scrimmage (entrant, opponent, games, asked, state, until)"
            " VALUES (?, ?, ?, ?, ?, ?) RETURNING id"
        )
        values = (entrant, opponent, games, now, state, None if declines else now + _WAIT_S)
        return int(database.rows(sql, *values)[0]["id"])


def _check_opponent(database: Database, entrant: str, opponent: str) -> bool:
    """Whether it declines scrimmages. ConfigError: one of both has no version that plays."""
    if entrant == opponent:
        raise ConfigError("a scrimmage needs another entrant")
    playing = {row["entrant"] for row in entries.playing(database)}
    for name in (entrant, opponent):
        if name not in playing:
            raise ConfigError(f"{name} has no version that plays")
    return bool(entrants.find(database, opponent)["declines"])


def _check_games(database: Database, entrant: str, games: int, now: float) -> None:
    if not 0 < games <= HOURLY:
        raise ConfigError(f"a scrimmage has 1 to {HOURLY} games")
    sql = (
        "SELECT total(games) AS games FROM scrimmage"
        " WHERE entrant = ? AND asked > ? AND asked <= ? AND state != 'declined'"
    )
    asked = int(database.rows(sql, entrant, now - _HOUR_S, now)[0]["games"])
    if asked + games > HOURLY:
        raise ConfigError(f"{HOURLY} games an hour are allowed, and {asked} were asked for")


def of(database: Database, entrant: str, most: int = 100) -> list[Scrimmage]:
    """The scrimmages of an entrant, also those that others asked for; the newest first."""
    sql = "SELECT * FROM scrimmage WHERE ? IN (entrant, opponent) ORDER BY id DESC LIMIT ?"
    return database.rows(sql, entrant, most)


def due(database: Database) -> list[Scrimmage]:
    """Those that wait, in the order in which they are played: first who was served longest ago."""
    sql = (
        "SELECT scrimmage.*, (SELECT max(id) FROM scrimmage AS other WHERE other.entrant = scrimmage.entrant"
        " AND other.state NOT IN ('waiting', 'declined')) AS last"
        " FROM scrimmage WHERE state = 'waiting' ORDER BY last, id"
    )
    return database.rows(sql)


def begin(database: Database, scrimmage: int, until: float) -> bool:
    """It is played now; False if it waits no longer."""
    sql = "UPDATE scrimmage SET state = 'playing', until = ? WHERE id = ? AND state = 'waiting'"
    return bool(database.write(sql, until, scrimmage))


def finish(database: Database, scrimmage: int) -> None:
    """All its games are over."""
    sql = "UPDATE scrimmage SET state = 'over', until = NULL WHERE id = ? AND state = 'playing'"
    database.write(sql, scrimmage)


def fail(database: Database, scrimmage: int, why: str) -> None:
    sql = (
        "UPDATE scrimmage SET state = 'failed', until = NULL, why = ?"
        " WHERE id = ? AND state IN ('waiting', 'playing')"
    )
    database.write(sql, why, scrimmage)


def expire(database: Database, now: float) -> list[Scrimmage]:
    """End those that are later than their deadline; the next may be asked for. Returns them."""
    sql = "SELECT * FROM scrimmage WHERE state IN ('waiting', 'playing') AND until < ?"
    late = database.rows(sql, now)
    for row in late:
        fail(database, row["id"], "the server had no time for it; ask again")
    return late
