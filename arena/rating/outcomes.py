"""Stores many outcomes in little memory, and makes the arrays from which ratings are computed."""

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar, overload

import numpy as np

from arena.rating.arrays import Bools, Ints
from arena.rating.outcome import Outcome, OutcomeArrays, group_by_places

Key = TypeVar("Key", bound=Hashable)
Seats = tuple[tuple[str, ...], tuple[int, tuple[int, ...]] | None]
"""The `bots` and `seated` of an outcome."""

Result = tuple[tuple[int, ...], Mapping[int, str]]
"""The `places` and `forfeits` of an outcome."""


class Codes(dict[Key, int]):
    """Numbers for keys: looking up a new key adds it with the next number: 0, 1, …"""

    def __missing__(self, key: Key) -> int:
        self[key] = number = len(self)
        return number


@dataclass(frozen=True, eq=False)
class Outcomes(Sequence[Outcome]):
    """A sequence of m outcomes in little memory.

    A row of `rows` (m, 3) has the indices of an outcome in `seats`, `results` and `groups`, which store each
    distinct value once.
    """

    seats: list[Seats]
    results: list[Result]
    groups: list[str]
    rows: Ints

    @classmethod
    def of(cls, outcomes: Iterable[Outcome]) -> "Outcomes":
        if isinstance(outcomes, Outcomes):
            return outcomes
        seats, groups = Codes[Seats](), Codes[str]()
        results: dict[tuple[Any, ...], tuple[int, Result]] = {}
        rows = []
        for each in outcomes:
            key = (each.places, *sorted(each.forfeits.items())) if each.forfeits else each.places
            result, _ = results.setdefault(key, (len(results), (each.places, each.forfeits)))
            rows.append((seats[each.bots, each.seated], result, groups[each.group]))
        found = [result for _, result in results.values()]
        return cls([*seats], found, [*groups], np.array(rows, np.int64).reshape(-1, 3))

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[Outcome]:
        return (self._outcome(*row) for row in self.rows.tolist())

    @overload
    def __getitem__(self, index: int) -> Outcome: ...
    @overload
    def __getitem__(self, index: slice) -> "Outcomes": ...
    def __getitem__(self, index: int | slice) -> "Outcome | Outcomes":
        if isinstance(index, slice):
            return replace(self, rows=self.rows[index])
        return self._outcome(*self.rows[index].tolist())

    def without_forfeits(self) -> "Outcomes":
        return replace(self, rows=self.rows[~self._have_forfeits()])

    def with_forfeits(self) -> "Outcomes":
        return replace(self, rows=self.rows[self._have_forfeits()])

    def _have_forfeits(self) -> Bools:
        marked = np.array([bool(forfeits) for _, forfeits in self.results], bool)
        return marked[self.rows[:, 1]]

    def _outcome(self, seats: int, result: int, group: int) -> Outcome:
        (bots, seated), (places, forfeits) = self.seats[seats], self.results[result]
        return Outcome(bots, places, self.groups[group], forfeits, seated)


def to_arrays(outcomes: Iterable[Outcome]) -> tuple[list[str], list[OutcomeArrays]]:
    """The names of the bots, sorted, and the arrays of the games, where a bot is its index in the names."""
    # Bots and groups are numbered by their names, so the arrays do not depend on the order of the games.
    whole = Outcomes.of(outcomes)
    seats, results, group = whole.rows.T
    present = np.flatnonzero(np.bincount(seats)).tolist()
    names = sorted({bot for number in present for bot in whole.seats[number][0]})
    bots = {name: number for number, name in enumerate(names)}
    used = np.flatnonzero(np.bincount(group))
    number_of = np.empty(len(whole.groups), np.int64)
    number_of[sorted(used.tolist(), key=whole.groups.__getitem__)] = np.arange(len(used))
    by_size: dict[tuple[int, int], list[int]] = {}
    for number in present:
        line_up, seated = whole.seats[number]
        by_size.setdefault((len(line_up), seated[0] if seated else len(line_up)), []).append(number)
    arrays = []
    for (size, table), numbers in sorted(by_size.items()):
        here = np.flatnonzero(np.isin(seats, numbers)) if len(by_size) > 1 else slice(None)
        line_ups = _lookup([[bots[bot] for bot in whole.seats[number][0]] for number in numbers], numbers)
        places = [number for number, (each, _) in enumerate(whole.results) if len(each) == size]
        finished = _lookup([whole.results[number][0] for number in places], places)
        left = None
        if table > size:
            kept = [seated[1] for number in numbers if (seated := whole.seats[number][1])]
            left = _lookup(kept, numbers)[seats[here]]
        seated_bots, ended = line_ups[seats[here]], finished[results[here]]
        arrays += group_by_places(seated_bots, ended, number_of[group[here]], table, left)
    return names, arrays


def _lookup(lines: Sequence[Sequence[int]], numbers: Sequence[int]) -> Ints:
    """An array whose row `numbers[i]` is `lines[i]`; its other rows, up to the largest number, are 0."""
    found = np.zeros((max(numbers) + 1, len(lines[0])), np.int64)
    found[numbers] = lines
    return found
