"""The columns of the standings that contests count: wins, draws and losses, points, tie-breaks."""

from collections.abc import Sequence
from itertools import permutations
from typing import Any

import numpy as np

from arena.rating.arrays import Floats, Ints
from arena.rating.outcome_arrays import OutcomeArrays

_DIGITS = 9  # Points are rounded because equal sums of shares, such as thirds, must compare as equal.


def head_to_head(arrays: Sequence[OutcomeArrays], size: int) -> tuple[Floats, Floats]:
    """The points of the row's bot against the column's, and the number of their meetings, both (K, K)."""
    # Each pair of seats meets once in a game; a tie is half a point. Meetings of a bot with itself are left
    # out: they prove nothing.
    points, met = np.zeros((2, size * size))
    for games in arrays:
        for one, two in permutations(range(games.size), 2):
            counts = np.bincount(games.bots[:, one] * size + games.bots[:, two], minlength=size * size)
            met += counts
            points += counts * (1 + np.sign(games.places[two] - games.places[one])) / 2
    points[:: size + 1] = met[:: size + 1] = 0
    return points.reshape(size, size), met.reshape(size, size)


def contest_columns(arrays: Sequence[OutcomeArrays], points: Floats) -> dict[str, list[Any]]:
    """The columns of `Standing` that a contest counts, given the points of all bots (K,)."""
    size, points = len(points), np.round(points, _DIGITS)
    won, drawn, lost = (matrix.sum(axis=1) for matrix in duel_results(arrays, size))
    results, met = head_to_head(arrays, size)

    duels = won + drawn + lost

    def of_duels(counts: Ints) -> list[int | None]:
        return [
            count if all_of_them else None for count, all_of_them in zip(counts.tolist(), duels, strict=True)
        ]

    return {
        "wins": of_duels(won),
        "draws": of_duels(drawn),
        "losses": of_duels(lost),
        "drawn": [float(d / n) if n else None for d, n in zip(drawn, duels, strict=True)],
        "points": points.tolist(),
        "direct": _direct_encounters(points, results, met),
        "sonneborn_berger": np.round(results @ points, _DIGITS).tolist(),
        "buchholz": np.round(met @ points, _DIGITS).tolist(),
    }


def duel_results(arrays: Sequence[OutcomeArrays], size: int) -> tuple[Ints, Ints, Ints]:
    """The wins, draws and losses of the row's bot against the column's in games of two seats, each (K, K)."""
    won, drawn = np.zeros((2, size, size), np.int64)
    for games in arrays:
        if games.table == 2:
            np.add.at(drawn if games.places == (1, 1) else won, (games.bots[:, 0], games.bots[:, 1]), 1)
    return won, drawn + drawn.T, won.T


def position_points(places: Sequence[int], scale: Sequence[float]) -> list[float]:
    """The points for each position in the order of finish; tied bots get the mean of the places they share.

    `scale` has the points for places 1, 2, … If it is empty, the points are the share of opponents beaten.
    """
    count = len(places)
    all_places = [*scale, *[0.0] * count] if scale else [1 - place / (count - 1) for place in range(count)]
    return [
        sum(all_places[place - 1 : place - 1 + tied]) / tied
        for place, tied in ((place, places.count(place)) for place in places)
    ]


def _direct_encounters(points: Floats, results: Floats, met: Floats) -> list[float | None]:
    """The mean score of each bot against the bots with the same points; None without such meetings."""
    tied = points[:, None] == points
    scored, played = (results * tied).sum(axis=1), (met * tied).sum(axis=1)
    return [float(s / m) if m else None for s, m in zip(scored, played, strict=True)]
