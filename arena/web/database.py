"""A database that several processes of a server have open, and the layout of `server.db`.

`server.db` has the tokens, and the tables of people with their seats.
"""

import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from weakref import finalize

from arena.config.document import ConfigError
from arena.config.text import one_line

_NUMBER = 1  # of the schema
_DAMAGED = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)
_TIMEOUT_S = 10  # for another process of the server to commit
_SCHEMA = """
CREATE TABLE token (
    hash BLOB PRIMARY KEY,  -- SHA-256 of the token, which is stored nowhere
    kind TEXT NOT NULL,     -- link, cookie, bearer
    role TEXT NOT NULL,     -- operator, seat, bot, entrant
    subject TEXT NOT NULL,  -- which seat, bot or entrant
    expires REAL NOT NULL   -- seconds since 1970
) WITHOUT ROWID;
CREATE INDEX token_of ON token (role, subject);
CREATE TABLE seating (
    id TEXT PRIMARY KEY,
    state TEXT NOT NULL,        -- new, playing, over, closed
    is_guest INTEGER NOT NULL,  -- closed after some idle time
    game TEXT NOT NULL,
    options TEXT NOT NULL,      -- JSON, as the other columns without another type
    seats TEXT NOT NULL,        -- person or house:NAME, by seat
    names TEXT NOT NULL,        -- by seat
    move REAL,                  -- seconds for an answer; none: people have no clock
    bank REAL,
    over TEXT,                  -- how it ended, as its people see it
    successor TEXT              -- the table of the rematch
) WITHOUT ROWID;
CREATE INDEX seating_of ON seating (state);
CREATE TABLE chair (
    seating TEXT NOT NULL REFERENCES seating (id),
    seat INTEGER NOT NULL,
    is_taken INTEGER NOT NULL DEFAULT 0,  -- its person has opened it
    again INTEGER NOT NULL DEFAULT 0,     -- its person wants a rematch
    last TEXT,                            -- its last view, once the game is over
    PRIMARY KEY (seating, seat)
) WITHOUT ROWID;
"""


@dataclass(frozen=True)
class DatabaseLayout:
    """The schema of a database, and the numbers that mark its file. Another schema needs another `number`."""

    application: int  # four letters that mark the file
    number: int
    schema: str
    owner: str  # whose database it is, in messages


_SERVER = DatabaseLayout(0x41524E53, _NUMBER, _SCHEMA, "server")  # "ARNS"


class DamagedDatabase(ConfigError):
    """Raised by any use of a database whose file is damaged."""


class Database:
    """One connection, for one thread. A new file gets the layout. ConfigError: the file is of another one."""

    def __init__(self, path: Path, layout: DatabaseLayout = _SERVER):
        self.path, self._layout = path, layout
        try:
            path.touch(mode=0o600)
            self._connection = sqlite3.connect(path, timeout=_TIMEOUT_S, isolation_level=None)
            self.close = finalize(self, self._connection.close)  # by itself, once the object is gone
            self._connection.row_factory = sqlite3.Row
            for pragma in ("journal_mode = WAL", "synchronous = FULL", "foreign_keys = ON"):
                self._connection.execute(f"PRAGMA {pragma}")
            self._prepare()
        except (sqlite3.DatabaseError, OSError) as error:
            raise ConfigError(
                f"{path}: not the database of a {layout.owner}, or a damaged one: {error}"
            ) from None

    def _prepare(self) -> None:
        layout = self._layout
        with self.transaction():
            number, mark = self._pragma("user_version"), self._pragma("application_id")
            if not number and not mark:
                for statement in layout.schema.split(";\n"):
                    self._connection.execute(statement)
                self._connection.execute(f"PRAGMA user_version = {layout.number}")
                self._connection.execute(f"PRAGMA application_id = {layout.application}")
            elif (mark, number) != (layout.application, layout.number):
                what = f"layout {number}" if mark == layout.application else "a database of another program"
                raise ConfigError(
                    f"{self.path}: is {what}; should be layout {layout.number} of this arena's {layout.owner}"
                )

    def _pragma(self, name: str) -> int:
        return int(self._connection.execute(f"PRAGMA {name}").fetchone()[0])

    def rows(self, sql: str, *values: Any) -> list[Mapping[str, Any]]:
        """All rows of a query, each with its values by column."""
        with self._noting_damage():
            return [dict(row) for row in self._connection.execute(sql, values)]

    def write(self, sql: str, *values: Any) -> int:
        """Execute one statement; returns the number of rows that it changed."""
        with self._noting_damage():
            return self._connection.execute(sql, values).rowcount

    def check(self) -> None:
        """Check all of the file. DamagedDatabase: it is damaged."""
        (found,) = self.rows("PRAGMA integrity_check(1)")
        if found["integrity_check"] != "ok":
            raise self._damaged(found["integrity_check"])

    @contextmanager
    def _noting_damage(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.DatabaseError as error:
            if getattr(error, "sqlite_errorcode", 0) & 0xFF in _DAMAGED:
                raise self._damaged(str(error)) from None
            raise

    def _damaged(self, how: object) -> DamagedDatabase:
        return DamagedDatabase(f"{self.path}: is damaged: {one_line(str(how))}; restore it from a backup")

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Commit what the block writes as one; after an exception, nothing of it."""
        self.write("BEGIN IMMEDIATE")
        try:
            yield
        except BaseException:
            with suppress(sqlite3.OperationalError):  # SQLite has already done so, as the file is damaged
                self._connection.execute("ROLLBACK")
            raise
        self.write("COMMIT")
