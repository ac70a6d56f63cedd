"""The strong components of the graph of results: the sets of bots that results make comparable."""

import numpy as np

from arena.rating.arrays import Bools, Floats, Ints


def components(links: Bools) -> Ints:
    """The strong component (K,) of each node of the graph `links` (K, K), named by its first node."""
    found, left = np.full(len(links), -1), np.ones(len(links), bool)
    for start in range(len(links)):
        if left[start]:
            # Known components are left out, because no path within another one leads through them.
            members = _reached(links, start, left) & _reached(links.T, start, left)
            found[members], left[members] = start, False
    return found


def _reached(links: Bools, start: int, left: Bools) -> Bools:
    """Whether each node (K,) can be reached from `start` through nodes that are `left` (K,)."""
    new: Bools = np.arange(len(links)) == start
    reached = new
    while new.any():
        new = links[new].any(axis=0) & left & ~reached
        reached = reached | new
    return reached


def reference_weights(strong: Ints) -> Floats:
    """The weights (K,), with sum 1, of the mean Elo to which errors refer; `strong` (K,) has the components.

    They are equal within the component of more than half of the bots, or over all bots if there is none.
    """
    main: Bools = strong == np.bincount(strong).argmax()
    main |= main.mean() <= 0.5
    weights: Floats = main / main.sum()
    return weights
