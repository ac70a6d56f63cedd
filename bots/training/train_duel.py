"""Trains the table of two seats for `learned`: `python bots/training/train_duel.py ambassador TABLE`.

duel.c trains, by regrets; this script packs the average strategy. All chance follows from the seed, so the
same machine writes the same file; bots/measurements.md has what was measured.
"""

import argparse
import ctypes
import zlib
from collections.abc import Mapping
from pathlib import Path

import native
import numpy as np

SIDES = 40 * 6 * 11 * 11
SECTIONS = (  # slots, and how many make a decision: as in duel.h
    (SIDES * 6 * 6 * 8, 8),  # an action
    (SIDES * 6 * 9 * 2, 2),  # a challenge
    (SIDES * 6 * 3 * 3, 3),  # a block
    (15 * 6 * 9 * 5 * 5, 5),  # the card to lose or to show
    (120 * 2 * 6 * 9 * 5, 5),  # a card to return to the Court
    (40 * 6 * 9 * 5 * 2, 2),  # what becomes of a card that was shown
    (5 * 2 * 5, 5),  # the draft
)
SLOTS = sum(slots for slots, _ in SECTIONS)
OPPONENTS = (*native.HOUSE, "table")
VALUES = (1 + 2 * len(OPPONENTS)) * 40 * 40 * 11 * 11
EXPLORE, TREMBLE = 0.2, 0.03
HOUSE = {  # in what share of the games each house bot is the opponent; in the others the strategy itself
    **{"counting": 0.12, "honest": 0.08, "bluffer": 0.08, "miser": 0.08},
    **{"first": 0.02, "random": 0.04},
}
LEAST = 1.0  # decisions whose answers have less weight in all are left to the network
LEVELS = 15  # of a probability: few, so that the file is small
CHUNK = 1 << 16  # slots that are compressed together
GAMES = 2000  # against each house bot, after each round
ROUNDS = 20  # a line is printed after each


class Duel:
    """A training for two seats, against itself and shares of other opponents: house bots, or a table."""

    def __init__(self, cast: str, seed: int, shares: Mapping[str, float], table: np.ndarray | None = None):
        self.library = native.load()
        self.average = np.zeros(SLOTS, np.float32)
        self._arrays = (  # what C has pointers to
            np.zeros(SLOTS, np.float32),
            self.average,
            np.zeros(VALUES, np.float32),
            np.zeros(VALUES, np.uint16),
            self.average if table is None else table,
        )
        self.state = native.Training(
            seed, *map(_pointer, self._arrays), cast == "inquisitor", EXPLORE, TREMBLE
        )
        self.state.house[:] = [shares.get(name, 0.0) for name in OPPONENTS]

    def train(self, games: int, done: int, total: int) -> None:
        """Play so many games; `done` of `total` have been played."""
        self.library.train(ctypes.byref(self.state), games, done, total)

    def score(self, name: str, games: int) -> float:
        """The share of so many games that the average strategy wins against an opponent."""
        return self.library.score(ctypes.byref(self.state), OPPONENTS.index(name), games, LEAST)


def _pointer(array: np.ndarray):
    kinds = {"float32": ctypes.c_float, "uint16": ctypes.c_uint16}
    return array.ctypes.data_as(ctypes.POINTER(kinds[array.dtype.name]))


def levels(average: np.ndarray) -> np.ndarray:
    """The probability of each slot, from 0 to LEVELS; 0 in a whole decision that was met too seldom."""
    found, at = np.zeros(SLOTS, np.uint8), 0
    for slots, width in SECTIONS:
        weights = average[at : at + slots].reshape(-1, width)
        totals = weights.sum(axis=1, keepdims=True)
        odds = np.where(totals < LEAST, 0, weights / np.maximum(totals, LEAST))
        found[at : at + slots] = np.round(odds * LEVELS).astype(np.uint8).ravel()
        at += slots
    return found


def packed(numbers: np.ndarray) -> bytes:
    """The numbers in compressed chunks, behind the number of chunks and where each ends."""
    chunks = [zlib.compress(numbers[at : at + CHUNK].tobytes(), 9) for at in range(0, len(numbers), CHUNK)]
    ends = np.cumsum([len(chunk) for chunk in chunks])
    return np.array([len(chunks), *ends], "<u4").tobytes() + b"".join(chunks)


def unpacked(data: bytes) -> np.ndarray:
    """The weights of all slots in a packed table."""
    count = int.from_bytes(data[:4], "little")
    ends, start = np.frombuffer(data, "<u4", count, 4), 4 * count + 4
    bounds = zip([0, *ends[:-1]], ends, strict=True)
    chunks = [zlib.decompress(data[start + first : start + end]) for first, end in bounds]
    return np.frombuffer(b"".join(chunks), np.uint8).astype(np.float32)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("cast", choices=["ambassador", "inquisitor"])
    parser.add_argument("table", type=Path, help="the file to write")
    parser.add_argument("--games", type=int, default=4_000_000, help="(%(default)s)")
    parser.add_argument("--seed", type=int, default=1, help="decides everything (%(default)s)")
    given = parser.parse_args()
    duel = Duel(given.cast, given.seed, HOUSE)
    for number in range(ROUNDS):
        done, end = (given.games * each // ROUNDS for each in (number, number + 1))
        duel.train(end - done, done, given.games)
        scores = ", ".join(f"{name} {duel.score(name, GAMES):.1%}" for name in native.HOUSE)
        print(f"{end:>12,} games; against {scores}", flush=True)
    given.table.write_bytes(packed(levels(duel.average)))
    print(f"{given.table}: {given.table.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
