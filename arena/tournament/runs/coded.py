"""Reads the games of a run for standings, in little time and memory: different line-ups and results once."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from arena.config.document import ConfigError
from arena.rating.arrays import Ints
from arena.rating.outcomes import Codes, Outcomes, Result, Seats
from arena.tournament.runs.layouts import Layout, Seating, full_name
from arena.tournament.runs.store import Store
from arena.tournament.runs.stored_game import split_forfeits, split_numbers

Namer = Callable[[tuple[str, ...], tuple[str, ...]], tuple[str, ...]]
"""Gives the names in the standings of bots with these names and fingerprints."""


@dataclass(frozen=True, eq=False)
class CodedGames:
    """The games of a run, with the names and fingerprints of their bots; see `Outcomes`."""

    seatings: list[Seating]
    results: list[Result]
    groups: list[str]
    rows: Ints

    def outcomes(self, name: Namer, run: str) -> Outcomes:
        """The outcomes for standings. `run` tells its seed groups from those of other runs."""
        seats: list[Seats] = [(name(each.bots, each.fingerprints), None) for each in self.seatings]
        return Outcomes(seats, self.results, [f"{run} {group}" for group in self.groups], self.rows)


def read_coded(store: Store) -> CodedGames:
    """All games of a run, in the order of play. ConfigError: one is damaged."""
    try:
        return _read(store)
    except (ValueError, TypeError, LookupError, AttributeError) as error:
        raise ConfigError(f"{store.path}: a damaged record: {error}") from None


def _read(store: Store) -> CodedGames:
    ends, groups = Codes[str](), Codes[str]()
    seatings = _Seatings(store.layout)
    lineups = seatings.lineups
    codes = (
        (number := seatings[bots], ends[end], groups[lineups[number] + group])
        for bots, end, group in store.coded()
    )
    rows: Ints = np.fromiter(codes, np.dtype((np.int64, 3)))
    split = (end.partition("/") for end in ends)
    results: list[Result] = [
        (split_numbers(places), split_forfeits(forfeits)) for places, _, forfeits in split
    ]
    seated, placed = (
        np.array([len(each.bots) for each in seatings.known], int),
        [len(each) for each, _ in results],
    )
    if (seated[rows[:, 0]] != np.array(placed, int)[rows[:, 1]]).any():
        raise ValueError("a game does not have one place for each seat")
    return CodedGames(seatings.known, results, [*map(full_name, groups)], rows)


class _Seatings(dict[str, int]):
    """Numbers the seatings of `CODED` that are looked up."""

    def __init__(self, layout: Layout):
        self.known: list[Seating] = []
        self.lineups: list[str] = []
        self._layout = layout

    def __missing__(self, text: str) -> int:
        self.known.append(self._layout.seating(text))
        self.lineups.append(self.known[-1].lineup)
        self[text] = number = len(self)
        return number
