"""A run on disk: one SQLite file, which stays intact if the arena is killed at any moment.

One process writes, and any number of processes read. The writer holds an exclusive `flock` on the file, which
the kernel releases however the process ends. Each batch of games is one transaction (`arena.config.sqlite`).
"""

import os
import platform
import re
import sqlite3
from collections import Counter
from collections.abc import ItemsView, Iterable, Iterator, Mapping, ValuesView
from contextlib import AbstractContextManager, contextmanager
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

from arena.config.document import ConfigError
from arena.config.sqlite import SqliteFile
from arena.config.text import one_line
from arena.referee.deals import hash_of
from arena.referee.fixture import Fixture
from arena.referee.record import Record, Summary, reading, record_from_json
from arena.tournament.runs.facts import RunFacts, read_facts
from arena.tournament.runs.layouts import CODED, GAMES, RECORD, REMOVE, RUN_FILE, Layout, stored_names
from arena.tournament.runs.locks import is_in_place, lock_file
from arena.tournament.runs.stored_game import MAX_RECORD_BYTES, StoredGame, fixture_order

_MAX_FACTS = 64
CHUNK = 2000  # games
_MAX_IDS = 1000
_MAX_COLUMN = 2**16  # bytes
_MAX_WHY = 1000  # characters

_ABOUT_WITHOUT_SECRET = """about WHERE key != 'secret'
    OR EXISTS (SELECT 1 FROM about WHERE key = 'revealed' AND value = 'true')"""
_SEED = re.compile(r'("attempt":\d+,)"seed":"[^"]*",')  # in a game part


class VoidGame(NamedTuple):
    """A void game: its id, its seed group and line-up, and how often the group was void before.

    `why` is the last line of its failure's traceback; "" if the game was played, but its group was void.
    """

    game: str
    group: str
    lineup: str
    attempt: int
    why: str


class Store(AbstractContextManager["Store"]):
    """A run file. Open it to write (`writer=True`, one process at a time) or only to read.

    `facts` are the facts about the run as a whole that this process has read or changed. With `secret=False`
    an unrevealed secret is not read, and no error of this process can show it. A writer creates a missing
    file.

    Raises:
        ConfigError: A reader finds no file; or the file is not a run, is damaged, cannot be written, or
            another process writes it. Methods raise it as well, if they read a damaged game or record.
    """

    _file: SqliteFile
    layout: Layout
    facts: RunFacts

    def __init__(self, path: Path, writer: bool = False, secret: bool = True):
        self.path, self._reads_secret = path, secret
        self._counted: int | None = None  # games; only a writer keeps the number, because counting takes long
        self._lock = lock_file(path) if writer else None
        try:
            self._open(writer)
        except ConfigError:
            self.close()
            raise

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        if hasattr(self, "_file"):
            self._file.close()
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

    def write_facts(self, facts: RunFacts) -> None:
        with self._transaction() as connection:
            connection.executemany("INSERT OR REPLACE INTO about (key, value) VALUES (?, ?)", facts.rows())
        self.facts = facts

    def append(self, games: Iterable[StoredGame]) -> None:
        """Commit these games in one transaction. Games that are already stored are not replaced."""
        before = self.count()
        with self._transaction() as connection, self.reading_rows():
            new = self.layout.insert(connection, games)
        self._counted = before + new

    def annul(self, game: Fixture, words: str, group: Iterable[Fixture]) -> None:
        """Record a void game, and move the games of its seed group from the results to the void games.

        `words` is the traceback, and `group` has the stored games of the seed group.
        """
        void = "INSERT INTO void (game, seed_group, lineup, attempt, words) VALUES (?, ?, ?, ?, ?)"
        lost, before = [fixture.id for fixture in group], self.count()
        with self._transaction() as connection:
            connection.execute(void, (game.id, game.group, game.lineup, game.attempt, words))
            for id in lost:
                ((packed,),) = connection.execute(RECORD, (id,))
                connection.execute(void, (id, game.group, game.lineup, game.attempt, packed))
                for statement in REMOVE:
                    connection.execute(statement, (id,))
        self._counted = before - len(lost)

    def voids(self) -> Counter[str]:
        """How often each game, by its id, was void or was moved to the void games with its seed group."""
        return Counter(dict(self._query("SELECT game, count(*) FROM void GROUP BY game")))

    def void_rows(self, hidden: str = "") -> list[VoidGame]:
        """The void games, in the order in which they became void, their reasons without the text `hidden`."""
        ends = f"CASE typeof(words) WHEN 'text' THEN substr(words, -{_MAX_WHY}) ELSE '' END"
        rows = self._query(f"SELECT game, seed_group, lineup, attempt, {ends} FROM void ORDER BY rowid")
        with self.reading_rows():
            return [
                VoidGame(
                    str(game), str(group), str(lineup), int(attempt), _last_line(end).replace(hidden, "")
                )
                for game, group, lineup, attempt, end in rows
            ]

    def add_voids(self, games: Iterable[VoidGame]) -> None:
        """Add void games from the `void_rows` of another run, without tracebacks and records."""
        with self._transaction() as connection:
            connection.executemany("INSERT INTO void VALUES (?, ?, ?, ?, ?)", games)

    def attempts(self) -> dict[tuple[str, str], int]:
        """How often each seed group was void, by its name and line-up; only groups that were."""
        sql = "SELECT seed_group, lineup, max(attempt) + 1 FROM void GROUP BY seed_group, lineup"
        return {(group, lineup): count for group, lineup, count in self._query(sql)}

    def count(self) -> int:
        """The number of games played."""
        if self._lock is None or self._counted is None:
            # Without a condition, SQLite would count in one step, which a time limit cannot end.
            ((self._counted,),) = self._query("SELECT count(*) FROM game WHERE number > 0")
        return self._counted or 0

    def faults(self) -> int:
        """The number of faults in all games."""
        ((faults,),) = self._query("SELECT total(faults) FROM game")
        return int(faults)

    def played(self) -> "PlayedGames":
        """The games as a mapping from ids to summaries, which reads the file on each access."""
        return PlayedGames(self)

    def games(self) -> Iterator[Summary]:
        """Every game in the order of play."""
        return (game for _, game in self.numbered())

    def numbered(self) -> Iterator[tuple[int, Summary]]:
        """`games`, each after its number, which never changes."""
        last, sql = 0, f"{GAMES} WHERE number > ? ORDER BY number LIMIT {CHUNK}"
        while rows := list(self._query(sql, (last,))):  # An open statement would block the reset of the log.
            numbers = [row[0] for row in rows]
            if any(one >= two for one, two in pairwise([last, *numbers])):  # Pages form a circle.
                raise ConfigError(f"{self.path}: damaged: the numbers of its games do not increase")
            yield from zip(numbers, self._summaries(rows), strict=True)
            last = numbers[-1]

    @property
    def file_id(self) -> str:
        """A name that is unique to this file among all machines; it stays if the file is moved."""
        found = self.path.stat()
        return hash_of(f"{platform.node()} {found.st_dev} {found.st_ino}")[:16]

    def last_number(self) -> int:
        """The greatest number of a game; 0 if there is none."""
        ((number,),) = self._query("SELECT max(number) FROM game")
        return number or 0

    def id_of(self, number: int) -> str | None:
        """The id of the game with this number, or None."""
        rows = list(self._query(f"{GAMES} WHERE number = ?", (number,)))
        return next((game.id for game in self._summaries(rows)), None)

    def ids_from(self, start: str) -> list[str]:
        """The ids of games that begin with `start`, at most `_MAX_IDS`."""
        ids = self._query(
            f"SELECT id FROM game WHERE id >= ? AND id < ? LIMIT {_MAX_IDS}", (start, f"{start}~")
        )
        return [id for (id,) in ids]

    def versions(self) -> list[tuple[str, str]]:
        """Pairs of name and fingerprint of all bots that have played."""
        with self.reading_rows():
            return self.layout.versions()

    def coded(self) -> Iterator[tuple[str, str, str]]:
        """The bots, the places with the forfeits, and the seed group of each game in the order of play.

        They are the stored texts: the rows of `CODED`.
        """
        return self._query(CODED)

    def has(self, id: object) -> bool:
        """Whether the game with this id was played."""
        return any(self._query("SELECT 1 FROM game WHERE id = ?", (id,)))

    def find(self, id: str) -> Summary | None:
        """The game with this id, or None."""
        found = self.find_numbered(id)
        return found[1] if found else None

    def find_numbered(self, id: str) -> tuple[int, Summary] | None:
        """The number of the game with this id, and the game; or None."""
        rows = list(self._query(f"{GAMES} WHERE id = ?", (id,)))
        return next(((row[0], game) for row, game in zip(rows, self._summaries(rows), strict=True)), None)

    def of_groups(self, names: Iterable[str]) -> Iterator[Summary]:
        """The games of the seed groups with these names, in any order."""
        wanted = frozenset(names)
        ends = sorted({end for name in wanted for end in stored_names(name)})
        marks = ", ".join("?" * len(ends))
        rows = list(self._query(f"{GAMES} WHERE seed_group IN ({marks})", tuple(ends)))
        # Groups of other line-ups may be stored with the same end, so the whole name decides.
        return (game for game in self._summaries(rows) if game.seed_group in wanted)

    def latest(self, count: int, before: int | None = None) -> list[tuple[int, Summary]]:
        """The last `count` games, the last first, after their numbers; with `before`, only lower numbers."""
        condition = "" if before is None else "WHERE number < ?"
        sql = f"{GAMES} {condition} ORDER BY number DESC LIMIT {count}"
        rows = list(self._query(sql, () if before is None else (before,)))
        return list(zip((row[0] for row in rows), self._summaries(rows), strict=True))

    def _summaries(self, rows: Iterable[tuple[Any, ...]]) -> list[Summary]:
        with self.reading_rows():
            return [*map(self.layout.summary, rows)]

    @contextmanager
    def reading_rows(self) -> Iterator[None]:
        """Turn the errors of code that uses rows of a table, which may be damaged, into ConfigErrors."""
        try:
            yield
        except (ValueError, TypeError, LookupError, AttributeError) as error:
            raise ConfigError(f"{self.path}: a damaged record: {error}") from None

    def summaries(self) -> list[Summary]:
        """All games in fixture order (`fixture_order`)."""
        return sorted(self.games(), key=fixture_order)

    def record(self, id: str) -> Record:
        """The record of a game.

        Raises:
            ConfigError: The run has no such game, or its record is damaged.
        """
        for row in self._query(RECORD, (id,), MAX_RECORD_BYTES):
            with self.reading(id):
                return record_from_json(*self.layout.texts(row))
        raise ConfigError(f"{self.path}: no game {id}")

    def reading(self, id: str) -> AbstractContextManager[None]:
        """Turn errors of code that uses the record of game `id` into ConfigErrors that name the game."""
        return reading(f"{self.path}: game {id}")

    def parts(self, ids: Iterable[str]) -> Iterator[str]:
        """The game part of each of these games as one line of JSON, without the seed while that is secret.

        Unknown ids are skipped.
        """
        for id in ids:
            for row in self._query(RECORD, (id,), MAX_RECORD_BYTES):
                with self.reading(id):
                    text, _ = self.layout.texts(row)
                    if not (text.isascii() and text.isprintable()):
                        raise ValueError("not a line of ASCII")
                yield _SEED.sub(r"\1", text, count=1) if self.hides_seeds else text

    @property
    def hides_seeds(self) -> bool:
        """Whether the seeds of deals are still secret: more games may be dealt from the same secret."""
        return (self.facts.secret is not None or not self._reads_secret) and not self.facts.revealed

    def _query(self, sql: str, values: tuple[Any, ...] = (), most: int = _MAX_COLUMN) -> Iterator[Any]:
        """The rows of a statement. For a reader, `most` limits the length of a value, in bytes."""
        if self._lock is None:
            self._file.limit_lengths(most)
        try:
            for row in self._file.run(sql, values):  # noqa: UP028  # `yield from` would close the cursor even after `close`
                yield row
        except sqlite3.DatabaseError as error:
            raise self._file.error(error) from None

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        if self._lock is not None and not is_in_place(self.path, self._lock):
            raise ConfigError(f"{self.path}: was moved or removed while it was being written")
        try:
            with self._file.transaction() as connection:
                yield connection
        except sqlite3.DatabaseError as error:
            self.layout.forget()
            raise ConfigError(f"{self.path}: cannot be written: {error}; what was recorded is safe") from None

    def _open(self, writer: bool) -> None:
        self._file = SqliteFile(self.path, RUN_FILE, writer)
        self.layout = Layout(self._query)
        about = "about" if self._reads_secret else _ABOUT_WITHOUT_SECRET
        rows = self._query(f"SELECT key, value FROM {about} LIMIT {_MAX_FACTS}", most=MAX_RECORD_BYTES)
        try:
            self.facts = read_facts(dict(rows))
        except ValueError as error:
            raise ConfigError(f"{self.path}: the facts about the run are damaged: {error}") from None


def _last_line(text: str) -> str:
    """The last line of a traceback: the exception, and its message."""
    return one_line(text.strip().rpartition("\n")[2])


class PlayedGames(Mapping[str, Summary]):
    """Every game of a run by the id of its fixture, in the order of play.

    Each access reads the file. So a run of any length needs no memory, and a new game in the store is here at
    once.

    Raises:
        ConfigError: A game is damaged.
    """

    def __init__(self, store: Store):
        self.store = store

    def __len__(self) -> int:
        return self.store.count()

    def __iter__(self) -> Iterator[str]:
        return (game.id for game in self.store.games())

    def __contains__(self, id: object) -> bool:
        return self.store.has(id)

    def __getitem__(self, id: str) -> Summary:
        if game := self.store.find(id):
            return game
        raise KeyError(id)

    # One pass over the file is quicker than a look-up for each game.

    def values(self) -> ValuesView[Summary]:
        return _Values(self)

    def items(self) -> ItemsView[str, Summary]:
        return _Items(self)


class _Values(ValuesView[Summary]):
    _mapping: PlayedGames

    def __iter__(self) -> Iterator[Summary]:
        return self._mapping.store.games()


class _Items(ItemsView[str, Summary]):
    _mapping: PlayedGames

    def __iter__(self) -> Iterator[tuple[str, Summary]]:
        return ((game.id, game) for game in self._mapping.store.games())
