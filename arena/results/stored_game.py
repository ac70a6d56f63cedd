"""A game as a run file stores it, and what is read back of it."""

import json
import zlib
from collections.abc import Mapping
from functools import lru_cache
from sys import intern
from typing import NamedTuple

from arena.records.record import Record, Summary


class GameColumns(NamedTuple):
    """The columns of the table `game`, in order: what standings need of a game, not compressed."""

    id: str
    bots: str
    fingerprints: str
    places: str
    forfeits: str
    faults: int
    seed_group: str
    rotation: int


class StoredGame(NamedTuple):
    """A record as it is stored: its columns, its compressed game part, and its trace as JSON."""

    columns: GameColumns
    part: bytes
    trace: str


def pack(record: Record) -> StoredGame:
    part = zlib.compress(record.game_part().encode(), 1)
    return StoredGame(columns_of(record), part, json.dumps(record.trace))


def columns_of(record: Record) -> GameColumns:
    fixture, last = record.fixture, {fault.seat: fault.kind for fault in record.faults}
    return GameColumns(
        id=fixture.id,
        bots=" ".join(fixture.bots),
        fingerprints=" ".join(fixture.fingerprints),
        places=" ".join(map(str, record.result[0])),
        forfeits=" ".join(f"{seat}:{last[seat]}" for seat in sorted(record.forfeits)),
        faults=len(record.faults),
        seed_group=fixture.group,
        rotation=fixture.rotation,
    )


def summary(game: GameColumns) -> Summary:
    """What standings need of a game. ValueError, TypeError or AttributeError: a column is damaged."""
    bots, fingerprints, places = split(game.bots), split(game.fingerprints), split_numbers(game.places)
    if not len(bots) == len(fingerprints) == len(places):
        raise ValueError(f"game {game.id} does not have one bot, fingerprint and place for each seat")
    return Summary(
        id=game.id,
        bots=bots,
        fingerprints=fingerprints,
        places=places,
        forfeits=split_forfeits(game.forfeits),
        faults=game.faults,
        seed_group=intern(game.seed_group),
        rotation=game.rotation,
    )


# A run repeats the same few names and line-ups: to keep one copy of each saves time and memory.


@lru_cache(1 << 14)
def split(text: str) -> tuple[str, ...]:
    return tuple(map(intern, text.split()))


@lru_cache(1 << 14)
def split_numbers(text: str) -> tuple[int, ...]:
    return tuple(map(int, text.split()))


@lru_cache(1 << 14)
def split_forfeits(text: str) -> Mapping[int, str]:
    return {int(seat): kind for seat, _, kind in (each.partition(":") for each in text.split())}


def fixture_order(game: Summary) -> tuple[int, int, str, str, int, str]:
    """The sort key of fixture order: seats, then as a round robin plays: group number, bots, rotation."""
    names, _, number = game.seed_group.rpartition(" ")
    count, _, tag = number.partition("/")
    return (len(game.bots), int(count) if count.isdecimal() else 0, tag, names, game.rotation, game.id)
