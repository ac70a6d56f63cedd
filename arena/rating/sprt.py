"""Is one bot better than another? A sequential test on the scores of seed groups, and the Elo difference.

The unit is the seed group, whose games are not independent. Its score is from 0 to 1: with two seats the mean
score of the bot over both seatings; with more seats 1/2 + (own - rival's)/2, the mean over twin games in
which the bot and its rival take turns with the same seed, seat and opponents. The Elo is that of the
standings: what a difference does to the score of twin games depends on the strength of the opponents, so the
mean score of both bots against them is taken into account (`TwinScore`).

The test is the generalised SPRT. The likelihood of a mean score is the maximum over all distributions on the
observed scores with that mean (Van den Bergh, "The multinomial GSPRT for the expectation value",
cantate.be/Fishtest/support_MLE_multinomial.pdf). For pairs of games it is the pentanomial test of Fishtest,
with its small count for outcomes that were not seen.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import cosh, inf, log, log10, sinh, sqrt
from statistics import fmean, stdev

from arena.rating.distributions import t_quantile

FIRST, EVERY = 32, 8  # groups before the first look, and between looks; earlier looks make more errors
CELLS = (0.0, 0.25, 0.5, 0.75, 1.0)  # scores that are always possible; other scores are possible once seen
UNSEEN = 1e-3  # groups: the count of a possible score that was not seen
DIGITS = 9  # of a score: rounding makes sums of thirds equal in any order
FARTHEST = 2000  # Elo


class TwinScore(float):
    """The score of a group of twin games; `level` is the mean score of both bots against their opponents."""

    level: float

    def __new__(cls, score: float, level: float) -> "TwinScore":
        made = super().__new__(cls, score)
        made.level = level
        return made


class Level:
    """The mean level of the twin games so far; None without any."""

    def __init__(self) -> None:
        self._total, self._groups = 0.5, 1  # a tie at first, so that the mean is never 0 or 1

    def add(self, score: float) -> None:
        if isinstance(score, TwinScore):
            self._total += score.level
            self._groups += 1

    @property
    def mean(self) -> float | None:
        return self._total / self._groups if self._groups > 1 else None


@dataclass(frozen=True)
class Verdict:
    """The verdict of the test; `better` is None while it is undecided.

    `groups` is the number of groups up to the look that decided, or of all groups so far; `llr` is their
    log-likelihood ratio.
    """

    better: bool | None
    groups: int
    llr: float


@dataclass(frozen=True)
class Sprt:
    """A test of H1, the difference is `elo1`, against H0, it is `elo0`. ValueError: the values make no test.

    `alpha` is the probability of accepting H1 if H0 is true, `beta` that of accepting H0 if H1 is true.
    """

    elo0: float
    elo1: float
    alpha: float = 0.05
    beta: float = 0.05

    def __post_init__(self) -> None:
        if not -FARTHEST <= self.elo0 < self.elo1 <= FARTHEST:
            raise ValueError(
                f"elo0 should be below elo1, both at most {FARTHEST} from 0, not {self.elo0} and {self.elo1}"
            )
        if not (min(self.alpha, self.beta) > 0 and self.alpha + self.beta < 1):
            raise ValueError(
                f"alpha and beta should be above 0, together below 1, not {self.alpha} and {self.beta}"
            )

    @property
    def bounds(self) -> tuple[float, float]:
        """H0 is accepted at or below the first, H1 at or above the second (Wald)."""
        return log(self.beta / (1 - self.alpha)), log((1 - self.beta) / self.alpha)

    def llr(self, scores: Iterable[float]) -> float:
        """The log-likelihood ratio of H1 to H0 after these groups, in any order; 0 without any."""
        scores = list(scores)
        return self.ratio(Counter(map(cell, scores)), mean_level(scores))

    def decide(self, scores: Iterable[float]) -> Verdict:
        """The verdict at the first look that decides; more groups do not change it.

        Groups must come in the order of the schedule, without gaps. The order in which they finish would bias
        the test, as the time that a group takes depends on its result.
        """
        counts, level = Counter[float](), Level()
        lower, upper = self.bounds
        for score in scores:
            counts[cell(score)] += 1
            level.add(score)
            if is_look(counts.total()):
                llr = self.ratio(counts, level.mean)
                if not lower < llr < upper:
                    return Verdict(llr >= upper, counts.total(), llr)
        return Verdict(None, counts.total(), self.ratio(counts, level.mean))

    def ratio(self, counts: Mapping[float, int], level: float | None = None) -> float:
        """The log-likelihood ratio, from the count of each `cell` and the mean level of twin games.

        It is N Σ p̂ [ln p(s1) - ln p(s0)] with p(s) = p̂ / (1 + x (a - s)).
        """
        if not counts:
            return 0.0
        weights = {**dict.fromkeys(CELLS, UNSEEN), **counts}
        s0, s1 = score_of(self.elo0, level), score_of(self.elo1, level)
        x0, x1 = tilt(weights, s0), tilt(weights, s1)
        return sum(
            weight * (log(1 + x0 * (score - s0)) - log(1 + x1 * (score - s1)))
            for score, weight in sorted(weights.items())
        )


def is_look(groups: int) -> bool:
    """Whether the test looks at its ratio after so many groups."""
    return groups >= FIRST and (groups - FIRST) % EVERY == 0


def cell(score: float) -> float:
    """A group score, rounded, so that equal scores compare equal."""
    rounded = round(float(score), DIGITS)
    if not 0 <= rounded <= 1:
        raise ValueError(f"a group score should be from 0 to 1, not {score}")
    return rounded


def tilt(weights: Mapping[float, float], mean: float) -> float:
    """The x with Σ w d / (1 + x d) = 0 and all 1 + x d > 0, where d = score - mean.

    There are scores on both sides of the mean (0 and 1 at least), so the sum falls from ∞ to -∞ between its
    poles. Newton's method finds the zero; a step that would leave the bracket is replaced by bisection.
    """
    pairs = [(weight, score - mean) for score, weight in weights.items()]
    low, high = -1 / max(d for _, d in pairs), -1 / min(d for _, d in pairs)
    x, ahead = inf, 0.0
    while ahead not in (x, low, high):
        x = ahead
        parts = [(weight, d / (1 + x * d)) for weight, d in pairs]
        fall, value = sum(w * part * part for w, part in parts), sum(w * part for w, part in parts)
        low, high = (x, high) if value > 0 else (low, x)
        ahead = x + value / fall
        if not (low < ahead < high or ahead == x):
            ahead = (low + high) / 2
    return x


def difference(scores: Sequence[float], confidence: float = 0.95) -> tuple[float, float, float]:
    """The Elo difference that corresponds to the mean group score, and the ends of its interval.

    The interval is by Student's t over the groups; an end beyond a score of 0 or 1 is infinite. Groups with
    all the same score show no variance. The interval then has every mean under which so many equal scores
    have a probability of at least (1 - confidence) / 2, if all other scores are 0 or all are 1.
    """
    cells = [cell(score) for score in scores]
    if not cells:
        return 0.0, -inf, inf
    mean = fmean(cells)
    if len(set(cells)) == 1:
        others = 1 - ((1 - confidence) / 2) ** (1 / len(cells))
        low, high = mean * (1 - others), mean * (1 - others) + others
    else:
        margin = t_quantile(confidence, len(cells) - 1) * stdev(cells) / sqrt(len(cells))
        low, high = mean - margin, mean + margin
    level = mean_level(scores)
    return elo_of(mean, level), elo_of(low, level), elo_of(high, level)


def mean_level(scores: Iterable[float]) -> float | None:
    """The mean level of these groups; None if they are not twin games."""
    level = Level()
    for score in scores:
        level.add(score)
    return level.mean


def score_of(elo: float, level: float | None = None) -> float:
    """The expected group score of a bot that is better by this Elo difference.

    In twin games at this level the bots score σ(μ + h) and σ(μ - h) against their opponents, with a mean of
    `level`; h is half the difference in nats. With z = exp μ this is a quadratic equation.
    """
    if level is None:
        return 1 / (1 + float(10 ** (-elo / 400)))
    h, lead = elo * log(10) / 800, 2 * level - 1
    z = (lead * cosh(h) + sqrt((lead * cosh(h)) ** 2 + 1 - lead**2)) / (1 - lead)
    return (1 + sinh(h) / ((z + 1 / z) / 2 + cosh(h))) / 2


def elo_of(score: float, level: float | None = None) -> float:
    """The Elo difference with this expected group score; infinite at or beyond 0 and 1."""
    if level is not None:
        return elo_of(level + score - 0.5) - elo_of(level - score + 0.5)
    if 0 < score < 1:
        return 400 * log10(score / (1 - score))
    return inf if score >= 1 else -inf
