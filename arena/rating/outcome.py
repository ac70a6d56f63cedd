"""What a game says to the rating, and many games as arrays of numbers in an order of their own."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from math import prod

import numpy as np


@dataclass(frozen=True)
class Outcome:
    """One game: by seat, the bot and its place (1 is first, ties share: 1, 2, 2, 4).

    `group` names the seed group, the games that share a seed. `forfeits` has for each seat that
    forfeited the kind of fault that did it; the places already tell what a forfeit cost.
    """

    bots: tuple[str, ...]
    places: tuple[int, ...]
    group: str
    forfeits: Mapping[int, str] = field(default_factory=dict)

    def without(self, bots: Collection[str]) -> "Outcome | None":
        """The game as if these bots had not sat there; None where no two others are left."""
        seats = [seat for seat, bot in enumerate(self.bots) if bot not in bots]
        if len(seats) == len(self.bots) or len(seats) < 2:
            return self if len(seats) > 1 else None
        left = [self.places[seat] for seat in seats]
        return Outcome(
            tuple(self.bots[seat] for seat in seats),
            tuple(1 + sum(other < place for other in left) for place in left),
            self.group,
            {number: self.forfeits[seat] for number, seat in enumerate(seats) if seat in self.forfeits},
        )


@dataclass(frozen=True, eq=False)
class Games:
    """Games that ended alike: the same `places` (n,), ascending, one column each in what follows.

    A row of `bots` and of `seats` (m, n) is a game, of `group` (m,) its seed group, ascending. The
    order is by value, however the games came in: so all sums over them give the same bytes.
    """

    places: tuple[int, ...]
    bots: np.ndarray
    seats: np.ndarray
    group: np.ndarray

    @property
    def size(self) -> int:
        """The number of seats."""
        return len(self.places)


def tabulate(outcomes: Sequence[Outcome]) -> tuple[list[str], list[Games]]:
    """The names of the bots, sorted, and the games; bots and groups become numbers by their names."""
    names = sorted({bot for outcome in outcomes for bot in outcome.bots})
    bots = {name: number for number, name in enumerate(names)}
    groups = {name: number for number, name in enumerate(sorted({outcome.group for outcome in outcomes}))}
    by_size: dict[int, list[Outcome]] = {}
    for outcome in outcomes:
        by_size.setdefault(len(outcome.bots), []).append(outcome)
    games = []
    for size in sorted(by_size):
        played = by_size[size]
        count = len(played)
        seated = np.fromiter((bots[bot] for each in played for bot in each.bots), np.int64, count * size)
        places = np.fromiter((place for each in played for place in each.places), np.int64, count * size)
        group = np.fromiter((groups[each.group] for each in played), np.int64, count)
        games += in_order(seated.reshape(count, size), places.reshape(count, size), group)
    return names, games


def in_order(bots: np.ndarray, places: np.ndarray, group: np.ndarray) -> list[Games]:
    """Games of n seats (m, n), by seat, as `Games` for each way of ending."""
    count, size = bots.shape
    span, end, most = (int(numbers.max(initial=0)) + 1 for numbers in (bots, places, group))
    finish = np.sort((places * span + bots) * size + np.arange(size), axis=1)
    places, bots, seats = finish // (span * size), finish // size % span, finish % size
    columns, spans = (
        [*places.T, group, *bots.T, *seats.T],
        [*[end] * size, most, *[span] * size, *[size] * size],
    )
    order = np.lexsort(keys(columns, spans)[::-1])
    places, bots, seats, group = places[order], bots[order], seats[order], group[order]
    edges = np.flatnonzero((places[1:] != places[:-1]).any(axis=1)) + 1
    starts = [0, *edges.tolist()] if count else []
    return [
        Games(tuple(places[first].tolist()), bots[first:last], seats[first:last], group[first:last])
        for first, last in zip(starts, [*starts[1:], count], strict=True)
    ]


def keys(columns: Sequence[np.ndarray], spans: Sequence[int]) -> list[np.ndarray]:
    """Columns of numbers, each from 0 to below its span, packed into as few as 63 bits allow, first first."""
    packed: list[np.ndarray] = []
    room = 0
    for column, span in zip(columns, spans, strict=True):
        if not packed or room * span >= 2**63:
            packed.append(column)
            room = span
        else:
            packed[-1] = packed[-1] * span + column
            room *= span
    return packed


def distinct(columns: Sequence[np.ndarray], spans: Sequence[int]) -> tuple[np.ndarray, np.ndarray]:
    """Of rows given by columns: where each different one stands, in order, and which of them each row is."""
    if prod(spans) <= max(2**22, 4 * len(columns[0])):  # few enough to be ticked off
        (key,) = keys(columns, spans)
        row = np.full(prod(spans), -1)
        row[key] = np.arange(len(key))
        present = row >= 0
        return row[present], (np.cumsum(present) - 1)[key]
    packed = keys(columns, spans)
    if len(packed) == 1:
        _, first, number = np.unique(packed[0], return_index=True, return_inverse=True)
        return first, number
    _, first, number = np.unique(np.column_stack(packed), axis=0, return_index=True, return_inverse=True)
    return first, number.ravel()
