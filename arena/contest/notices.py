"""Notices of the organiser, for all visitors."""

from dataclasses import dataclass
from datetime import datetime
from time import time

from arena.contest.database import read_rows
from arena.web.database import Database

_LATEST = 100  # notices on the page


@dataclass(frozen=True, kw_only=True)
class Notice:
    """A row of the table `notice`."""

    id: int
    at: datetime
    text: str


def add(database: Database, text: str) -> None:
    database.write("INSERT INTO notice (at, text) VALUES (?, ?)", time(), text)


def remove(database: Database, notice: int) -> bool:
    """Remove the notice with this id; returns whether there was one."""
    return bool(database.write("DELETE FROM notice WHERE id = ?", notice))


def latest(database: Database) -> list[Notice]:
    """At most `_LATEST` notices, the newest first."""
    return read_rows(database, Notice, "SELECT * FROM notice ORDER BY id DESC LIMIT ?", _LATEST)
