"""Who can be compared with whom: the components of the graph of who has scored against whom."""

import numpy as np


def components(links: np.ndarray) -> np.ndarray:
    """For each node of a graph (K, K) the first node of its strong component, where each can reach each."""
    reach, before = links | np.eye(len(links), dtype=bool), None
    while not np.array_equal(reach, before):
        before, steps = reach, reach.astype(np.float32)
        reach = steps @ steps > 0
    return (reach & reach.T).argmax(axis=1) if len(links) else np.zeros(0, int)


def bulk(strong: np.ndarray) -> np.ndarray:
    """Weights (K,) of what errors are taken against: the component with most of the bots, or else all."""
    main = strong == np.bincount(strong).argmax()
    main |= main.mean() <= 0.5
    return main / main.sum()
