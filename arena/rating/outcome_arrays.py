"""Arrays of many outcomes, from which ratings are computed. They do not depend on the order of the games."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import prod

import numpy as np

from arena.rating.arrays import Bools, Floats, Ints
from arena.rating.outcomes import Outcome, Outcomes


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


def scores_by_position(games: OutcomeArrays) -> Floats:
    """The share of opponents beaten (n,), with ties as half, at each position in the order of finish."""
    places = np.array(games.places)
    beaten: Floats = np.sign(places - places[:, None]).sum(axis=1) / (2 * (games.size - 1))
    return beaten + 1 / 2


def wins_by_position(games: OutcomeArrays) -> Bools:
    """Whether each position in the order of finish won (n,): it is first, and not in a draw of two."""
    won: Bools = (np.array(games.places) == 1) & (games.places != (1, 1))
    return won


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
