"""The likelihood of superiority (LOS) of one bot over another, given their games and the spread of the field.

With a flat prior all strengths, near or far, are equally likely before the games. This finds too many leaders
among close bots. Here the field reveals how far apart its bots are (empirical Bayes: Efron & Morris 1975,
JASA 70:311): strengths are normal, with a standard deviation τ that is computed from the estimates.
"""

import numpy as np

from arena.rating.arrays import Floats, Ints
from arena.rating.distributions import t_below
from arena.rating.estimate import Ratings

MIN_SPREAD = 1e-6  # Elo; avoids division by 0
_STEPS = 200  # values of τ
_QUANTILES = 15, 3  # quantiles of τ over which a likelihood is averaged, for few pairs and for many
_MANY = 20_000  # pairs


def superiorities(ratings: Ratings, one: Ints, two: Ints) -> Floats:
    """The likelihood that each bot of `one` is better than the bot of `two`, by number; NaN if unknown."""
    # Between components both the curvature and the clean record are cautious, so the surer one counts.
    found = _by_errors(ratings, one, two)
    record = 1 - ratings.separation[one, two], ratings.separation[two, one]
    return np.clip(found, *record)


def _by_errors(ratings: Ratings, one: Ints, two: Ints) -> Floats:
    """The likelihood of `superiorities`, only from the standard errors of the differences."""
    found = _likelihood(ratings, one, two, 1.0)
    one, two = np.broadcast_arrays(one, two)
    for label in np.unique(ratings.pool[one]):
        here = (ratings.pool[one] == label) & (ratings.pool[two] == label)
        bots = np.flatnonzero(ratings.pool == label)
        spread = ratings.spread[np.ix_(bots, bots)]
        if len(bots) > 2 and not np.isnan(spread).any():  # Two bots are not enough to estimate a spread.
            equal, taus = _field_spread(ratings.elo[bots], spread, _QUANTILES[bool(here.sum() > _MANY)])
            # The mean of a difference is pulled towards 0 by w = 2τ²/(2τ² + SE²), and its variance is w SE².
            error = np.maximum(ratings.spread[one[here], two[here]], MIN_SPREAD) ** 2
            roots = (np.sqrt(2 * tau**2 / (2 * tau**2 + error)) for tau in taus)
            parts = [_likelihood(ratings, one[here], two[here], root) for root in roots]
            found[here] = equal / 2 + (1 - equal) * np.mean(parts, axis=0)
    return found


def superiority(ratings: Ratings) -> Floats:
    """The likelihood that the row's bot is better than the column's (K, K); NaN if unknown."""
    bots = np.arange(len(ratings.elo))
    return superiorities(ratings, bots[:, None], bots)


def _likelihood(ratings: Ratings, one: Ints, two: Ints, root: Floats | float) -> Floats:
    """P(T < √w · difference / its standard error), with Student's T. `root` is √w."""
    difference = ratings.elo[one] - ratings.elo[two]
    spread = np.maximum(ratings.spread[one, two], MIN_SPREAD)
    return t_below(difference / spread * root, ratings.spread_freedom[one, two])


def _field_spread(elo: Floats, spread: Floats, quantiles: int) -> tuple[float, Floats]:
    """The probability that all K bots are equal, and a number of quantiles of τ in Elo if they are not.

    `spread` (K, K) has the standard errors of the differences of `elo` (K,).
    """
    # The errors against the mean of the bots follow from the errors of the differences (Torgerson 1952,
    # Psychometrika 17:401). Apart from the mean, the estimates are treated as independent.
    size = len(elo)
    squares = np.maximum(spread, MIN_SPREAD) ** 2 * (1 - np.eye(size))
    own = np.maximum(squares.mean(axis=1) - squares.mean() / 2, MIN_SPREAD**2)
    # Subtracting the mean reduces each variance by this factor.
    centred, share = elo - elo.mean(), 1 - 1 / size
    tau = (np.arange(_STEPS) + 0.5) / _STEPS * 3 * (np.abs(centred).max() + np.sqrt(own.max()))
    variance = own[:, None] + share * np.append(0, tau) ** 2
    fit = -share / 2 * (np.log(variance) + centred[:, None] ** 2 / variance).sum(axis=0)
    # In the prior, all bots are equal with a probability of one half. Otherwise τ has DuMouchel's density
    # s/(s + τ)², where s is the typical error. With a flat prior of τ, few bots have too many leaders
    # (`evidence.md`).
    typical = np.sqrt(own.mean())
    prior = typical / (typical + tau) ** 2
    chance = np.exp(fit - fit.max()) * np.append(1, prior / prior.sum())
    below = np.cumsum(chance[1:]) / chance[1:].sum()
    middles = (np.arange(quantiles) + 0.5) / quantiles
    return float(chance[0] / chance.sum()), tau[np.searchsorted(below, middles)]
