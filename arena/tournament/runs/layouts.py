"""The tables of a run file. Values that many games share, such as their bots, are stored once."""

import sqlite3
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from sys import intern
from typing import Any, NamedTuple

from arena.config.sqlite import FileLayout
from arena.referee.record import Summary
from arena.tournament.runs.facts import check_name
from arena.tournament.runs.stored_game import (
    MAX_RECORD_BYTES,
    StoredGame,
    deflate,
    inflate,
    split_numbers,
    summary,
)

SCHEMA = """
CREATE TABLE about (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE bot (number INTEGER PRIMARY KEY, name TEXT NOT NULL, fingerprint TEXT NOT NULL);
CREATE TABLE game (
    number INTEGER PRIMARY KEY, -- in the order of play
    id TEXT NOT NULL UNIQUE,    -- of the fixture
    bots TEXT NOT NULL,         -- numbers by seat, separated by spaces
    places TEXT NOT NULL,       -- likewise
    forfeits TEXT NOT NULL,     -- seats from 0 with the fault that caused it: 0:late 2:crashed
    faults INTEGER NOT NULL,
    seed_group TEXT NOT NULL,   -- the end of its name, after the sorted names of the bots; or a space and all
    rotation INTEGER NOT NULL
);
CREATE TABLE record (           -- apart from `game`, which is read as a whole for standings
    number INTEGER PRIMARY KEY, -- of the game
    packed BLOB NOT NULL        -- two lines of JSON, trace and game part, compressed with a dictionary
);
CREATE TABLE dictionary (adler INTEGER PRIMARY KEY, text BLOB NOT NULL);
CREATE TABLE void (             -- games in which the arena itself failed
    game TEXT NOT NULL,         -- id of the fixture
    seed_group TEXT NOT NULL,
    lineup TEXT NOT NULL,       -- of the fixture
    attempt INTEGER NOT NULL,   -- how often the seed group was void before
    words NOT NULL              -- the traceback; or the packed record, if the game was played
);
"""
NUMBER = 4  # A file has the layout number of the arena that wrote it.
RUN_FILE = FileLayout(
    0x41524E41,  # "ARNA"
    NUMBER,
    SCHEMA,
    what="a run file",
    noun="run",
    since="0.3.0",
    advice="read it with that version, or play the plan again with --out",
    page_size=8192,  # A record takes about 700 bytes, which would leave a sixth of 4096 bytes empty.
    is_sent=True,
)
GAMES = "SELECT number, id, bots, places, forfeits, faults, seed_group, rotation FROM game"
# Each column costs time, so these are few.
CODED = "SELECT bots, places || '/' || forfeits, seed_group FROM game ORDER BY number"
RECORD = "SELECT packed FROM record JOIN game USING (number) WHERE id = ?"
REMOVE = (
    "DELETE FROM record WHERE number = (SELECT number FROM game WHERE id = ?)",
    "DELETE FROM game WHERE id = ?",
)
_CACHED = 1 << 14  # seatings


class StoredSeating(NamedTuple):
    """The names and fingerprints of the bots by seat.

    `lineup` has their sorted names and a space. The names of their seed groups begin with it, so it is not
    stored with each game.
    """

    bots: tuple[str, ...]
    fingerprints: tuple[str, ...]
    lineup: str


class Layout:
    """Writes games to the tables, and reads their rows. `query` runs an SQL statement and yields its rows."""

    def __init__(self, query: Callable[..., Iterator[Any]]):
        self._query = query
        self.forget()

    def forget(self) -> None:
        """Empty the caches, because a transaction was rolled back."""
        self._versions: list[tuple[str, str]] = []
        self._numbers: dict[tuple[str, str], int] = {}
        self._dictionaries: dict[int, bytes] = {}
        self.seating = lru_cache(_CACHED)(self._seating)

    def insert(self, connection: sqlite3.Connection, games: Iterable[StoredGame]) -> int:
        """Store the games whose ids are new, and return their number."""
        new = 0
        for game in games:
            id, names, fingerprints, *others, group, rotation = game.columns
            bots = zip(names.split(), fingerprints.split(), strict=True)
            numbers = " ".join([str(self._number_of(connection, each)) for each in bots])
            end = _stored_name(group, sorted(names.split()))
            values = (None, id, numbers, *others, end, rotation)
            cursor = connection.execute("INSERT OR IGNORE INTO game VALUES (?, ?, ?, ?, ?, ?, ?, ?)", values)
            if cursor.rowcount:
                new += 1
                packed = self._packed(connection, game)
                connection.execute("INSERT INTO record VALUES (?, ?)", (cursor.lastrowid, packed))
        return new

    def summary(self, row: tuple[Any, ...]) -> Summary:
        """The game in a row of `GAMES`.

        Raises:
            ValueError, TypeError, LookupError, AttributeError: The row is damaged.
        """
        _, id, bots, places, forfeits, faults, group, rotation = row
        names, made, lineup = self.seating(bots)
        return summary(id, names, made, places, forfeits, faults, full_name(lineup + group), rotation)

    def versions(self) -> list[tuple[str, str]]:
        """Pairs of name and fingerprint of all bots that have played; raises errors like `summary`."""
        self._read_versions()
        return self._versions

    def texts(self, row: tuple[Any, ...]) -> tuple[str, str]:
        """The game part and the trace, both JSON, from a row of `RECORD`; raises errors like `inflate`."""
        trace, _, part = inflate(row[0], self._dictionary).partition("\n")
        return part, trace

    def _number_of(self, connection: sqlite3.Connection, version: tuple[str, str]) -> int:
        if not self._versions:
            self._read_versions()
        if version not in self._numbers:
            self._numbers[version] = number = len(self._versions)
            self._versions.append(version)
            connection.execute("INSERT INTO bot VALUES (?, ?, ?)", (number, *version))
        return self._numbers[version]

    def _read_versions(self) -> None:
        rows = self._query("SELECT name, fingerprint FROM bot ORDER BY number")
        self._versions = [(intern(check_name(name)), intern(check_name(made))) for name, made in rows]
        self._numbers = {version: number for number, version in enumerate(self._versions)}

    def _seating(self, bots: str) -> StoredSeating:
        numbers = split_numbers(bots)
        if max(numbers) >= len(self._versions):  # Another process has added some since they were read.
            self._read_versions()
        names, fingerprints = zip(*(self._versions[number] for number in numbers), strict=True)
        return StoredSeating(names, fingerprints, " ".join(sorted(names)) + " ")

    def _packed(self, connection: sqlite3.Connection, game: StoredGame) -> bytes:
        """The record as it is stored. Stores its dictionary first if the file lacks it."""
        adler = zlib.adler32(game.dictionary)
        if adler not in self._dictionaries:
            connection.execute("INSERT OR IGNORE INTO dictionary VALUES (?, ?)", (adler, game.dictionary))
        if self._dictionary(adler) == game.dictionary:
            return game.packed
        # Another dictionary has this checksum.
        return deflate(inflate(game.packed, lambda _: game.dictionary))

    def _dictionary(self, adler: int) -> bytes:
        """The compression dictionary with this Adler-32.

        Raises:
            KeyError: The file does not have it.
        """
        if adler not in self._dictionaries:
            sql = "SELECT adler, text FROM dictionary WHERE adler = ?"
            self._dictionaries |= dict(self._query(sql, (adler,), MAX_RECORD_BYTES))
        return self._dictionaries[adler]


def full_name(stored: str) -> str:
    """The name of a seed group, from its `StoredSeating.lineup` followed by the text in the column."""
    _, whole, name = stored.partition("  ")
    return name if whole else stored


def stored_names(group: str) -> list[str]:
    """The two texts that may be stored for the name of a seed group, depending on the game's bots."""
    return [_stored_name(group, group.split()[:-1]), _stored_name(group, ())]


def _stored_name(group: str, bots: Sequence[str]) -> str:
    """The text that is stored for the name of a seed group in a game of these bots, which are sorted."""
    lineup = " ".join(bots) + " "
    return group.removeprefix(lineup) if group.startswith(lineup) else f" {group}"
