"""The sandwich estimator of errors, clustered by seed group: games that share a seed are not independent."""

from collections.abc import Iterable

import numpy as np

from arena.rating.arrays import Floats, Ints
from arena.rating.equations import add_at

CELLS = 2**22  # numbers in memory at once

Scores = Iterable[tuple[Ints, Ints, Floats]]  # see `logit.scores`


def sandwich(inverse: Floats, scores: Scores, groups: int, fitted: int) -> tuple[Floats, int]:
    """The covariance of the parameters, and its degrees of freedom (Liang & Zeger 1986, Biometrika 73:13).

    The factor G/(G-p) corrects for fitting p free parameters to G groups. The covariance is NaN unless G > p.

    Args:
        inverse: The rows (L, P) of the inverse curvature for the L wanted parameters.
        scores: As from `logit.scores`.
        groups: The number G of groups.
        fitted: The number p of free parameters.

    Returns:
        The covariance (L, L) and its degrees of freedom.
    """
    freedom = groups - fitted
    factor = groups / freedom if freedom > 0 else np.nan
    return factor * (inverse @ squares(scores, groups, inverse.shape[1]) @ inverse.T), freedom


def squares(scores: Scores, groups: int, size: int) -> Floats:
    """The sum over groups of u uᵀ (P, P), where u (P,) is the sum of a group's score vectors."""
    # Few bots share a group, so most entries of u are 0. Only the others are multiplied, for all groups with
    # the same number of them at once.
    # `span` groups are done at a time: a vector with a place for each of their parameters fits in memory.
    parts = list(scores)
    total, span = np.zeros(size * size), max(1, min(groups, CELLS // size))
    for first in range(0, groups, span):
        summed = np.zeros(span * size)
        for group, parameter, value in parts:
            part = slice(*np.searchsorted(group, (first, first + span)))
            cells = (group[part] - first) * size + parameter[part]
            summed += np.bincount(cells, value[part], span * size)
        # `filled` are the cells of u that are not 0, group by group. `widths` is the number of such cells in
        # the group of each cell.
        filled = np.flatnonzero(summed)
        widths = np.bincount(filled // size)[filled // size]
        for width in np.flatnonzero(np.bincount(widths)):
            cells = filled[widths == width].reshape(-1, width)
            # A group has width² products, so they are computed in parts that fit in memory.
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
