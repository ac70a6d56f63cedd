"""Alarms: errors of the arena, for the organiser."""

from dataclasses import dataclass
from datetime import datetime

from arena.contest.database import read_rows
from arena.web.database import Database

_LATEST = 50  # alarms on the page


@dataclass(frozen=True, kw_only=True)
class Alarm:
    """A row of the table `alarm`; `source` is the process, such as `intake`."""

    id: int
    at: datetime
    source: str
    text: str


def raise_alarm(database: Database, at: float, source: str, text: str) -> None:
    """Report an error of the arena to the organiser, unless the same alarm is unseen.

    `at` is in seconds since 1970; `source` is the process, such as `intake`.
    """
    same = "SELECT 1 FROM alarm WHERE source = ? AND text = ? AND NOT is_seen"
    if not database.rows(same, source, text):
        database.write("INSERT INTO alarm (at, source, text) VALUES (?, ?, ?)", at, source, text)


def unseen(database: Database) -> list[Alarm]:
    """At most `_LATEST` alarms that the organiser has not marked as seen, the newest first."""
    return read_rows(
        database, Alarm, "SELECT * FROM alarm WHERE NOT is_seen ORDER BY id DESC LIMIT ?", _LATEST
    )


def see(database: Database, last: int) -> None:
    """Mark all alarms up to the one with the id `last` as seen."""
    database.write("UPDATE alarm SET is_seen = 1 WHERE id <= ?", last)
