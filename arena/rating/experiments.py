"""Decides which games to play next, and when they are enough.

- `Sprt` asks whether one bot is better than another; a `Trial` of it gets the scores of seed groups one by
  one, of twin games as `TwinScore`.
- `Estimates` choose the line-ups from which the standings gain most.

The test is the generalised SPRT (`methods.md`, "Is A better than B?"). The likelihood of a hypothesis is the
largest of all distributions of scores that agree with it. A hypothesis in logistic Elo gives the mean score,
one in normalized Elo the t value, (mean - 1/2)/(standard deviation).
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from math import inf, isfinite, log
from statistics import pvariance
from types import MappingProxyType

from arena.rating.adaptive import best_lineups, contrasts, prospects
from arena.rating.arrays import Floats
from arena.rating.forecast import EVERY, groups_left
from arena.rating.group_scores import (
    CELLS,
    NORMALIZED,
    Difference,
    GroupScores,
    TwinScore,
    difference,
    normalized_difference,
    score_of,
)
from arena.rating.likelihoods import with_mean, with_t_value
from arena.rating.outcome_arrays import to_arrays
from arena.rating.outcomes import Outcome
from arena.rating.settings import EloModel
from arena.rating.stopping import drift_at

__all__ = ["Estimates", "Sprt", "Trial", "TwinScore"]

_FIRST = 32  # groups before the first look; earlier looks make more errors
UNSEEN = 1e-3  # groups: the count of a score in CELLS that was not seen; other scores are possible once seen
_FARTHEST = {"logistic": 2000, "normalized": 500}  # the largest elo0 and elo1, above or below 0


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
            under0, under1 = (with_mean(weights, score_of(elo, seen.level)) for elo in (self.elo0, self.elo1))
        else:
            under0, under1 = (with_t_value(weights, elo / NORMALIZED) for elo in (self.elo0, self.elo1))
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

    @staticmethod
    def is_look(groups: int) -> bool:
        """Whether the test looks at its ratio after this number of groups; only a look can decide."""
        return groups >= _FIRST and (groups - _FIRST) % EVERY == 0


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
        if self._verdict is None and self.test.is_look(self.seen.groups):
            llr, (lower, upper) = self.test.llr(self.seen), self.test.bounds
            if not lower < llr < upper:
                self._verdict = Verdict(llr >= upper, self.seen.groups, llr)

    @property
    def is_decided(self) -> bool:
        return self._verdict is not None

    @property
    def verdict(self) -> Verdict:
        return self._verdict or Verdict(None, self.seen.groups, self.test.llr(self.seen))

    def difference(self) -> Difference:
        """The difference in logistic Elo, and the ends of its 95 % interval; some may be infinite."""
        return difference(self.seen)

    def normalized_difference(self) -> Difference:
        """The difference in normalized Elo, and the ends of its 95 % interval; some may be infinite."""
        return normalized_difference(self.seen)

    def corrected_difference(self, confidence: float = 0.95) -> Difference | None:
        """The difference on the scale of the test without the bias of early stopping, and its interval.

        None if the test is undecided, or the difference infinite.
        """
        test, verdict, variance = self.test, self.verdict, self.test.variance(self.seen)
        lead, *_ = self.difference() if test.elo_model == "logistic" else self.normalized_difference()
        if verdict.better is None or not variance or not isfinite(lead):
            return None
        # The test does not look after each group, so the ratio may be beyond its bound. The bound is moved
        # there.
        ahead = abs(verdict.llr)
        width = ahead + (-test.bounds[0] if verdict.better else test.bounds[1])
        # The drift is proportional to the lead over the middle of the two hypotheses.
        middle, tail = (test.elo0 + test.elo1) / 2, (1 - confidence) / 2
        factor = (lead - middle) / ahead * verdict.groups
        estimate, *ends = (
            middle + factor * drift_at(probability, ahead, width, variance, verdict.groups)
            for probability in (0.5, tail, 1 - tail)
        )
        return estimate, min(ends), max(ends)

    def groups_needed(self) -> tuple[float, float]:
        """A likely range for the number of groups at the verdict; without groups its end is infinite."""
        groups, variance = self.seen.groups, self.test.variance(self.seen)
        if self.is_decided:
            return groups, groups
        left = 0.0, inf
        if groups and variance:  # It is 0 if elo0 and elo1 have the same score to all digits.
            left = groups_left(self.verdict.llr, groups, variance, self.test.bounds)
        next_look = max(_FIRST, groups + EVERY - (groups - _FIRST) % EVERY)
        low, high = (max(next_look, groups + more) for more in left)
        return low, high


@dataclass(frozen=True, eq=False)
class Estimates:
    """Quick estimates of strengths, by which formats choose the next line-ups.

    Attributes:
        names: The K bots, sorted.
        theta: Their strengths in nats (K,).
        inverse: The inverse of the information matrix (K, K), about the covariance of the strengths.
    """

    names: list[str]
    theta: Floats
    inverse: Floats

    @classmethod
    def of(cls, outcomes: Iterable[Outcome], bots: Iterable[str], prior: float) -> "Estimates":
        """The estimates for the bots in these outcomes, and for `bots` even without games, by the `prior`."""
        single = [Outcome((bot,), (1,), "") for bot in bots]
        names, arrays = to_arrays([*outcomes, *single])
        return cls(names, *prospects([games for games in arrays if games.size > 1], len(names), prior))

    @property
    def strengths(self) -> dict[str, float]:
        """The strength of each bot in nats."""
        return dict(zip(self.names, self.theta.tolist(), strict=True))

    def best_lineups(
        self, sizes: Iterable[int], focus: str | None = None, teams: Mapping[str, str] = MappingProxyType({})
    ) -> Iterator[tuple[str, ...]]:
        """Choose a line-up for each number of seats, as if the line-ups before it had been played.

        Args:
            sizes: The numbers of seats.
            focus: The bot whose errors to reduce; None for all.
            teams: The teams by bot. Bots of a team never meet, so there must be at least as many teams as
                seats. A bot without one is a team of its own.

        Returns:
            Sorted line-ups, chosen one by one as they are read.
        """
        aim = contrasts(len(self.names), None if focus is None else self.names.index(focus))
        own = [teams.get(name, name) for name in self.names]
        numbers = {team: number for number, team in enumerate(sorted(set(own)))}
        for lineup in best_lineups(self.theta, self.inverse, aim, sizes, [numbers[team] for team in own]):
            yield tuple(self.names[bot] for bot in lineup)
