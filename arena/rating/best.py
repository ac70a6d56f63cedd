"""Which bots may be first, by comparison with the best (Hsu 1984, Ann. Statist. 12:1136).

Ranges of ranks hold all together, which takes large differences. A prize asks less: a bot may be first unless
another bot is surely better. Only the best bot can be left out wrongly, so each bot has its own comparison
with all others (Dunnett 1955, J. Amer. Statist. Assoc. 50:1096).
"""

from statistics import NormalDist

import numpy as np

from arena.rating.arrays import Floats, Ints
from arena.rating.distributions import t_below
from arena.rating.estimate import Ratings
from arena.rating.ranges import MAX_SIMULATED, draw_estimates
from arena.rating.settings import RatingSettings
from arena.rating.superiority import MIN_SPREAD


def best_ranks(ratings: Ratings, settings: RatingSettings) -> Ints:
    """The best rank in its pool that each bot (K,) may have; each holds separately with the confidence."""
    error = 1 - settings.confidence
    others = np.maximum(np.bincount(ratings.pool)[ratings.pool] - 1, 1)
    # The clean record of the row's bot shows that it is better than the column's.
    better = ratings.separation <= error / others
    for label in np.unique(ratings.strong):
        bots = np.flatnonzero(ratings.strong == label)
        if len(bots) > 1:
            cells = np.ix_(bots, bots)
            chances = _chances_of_lead(ratings, bots)
            better[cells] = chances <= _levels(chances, ratings.spread[cells], error, others[bots[0]])
    ranks: Ints = 1 + better.sum(axis=0)
    return ranks


def _chances_of_lead(ratings: Ratings, bots: Ints) -> Floats:
    """The probability of each lead of the row's bot over the column's if both are equal; 1 if unknown."""
    cells = np.ix_(bots, bots)
    lead = (ratings.elo[bots, None] - ratings.elo[bots]) / np.maximum(ratings.spread[cells], MIN_SPREAD)
    chances = np.nan_to_num(t_below(-lead, ratings.spread_freedom[cells]), nan=1.0)
    np.fill_diagonal(chances, 1)
    return chances


def _levels(chances: Floats, spread: Floats, error: float, others: int) -> Floats:
    """The largest chance of a lead (n,), for each bot, at which the leading bot is surely better than it."""
    # It is between Bonferroni's bound and the error itself, and simulated only for bots where that matters.
    # A share of the error is kept for the bots of the pool in other components.
    size = len(chances)
    levels, own_error = np.full(size, error / others), error * (size - 1) / others
    unclear = np.flatnonzero(((chances > error / others) & (chances <= own_error)).any(axis=0))
    if size <= MAX_SIMULATED and len(unclear) and not np.isnan(spread).any():
        estimates, errors = draw_estimates(spread)
        for bot in unclear:
            rivals = np.arange(size) != bot
            leads = (estimates[rivals] - estimates[bot]) / errors[rivals, bot, None]
            critical = float(np.quantile(leads.max(axis=0), 1 - own_error))
            levels[bot] = max(levels[bot], NormalDist().cdf(-critical))
    return levels
