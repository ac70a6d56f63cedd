"""A database that several processes of a server have open, and the layout of `server.db`.

`server.db` has the tokens, and the tables of people with their seats.
"""

import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from weakref import finalize

from arena.config.document import ConfigError
from arena.config.sqlite import FileLayout, SqliteFile
from arena.config.text import one_line

_NUMBER = 1  # of the schema
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


# "ARNS"
_SERVER = FileLayout(0x41524E53, _NUMBER, _SCHEMA, "the database of a server", is_waited_for=False)


class DamagedDatabase(ConfigError):
    """Raised by any use of a database whose file is damaged."""


class Database:
    """One connection, for one thread. A new file gets the layout.

    Raises:
        ConfigError: The file has another layout.
    """

    def __init__(self, path: Path, layout: FileLayout = _SERVER):
        self.path = path
        self._file = SqliteFile(path, layout)
        self._file.connection.row_factory = sqlite3.Row
        self.close = finalize(self, self._file.close)  # called by itself once the object is gone

    def rows(self, sql: str, *values: Any) -> list[Mapping[str, Any]]:
        """All rows of a query, each with its values by column."""
        with self._noting_damage():
            return [dict(row) for row in self._file.run(sql, values)]

    def write(self, sql: str, *values: Any) -> int:
        """Execute one statement; returns the number of rows that it changed."""
        with self._noting_damage():
            return self._file.run(sql, values).rowcount

    def check(self) -> None:
        """Raise DamagedDatabase if any part of the file is damaged."""
        (found,) = self.rows("PRAGMA integrity_check(1)")
        if found["integrity_check"] != "ok":
            raise self._damaged(found["integrity_check"])

    @contextmanager
    def _noting_damage(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.DatabaseError as error:
            raise self._damaged(error) if self._file.is_damage(error) else error from None

    def _damaged(self, how: object) -> DamagedDatabase:
        return DamagedDatabase(f"{self.path}: is damaged: {one_line(str(how))}; restore it from a backup")

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Commit the writes of the block together; after an exception, none of them."""
        with self._noting_damage(), self._file.transaction():
            yield
