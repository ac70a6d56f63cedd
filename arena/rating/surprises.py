"""Scores of bots in single games, and the scores that the ratings expect."""

import numpy as np

from arena.rating.arrays import Floats, Ints
from arena.rating.estimate import ELO
from arena.rating.logit import logistic


def surprises(elo: Floats, places: Ints) -> tuple[Floats, Floats]:
    """The score and the expected score of each seat (m, n) in games with these Elo ratings and places (m, n).

    Both are mean shares of opponents beaten, where a tie counts half.
    """
    seats = elo.shape[1]
    others = max(1, seats - 1)
    expected = logistic((elo[:, :, None] - elo[:, None, :]) / ELO).sum(axis=2) - 0.5  # that against itself
    ahead = (places[:, :, None] < places[:, None, :]) + (places[:, :, None] == places[:, None, :]) / 2
    score: Floats = (ahead.sum(axis=2) - 0.5) / others
    return score, np.asarray(expected / others, np.float64)
