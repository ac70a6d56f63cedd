"""Finds when one of two bots is surely better, for the ranges of possible ranks (`methods.md`, "Ranges").

20 bots have 190 differences. If each is judged by itself, with 2.5 % of error on each side, at least half of
all standings of nearly equal bots contain a wrong verdict.
"""

from statistics import NormalDist

import numpy as np

from arena.rating.arrays import Bools, Floats
from arena.rating.distributions import MAX_FREEDOM, t_quantiles
from arena.rating.estimate import Ratings
from arena.rating.settings import RatingSettings
from arena.rating.superiority import MIN_SPREAD

_DRAWS = 1_000, 10_000  # the least and the most draws of the estimates
_PAIRS = 100_000_000  # differences in all draws together, unless there are many bots
MAX_SIMULATED = 2000  # bots; the time grows with the third power of their number


def surely_better(ratings: Ratings, settings: RatingSettings, needed: Floats | None = None) -> Bools:
    """Whether the row's bot is surely better than the column's (K, K).

    `needed` are the `needed_differences`, or None to compute them, which may take long.
    """
    higher = ratings.elo[:, None] - ratings.elo
    surely: Bools = higher > (needed_differences(ratings, settings) if needed is None else needed)
    if len(np.unique(ratings.strong)) > len(np.unique(ratings.pool)):
        surely |= (ratings.separation <= record_levels(ratings, settings)) & (higher > 0)
        # If a is surely better than b, and b than c, then a is surely better than c, even if they never met.
        before = -1
        while before < (before := int(surely.sum())):
            surely |= surely.astype(np.float32) @ surely.astype(np.float32) > 0
    return surely


def needed_differences(ratings: Ratings, settings: RatingSettings) -> Floats:
    """The difference in Elo beyond which one bot is surely better than another (K, K).

    NaN if it is unknown, and between strong components, where the record decides (`surely_better`).
    """
    needed = np.full(ratings.spread.shape, np.nan)
    for label in np.unique(ratings.strong):
        bots = np.flatnonzero(ratings.strong == label)
        cells = np.ix_(bots, bots)
        spread, freedom = ratings.spread[cells], ratings.spread_freedom[cells]
        if len(bots) > 1 and (settings.ranges == "pairwise" or not np.isnan(spread).any()):
            # The critical value is for normal estimates. Estimates from few seed groups have Student's t, so
            # each difference gets the quantile of its own t with the same probability.
            sure = settings.confidence
            if settings.ranges == "simultaneous":
                # The component's share of the error is its share of the pairs of the pool.
                pool = int((ratings.pool == ratings.pool[label]).sum())
                share = len(bots) * (len(bots) - 1) / (pool * (pool - 1))
                critical = critical_value(spread, 1 - share * (1 - settings.confidence))
                sure = 1 - 2 * NormalDist().cdf(-critical)
            quantiles = t_quantiles(sure, np.where(freedom > MAX_FREEDOM, np.inf, freedom))
            needed[cells] = quantiles * np.maximum(spread, MIN_SPREAD)
    return needed


def record_levels(ratings: Ratings, settings: RatingSettings) -> Floats:
    """The p-value of `separation` up to which the row's bot (K, 1) is surely better than one of its pool."""
    if settings.ranges == "pairwise":
        return np.array([[(1 - settings.confidence) / 2]])
    size = np.bincount(ratings.pool)[ratings.pool][:, None]
    levels: Floats = (1 - settings.confidence) / np.maximum(size * (size - 1), 1)
    return levels


def critical_value(spread: Floats, confidence: float) -> float:
    """The bound that all |errors of differences| / spread together stay below with this confidence.

    `spread` (K, K) has the standard errors of the differences of the estimates, which are taken as normal.
    """
    # The errors of the differences (K, K) determine the covariance of the estimates up to a constant. With
    # very many bots Bonferroni's bound is used, which is a little larger.
    size = len(spread)
    if size > MAX_SIMULATED:
        return NormalDist().inv_cdf(1 - (1 - confidence) / (size * (size - 1)))
    estimates, errors = draw_estimates(spread)
    # The loop over bots saves memory: all differences of all draws at once would take too much.
    largest: Floats = np.zeros(estimates.shape[1])
    for bot in range(1, size):
        ratios = np.abs(estimates[:bot] - estimates[bot]) / errors[:bot, bot, None]
        np.maximum(largest, ratios.max(axis=0), out=largest)
    return float(np.quantile(largest, confidence))


def draw_estimates(spread: Floats) -> tuple[Floats, Floats]:
    """Random errors of the K estimates (K, draws), and the standard errors of their differences (K, K)."""
    # The random numbers are fixed, because all machines must compute the same ranges.
    # D has the variances of the differences: d_ij² = c_ii + c_jj - 2 c_ij. Centred on both sides, -D/2 is the
    # covariance of the estimates against their mean (classical scaling: Torgerson 1952, Psychometrika
    # 17:401).
    size = len(spread)
    centre = np.eye(size) - 1 / size
    values, vectors = np.linalg.eigh(-0.5 * centre @ spread**2 @ centre)
    root = vectors * np.sqrt(np.maximum(values, 0)) @ vectors.T  # Unlike other roots, this one is unique.
    # Rough errors are patched together and may not belong to any covariance. Negative eigenvalues are 0 now,
    # and the errors are computed again from the rest.
    covariance = root @ root
    own = np.diag(covariance)
    errors = np.sqrt(np.maximum(own[:, None] + own - 2 * covariance, MIN_SPREAD**2))
    draws = int(np.clip(_PAIRS // size**2, *_DRAWS))
    estimates = root @ np.random.default_rng(1).standard_normal((size, draws))
    return estimates, errors
