"""A run on disk: one SQLite file, which stays intact if the arena is killed at any moment.

One process writes, any number read. The writer holds an exclusive `flock` on the file, which the kernel
releases however the process ends. SQLite's write-ahead log (WAL) makes each batch of games one transaction,
and `synchronous = FULL` makes a committed batch survive a power failure.
"""

import fcntl
import json
import os
import re
import sqlite3
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import cached_property
from pathlib import Path
from typing import Any

from arena.core.config import ConfigError
from arena.records.fixture import Fixture
from arena.records.record import Record, Summary, reading, record_from_json
from arena.results.layouts import LAYOUTS, SCHEMA, Layout
from arena.results.played import Played
from arena.results.stored_game import StoredGame, fixture_order

APPLICATION = (
    0x41524E41  # "ARNA", marks the file as a run (https://sqlite.org/pragma.html#pragma_application_id)
)
CHUNK = 2000  # games read at once
PAGE = 8192  # bytes; of pages of 4096 bytes a sixth would stay empty, as a record takes about 700

DISK_ERRORS = (sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_FULL)  # a disk full or read-only
FILE_ERRORS = (sqlite3.SQLITE_ERROR, sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)  # the file is at fault
SEED = re.compile(r'("attempt":\d+,)"seed":"[^"]*",')  # in a game part


class Store:
    """A run file. Open it to write (`writer=True`, one process at a time) or only to read.

    ConfigError: the file does not exist, is not a run, is damaged, or another process writes it.
    """

    _connection: sqlite3.Connection
    layout: Layout

    def __init__(self, path: Path, writer: bool = False):
        self.path = path
        self._lock: int | None = None
        self._counted: int | None = None  # games, of a writer, as it takes long to count them
        if not writer and not os.path.isfile(path):
            raise ConfigError(f"{path}: no such run")
        if writer:
            self._lock_file()
        try:
            self._open(writer)
        except sqlite3.DatabaseError as error:
            self.close()
            raise self._error(error) from None
        except ConfigError:
            self.close()
            raise

    def __enter__(self) -> "Store":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        if hasattr(self, "_connection"):
            self._connection.close()
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

    def about(self) -> dict[str, Any]:
        """Facts about the run as a whole.

        `plan` (see `Plan.identity`), `rating`, `excluded`, `skipped` (why broken bots sit out); `secret`,
        `commitment`, and `committed`, the plan that the commitment was made for; `open_seed`: bots may know
        the seed, so there is no commitment; `revealed`: the secret was shown. `sessions`: the versions of the
        arena that played, each with its `sandbox`. `authors`: author and version of each bot, as it says.
        """
        try:
            return {key: json.loads(value) for key, value in self._query("SELECT key, value FROM about")}
        except (ValueError, TypeError) as error:
            raise ConfigError(f"{self.path}: the facts about the run are damaged: {error}") from None

    def remember(self, **facts: Any) -> None:
        """Add or replace facts in `about`."""
        values = [(key, json.dumps(value)) for key, value in facts.items()]
        with self._transaction() as connection:
            connection.executemany("INSERT OR REPLACE INTO about (key, value) VALUES (?, ?)", values)

    def append(self, games: Iterable[StoredGame]) -> None:
        """Commit these games in one transaction. A game that is already stored is not replaced."""
        before = self.count()
        with self._transaction() as connection:
            new = self.layout.insert(connection, games)
        self._counted = before + new

    def annul(self, game: Fixture, words: str, group: Iterable[Fixture]) -> None:
        """Record a void game, and move the played games of its seed group out of the results."""
        void = "INSERT INTO void (game, seed_group, lineup, attempt, words) VALUES (?, ?, ?, ?, ?)"
        lost, before = [fixture.id for fixture in group], self.count()
        with self._transaction() as connection:
            connection.execute(void, (game.id, game.group, game.lineup, game.attempt, words))
            for id in lost:
                ((packed, *_),) = connection.execute(self.layout.record, (id,))
                connection.execute(void, (id, game.group, game.lineup, game.attempt, packed))
                for statement in self.layout.remove:
                    connection.execute(statement, (id,))
        self._counted = before - len(lost)

    def voids(self) -> Counter[str]:
        """How often each game was void, by the id of its fixture."""
        return Counter(dict(self._query("SELECT game, count(*) FROM void GROUP BY game")))

    def attempts(self) -> dict[tuple[str, str], int]:
        """How often each seed group that was ever void was void, by its name and line-up."""
        counts = self._query(
            "SELECT seed_group, lineup, max(attempt) + 1 FROM void GROUP BY seed_group, lineup"
        )
        return {(group, lineup): count for group, lineup, count in counts}

    def count(self) -> int:
        """The number of games played."""
        if self._lock is not None and self._counted is not None:
            return self._counted
        ((count,),) = self._query("SELECT count(*) FROM game")
        self._counted = int(count)
        return self._counted

    def faults(self) -> int:
        """The number of faults in all games."""
        ((faults,),) = self._query("SELECT total(faults) FROM game")
        return int(faults)

    def played(self) -> Played:
        """Every game by the id of its fixture, in the order of play, read from the file when it is needed."""
        return Played(self)

    def games(self) -> Iterator[Summary]:
        """Every game in the order of play. ConfigError: a game is damaged."""
        last = -1
        sql = f"{self.layout.games} WHERE {self.layout.order} > ? ORDER BY {self.layout.order} LIMIT {CHUNK}"
        while rows := list(self._query(sql, (last,))):  # an open statement would keep the log from its reset
            yield from self._summaries(rows)
            last = rows[-1][0]

    def coded(self) -> Iterator[tuple[str, str, str]]:
        """The rows of `Layout.coded`."""
        return self._query(self.layout.coded)

    def find(self, id: str) -> Summary | None:
        """The game with this id, or None. ConfigError: it is damaged."""
        rows = list(self._query(f"{self.layout.games} WHERE id = ?", (id,)))
        return next(iter(self._summaries(rows)), None)

    def _summaries(self, rows: Iterable[tuple[Any, ...]]) -> list[Summary]:
        try:
            return [*map(self.layout.summary, rows)]
        except (ValueError, TypeError, LookupError, AttributeError) as error:
            raise ConfigError(f"{self.path}: a damaged record: {error}") from None

    def summaries(self) -> list[Summary]:
        """All games in fixture order: by seats, group and rotation, whatever the order of play."""
        return sorted(self.games(), key=fixture_order)

    def record(self, id: str) -> Record:
        """The record of a game. ConfigError: the run has no such game, or its record is damaged."""
        for row in self._query(self.layout.record, (id,)):
            with self.reading(id):
                return record_from_json(*self.layout.texts(row))
        raise ConfigError(f"{self.path}: no game {id}")

    def reading(self, id: str) -> AbstractContextManager[None]:
        """See `arena.records.record.reading`; the message has the path and the game."""
        return reading(f"{self.path}: game {id}")

    def parts(self, ids: Iterable[str]) -> Iterator[str]:
        """The game part of each of these games for publication, as one line of JSON."""
        for id in ids:
            for row in self._query(self.layout.record, (id,)):
                with self.reading(id):
                    text, _ = self.layout.texts(row)
                yield SEED.sub(r"\1", text, count=1) if self.hides_seeds else text

    @cached_property
    def hides_seeds(self) -> bool:
        """Whether the seeds of deals are still secret: more games may be dealt from the same secret."""
        about = self.about()
        return "secret" in about and not about.get("revealed")

    def _query(self, sql: str, values: tuple[Any, ...] = ()) -> Iterator[Any]:
        try:
            yield from self._connection.execute(sql, values)
        except sqlite3.DatabaseError as error:
            raise self._error(error) from None

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        if self._lock is not None and not self._is_in_place(self._lock):
            raise ConfigError(f"{self.path}: was moved or removed while it was being written")
        try:
            with self._connection:
                yield self._connection
        except sqlite3.DatabaseError as error:
            self.layout.forget()
            raise ConfigError(f"{self.path}: cannot be written: {error}; what was recorded is safe") from None

    def _error(self, error: sqlite3.Error) -> ConfigError:
        reason = (
            f"not a run file, or a damaged one ({error})" if primary_code(error) in FILE_ERRORS else error
        )
        return ConfigError(f"{self.path}: {reason}; the file was not changed")

    def _lock_file(self) -> None:
        """Lock out other writers until this process ends. Mode 0600: the file holds the secret of the run."""
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            lock = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                os.close(lock)
                raise
            self._lock = lock
        except BlockingIOError:
            raise ConfigError(f"{self.path}: another process is writing this run") from None
        except OSError as error:
            raise ConfigError(f"{self.path}: cannot be written: {error.strerror}") from None

    def _is_in_place(self, lock: int) -> bool:
        """Whether the path still leads to the file that is locked."""
        try:
            return os.path.samestat(os.fstat(lock), self.path.stat())
        except FileNotFoundError:
            return False

    def _open(self, writer: bool) -> None:
        self._connection = sqlite3.connect(self.path, timeout=10)
        try:
            self._connection.execute(f"PRAGMA query_only = {not writer}").execute("PRAGMA page_count")
        except sqlite3.OperationalError as error:
            if writer or primary_code(error) not in DISK_ERRORS:
                raise
            self._connection.close()
            self._connection = open_on_read_only_disk(self.path)
        (pages,) = self._connection.execute("PRAGMA page_count").fetchone()
        (application,) = self._connection.execute("PRAGMA application_id").fetchone()
        (layout,) = self._connection.execute("PRAGMA user_version").fetchone()
        self.layout = LAYOUTS.get(layout, Layout)(self._query)
        if writer and not pages:
            self._create()
        elif application != APPLICATION:
            raise ConfigError(f"{self.path}: not a run file; the file was not changed")
        elif layout not in LAYOUTS:
            advice = "; use --out for a new run" if writer else ""
            raise ConfigError(
                f"{self.path}: a run of another version of the arena (layout {layout}, not {Layout.number}); "
                f"the file was not changed{advice}"
            )
        if writer:
            self._connection.execute("PRAGMA journal_mode = WAL")
            self._connection.execute("PRAGMA synchronous = FULL")
            self._connection.execute(
                "PRAGMA fullfsync = TRUE"
            )  # on macOS the disk may delay the write without

    def _create(self) -> None:
        self._connection.executescript(
            f"PRAGMA page_size = {PAGE}; BEGIN; PRAGMA application_id = {APPLICATION}; "
            f"PRAGMA user_version = {Layout.number}; {SCHEMA} COMMIT;"
        )


def open_on_read_only_disk(path: Path) -> sqlite3.Connection:
    """Read a run where SQLite cannot write, not even the index of a write-ahead log that a kill left."""
    how = "vfs=unix-none" if Path(f"{path}-wal").exists() else "immutable=1"
    connection = sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro&{how}", uri=True)
    connection.execute("PRAGMA locking_mode = EXCLUSIVE")  # keeps the index in memory
    return connection


def primary_code(error: sqlite3.Error) -> int:
    """The primary result code (https://sqlite.org/rescode.html); 0 if the error has none."""
    code: int = getattr(error, "sqlite_errorcode", 0)
    return code & 0xFF
