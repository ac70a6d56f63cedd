"""Simulates tournaments to forecast how exact the standings of a schedule will be.

Strengths are drawn from a normal distribution, and independent games from the model of Plackett and Luce.
`rate` makes the standings, so the forecast includes every influence on the errors: the method, the anchor,
the schedule, perfect scores.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import nan, sqrt
from statistics import fmean
from types import MappingProxyType

import numpy as np

from arena.rating.arrays import Floats, Ints
from arena.rating.best import best_ranks
from arena.rating.estimate import ELO, rate
from arena.rating.outcome import OutcomeArrays, group_by_places
from arena.rating.ranges import needed_differences
from arena.rating.settings import RatingSettings

SPREAD = 200.0  # Elo: the assumed standard deviation of strengths
_SAMPLES = 8, 16  # the least and the most simulated tournaments
_ALL_GAMES = 400_000  # games in all tournaments, unless that makes too few tournaments
_MAX_GAMES = 20_000  # games in each; the errors of more follow from the root of their number


@dataclass(frozen=True)
class Prospect:
    """The expected precision of standings, on average over bots and tournaments.

    `error` is half an interval in Elo. From a difference of `apart`, one of two bots is surely better.
    `first` is how often one bot is surely first.
    """

    error: float
    apart: float
    first: float


def prospect(
    lineups: Sequence[Ints],
    bots: int,
    settings: RatingSettings,
    anchors: Mapping[int, float] = MappingProxyType({}),
    seed: int = 1,
) -> Prospect | None:
    """Simulate the standings of seed groups with these line-ups in all rotations.

    Args:
        lineups: The line-ups (G, n), for each number n of seats.
        bots: The number of bots.
        settings: The settings of the rating.
        anchors: The Elo of the anchors, by number.
        seed: The seed of the simulation.

    Returns:
        The forecast, or None if there are too few games to know the errors.
    """
    games = sum(part.size for part in lineups)
    shrinkage = sqrt(max(1, games / _MAX_GAMES))
    errors, apart, first = [], [], []
    for sample in range(int(np.clip(_ALL_GAMES // max(1, games), *_SAMPLES))):
        rng = np.random.default_rng([seed, sample])
        theta = rng.normal(0, SPREAD / ELO, bots)
        arrays: list[OutcomeArrays] = []
        group = 0
        for part in lineups:
            part = rng.permutation(part)[: int(len(part) / shrinkage**2)]
            arrays += _play(rng, theta, part, group)
            group += len(part)
        found = rate(arrays, bots, settings, anchors)
        needed = needed_differences(found, settings)
        errors.append(_median(found.error[found.error > 0]))
        apart.append(_median(needed[~np.isnan(needed)]))
        first.append((best_ranks(found, settings) == 1).sum() == 1)
    if np.isnan([*errors, *apart]).any():
        return None
    return Prospect(fmean(errors) / shrinkage, fmean(apart) / shrinkage, fmean(first))


def _median(values: Floats) -> float:
    """The median; NaN without values."""
    return float(np.median(values)) if len(values) else nan


def _play(rng: np.random.Generator, theta: Floats, lineups: Ints, group: int) -> list[OutcomeArrays]:
    """Simulate games of line-ups (G, n) in all rotations. Their seed groups are numbered from `group` on."""
    seats = lineups.shape[1]
    seated = np.concatenate([np.roll(lineups, -turn, axis=1) for turn in range(seats)])
    utility = theta[seated] + rng.gumbel(size=seated.shape)
    places = 1 + (-utility).argsort(axis=1).argsort(axis=1)
    return group_by_places(seated, places, group + np.tile(np.arange(len(lineups)), seats))
