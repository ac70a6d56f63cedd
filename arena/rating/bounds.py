"""The bounds of the Elo of bots that beat, or lost to, every opponent in every game."""

from collections.abc import Callable, Sequence
from math import log

import numpy as np

from arena.rating.arrays import Floats
from arena.rating.estimate import ELO, Ratings
from arena.rating.outcome_arrays import OutcomeArrays
from arena.rating.settings import RatingSettings

_FAR = 1e5  # Elo; no solution is farther from all opponents
_HALVINGS = 60  # bisection steps, as many as the precision of a float allows


def bounds(
    arrays: Sequence[OutcomeArrays], ratings: Ratings, settings: RatingSettings, scores: Sequence[float]
) -> list[float | None]:
    """For each bot, the bound of its Elo if its score in `scores` is perfect (0 or 1); else None."""
    # With a confidence of 95 %, the bound is the Elo at which the score has a probability of 2.5 %. Games of
    # a seed group may repeat each other, and so may results at one table. So a group counts as one meeting
    # with the opponent that is hardest to beat: winning all is no more likely than winning this one. The
    # bound solves Π σ(±(x - R_j)) = .025 over these opponents, whose Elo R_j is kept.
    return [
        _bound(arrays, ratings, settings, bot, 1 if score == 1 else -1) if score in (0, 1) else None
        for bot, score in enumerate(scores)
    ]


def _bound(
    arrays: Sequence[OutcomeArrays], ratings: Ratings, settings: RatingSettings, bot: int, sign: int
) -> float:
    hardest: dict[int, float] = {}
    for games in arrays:
        here = (games.bots == bot).any(axis=1)
        met = np.where(games.bots[here] == bot, -np.inf, sign * ratings.elo[games.bots[here]])
        for group, elo in zip(games.group[here].tolist(), met.max(axis=1).tolist(), strict=True):
            hardest[group] = max(elo, hardest.get(group, elo))
    return bound_of_perfect(np.sort(list(hardest.values())), sign, settings.confidence)


def bound_of_perfect(hardest: Floats, sign: int, confidence: float) -> float:
    """The bound of the Elo of a bot that won (`sign` 1) or lost (-1) every game of its G seed groups.

    `hardest` (G,) has `sign` times the Elo of the strongest opponent in each group (for `sign` -1 of the
    weakest). It is sorted, because all machines must add up in one order.
    """
    target = log((1 - confidence) / 2)
    return sign * solve(lambda x: -float(np.logaddexp(0, (hardest - x) / ELO).sum()), target, hardest)


def solve(increasing: Callable[[float], float], target: float, elos: Floats) -> float:
    """The Elo at which an increasing function of Elo is the target, given the `elos` of the opponents."""
    low, high = float(elos.min()) - _FAR, float(elos.max()) + _FAR
    for _ in range(_HALVINGS):
        x = (low + high) / 2
        low, high = (x, high) if increasing(x) < target else (low, x)
    return low
