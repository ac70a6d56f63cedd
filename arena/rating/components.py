"""The strong components of the graph of results: the sets of bots that can be compared."""

from collections.abc import Sequence

import numpy as np

from arena.rating.arrays import Bools, Floats, Ints


def components(links: Bools) -> Ints:
    """The strong component of each node of a graph (K, K), as the number of its first node."""
    # Kosaraju's algorithm: the nodes by the end of a search along the links, last first; then each search
    # against the links from the first of them that is left finds a component. A set of nodes is the bits of
    # an integer, so that a search takes few steps also where there are many links.
    ends, left = list[int](), (1 << len(links)) - 1
    onwards, backwards = _bits(links), _bits(links.T)
    while left:
        left = _search(onwards, _lowest(left), left, ends)
    found, left = np.zeros(len(links), np.int64), (1 << len(links)) - 1
    for start in reversed(ends):
        if left >> start & 1:
            members = list[int]()
            left = _search(backwards, start, left, members)
            found[members] = min(members)
    return found


def _search(links: Sequence[int], start: int, left: int, ends: list[int]) -> int:
    """The nodes of `left` that a search from `start` did not reach; appends the others to `ends`."""
    path = [start]
    left &= ~(1 << start)
    while path:
        if following := links[path[-1]] & left:
            path.append(_lowest(following))
            left &= ~(1 << path[-1])
        else:
            ends.append(path.pop())
    return left


def _lowest(nodes: int) -> int:
    return (nodes & -nodes).bit_length() - 1


def _bits(links: Bools) -> list[int]:
    """The set of nodes that each node is linked to, as the bits of an integer."""
    packed = np.packbits(links, axis=1, bitorder="little")
    return [int.from_bytes(row.tobytes(), "little") for row in packed]


def reference_weights(strong: Ints) -> Floats:
    """The weights (K,) of the mean against which errors are measured; their sum is 1."""
    # The mean is that of the component with more than half of the bots, or of all bots if there is none.
    main: Bools = strong == np.bincount(strong).argmax()
    main |= main.mean() <= 0.5
    weights: Floats = main / main.sum()
    return weights
