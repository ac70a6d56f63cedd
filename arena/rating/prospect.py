"""Simulates tournaments to forecast how exact the standings will be.

Strengths are drawn from a normal distribution, and independent games from the model of Plackett and Luce.
`rate` makes the standings, so the forecast includes the effects of the method, the anchor, the schedule and
perfect scores. An earlier run shows how strong the bots are, and how far its errors exceed the errors of
independent games.
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import nan, sqrt
from statistics import fmean
from types import MappingProxyType

import numpy as np

from arena.rating.arrays import Floats, Ints
from arena.rating.best import best_ranks
from arena.rating.estimate import ELO, FEW, Ratings, rate
from arena.rating.field import RatedField
from arena.rating.outcome_arrays import OutcomeArrays, group_by_places, to_arrays
from arena.rating.outcomes import Outcome
from arena.rating.ranges import draw_estimates, needed_differences
from arena.rating.settings import RatingSettings, Widening

_SPREAD = 200.0  # Elo: the assumed standard deviation of strengths
_MIN_SPREAD = 10.0  # Elo: the least standard deviation for bots of an earlier run
_MIN_BOTS = 3  # bots with an Elo; fewer are not enough to estimate the spread of an earlier run
_DRAWS = 12, 100  # the least and the most simulated tournaments
_ALL_BOTS = 1200  # bots in all tournaments, unless that makes too few tournaments
_FEW = 8  # tournaments for values that take long and vary little
_MAX_GAMES = 20_000  # games of an earlier run that are simulated

_Play = Callable[[np.random.Generator, Floats], tuple[list[Outcome], int | None]]
# Plays a tournament of bots with these strengths (K,) in nats, in the order of their names. It returns the
# games and the number of the winner, or None if the Elo decides.


@dataclass(frozen=True, eq=False)
class Strengths:
    """The knowledge about the strengths of K bots, in Elo.

    Each is normal around its `centre` (K,) with its own `deviation` (K,). `spread` is the standard deviation
    of all bots. `excess` is the ratio of an error to the error of independent games.
    """

    centre: Floats
    deviation: Floats
    spread: float
    excess: float = 1.0

    @classmethod
    def assumed(cls, bots: int) -> "Strengths":
        """The strengths of unknown bots."""
        return cls(np.zeros(bots), np.full(bots, _SPREAD), _SPREAD)

    @classmethod
    def like(cls, field: RatedField, names: Sequence[str]) -> "Strengths | None":
        """The strengths of bots with these names, after the games of a field, which is rated without anchor.

        A name that is not in the field counts as a similar bot. The result is None if too few bots of the
        field have an Elo.
        """
        ratings = field.ratings
        rated = (ratings.pool == field.main) & ~ratings.too_few & np.isfinite(ratings.se)
        own = rated & np.isin(field.names, names)
        known = own if own.sum() >= _MIN_BOTS else rated
        if known.sum() < _MIN_BOTS:
            return None
        # The Elo varies by the strengths and by the errors. The best estimate of a bot is between its Elo and
        # the mean of all (empirical Bayes: Efron and Morris 1973, J. Am. Stat. Assoc. 68:117).
        middle = float(ratings.elo[known].mean())
        errors = float((ratings.se[known] ** 2).mean())
        variance = max(float(ratings.elo[known].var(ddof=1)) - errors, _MIN_SPREAD**2)
        centre, deviation = np.full(len(names), middle), np.full(len(names), sqrt(variance))
        numbers = {field.names[bot]: bot for bot in np.flatnonzero(rated)}
        for number, name in enumerate(names):
            if (bot := numbers.get(name)) is not None:
                share = variance / (variance + ratings.se[bot] ** 2)
                centre[number] += share * (ratings.elo[bot] - middle)
                deviation[number] = sqrt(share) * ratings.se[bot]
        return cls(centre, deviation, sqrt(variance), _excess(field))

    def prospect(
        self,
        games: Sequence[Ints] | _Play,
        settings: RatingSettings,
        anchors: Mapping[int, float] = MappingProxyType({}),
        widenings: Collection[Widening] = (),
        share: float = 1.0,
        longer: Callable[[Floats, Ints], float] | None = None,
        samples: int | None = None,
    ) -> "Prospect | None":
        """Forecast the precision of a tournament of these bots.

        Args:
            games: The line-ups of all seed groups, (G, n) for each number n of seats, which are played in all
                rotations. Or a function that plays the share, and knows the winner if the Elo does not decide
                it.
            settings: The settings of the rating.
            anchors: The Elo of the anchors, by number.
            widenings: The widenings of the format.
            share: The share of the games that is simulated.
            longer: Makes the share variable: from the errors (NaN if rough) and the seed groups of each bot
                (K,), it returns how many times as many games there will be.
            samples: How many tournaments are enough if more take long.

        Returns:
            The forecast, or None if there are too few games to know the errors.
        """
        bots = len(self.centre)
        draws = int(np.clip(_ALL_BOTS // bots, *_DRAWS))
        samples = min(samples or draws, draws)
        counts, errors, apart, best, ranks = [], [], [], [], []
        for sample in range(samples):
            rng = np.random.default_rng([1, sample])
            theta = rng.normal(self.centre, self.deviation) / ELO
            if callable(games):
                outcomes, winner = games(rng, theta)
                arrays = to_arrays(outcomes)[1]
            else:
                arrays, winner = _play(rng, theta, games, share), None
            if len(np.unique(np.concatenate([part.bots.ravel() for part in arrays]))) < bots:
                return None
            seats = min(each.size for each in arrays)
            part = rate(arrays, bots, settings, anchors)
            wide = part.widen(widenings, seats)
            times = longer(np.where(wide.rough, np.nan, wide.error), wide.groups) if longer else 1 / share
            found = _with_noise(part, theta, self.excess / sqrt(times))
            found = replace(found, groups=(times * part.groups).astype(int)).widen(widenings, seats)
            counts.append(times * sum(len(each.bots) for each in arrays))
            errors.append(_median(found.error[found.error > 0]))
            if sample < _FEW:
                needed = needed_differences(found, settings)
                apart.append(_median(needed[~np.isnan(needed)]))
            best.append(theta.argmax() == (found.elo.argmax() if winner is None else winner))
            if winner is None:
                others = _others(found, theta, self, rng, draws // samples - 1)
                ranks += [best_ranks(each, settings) for each in (found, *others)]
        if np.isnan([*errors, *apart]).any():
            return None
        first, podium = (
            fmean((rank <= most).sum() == most for rank in ranks) if ranks and bots > most else None
            for most in (1, 3)
        )
        means = fmean(counts), fmean(errors), fmean(apart), fmean(best)
        return Prospect(*means, first, podium, self.spread)


@dataclass(frozen=True)
class Prospect:
    """The expected precision of a tournament, on average over bots and simulated tournaments.

    Attributes:
        games: The number of games.
        error: Half an interval, in Elo.
        apart: The difference in Elo from which one of two bots is surely better.
        best: How often the strongest bot wins.
        first: How often one bot is surely first; None if the Elo does not decide the places, or if there are
            no more bots.
        podium: How often three bots are surely the first three; None as `first`.
        spread: The standard deviation of the strengths.
    """

    games: float
    error: float
    apart: float
    best: float
    first: float | None
    podium: float | None
    spread: float


def _others(
    ratings: Ratings, theta: Floats, strengths: Strengths, rng: np.random.Generator, count: int
) -> Iterator[Ratings]:
    """The ratings of `count` tournaments of other such bots, with the errors of this one.

    The strongest bot gets the errors of the strongest bot of this one, and so on.
    """
    if count > 0 and not np.isnan(ratings.spread).any():
        noise, order = draw_estimates(ratings.spread)[0], theta.argsort().argsort()
        for _ in range(count):
            truth = np.sort(rng.normal(strengths.centre, strengths.deviation))[order]
            yield replace(ratings, elo=truth + noise[:, rng.integers(noise.shape[1])])


def _play(
    rng: np.random.Generator, theta: Floats, lineups: Sequence[Ints], share: float
) -> list[OutcomeArrays]:
    """Simulated games of a share of these line-ups, (G, n) for each number n of seats, in all rotations."""
    arrays: list[OutcomeArrays] = []
    group = 0
    for part in lineups:
        here = rng.permutation(part)[: max(1, round(len(part) * share))]
        turns = range(here.shape[1])
        seated = np.concatenate([np.roll(here, -turn, axis=1) for turn in turns])
        arrays += _outcomes(rng, theta, seated, group + np.tile(np.arange(len(here)), len(turns)))
        group += len(here)
    return arrays


def _outcomes(rng: np.random.Generator, theta: Floats, bots: Ints, group: Ints) -> list[OutcomeArrays]:
    """Simulated games between these bots (m, n) in seed groups (m,)."""
    utility = theta[bots] + rng.gumbel(size=bots.shape)
    return group_by_places(bots, 1 + (-utility).argsort(axis=1).argsort(axis=1), group)


def _with_noise(ratings: Ratings, theta: Floats, times: float) -> Ratings:
    """The ratings if all errors were multiplied by `times`; `theta` (K,) are the true strengths."""
    truth = ELO * theta + (ratings.elo - ELO * theta).mean()
    values = {name: times * getattr(ratings, name) for name in ("se", "error", "spread")}
    return replace(ratings, elo=truth + times * (ratings.elo - truth), **values)


def _excess(field: RatedField) -> float:
    """The ratio of the errors of a field to the errors that it would have if games were independent."""
    theta, size = field.ratings.elo / ELO, len(field.names)
    counted = ~field.ratings.rough & (field.ratings.groups >= FEW)
    every = -(-field.games // _MAX_GAMES)  # One in `every` seed groups is simulated.
    ratios = []
    for sample in range(_FEW):
        rng = np.random.default_rng([2, sample])
        arrays = []
        for games in field.arrays:
            here = games.group % every == 0
            arrays += _outcomes(rng, theta, games.bots[here], games.group[here] // every)
        found = rate(arrays, size, field.settings)
        simulated = found.error * sqrt(sum(len(part.bots) for part in arrays) / field.games)
        ratios.append(_median((field.ratings.error / simulated)[counted & ~found.rough]))
    known = [ratio for ratio in ratios if ratio > 0]
    return fmean(known) if known else 1.0


def _median(values: Floats) -> float:
    """The median; NaN without values."""
    return float(np.median(values)) if len(values) else nan
