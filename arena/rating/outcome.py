"""The outcome of a game, and arrays of many outcomes, sorted to be independent of the input's order."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from math import prod

import numpy as np

from arena.rating.arrays import Ints


@dataclass(frozen=True, slots=True)
class Outcome:
    """The outcome of a game: the bot and its place by seat (1 is first, ties share: 1, 2, 2, 4).

    `group` names the seed group, the games that share a seed. `forfeits` has the kind of the fault for each
    index in `bots` that forfeited; the places already include the penalty. `seated` is None unless bots were
    left out. Then it has the number of seats of the table, and the seats of the bots that remain.
    """

    bots: tuple[str, ...]
    places: tuple[int, ...]
    group: str
    forfeits: Mapping[int, str] = field(default_factory=dict)
    seated: tuple[int, tuple[int, ...]] | None = None

    @property
    def table(self) -> int:
        """The number of seats of the table, including the seats of bots that are left out."""
        return self.seated[0] if self.seated else len(self.bots)

    @property
    def seats(self) -> tuple[int, ...]:
        return self.seated[1] if self.seated else tuple(range(len(self.bots)))

    def without(self, bots: Collection[str]) -> "Outcome | None":
        """The game as if these bots had not played; None if fewer than two bots remain."""
        seats = [seat for seat, bot in enumerate(self.bots) if bot not in bots]
        if len(seats) == len(self.bots) or len(seats) < 2:
            return self if len(seats) > 1 else None
        left = [self.places[seat] for seat in seats]
        return Outcome(
            tuple(self.bots[seat] for seat in seats),
            tuple(1 + sum(other < place for other in left) for place in left),
            self.group,
            {number: self.forfeits[seat] for number, seat in enumerate(seats) if seat in self.forfeits},
            (self.table, tuple(self.seats[seat] for seat in seats)),
        )


@dataclass(frozen=True, eq=False)
class OutcomeArrays:
    """The m games at tables of one size that ended with the same `places`, which are ascending: 1, 2, 2, 4.

    The games are sorted by group, then bots, then seats.

    Attributes:
        table: The number of seats of the table; it is more than n if bots are left out.
        places: The places (n,).
        bots: Column i (m, n) has the number of the bot that finished at `places[i]`.
        seats: Column i (m, n) has its seat.
        group: The number of the seed group (m,).
    """

    table: int
    places: tuple[int, ...]
    bots: Ints
    seats: Ints
    group: Ints

    @property
    def size(self) -> int:
        return len(self.places)


def group_by_places(
    bots: Ints, places: Ints, group: Ints, table: int | None = None, seats: Ints | None = None
) -> list[OutcomeArrays]:
    """The arrays of m games of n seats, one for each tuple of places that occurs.

    Args:
        bots: The bots by seat (m, n).
        places: The places by seat (m, n).
        group: The seed group (m,).
        table: The number of all seats of the table; None if no bot is left out.
        seats: The seats (m, n) of the bots that remain; None if no bot is left out.
    """
    count, size = bots.shape
    table = table or size
    span, end, most = (int(numbers.max(initial=0)) + 1 for numbers in (bots, places, group))
    finish = np.sort((places * span + bots) * size + np.arange(size), axis=1)
    places, bots, column = finish // (span * size), finish // size % span, finish % size
    seats = column if seats is None else np.take_along_axis(seats, column, 1)
    columns, spans = (
        [*places.T, group, *bots.T, *seats.T],
        [*[end] * size, most, *[span] * size, *[table] * size],
    )
    order = np.lexsort(_pack(columns, spans)[::-1])
    places, bots, seats, group = places[order], bots[order], seats[order], group[order]
    edges = np.flatnonzero((places[1:] != places[:-1]).any(axis=1)) + 1
    starts = [0, *edges.tolist()] if count else []
    return [
        OutcomeArrays(
            table, tuple(places[first].tolist()), bots[first:last], seats[first:last], group[first:last]
        )
        for first, last in zip(starts, [*starts[1:], count], strict=True)
    ]


def own_groups(arrays: Sequence[OutcomeArrays], size: int) -> Ints:
    """The number of seed groups (K,) that each of the bots 0 to `size` - 1 played; K is `size`."""
    if not arrays:
        return np.zeros(size, np.int64)
    cells = np.concatenate([(games.group[:, None] * size + games.bots).ravel() for games in arrays])
    return np.bincount(np.unique(cells) % size, minlength=size)


def _pack(columns: Sequence[Ints], spans: Sequence[int]) -> list[Ints]:
    """Combine neighbouring columns into numbers of at most 63 bits, which leaves fewer columns to sort.

    The numbers of a column are from 0 to its span - 1. Lines sort in the same order as before.
    """
    packed: list[Ints] = []
    room = 0
    for column, span in zip(columns, spans, strict=True):
        if not packed or room * span >= 2**63:
            packed.append(column)
            room = span
        else:
            packed[-1] = packed[-1] * span + column
            room *= span
    return packed


def unique_lines(columns: Sequence[Ints], spans: Sequence[int]) -> tuple[Ints, Ints]:
    """The distinct lines of these columns, sorted, and for each line the number of its distinct line.

    A line has the entries of all columns at one index. A distinct line is given as the index of one
    such line. `spans` are as in `_pack`.
    """
    packed = _pack(columns, spans)
    if prod(spans) <= max(4096, 4 * len(columns[0])):  # This is faster than sorting, unless mostly empty.
        index = np.full(prod(spans), -1)
        index[packed[0]] = np.arange(len(packed[0]))
        return index[index >= 0], (np.cumsum(index >= 0) - 1)[packed[0]]
    lines, axis = (packed[0], None) if len(packed) == 1 else (np.column_stack(packed), 0)
    _, first, number = np.unique(lines, axis=axis, return_index=True, return_inverse=True)
    return first, number.ravel()
