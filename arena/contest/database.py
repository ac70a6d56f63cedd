"""The database of a contest, `contest.db`: entrants, their entries, and what the organiser has set.

The web process, the intake and the players of a contest open it. It is the truth about every entry: what lies
in the folders follows from it (`arena/contest/intake.py`).
"""

import json
from pathlib import Path
from typing import Any

from arena.config.sqlite import FileLayout
from arena.web.database import Database

_SCHEMA = """
CREATE TABLE entrant (
    name TEXT PRIMARY KEY,      -- under which its entries play: given by the organiser
    team TEXT NOT NULL,         -- or empty
    author TEXT NOT NULL,       -- or empty
    is_remote INTEGER NOT NULL DEFAULT 0, -- its bot plays from its own machine: it hands in nothing
    declines INTEGER NOT NULL DEFAULT 0,  -- scrimmages
    excluded TEXT,              -- why
    withdrawn REAL,             -- when; as all times, in seconds since 1970
    created REAL NOT NULL,
    served INTEGER NOT NULL DEFAULT 0     -- whose turn it is: the lowest number is next
) WITHOUT ROWID;
CREATE TABLE entry (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    entrant TEXT NOT NULL REFERENCES entrant (name) ON DELETE CASCADE,
    number INTEGER NOT NULL,    -- 1, 2, ... of this entrant
    received REAL NOT NULL,     -- when its last byte came
    bytes INTEGER NOT NULL,
    sha256 TEXT NOT NULL,
    state TEXT NOT NULL,        -- see `entries`
    since REAL NOT NULL,        -- in this state
    until REAL,                 -- the deadline of the state
    why TEXT NOT NULL DEFAULT '',       -- it failed, was replaced or withdrawn
    by_arena INTEGER NOT NULL DEFAULT 0,  -- it failed through no fault of its own
    findings TEXT NOT NULL DEFAULT '[]',  -- JSON, as `arena check --format json` has them
    fingerprint TEXT NOT NULL DEFAULT '',
    turn INTEGER NOT NULL DEFAULT 0,    -- counts how often it was taken up: an old process changes nothing
    deaths INTEGER NOT NULL DEFAULT 0,  -- of processes of the arena that worked on it
    UNIQUE (entrant, number)
);
CREATE INDEX entry_of ON entry (state);
CREATE TABLE scrimmage (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    entrant TEXT NOT NULL REFERENCES entrant (name) ON DELETE CASCADE,
    opponent TEXT NOT NULL REFERENCES entrant (name) ON DELETE CASCADE,
    games INTEGER NOT NULL,
    asked REAL NOT NULL,
    state TEXT NOT NULL,        -- waiting, playing, over, failed, declined
    until REAL,
    why TEXT NOT NULL DEFAULT ''
);
CREATE TABLE notice (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    at REAL NOT NULL,
    text TEXT NOT NULL
);
CREATE TABLE question (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    entrant TEXT NOT NULL REFERENCES entrant (name) ON DELETE CASCADE,
    at REAL NOT NULL,
    text TEXT NOT NULL,
    answer TEXT NOT NULL DEFAULT '',
    answered REAL,
    is_public INTEGER NOT NULL DEFAULT 0
);
CREATE TABLE alarm (            -- an error of the arena, for the organiser
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    at REAL NOT NULL,
    source TEXT NOT NULL,       -- intake, player
    text TEXT NOT NULL,
    is_seen INTEGER NOT NULL DEFAULT 0
);
CREATE TABLE deleted (          -- entrants whose data was deleted: their games are shown under `alias`
    name TEXT PRIMARY KEY,
    alias TEXT NOT NULL
) WITHOUT ROWID;
CREATE TABLE setting (
    name TEXT PRIMARY KEY,
    value TEXT NOT NULL         -- JSON
) WITHOUT ROWID;
"""

_LAYOUT = FileLayout(0x4152434F, 2, _SCHEMA, "the database of a contest", is_waited_for=False)  # "ARCO"


def open_database(path: Path) -> Database:
    """One connection to `contest.db`, for one thread."""
    return Database(path, _LAYOUT)


def setting(database: Database, name: str, default: Any = None) -> Any:
    """The value of the setting `name`, which the organiser or a process has set, or `default`."""
    rows = database.rows("SELECT value FROM setting WHERE name = ?", name)
    return json.loads(rows[0]["value"]) if rows else default


def put_setting(database: Database, name: str, value: Any) -> None:
    sql = "INSERT INTO setting VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value"
    database.write(sql, name, json.dumps(value))


def raise_alarm(database: Database, at: float, source: str, text: str) -> None:
    """Tell the organiser of an error of the arena; nothing if the same alarm is there and was not seen yet.

    `at` is in seconds since 1970; `source` is the process, such as `intake`.
    """
    same = "SELECT 1 FROM alarm WHERE source = ? AND text = ? AND NOT is_seen"
    if not database.rows(same, source, text):
        database.write("INSERT INTO alarm (at, source, text) VALUES (?, ?, ?)", at, source, text)
