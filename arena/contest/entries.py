"""Entries and their states. All changes of a state are here, each in one transaction.

    received -> unpacking -> building -> checking -> waiting -> playing
        |           '-----------'------------'-> failed             |
        '-> replaced                                                 '-> replaced, withdrawn, failed

An entry is *received* until the intake takes it up, and *waiting* until the ladder has it. A newer entry of
the same entrant replaces the one that is still received at once, and the one that waits or plays as soon as
it waits itself. Only a process that has the current `turn` of an entry may change it: a process that was
taken for dead, or whose entry was withdrawn meanwhile, changes nothing any more.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any, Literal, get_args

from arena.web.database import Database

State = Literal[
    "received", "unpacking", "building", "checking", "waiting", "playing", "replaced", "failed", "withdrawn"
]
STATES = get_args(State)
WORKED_ON = ("unpacking", "building", "checking")  # by a process of the intake
ENDED = ("replaced", "failed", "withdrawn")
Entry = Mapping[str, Any]
"""A row of the table `entry`; in a queue with `place`, from 1."""


def add(database: Database, entrant: str, number: int, facts: tuple[int, str], now: float) -> int:
    """Add an entry with its size and SHA-256, in a transaction of the caller; returns its id.

    It replaces the one of this entrant that waits in the queue, unless it was taken up before.
    """
    database.write(
        "UPDATE entry SET state = 'replaced', since = ?, until = NULL, why = ?"
        " WHERE entrant = ? AND state = 'received' AND turn = 0",
        now,
        f"version {number} came before its turn",
        entrant,
    )
    sql = (
        "INSERT INTO entry (entrant, number, received, bytes, sha256, state, since)"
        " VALUES (?, ?, ?, ?, ?, 'received', ?) RETURNING id"
    )
    return int(database.rows(sql, entrant, number, now, *facts, now)[0]["id"])


def of(database: Database, entrant: str) -> list[Entry]:
    """The entries of an entrant, the newest first."""
    return database.rows("SELECT * FROM entry WHERE entrant = ? ORDER BY number DESC", entrant)


def find(database: Database, entry: int) -> Entry | None:
    return next(iter(database.rows("SELECT * FROM entry WHERE id = ?", entry)), None)


def queue(database: Database) -> list[Entry]:
    """The entries that the intake has not taken up yet, in the order in which it will, with their `place`.

    The entrant whose turn is longest ago comes first, not the entry that came first.
    """
    sql = (
        "SELECT entry.* FROM entry JOIN entrant ON entrant.name = entry.entrant"
        " WHERE state = 'received' AND excluded IS NULL AND withdrawn IS NULL ORDER BY served, entry.id"
    )
    return [{**row, "place": place} for place, row in enumerate(database.rows(sql), 1)]


def waiting(database: Database) -> list[Entry]:
    """The entries that wait for the ladder, with their `place`."""
    rows = database.rows("SELECT * FROM entry WHERE state = 'waiting' ORDER BY since, id")
    return [{**row, "place": place} for place, row in enumerate(rows, 1)]


def findings_of(entry: Entry) -> Sequence[Mapping[str, Any]]:
    """What `arena check` has found, as its JSON."""
    found: list[Mapping[str, Any]] = json.loads(entry["findings"])
    return found


def set_playing(database: Database, entrant: str, fingerprint: str, now: float) -> bool:
    """The ladder has the waiting entry of this entrant and version; whether there was one."""
    sql = (
        "UPDATE entry SET state = 'playing', since = ?, until = NULL"
        " WHERE entrant = ? AND fingerprint = ? AND state = 'waiting'"
    )
    return bool(database.write(sql, now, entrant, fingerprint))


def playing(database: Database) -> list[Entry]:
    """The newest checked entry of each entrant that takes part: what the ladder plays."""
    return database.rows(
        "SELECT entry.* FROM entry JOIN entrant ON entrant.name = entry.entrant"
        " WHERE state IN ('waiting', 'playing') AND excluded IS NULL AND withdrawn IS NULL ORDER BY name"
    )
