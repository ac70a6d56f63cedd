"""Entries and their states. All changes of a state are here, each in one transaction.

    received -> unpacking -> building -> checking -> waiting -> playing
        |           '-----------'------------'-> failed             |
        '-> replaced                                                 '-> replaced, withdrawn, failed

An entry is *received* until the intake takes it up, and *waiting* until the ladder has it. A newer entry of
the same entrant replaces a received one at once. After its checks it replaces the waiting or playing one. A
row has a counter, `turn`, which goes up when the entry is taken up, judged again or withdrawn. A process of
the intake may change the entry only while `turn` is the same as at its start. So a process that was given up
changes nothing any more.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from time import time
from typing import Annotated, Literal, get_args

from pydantic import Field, Json

from arena.contest import alarms, entrants
from arena.contest.database import read_rows
from arena.programs.check.finding import Finding
from arena.web.database import Database

State = Literal[
    "received", "unpacking", "building", "checking", "waiting", "playing", "replaced", "failed", "withdrawn"
]
WORKED_ON: tuple[State, ...] = ("unpacking", "building", "checking")  # a process of the intake works on it
_WORKED_ON = ", ".join(f"'{state}'" for state in WORKED_ON)
ENDED = ("replaced", "failed", "withdrawn")
_IN_CONTEST = "state NOT IN ('replaced', 'withdrawn')"
_WITH_ENTRANT = "JOIN entrant ON entrant.name = entry.entrant"
_SAME_TURN = "id = ? AND turn = ?"
_ON_LADDER = "entrant = ? AND state IN ('waiting', 'playing')"
_HOUR_S = 3600.0
_MAX_DEATHS = 2  # failures of the arena with the same entry


@dataclass(frozen=True, kw_only=True)
class EntryFacts:
    """The columns of the table `entry` that its entrant may know."""

    id: int
    entrant: str
    version: Annotated[int, Field(alias="number")]  # 1, 2, ... of this entrant
    received: datetime
    bytes: int
    sha256: str
    state: State
    since: datetime  # the beginning of this state
    until: datetime | None  # the deadline of the state
    why: str
    by_arena: bool
    findings: Json[tuple[Finding, ...]]
    fingerprint: str


@dataclass(frozen=True, kw_only=True)
class Entry(EntryFacts):
    """A row of the table `entry`."""

    turn: int
    deaths: int


def add(database: Database, entrant: str, number: int, facts: tuple[int, str], now: float) -> int:
    """Add the entry `number` of an entrant, in a transaction of the caller; returns its id.

    `facts` are its size in bytes and its SHA-256. It replaces the entrant's entry that is still in the queue,
    if the intake has never taken that up.
    """
    where, why = "entrant = ? AND state = 'received' AND turn = 0", f"version {number} came before its turn"
    _move(database, where, (entrant,), "replaced", now, {"why": why})
    sql = (
        "INSERT INTO entry (entrant, number, received, bytes, sha256, state, since)"
        " VALUES (?, ?, ?, ?, ?, 'received', ?) RETURNING id"
    )
    return int(database.rows(sql, entrant, number, now, *facts, now)[0]["id"])


def _read(database: Database, rest: str, *values: object) -> list[Entry]:
    """The entries of a query with this `rest` after SELECT."""
    return read_rows(database, Entry, f"SELECT entry.* FROM entry {rest}", *values)


def of(database: Database, entrant: str) -> list[Entry]:
    """The entries of an entrant, the newest first."""
    return _read(database, "WHERE entrant = ? ORDER BY number DESC", entrant)


def newest(database: Database, count: int) -> list[Entry]:
    """The newest `count` entries of each entrant, sorted by entrant, the newest first."""
    sql = (
        "SELECT * FROM (SELECT *, row_number() OVER (PARTITION BY entrant ORDER BY number DESC) AS nth"
        " FROM entry) WHERE nth <= ? ORDER BY entrant, nth"
    )
    return read_rows(database, Entry, sql, count)


def find(database: Database, entry: int) -> Entry | None:
    return next(iter(_read(database, "WHERE id = ?", entry)), None)


def queue(database: Database) -> list[Entry]:
    """The received entries of entrants that take part, in the order of the intake.

    Entries with which the arena has failed are first, then entries of the least recently served entrants.
    """
    where = f"WHERE state = 'received' AND {entrants.TAKES_PART} ORDER BY deaths = 0, served, entry.id"
    return _read(database, f"{_WITH_ENTRANT} {where}")


def waiting(database: Database) -> list[Entry]:
    """The entries that wait for the ladder, the longest first."""
    return _read(database, "WHERE state = 'waiting' ORDER BY since, id")


def since_hour(database: Database, entrant: str, now: float) -> list[Entry]:
    """The entries of an entrant that were received in the hour before `now`, the oldest first."""
    where = "WHERE entrant = ? AND received > ? AND received <= ? ORDER BY received"
    return _read(database, where, entrant, now - _HOUR_S, now)


def in_use(database: Database, count: int) -> set[tuple[str, int]]:
    """Entrant and version of the newest `count` entries of each entrant, and of entries not in `ENDED`."""
    sql = (
        "SELECT entrant, number, state, row_number() OVER (PARTITION BY entrant ORDER BY number DESC) AS nth"
        " FROM entry"
    )
    rows = database.rows(sql)
    return {
        (row["entrant"], row["number"]) for row in rows if row["nth"] <= count or row["state"] not in ENDED
    }


def counts(database: Database) -> Mapping[str, int]:
    """The number of entries in each state, without excluded entrants."""
    sql = f"SELECT state, count(*) AS count FROM entry {_WITH_ENTRANT} WHERE excluded IS NULL GROUP BY state"
    return dict.fromkeys(get_args(State), 0) | {row["state"]: row["count"] for row in database.rows(sql)}


def last_finished(database: Database) -> datetime | None:
    """The time of the last verdict; None: there is none."""
    where = "WHERE state IN ('waiting', 'playing', 'failed') ORDER BY since DESC LIMIT 1"
    return next((entry.since for entry in _read(database, where)), None)


def late(database: Database, now: float) -> int:
    """The number of entries past the deadline of their state."""
    return int(database.rows("SELECT count(*) AS count FROM entry WHERE until < ?", now)[0]["count"])


def set_playing(database: Database, fingerprints: Mapping[str, str], now: float) -> None:
    """Set the waiting entries with these `fingerprints`, by entrant, to `playing`."""
    for entry in waiting(database):
        if fingerprints.get(entry.entrant) == entry.fingerprint:
            _move(database, "id = ? AND state = 'waiting'", (entry.id,), "playing", now)


def playing(database: Database) -> list[Entry]:
    """The entries of the ladder: the newest checked one of each entrant that takes part, sorted by entrant.

    An entry that is judged again plays on until there is a verdict.
    """
    sql = (
        f"SELECT entry.*, max(number) FROM entry {_WITH_ENTRANT}"
        f" WHERE fingerprint != '' AND {_IN_CONTEST} AND {entrants.TAKES_PART}"
        " GROUP BY entrant ORDER BY entrant"
    )
    return read_rows(database, Entry, sql)


def pending(database: Database) -> int:
    """The number of entries without a verdict, of entrants that take part: the final waits for them."""
    where = f"WHERE state IN ('received', {_WORKED_ON}) AND {entrants.TAKES_PART}"
    return len(_read(database, f"{_WITH_ENTRANT} {where}"))


def worked_on(database: Database) -> list[Entry]:
    """The entries in a state of `WORKED_ON`, even if their process in the intake has died."""
    return _read(database, f"WHERE state IN ({_WORKED_ON}) ORDER BY id")


def leave_out(database: Database, entrant: str, why: str, now: float) -> bool:
    """Fail an entrant's entries that wait or play: they do not start. Returns whether there were any."""
    return bool(_move(database, _ON_LADDER, (entrant,), "failed", now, {"why": why, "fingerprint": ""}))


def _move(
    database: Database,
    where: str,
    values: tuple[object, ...],
    state: State,
    now: float,
    columns: Mapping[str, object] | None = None,
    until: float | None = None,
    turns: int = 0,
) -> int:
    """Set the state and other `columns` of the entries with the condition `where`; returns their number."""
    columns = columns or {}
    names = "".join(f", {name} = ?" for name in columns)
    sql = f"UPDATE entry SET state = ?, since = ?, until = ?, turn = turn + ?{names} WHERE {where}"
    return database.write(sql, state, now, until, turns, *columns.values(), *values)


# The actions of the intake.


def take(database: Database, is_ready: Callable[[Entry], bool], now: float, limit: float) -> Entry | None:
    """Take up the first ready entry of the queue: set it to `unpacking`, for `limit` seconds, and return it.

    Entries of an entrant with another entry in work are passed over. None: no entry can be taken up.
    """
    with database.transaction():
        # The versions of an entrant are judged in their order.
        busy = {entry.entrant for entry in worked_on(database)}
        due = (entry for entry in queue(database) if entry.entrant not in busy and is_ready(entry))
        if not (entry := next(due, None)):
            return None
        entrants.set_served(database, entry.entrant)
        _move(database, "id = ?", (entry.id,), "unpacking", now, until=now + limit, turns=1)
        return find(database, entry.id)


def enter(database: Database, entry: Entry, state: State, now: float, limit: float | None = None) -> bool:
    """Set the state of an entry, for `limit` seconds; False, and no change, if its `turn` is another now.

    None as `limit`: the state has no time limit.
    """
    until = None if limit is None else now + limit
    return bool(_move(database, _SAME_TURN, (entry.id, entry.turn), state, now, until=until))


def fail(database: Database, entry: Entry, why: str, findings: Sequence[Finding], now: float) -> bool:
    """Set an entry to `failed` by its own fault; False, and no change, if its `turn` is another now."""
    columns = {"why": why, "findings": _text_of(findings), "fingerprint": ""}
    return bool(_move(database, _SAME_TURN, (entry.id, entry.turn), "failed", now, columns))


def _text_of(findings: Sequence[Finding]) -> str:
    return json.dumps([each.to_json() for each in findings])


def lose(database: Database, entry: Entry, why: str, now: float, details: str = "") -> bool:
    """Note a failure of the arena with an entry: the first time it returns to the queue, then it fails.

    False, and no change, if its `turn` is another now, or it has its verdict. Only the organiser reads
    `details`.
    """
    with database.transaction():
        current = find(database, entry.id)
        if not current or current.turn != entry.turn or current.state not in WORKED_ON:
            return False
        state: State = "received" if current.deaths + 1 < _MAX_DEATHS else "failed"
        text = f"{why}; the arena is at fault, and its organiser was told" if state == "failed" else ""
        columns = {"deaths": current.deaths + 1, "why": text, "by_arena": state == "failed"}
        _move(database, _SAME_TURN, (entry.id, entry.turn), state, now, columns)
        then = "it is tried again" if state == "received" else "it has failed: requeue it"
        which = f"{entry.entrant}, version {entry.version}"
        alarms.raise_alarm(
            database, now, "intake", f"{which}: {': '.join(filter(None, (why, details)))}; {then}"
        )
        return True


def hand_back(database: Database, entry: Entry, now: float) -> None:
    """Return an entry to the queue, because the server stops; do nothing if it has its verdict."""
    with database.transaction():
        current = find(database, entry.id)
        if current and current.state in WORKED_ON:
            enter(database, entry, "received", now)


def accept(
    database: Database,
    entry: Entry,
    fingerprint: str,
    findings: Sequence[Finding],
    now: float,
    limit: float,
    install: Callable[[], None],
) -> bool:
    """Install an entry that has passed its checks, and set it to `waiting`, for `limit` seconds.

    It replaces the entrant's older entries. If a newer entry waits or plays already, it is replaced and not
    installed. False, and no change, if its `turn` is another now. `install` puts its folder in place.
    """
    with database.transaction():  # the folder and the state change together
        current = find(database, entry.id)
        if not current or current.turn != entry.turn:
            return False
        columns = {"fingerprint": fingerprint, "findings": _text_of(findings), "deaths": 0}
        others = [each for each in of(database, entry.entrant) if each.state in ("waiting", "playing")]
        if others and others[0].version > entry.version:
            why = f"version {others[0].version} plays instead"
            _move(database, "id = ?", (entry.id,), "replaced", now, columns | {"why": why})
            return True
        install()
        why = f"version {entry.version} plays instead"
        _move(database, _ON_LADDER, (entry.entrant,), "replaced", now, {"why": why})
        _move(database, "id = ?", (entry.id,), "waiting", now, columns | {"why": ""}, now + limit)
        return True


# The actions of an entrant.


def withdraw(database: Database, entrant: str, clock: Callable[[], float] = time) -> None:
    """Withdraw an entrant, and its entries that have not failed and were not replaced.

    Raises:
        ConfigError: There is no such entrant.
    """
    entrants.find(database, entrant)
    now = clock()
    with database.transaction():
        entrants.set_withdrawn(database, entrant, now)
        where = "entrant = ? AND state NOT IN ('failed', 'replaced', 'withdrawn')"
        _move(database, where, (entrant,), "withdrawn", now, turns=1)


# The actions of the organiser.


def rejudge(database: Database, *ids: int, clock: Callable[[], float] = time) -> int:
    """Let the intake judge entries again: unpack, build and check them. Returns their number.

    Replaced and withdrawn entries are skipped. Without `ids` it is the newest entry of each entrant. An entry
    on the ladder plays on meanwhile.
    """
    newest_ids = f"SELECT max(id) AS id FROM entry WHERE {_IN_CONTEST} GROUP BY entrant"
    return _judge_again(database, ids, newest_ids, clock())


def requeue(database: Database, *ids: int, clock: Callable[[], float] = time) -> int:
    """Like `rejudge`, but without `ids` for all entries that failed through a fault of the arena."""
    return _judge_again(database, ids, "SELECT id FROM entry WHERE by_arena", clock())


def _judge_again(database: Database, ids: Sequence[int], otherwise: str, now: float) -> int:
    where, columns = f"id = ? AND {_IN_CONTEST}", {"why": "", "by_arena": 0, "deaths": 0}
    with database.transaction():
        found = ids or [row["id"] for row in database.rows(otherwise)]
        return sum(_move(database, where, (id,), "received", now, columns, turns=1) for id in found)
