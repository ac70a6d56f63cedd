"""The scores of seed groups of two bots, and their difference on two scales: logistic and normalized Elo.

`methods.md`, "Is A better than B?", defines both scales. The score of a group is from 0 to 1: with two seats
the mean score of the bot over both seatings; with more seats 1/2 + (own - rival's)/2, of the mean scores in
twin games, in which the bot and its rival take turns with the same seed, seat and opponents.
"""

from collections import Counter
from collections.abc import Iterable
from math import copysign, cosh, inf, log, log10, sinh, sqrt

from arena.rating.distributions import t_quantile

CELLS = (0.0, 0.25, 0.5, 0.75, 1.0)  # the scores of a pair of games
_DIGITS = 9  # Rounding scores makes sums of thirds equal in any order.
NORMALIZED = 800 / log(10) / sqrt(2)  # normalized Elo per standard deviation of a group score


class TwinScore(float):
    """The score of a group of twin games; `level` is the mean score of both bots against their opponents."""

    level: float

    def __new__(cls, score: float, level: float) -> "TwinScore":
        twin = super().__new__(cls, score)
        twin.level = level
        return twin


class GroupScores:
    """The scores of the groups so far with their `counts`, and the level of twin games."""

    def __init__(self, scores: Iterable[float] = ()):
        self.counts = Counter[float]()
        self._total, self._twins = 0.5, 1  # The tie at first keeps the mean level from being 0 or 1.
        for score in scores:
            self.add(score)

    def add(self, score: float) -> None:
        """Count the score of a group.

        Raises:
            ValueError: The score is not from 0 to 1.
        """
        rounded = round(float(score), _DIGITS)
        if not 0 <= rounded <= 1:
            raise ValueError(f"a group score should be from 0 to 1, not {score}")
        self.counts[rounded] += 1
        if isinstance(score, TwinScore):
            self._total += score.level
            self._twins += 1

    @property
    def groups(self) -> int:
        return self.counts.total()

    @property
    def level(self) -> float | None:
        """The mean level of the twin games so far and one tie; None without twin games.

        The tie (1/2) keeps it from being 0 or 1.
        """
        return self._total / self._twins if self._twins > 1 else None

    @property
    def mean(self) -> float:
        return sum(score * count for score, count in sorted(self.counts.items())) / self.groups

    def moment(self, power: int) -> float:
        """The central moment of the scores: the mean of (score - mean) ** power."""
        mean = self.mean
        return sum((score - mean) ** power * n for score, n in sorted(self.counts.items())) / self.groups

    @property
    def classes(self) -> tuple[int, int, int, int, int]:
        """The numbers of groups with the score 0, below 1/2, 1/2, above 1/2, and 1."""
        # With two seats these are the pentanomial counts: pairs with 0, ½, 1, 1½ and 2 points.
        counts = self.counts
        low = sum(count for score, count in counts.items() if 0 < score < 0.5)
        high = sum(count for score, count in counts.items() if 0.5 < score < 1)
        return counts[0.0], low, counts[0.5], high, counts[1.0]


Difference = tuple[float, float, float]
"""A difference in Elo and the ends of its interval; some may be infinite."""


def difference(seen: GroupScores, confidence: float = 0.95) -> Difference:
    """The logistic Elo difference that corresponds to the mean group score, and the ends of its interval.

    Without groups it is 0, from -∞ to ∞.
    """
    # The interval uses Student's t over the groups; an end beyond a score of 0 or 1 is infinite. Groups with
    # equal scores show no variance. The interval then contains every mean under which so many equal scores
    # have a probability of at least (1 - confidence) / 2, if all other scores are 0 or all are 1.
    groups = seen.groups
    if not groups:
        return 0.0, -inf, inf
    mean = seen.mean
    if len(seen.counts) == 1:
        others = 1 - ((1 - confidence) / 2) ** (1 / groups)
        low, high = mean * (1 - others), mean * (1 - others) + others
    else:
        margin = t_quantile(confidence, groups - 1) * sqrt(seen.moment(2) / (groups - 1))
        low, high = mean - margin, mean + margin
    return elo_of(mean, seen.level), elo_of(low, seen.level), elo_of(high, seen.level)


def normalized_difference(seen: GroupScores, confidence: float = 0.95) -> Difference:
    """The difference in normalized Elo, and the ends of its interval.

    If all scores are equal, the ends are infinite, and so is the difference unless the scores are 1/2.
    """
    # The standard error of (m - ½)/σ is from the delta method, with moments up to the fourth. It is at least
    # 1/√N, as for equal bots, because the moments of a few different scores may be deceptive.
    if len(seen.counts) < 2:
        lead = seen.mean - 0.5 if seen.groups else 0.0
        return copysign(inf, lead) if lead else 0.0, -inf, inf
    sigma = sqrt(seen.moment(2))
    t, skewness, kurtosis = (seen.mean - 0.5) / sigma, seen.moment(3) / sigma**3, seen.moment(4) / sigma**4
    variance = max(1.0, 1 - t * skewness + t * t * (kurtosis - 1) / 4)
    margin = t_quantile(confidence, seen.groups - 1) * sqrt(variance / seen.groups)
    return NORMALIZED * t, NORMALIZED * (t - margin), NORMALIZED * (t + margin)


def score_of(elo: float, level: float | None = None) -> float:
    """The expected group score of a bot that is better by this logistic Elo difference.

    `level` is the mean level of twin games, or None if the two bots play each other.
    """
    # In twin games at this level the bots score σ(μ + h) and σ(μ - h) against their opponents, with a mean of
    # `level`; h is half the difference in nats. With z = exp μ this is a quadratic equation.
    if level is None:
        return 1 / (1 + float(10 ** (-elo / 400)))
    h, lead = elo * log(10) / 800, 2 * level - 1
    z = (lead * cosh(h) + sqrt((lead * cosh(h)) ** 2 + 1 - lead**2)) / (1 - lead)
    return (1 + sinh(h) / ((z + 1 / z) / 2 + cosh(h))) / 2


def elo_of(score: float, level: float | None = None) -> float:
    """The logistic Elo difference with this expected group score; `level` is as in `score_of`.

    It is infinite if the score, or at this level the score of one of the bots, would be 0, 1 or beyond.
    """
    if level is not None:
        return elo_of(level + score - 0.5) - elo_of(level - score + 0.5)
    if 0 < score < 1:
        return 400 * log10(score / (1 - score))
    return inf if score >= 1 else -inf
