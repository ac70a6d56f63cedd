"""Performance ratings: the Elo of a bot against opponents with a fixed Elo, with its interval."""

from collections.abc import Iterable
from dataclasses import dataclass
from math import inf, isfinite, sqrt

import numpy as np

from arena.rating.arrays import Floats
from arena.rating.bounds import bound_of_perfect, solve
from arena.rating.distributions import t_quantile
from arena.rating.estimate import ELO
from arena.rating.logit import logistic

Meeting = tuple[str, float, float]
"""The bot and one opponent in a game of a seed group: the group, the opponent's Elo, and the bot's points.

The points are 1 for a win, ½ for a tie, 0 for a loss.
"""


@dataclass(frozen=True)
class Performance:
    """The Elo and the ends of its interval. The Elo is infinite if all points were won, or none."""

    elo: float
    low: float
    high: float
    score: float  # the share of the points
    meetings: int
    groups: int

    @classmethod
    def of(cls, met: Iterable[Meeting], confidence: float = 0.95) -> "Performance | None":
        """The performance in these meetings; None if there are none.

        Its Elo has the largest likelihood if the Elo of the opponents is known (methods.md, "The strength").
        The interval is from the sandwich estimator, clustered by seed group; errors in the Elo of the
        opponents add nothing to it. From a single group it is infinite, unless the Elo is.
        """
        found = sorted(met)
        if not found:
            return None
        names, elos, points = zip(*found, strict=True)
        _, group = np.unique(names, return_inverse=True)
        elo, won = np.array(elos), np.array(points, float)
        groups, score = int(group[-1]) + 1, float(won.mean())
        rating = performance_rating(elo, np.ones(len(elo)), float(won.sum()))
        if rating is None:
            sign = 1 if score else -1
            hardest = np.full(groups, -inf)
            np.maximum.at(hardest, group, sign * elo)
            bound = bound_of_perfect(np.sort(hardest), sign, confidence)
            low, high = sorted((bound, sign * inf))
            return cls(sign * inf, low, high, score, len(elo), groups)
        expected = logistic((rating - elo) / ELO)
        slopes = np.bincount(group, won - expected)
        factor = groups / (groups - 1) if groups > 1 else inf
        se = ELO * sqrt(factor * float(slopes @ slopes)) / float(expected @ (1 - expected))
        error = t_quantile(confidence, groups - 1) * se if groups > 1 else inf
        return cls(rating, rating - error, rating + error, score, len(elo), groups)

    def __str__(self) -> str:
        """The Elo with its error, as `1523 ± 21`; if it is infinite, its bound: `over 1800`, `below 900`."""
        if isfinite(self.elo):
            return f"{self.elo:.0f} ± {self.high - self.elo:.0f}"
        return f"over {self.low:.0f}" if self.elo > 0 else f"below {self.high:.0f}"


def performance_rating(elo: Floats, meetings: Floats, points: float) -> float | None:
    """The Elo that is expected to score these points; None if all or none of the points were won.

    `elo` (n,) is the Elo of each opponent, `meetings` (n,) how often the bot met it.
    """
    if not 0 < points < meetings.sum():
        return None
    return solve(lambda x: float(meetings @ logistic((x - elo) / ELO)), points, elo)
