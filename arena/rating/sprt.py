"""Is one bot better than another? A sequential test on the scores of seed groups.

The test is the generalised SPRT (`methods.md`, "Is A better than B?"). The likelihood of a hypothesis is the
largest of all distributions of scores that agree with it. A hypothesis in logistic Elo gives the mean score,
one in normalized Elo the t value, (mean - 1/2)/(standard deviation).
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import inf, log, sqrt
from operator import mul
from statistics import pvariance
from typing import Literal

from arena.rating.group_scores import CELLS, NORMALIZED, GroupScores, score_of

_FIRST, EVERY = 32, 8  # groups before the first look, and between looks; earlier looks make more errors
UNSEEN = 1e-3  # groups: the count of a score in CELLS that was not seen; other scores are possible once seen
_FARTHEST = {"logistic": 2000, "normalized": 500}  # the largest elo0 and elo1, above or below 0
STEPS, _CLOSE = 100, 1e-11  # the most rounds of the search for a t value, and the error at which it ends

EloModel = Literal["logistic", "normalized"]


@dataclass(frozen=True)
class Verdict:
    """The verdict of a test, with the number of groups and their log-likelihood ratio.

    `better` is True if H1 was accepted, False if H0 was accepted, None if the test is undecided.
    """

    better: bool | None
    groups: int
    llr: float


@dataclass(frozen=True)
class Sprt:
    """A sequential test of H1: the difference is `elo1`, against H0: it is `elo0`.

    `alpha` is the probability of accepting H1 if H0 is true, `beta` the probability of accepting H0 if H1 is
    true. `elo_model` is the scale of `elo0` and `elo1`.

    Raises:
        ValueError: A number is out of its range.
    """

    elo0: float
    elo1: float
    alpha: float = 0.05
    beta: float = 0.05
    elo_model: EloModel = "logistic"

    def __post_init__(self) -> None:
        farthest = _FARTHEST[self.elo_model]
        if not -farthest <= self.elo0 < self.elo1 <= farthest:
            raise ValueError(
                f"elo0 should be below elo1, both at most {farthest} from 0, not {self.elo0} and {self.elo1}"
            )
        if not (min(self.alpha, self.beta) > 0 and self.alpha + self.beta < 1):
            raise ValueError(
                f"alpha and beta should be above 0, together below 1, not {self.alpha} and {self.beta}"
            )

    @property
    def bounds(self) -> tuple[float, float]:
        """The bounds of the ratio: H0 is accepted at or below the first, H1 at or above the second (Wald)."""
        return log(self.beta / (1 - self.alpha)), log((1 - self.beta) / self.alpha)

    def llr(self, seen: GroupScores) -> float:
        """The log-likelihood ratio of H1 to H0 after these groups, in any order; 0 without any."""
        # It is N Σ p̂ [ln p1 - ln p0], where p1 and p0 are the most likely shares under H1 and H0.
        if not seen.counts:
            return 0.0
        # Sorting makes sums the same bytes in any order of the groups. Unseen scores get a small count:
        # without it, a hypothesis beyond all seen scores would have a likelihood of 0.
        weights = dict(sorted({**dict.fromkeys(CELLS, UNSEEN), **seen.counts}.items()))
        if self.elo_model == "logistic":
            under0, under1 = (
                _with_mean(weights, score_of(elo, seen.level)) for elo in (self.elo0, self.elo1)
            )
        else:
            under0, under1 = (_with_t_value(weights, elo / NORMALIZED) for elo in (self.elo0, self.elo1))
        return sum(w * log(f0 / f1) for w, f0, f1 in zip(weights.values(), under0, under1, strict=True))

    def variance(self, seen: GroupScores) -> float:
        """About how much each group adds to the variance of the ratio: (s1 - s0)²/σ² or (t1 - t0)².

        s1 and s0 are the mean scores, t1 and t0 the t values under H1 and H0, σ² is the variance of scores.
        """
        # This is the first order near the hypotheses (cantate.be/Fishtest/GSPRT_approximation.pdf). A group
        # with any of the scores in CELLS is added to the seen groups, because σ² must not be 0.
        if self.elo_model == "normalized":
            return ((self.elo1 - self.elo0) / NORMALIZED) ** 2
        squares = seen.moment(2) * seen.groups if seen.groups else 0.0
        distance = score_of(self.elo1, seen.level) - score_of(self.elo0, seen.level)
        return distance**2 * (seen.groups + 1) / (squares + pvariance(CELLS))

    def decide(self, scores: Iterable[float]) -> Verdict:
        """The verdict of the first look that decides, or after all scores. Later scores are not read."""
        trial = Trial(self)
        for score in scores:
            trial.add(score)
            if trial.is_decided:
                break
        return trial.verdict


class Trial:
    """A test under way, to which groups are added one by one.

    Add groups in the order of the schedule, without gaps. The order in which they finish would bias the test,
    because the time of a group depends on its result.
    """

    def __init__(self, test: Sprt):
        self.test, self.seen = test, GroupScores()
        self._verdict: Verdict | None = None

    def add(self, score: float) -> None:
        self.seen.add(score)
        if self._verdict is None and is_look(self.seen.groups):
            llr, (lower, upper) = self.test.llr(self.seen), self.test.bounds
            if not lower < llr < upper:
                self._verdict = Verdict(llr >= upper, self.seen.groups, llr)

    @property
    def is_decided(self) -> bool:
        return self._verdict is not None

    @property
    def verdict(self) -> Verdict:
        return self._verdict or Verdict(None, self.seen.groups, self.test.llr(self.seen))


def is_look(groups: int) -> bool:
    """Whether the test looks at its ratio after this number of groups; only a look can decide."""
    return groups >= _FIRST and (groups - _FIRST) % EVERY == 0


def next_look(groups: int) -> int:
    """The number of groups at the next look; it is always larger than `groups`."""
    return max(_FIRST, groups + EVERY - (groups - _FIRST) % EVERY)


def _with_mean(weights: Mapping[float, float], mean: float) -> list[float]:
    """p̂/p for each score: its share of the counts `weights`, divided by its share under the hypothesis."""
    # Under the hypothesis, p are the most likely shares with this mean, from 0 to 1.
    return _factors(list(weights.values()), [score - mean for score in weights])


def _with_t_value(weights: Mapping[float, float], t: float) -> list[float]:
    """p̂/p for each score, as in `_with_mean`, for the hypothesis (mean - ½)/(standard deviation) = t."""
    # With b = score - ½ and τ = t/√(1 + t²) the condition is E b = τ r, where r² = E b². Its Lagrange
    # equations say that p are the most likely shares with E d = 0, where d = b - τ (r² + b²)/2r. For another
    # r such shares have E b² ≠ r². E b² is at most r² at r = ½. It is above r² if r is so small that only one
    # d still has the sign of τ. So there is a solution between. If the scores are far from t, there may be
    # several solutions, with small and with large r. One search starts from the r of the scores, another from
    # ½, and the better result is taken.
    if not t:  # The mean is ½, whatever the deviation.
        return _with_mean(weights, 0.5)
    counts, leads = list(weights.values()), [score - 0.5 for score in weights]
    total, cosine = sum(counts), 1 / sqrt(1 + t * t)
    tau = t * cosine
    least = 0.5
    for b in sorted((abs(b) for b in leads if b * t > 0), reverse=True):
        if b * (1 + cosine) > least * abs(tau):  # This d has the sign of τ from a smaller r up to `least`.
            least = min(least, b * abs(tau) / (1 + cosine))

    def root_mean_square(shares: Iterable[float]) -> float:
        return sqrt(sum(share * b * b for share, b in zip(shares, leads, strict=True)) / total)

    def search(r: float) -> list[float]:
        """The factors p̂/p of a solution near r: secant method, or bisection if a step leaves the bracket."""
        # `gap` is the distance from r to the r that follows from it. It is 0 at a solution.
        low, high, step, gap = least, 0.5, 0.0, 0.0
        for _ in range(STEPS):
            found = _factors(counts, [b - tau * (r * r + b * b) / (2 * r) for b in leads])
            before, gap = gap, root_mean_square(w / f for w, f in zip(counts, found, strict=True)) - r
            if min(abs(gap), high - low) < _CLOSE:
                break
            low, high = (r, high) if gap > 0 else (low, r)
            step = step * gap / (before - gap) if (before - gap) * step > 0 else gap
            if not low < r + step < high:
                step = (low + high) / 2 - r
            r += step
        return found

    # The largest likelihood is the smallest Σ w ln (p̂/p).
    starts = 0.5, max(root_mean_square(counts), 1.001 * least)
    return min(map(search, starts), key=lambda found: sum(map(mul, counts, map(log, found))))


def _factors(counts: Sequence[float], deviations: Sequence[float]) -> list[float]:
    """The factor f = 1 + x d of each deviation d, with x such that f > 0 and Σ w d/f = 0 for the counts w."""
    # The shares w/f are then the most likely shares with a mean deviation of 0. There are deviations on both
    # sides of 0, so the sum falls from ∞ to -∞ as x goes from pole to pole. Newton's method finds the zero.
    # If a step would leave the bracket, bisection replaces it.
    pairs = list(zip(counts, deviations, strict=True))
    low, high = -1 / max(deviations), -1 / min(deviations)
    # The search ends when a step changes nothing, or is exactly at an end of the bracket.
    x, ahead = inf, 0.0
    while ahead not in (x, low, high):
        x = ahead
        parts = [(weight, d / (1 + x * d)) for weight, d in pairs]
        fall, value = sum(w * part * part for w, part in parts), sum(w * part for w, part in parts)
        low, high = (x, high) if value > 0 else (low, x)
        ahead = x + value / fall
        if not (low < ahead < high or ahead == x):
            ahead = (low + high) / 2
    return [1 + x * d for d in deviations]
