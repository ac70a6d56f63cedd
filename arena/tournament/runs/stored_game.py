"""Packs a game as a run file stores it, and unpacks it."""

import zlib
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import NamedTuple

from arena.referee.fixture import to_json
from arena.referee.record import Record, Summary


class GameColumns(NamedTuple):
    """The part of a game that standings need, stored apart from its record.

    `bots`, `fingerprints` and `places` have a word for each seat, separated by spaces. `forfeits` has one for
    each seat that forfeited, such as `0:late`.
    """

    id: str
    bots: str
    fingerprints: str
    places: str
    forfeits: str
    faults: int
    seed_group: str
    rotation: int


class StoredGame(NamedTuple):
    """A record as it is stored: its columns, and its game part and trace, compressed with a dictionary."""

    columns: GameColumns
    packed: bytes
    dictionary: bytes


_DICTIONARY_SIZE = 8192  # characters
_dictionaries: dict[str, bytes] = {}  # by game


def pack(record: Record, dictionaries: dict[str, bytes] = _dictionaries) -> StoredGame:
    """The record as it is stored, compressed with the dictionary of its game.

    A missing dictionary is added.
    """
    # The first game that a process packs is the dictionary (RFC 1950) of the games after it. Games of a run
    # repeat the rules, the bots and the words of the replies. A dictionary halves their size, and one stream
    # for both texts takes 70 bytes less than two.
    text = f"{to_json(record.trace)}\n{record.game_part()}"
    dictionary = dictionaries.setdefault(record.fixture.game, text[:_DICTIONARY_SIZE].encode())
    return StoredGame(_columns_of(record), deflate(text, dictionary), dictionary)


def deflate(text: str, dictionary: bytes = b"") -> bytes:
    packer = zlib.compressobj(zdict=dictionary) if dictionary else zlib.compressobj()
    return packer.compress(text.encode()) + packer.flush()


def inflate(packed: bytes, dictionary: Callable[[int], bytes]) -> str:
    """The text that `deflate` packed. `dictionary` finds the dictionary with an Adler-32, or raises KeyError.

    Raises:
        zlib.error, ValueError, KeyError: The data are damaged.
    """
    unpacker = zlib.decompressobj()
    if len(packed) >= 6 and packed[1] & _NEEDS_DICTIONARY:
        unpacker = zlib.decompressobj(zdict=dictionary(int.from_bytes(packed[2:6], "big")))
    text = unpacker.decompress(packed, MAX_RECORD_BYTES)  # A hostile megabyte could grow to a gigabyte.
    if not unpacker.eof:
        long = len(text) == MAX_RECORD_BYTES
        raise ValueError(f"longer than {MAX_RECORD_BYTES} bytes" if long else "its end is missing")
    return text.decode()


MAX_RECORD_BYTES = 2**24  # A long game has about 100 kilobytes.
_NEEDS_DICTIONARY = 0x20  # the flag FDICT in the second byte of a zlib stream


def summary_of(record: Record) -> Summary:
    """The summary of a game, from its record."""
    id, bots, made, places, forfeits, faults, group, rotation = _columns_of(record)
    versions = tuple(bots.split()), tuple(made.split())
    return summary(id, *versions, places, forfeits, faults, group, rotation)


def summary(
    id: str,
    bots: tuple[str, ...],
    fingerprints: tuple[str, ...],
    places: str,
    forfeits: str,
    faults: int,
    group: str,
    rotation: int,
) -> Summary:
    """The summary of a game, from columns as in `GameColumns`.

    Raises:
        ValueError, TypeError, AttributeError: A column is damaged.
    """
    # SQLite stores any value in any column, and a text that is shown could control the terminal.
    numbers = split_numbers(places)
    if not (isinstance(id, str) and id.isalnum() and id.isascii() and len(id) <= _MAX_ID_LENGTH):
        raise ValueError(f"not the id of a game: {ascii(id)[:80]}")
    if not (isinstance(group, str) and group.isprintable()):
        raise ValueError(f"game {id} does not have the name of a seed group: {ascii(group)[:80]}")
    if not (isinstance(faults, int) and isinstance(rotation, int)):
        raise ValueError(f"game {id} does not have a number of faults and a rotation")
    if not len(bots) == len(fingerprints) == len(numbers):
        raise ValueError(f"game {id} does not have one bot, fingerprint and place for each seat")
    return Summary(id, bots, fingerprints, numbers, split_forfeits(forfeits), faults, group, rotation)


_MAX_ID_LENGTH = 64


def _columns_of(record: Record) -> GameColumns:
    fixture, last = record.fixture, record.last_faults
    return GameColumns(
        id=fixture.id,
        bots=" ".join(fixture.bots),
        fingerprints=" ".join(fixture.fingerprints),
        places=" ".join(map(str, record.result[0])),
        forfeits=" ".join(f"{seat}:{last[seat].kind}" for seat in sorted(record.forfeits)),
        faults=len(record.faults),
        seed_group=fixture.group,
        rotation=fixture.rotation,
    )


# A run repeats the same few names and line-ups, so one copy of each saves time and memory.


@lru_cache(1 << 14)
def split_numbers(text: str) -> tuple[int, ...]:
    return tuple(map(int, text.split()))


@lru_cache(1 << 14)
def split_forfeits(text: str) -> Mapping[int, str]:
    forfeits = {int(seat): kind for seat, _, kind in (each.partition(":") for each in text.split())}
    if not all(kind.isascii() and kind.isalpha() for kind in forfeits.values()):
        raise ValueError(f"not kinds of faults: {ascii(text)[:80]}")
    return forfeits


def fixture_order(game: Summary) -> tuple[int, int, str, str, int, str]:
    """The sort key of fixture order: seats, then group number, bots and rotation, as in a round robin."""
    names, _, number = game.seed_group.rpartition(" ")
    count, _, tag = number.partition("/")
    return (len(game.bots), int(count) if count.isdecimal() else 0, tag, names, game.rotation, game.id)
