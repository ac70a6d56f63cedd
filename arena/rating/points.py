"""Columns of the standings as contests count them: wins and draws, points, tie-breaks, winnings."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from arena.rating.arrays import Floats, Ints
from arena.rating.outcome import OutcomeArrays

_DIGITS = 9  # of points; sums of shares that are equal, such as thirds, shall be equal


def head_to_head(arrays: Sequence[OutcomeArrays], size: int) -> tuple[Floats, Floats]:
    """The points of the row's bot against the column's, and the number of their meetings, both (K, K)."""
    # Each pair of seats meets once in a game; a tie is half a point.
    points, met = np.zeros((2, size * size))
    for games in arrays:
        for one in range(games.size):
            for two in range(one + 1, games.size):
                tie = games.places[one] == games.places[two]
                there, back = (
                    games.bots[:, a] * size + games.bots[:, b] for a, b in ((one, two), (two, one))
                )
                counts = np.bincount(there, minlength=size * size), np.bincount(back, minlength=size * size)
                met += counts[0] + counts[1]
                points += (counts[0] + counts[1]) / 2 if tie else counts[0]
    return points.reshape(size, size), met.reshape(size, size)


def contest_columns(
    arrays: Sequence[OutcomeArrays], size: int, scale: Sequence[float]
) -> dict[str, list[Any]]:
    """The columns of `Standing` that a contest counts, each with a value for each bot."""
    won, drawn, lost = _duels(arrays, size)
    meetings = head_to_head(arrays, size)
    for matrix in meetings:
        np.fill_diagonal(matrix, 0)  # a bot that meets itself proves nothing
    results, met = meetings
    points = _prize_points(arrays, size, scale)
    return {
        "wins": won.tolist(),
        "draws": drawn.tolist(),
        "losses": lost.tolist(),
        "drawn": [float(d / n) if n else None for d, n in zip(drawn, won + drawn + lost, strict=True)],
        "points": points.tolist(),
        "direct": _direct_encounters(points, results, met),
        "sonneborn_berger": np.round(results @ points, _DIGITS).tolist(),
        "buchholz": np.round(met @ points, _DIGITS).tolist(),
        "net": _winnings(arrays, size).tolist(),
    }


def _duels(arrays: Sequence[OutcomeArrays], size: int) -> Ints:
    """The numbers of wins, draws and losses of each bot in games of two seats (3, K)."""
    counts = np.zeros((3, size), np.int64)
    for games in arrays:
        if games.table == 2:
            for position, result in enumerate((1, 1) if games.places == (1, 1) else (0, 2)):
                counts[result] += np.bincount(games.bots[:, position], minlength=size)
    return counts


def _by_position(arrays: Sequence[OutcomeArrays], size: int, values: Sequence[Sequence[float]]) -> Floats:
    """The sum for each bot (K,) of what its positions are worth; `values` has it for each array."""
    total = np.zeros(size)
    for games, worth in zip(arrays, values, strict=True):
        for position, value in enumerate(worth):
            total += value * np.bincount(games.bots[:, position], minlength=size)
    return total


def _prize_points(arrays: Sequence[OutcomeArrays], size: int, scale: Sequence[float]) -> Floats:
    """The points of each bot (K,).

    `scale` has the points for places 1, 2, …; later places get none, and bots that share a place get the mean
    of the places that they take up. Without a scale, a game gives the share of opponents beaten, ties half:
    1, ½ or 0 with two seats.
    """
    values = [position_points(games.places, scale) for games in arrays]
    return np.round(_by_position(arrays, size, values), _DIGITS)


def position_points(places: Sequence[int], scale: Sequence[float]) -> list[float]:
    """The points for each position in the order of finish."""
    count = len(places)
    all_places = [*scale, *[0.0] * count] if scale else [1 - place / (count - 1) for place in range(count)]
    return [
        sum(all_places[place - 1 : place - 1 + tied]) / tied
        for place, tied in ((place, places.count(place)) for place in places)
    ]


def _winnings(arrays: Sequence[OutcomeArrays], size: int) -> Floats:
    """The mean winnings of each bot (K,) in a game if each seat stakes 1 and the winners share the stakes."""
    games_of = _by_position(arrays, size, [[1] * games.size for games in arrays])
    values = [
        [games.size / games.places.count(1) * (place == 1) - 1 for place in games.places] for games in arrays
    ]
    return _by_position(arrays, size, values) / np.maximum(games_of, 1)


def _direct_encounters(points: Floats, results: Floats, met: Floats) -> list[float | None]:
    """The mean score of each bot against the bots with the same points; None without such meetings."""
    tied = points[:, None] == points
    scored, played = (results * tied).sum(axis=1), (met * tied).sum(axis=1)
    return [float(s / m) if m else None for s, m in zip(scored, played, strict=True)]
