"""Errors clustered by seed group: games that share a seed are never taken as independent."""

from collections.abc import Iterable

import numpy as np

CELLS = 2**22  # numbers held at once

Pieces = Iterable[tuple[np.ndarray, np.ndarray, np.ndarray]]


def sandwich(inverse: np.ndarray, pieces: Pieces, groups: int, fitted: int) -> tuple[np.ndarray, int]:
    """The covariance of the parameters (P, P), and its degrees of freedom.

    (Liang & Zeger 1986, Biometrika 73:13.) Scores come in pieces as from `logit.scores`. The factor
    G/(G-p) pays for fitting p free parameters to G groups; all is NaN where G does not exceed p.
    """
    freedom = groups - fitted
    factor = groups / freedom if freedom > 0 else np.nan
    return factor * (inverse @ squares(pieces, groups, len(inverse)) @ inverse), freedom


def squares(pieces: Pieces, groups: int, size: int) -> np.ndarray:
    """The sum over groups of u uᵀ (P, P), where u (P,) is what the pieces of a group add up to.

    Few bots share a group, so only their cells are multiplied: groups of equal width at once.
    """
    pieces = list(pieces)
    total, span = np.zeros(size * size), max(1, min(groups, CELLS // size))
    for first in range(0, groups, span):
        scores = np.zeros(span * size)
        for group, parameter, value in pieces:
            part = slice(*np.searchsorted(group, (first, first + span)))
            cells = (group[part] - first) * size + parameter[part]
            scores += np.bincount(cells, value[part], span * size)
        filled = np.flatnonzero(scores)
        widths = np.bincount(filled // size)[filled // size]
        for width in np.flatnonzero(np.bincount(widths)):
            cells = filled[widths == width].reshape(-1, width)
            for some in np.array_split(cells, 1 + cells.size * width // CELLS):
                u, who = scores[some], some % size
                targets, products = who[:, :, None] * size + who[:, None, :], u[:, :, None] * u[:, None, :]
                total += np.bincount(targets.ravel(), products.ravel(), size * size)
    return total.reshape(size, size)


def deviations(covariance: np.ndarray, weights: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Standard errors in nats: of each against the weighted mean (K,), and against each other (K, K)."""
    own, mean = np.diag(covariance), covariance @ weights
    single, double = own - 2 * mean + weights @ mean, own[:, None] + own - 2 * covariance
    return np.sqrt(np.maximum(single, 0)), np.sqrt(np.maximum(double, 0))
