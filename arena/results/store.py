"""A run on disk: one SQLite file that a kill at any moment leaves whole."""

import fcntl
import json
import os
import re
import sqlite3
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from arena.core.config import ConfigError
from arena.records.fixture import Fixture
from arena.records.record import Record, Summary, record_from_json

APPLICATION = (
    0x41524E41  # "ARNA": marks the file as ours (https://sqlite.org/pragma.html#pragma_application_id)
)
LAYOUT = 3

TABLES = """
CREATE TABLE about (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE game (
    id TEXT PRIMARY KEY,        -- of the fixture
    bots TEXT NOT NULL,         -- names by seat, parted by spaces
    fingerprints TEXT NOT NULL, -- likewise
    places TEXT NOT NULL,       -- likewise
    forfeits TEXT NOT NULL,     -- seats from 0 with the fault that did it: 0:late 2:crashed
    faults INTEGER NOT NULL,
    seed_group TEXT NOT NULL,
    rotation INTEGER NOT NULL
);
CREATE TABLE record (           -- apart from what tables need, which is read all at once
    id TEXT PRIMARY KEY,        -- of the fixture
    part BLOB NOT NULL,         -- the game part, as zlib-compressed JSON
    trace TEXT NOT NULL         -- JSON
);
CREATE TABLE void (             -- games in which the arena itself failed
    game TEXT NOT NULL,         -- id of the fixture
    seed_group TEXT NOT NULL,
    lineup TEXT NOT NULL,       -- of the fixture
    attempt INTEGER NOT NULL,   -- how often the seed group was void before
    words NOT NULL              -- the traceback; or the game part of one that was played, compressed
);
"""


NO_ROOM = (sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_FULL)  # a disk full or read-only
BROKEN = (sqlite3.SQLITE_ERROR, sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)  # not the disk: the file
MARKS = ",".join("?" * 8)  # of the columns of game
SEED = re.compile(r'("attempt":\d+,)"seed":"[^"]*",')  # in a game part


class Row(NamedTuple):
    """A record as it is stored: what tables need in the clear, the rest compressed."""

    id: str
    bots: str
    fingerprints: str
    places: str
    forfeits: str
    faults: int
    seed_group: str
    rotation: int
    part: bytes
    trace: str


def pack(record: Record) -> Row:
    part = zlib.compress(record.game_part().encode(), 1)
    return Row(*columns(record), part, json.dumps(record.trace))


def columns(record: Record) -> tuple[str, str, str, str, str, int, str, int]:
    """What tables need of a record, as `summary` takes it."""
    fixture, last = record.fixture, {fault.seat: fault.kind for fault in record.faults}
    return (
        fixture.id,
        " ".join(fixture.bots),
        " ".join(fixture.fingerprints),
        " ".join(map(str, record.result[0])),
        " ".join(f"{seat}:{last[seat]}" for seat in sorted(record.forfeits)),
        len(record.faults),
        fixture.group,
        fixture.rotation,
    )


class Store:
    """A run file. Open it to write (`writer=True`, one process at a time) or only to read.

    ConfigError: there is no such file, it is no run, it is damaged, or another run writes it.
    """

    def __init__(self, path: Path, writer: bool = False):
        self.path = path
        self._lock: int | None = None
        if not writer and not os.path.isfile(path):
            raise ConfigError(f"{path}: no such run")
        if writer:
            self._lock_file()
        try:
            self._open(writer)
        except sqlite3.DatabaseError as error:
            self.close()
            raise self._failure(error) from None
        except ConfigError:
            self.close()
            raise

    def __enter__(self) -> "Store":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        if hasattr(self, "_base"):
            self._base.close()
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

    def about(self) -> dict[str, Any]:
        """What the run remembers of itself.

        `plan` (see `Plan.identity`), `rating`, `excluded`; `secret`, `commitment` and `committed`, the plan
        for which it was made; `open_seed` where there is none, as bots may know the seed; `revealed` once the
        secret was shown.
        """
        try:
            return {key: json.loads(value) for key, value in self._query("SELECT key, value FROM about")}
        except (ValueError, TypeError) as error:
            raise ConfigError(f"{self.path}: what the run says of itself is broken: {error}") from None

    def remember(self, **facts: Any) -> None:
        rows = [(key, json.dumps(value)) for key, value in facts.items()]
        self._write("INSERT OR REPLACE INTO about VALUES (?, ?)", rows)

    def append(self, rows: Iterable[Row]) -> None:
        """Commit these games together. One that is there already stays as it was first recorded."""
        rows = list(rows)
        with self._writing():
            self._base.executemany(f"INSERT OR IGNORE INTO game VALUES ({MARKS})", [row[:-2] for row in rows])
            parts = [(row.id, row.part, row.trace) for row in rows]
            self._base.executemany("INSERT OR IGNORE INTO record VALUES (?, ?, ?)", parts)

    def annul(self, game: Fixture, words: str, group: Iterable[Fixture]) -> None:
        """Note a void game, nobody's fault; what was played of its seed group no longer counts either."""
        ids = [(fixture.id,) for fixture in group]
        with self._writing():
            which = game.lineup, game.attempt
            self._base.execute(
                "INSERT INTO void VALUES (?, ?, ?, ?, ?)", (game.id, game.group, *which, words)
            )
            moved = "SELECT id, seed_group, ?, ?, part FROM game JOIN record USING (id) WHERE id = ?"
            self._base.executemany(f"INSERT INTO void {moved}", [(*which, *id) for id in ids])
            self._base.executemany("DELETE FROM game WHERE id = ?", ids)
            self._base.executemany("DELETE FROM record WHERE id = ?", ids)

    def voids(self) -> Counter[str]:
        """How often each game was void, by the id of its fixture."""
        return Counter(dict(self._query("SELECT game, count(*) FROM void GROUP BY game")))

    def attempts(self) -> dict[tuple[str, str], int]:
        """How often each seed group was void that ever was, by its name and line-up."""
        rows = self._query(
            "SELECT seed_group, lineup, max(attempt) + 1 FROM void GROUP BY seed_group, lineup"
        )
        return {(group, lineup): count for group, lineup, count in rows}

    def count(self) -> int:
        """How many games were played."""
        ((count,),) = self._query("SELECT count(*) FROM game")
        return count

    def played(self) -> dict[str, Summary]:
        """Every game by the id of its fixture. ConfigError: what is said of one cannot be."""
        try:
            return {row[0]: summary(*row) for row in self._query("SELECT * FROM game ORDER BY rowid")}
        except (ValueError, TypeError, AttributeError) as error:
            raise ConfigError(f"{self.path}: a broken record: {error}") from None

    def summaries(self) -> list[Summary]:
        """All games in fixture order: by seats, group and rotation, however they were played."""
        return sorted(self.played().values(), key=fixture_order)

    def record(self, id: str) -> Record:
        """One game whole. ConfigError: its text is damaged."""
        for part, trace in self._query("SELECT part, trace FROM record WHERE id = ?", (id,)):
            try:
                return record_from_json(zlib.decompress(part).decode(), trace)
            except (zlib.error, ValueError, KeyError, TypeError) as error:
                raise ConfigError(f"{self.path}: game {id}: broken record: {error!r}") from None
        raise ConfigError(f"{self.path}: no game {id}")

    def parts(self, ids: Iterable[str]) -> Iterator[str]:
        """The game part of each of these games for publication, as one line of JSON."""
        for id in ids:
            for (part,) in self._query("SELECT part FROM record WHERE id = ?", (id,)):
                text = zlib.decompress(part).decode()
                yield SEED.sub(r"\1", text, count=1) if self.hides_seeds else text

    @cached_property
    def hides_seeds(self) -> bool:
        """Whether the seeds of deals are not to be shown, as more games may come of the same secret."""
        about = self.about()
        return "secret" in about and not about.get("revealed")

    def _query(self, sql: str, values: tuple[Any, ...] = ()) -> Iterator[Any]:
        try:
            yield from self._base.execute(sql, values)
        except sqlite3.DatabaseError as error:
            raise self._failure(error) from None

    def _write(self, sql: str, rows: Iterable[tuple[Any, ...]]) -> None:
        with self._writing():
            self._base.executemany(sql, rows)

    @contextmanager
    def _writing(self) -> Iterator[None]:
        """One transaction."""
        if self._lock is not None and not self._in_place():
            raise ConfigError(f"{self.path}: was moved or removed while it was written")
        try:
            with self._base:
                yield
        except sqlite3.DatabaseError as error:
            raise ConfigError(f"{self.path}: cannot be written: {error}; what was recorded is safe") from None

    def _failure(self, error: sqlite3.Error) -> ConfigError:
        words = f"not a run file, or a broken one ({error})" if primary(error) in BROKEN else error
        return ConfigError(f"{self.path}: {words}; it was left as it is")

    def _lock_file(self) -> None:
        """Keep other runs out for as long as this process lives. The secret is for the owner's eyes alone."""
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self._lock = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(self._lock)
            raise ConfigError(f"{self.path}: another arena is writing this run") from None
        except OSError as error:
            raise ConfigError(f"{self.path}: cannot be written: {error.strerror}") from None

    def _in_place(self) -> bool:
        """Whether the file that is locked is still the one of this name."""
        try:
            return os.path.samestat(os.fstat(self._lock), self.path.stat())
        except FileNotFoundError:
            return False

    def _open(self, writer: bool) -> None:
        self._base = sqlite3.connect(self.path, timeout=10)
        try:
            self._base.execute(f"PRAGMA query_only = {not writer}").execute("PRAGMA page_count")
        except sqlite3.OperationalError as error:
            if writer or primary(error) not in NO_ROOM:
                raise
            self._base.close()
            self._base = untouched(self.path)
        (pages,) = self._base.execute("PRAGMA page_count").fetchone()
        (application,) = self._base.execute("PRAGMA application_id").fetchone()
        (layout,) = self._base.execute("PRAGMA user_version").fetchone()
        if writer and not pages:
            self._create()
        elif application != APPLICATION:
            raise ConfigError(f"{self.path}: not a run file; it was left as it is")
        elif layout != LAYOUT:
            advice = "; use --out for a new run" if writer else ""
            raise ConfigError(
                f"{self.path}: a run by another version of the arena (layout {layout}, not {LAYOUT}), "
                f"left as it is{advice}"
            )
        if writer:
            self._base.execute("PRAGMA journal_mode = WAL")
            self._base.execute("PRAGMA synchronous = FULL")
            self._base.execute("PRAGMA fullfsync = TRUE")  # macOS: else the disk itself may keep it back

    def _create(self) -> None:
        self._base.executescript(
            f"BEGIN; PRAGMA application_id = {APPLICATION}; PRAGMA user_version = {LAYOUT}; {TABLES} COMMIT;"
        )


def untouched(path: Path) -> sqlite3.Connection:
    """A run to read in a place where nothing can be written, not even the index of a log that a kill left."""
    how = "vfs=unix-none" if Path(f"{path}-wal").exists() else "immutable=1"
    base = sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro&{how}", uri=True)
    base.execute("PRAGMA locking_mode = EXCLUSIVE")  # then the index is in memory
    return base


def primary(error: sqlite3.Error) -> int:
    """The kind of an error (https://sqlite.org/rescode.html)."""
    return getattr(error, "sqlite_errorcode", 0) & 0xFF  # some errors of the module have none


def summary(
    id: str, bots: str, fingerprints: str, places: str, forfeits: str, faults: int, group: str, rotation: int
) -> Summary:
    names, made, finish = words(bots), words(fingerprints), numbers(places)
    if not len(names) == len(made) == len(finish):
        raise ValueError(f"game {id} has not one bot, fingerprint and place a seat")
    return Summary(id, names, made, finish, kinds(forfeits), faults, group, rotation)


@lru_cache(1 << 14)  # the same few line-ups over and over: kept once
def words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


@lru_cache(1 << 14)
def numbers(text: str) -> tuple[int, ...]:
    return tuple(map(int, text.split()))


@lru_cache(1 << 14)
def kinds(text: str) -> Mapping[int, str]:
    return {int(seat): kind for seat, _, kind in (each.partition(":") for each in text.split())}


def fixture_order(game: Summary) -> tuple[Any, ...]:
    """By seats, then as a round robin plays: number of the group, its bots, rotation."""
    names, _, number = game.seed_group.rpartition(" ")
    count, _, era = number.partition("/")
    return (len(game.bots), int(count) if count.isdecimal() else 0, era, names, game.rotation, game.id)
