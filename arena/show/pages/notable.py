"""The games of each bot with the most unexpected results."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from arena.rating.arrays import Floats, Ints
from arena.rating.opponents import surprises
from arena.tournament.runs.game_list import PlayedGame

_MOST = 3  # best and worst games of each bot


class Notable(NamedTuple):
    """A game of a bot, by its index, and its seat; `score` and `expected` are shares of opponents beaten."""

    at: int
    seat: int
    score: float
    expected: float


class NotableGames(NamedTuple):
    """The games of a bot whose score is furthest above and below the expected one, furthest first."""

    best: list[Notable]
    worst: list[Notable]


def notable_games(games: Sequence[PlayedGame], elo: Mapping[str, float]) -> dict[str, NotableGames]:
    """The notable games of each bot. Games with a bot that has no Elo are left out."""
    numbers = {bot: number for number, bot in enumerate(elo)}
    strengths = np.array([*elo.values()])
    by_size: dict[int, list[int]] = {}
    for at, played in enumerate(games):
        if all(name in numbers for name in played.names):
            by_size.setdefault(len(played.names), []).append(at)
    rows: list[tuple[Ints, Floats, Floats]] = []  # (bot, game, seat), score, expected
    for size, found in by_size.items():
        bots = np.array([[numbers[name] for name in games[at].names] for at in found])
        places = np.array([games[at].game.places for at in found])
        score, expected = surprises(strengths[bots], places)
        seat = np.broadcast_to(np.arange(size), bots.shape)
        game = np.broadcast_to(np.array(found)[:, None], bots.shape)
        rows.append((np.stack([bots, game, seat], 2).reshape(-1, 3), score.ravel(), expected.ravel()))
    if not rows:
        return {}
    keys, scores, wanted = (np.concatenate(column) for column in zip(*rows, strict=True))
    surprise = np.round(
        scores - wanted, 9
    )  # rounding errors differ between machines, and must not decide ties
    order = np.lexsort((keys[:, 2], keys[:, 1], surprise, keys[:, 0]))
    starts = np.searchsorted(keys[order, 0], np.arange(len(numbers) + 1))

    def taken(rows: Ints, sign: int) -> list[Notable]:
        return [
            Notable(int(keys[row, 1]), int(keys[row, 2]), float(scores[row]), float(wanted[row]))
            for row in rows
            if sign * surprise[row] > 0
        ]

    return {
        bot: NotableGames(
            taken(order[starts[number] : starts[number + 1]][::-1][:_MOST], 1),
            taken(order[starts[number] : starts[number + 1]][:_MOST], -1),
        )
        for bot, number in numbers.items()
    }
