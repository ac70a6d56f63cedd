"""Which bots can be compared: the strong components of the graph of results."""

import numpy as np

from arena.rating.arrays import Bools, Floats, Ints


def components(links: Bools) -> Ints:
    """The strong component of each node of a graph (K, K), as the number of its first node."""
    if not len(links):
        return np.zeros(0, np.int64)
    reach = links | np.eye(len(links), dtype=bool)
    while True:  # paths twice as long each time, until no node is reached that was not reached before
        steps = reach.astype(np.float32)
        farther: Bools = steps @ steps > 0
        if np.array_equal(farther, reach):
            first: Ints = (reach & reach.T).argmax(axis=1)
            return first
        reach = farther


def reference_weights(strong: Ints) -> Floats:
    """Weights (K,) of the mean that errors are measured against.

    The mean is that of the component with more than half of the bots, or of all bots if there is none.
    """
    main: Bools = strong == np.bincount(strong).argmax()
    main |= main.mean() <= 0.5
    weights: Floats = main / main.sum()
    return weights
