"""The sandwich estimator of errors, clustered by seed group: games that share a seed are not independent."""

from collections.abc import Iterable

import numpy as np

from arena.rating.arrays import Floats, Ints
from arena.rating.equations import add_at

CELLS = 2**22  # numbers in memory at once

Scores = Iterable[tuple[Ints, Ints, Floats]]  # see `logit.scores`


def sandwich(inverse: Floats, scores: Scores, groups: int, fitted: int) -> tuple[Floats, int]:
    """The covariance of the parameters, and its degrees of freedom (Liang & Zeger 1986, Biometrika 73:13).

    `inverse` (L, P) has the rows of the inverse curvature for the L parameters that are wanted; the
    covariance is (L, L). The factor G/(G-p) corrects for fitting p (`fitted`) free parameters to G groups;
    the covariance is NaN unless G > p.
    """
    freedom = groups - fitted
    factor = groups / freedom if freedom > 0 else np.nan
    return factor * (inverse @ squares(scores, groups, inverse.shape[1]) @ inverse.T), freedom


def squares(scores: Scores, groups: int, size: int) -> Floats:
    """The sum over groups of u uᵀ (P, P), where u (P,) is the sum of a group's score vectors."""
    # u has few entries that are not 0, as few bots share a group. So only these are multiplied, for all
    # groups with the same number of entries at once.
    # `span` groups at a time: a vector with a place for each parameter of each of them fits in memory.
    parts = list(scores)
    total, span = np.zeros(size * size), max(1, min(groups, CELLS // size))
    for first in range(0, groups, span):
        summed = np.zeros(span * size)
        for group, parameter, value in parts:
            part = slice(*np.searchsorted(group, (first, first + span)))
            cells = (group[part] - first) * size + parameter[part]
            summed += np.bincount(cells, value[part], span * size)
        # `filled` are the cells of u that are not 0, group by group, and `widths` how many the group of each
        # has.
        filled = np.flatnonzero(summed)
        widths = np.bincount(filled // size)[filled // size]
        for width in np.flatnonzero(np.bincount(widths)):
            cells = filled[widths == width].reshape(-1, width)
            # The products of a group are width², so they are made in parts that fit in memory, too.
            for some in np.array_split(cells, 1 + cells.size * width // CELLS):
                u, parameters = summed[some], some % size
                targets = parameters[:, :, None] * size + parameters[:, None, :]
                products = u[:, :, None] * u[:, None, :]
                add_at(total, targets.ravel(), products.ravel())
    return total.reshape(size, size)


def deviations(covariance: Floats, weights: Floats) -> tuple[Floats, Floats]:
    """Standard errors in nats: of each bot against the mean by `weights` (K,), of each difference (K, K)."""
    own, mean = np.diag(covariance), covariance @ weights
    single, double = own - 2 * mean + weights @ mean, own[:, None] + own - 2 * covariance
    return np.sqrt(np.maximum(single, 0)), np.sqrt(np.maximum(double, 0))
