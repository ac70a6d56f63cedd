"""Are the ranges of ranks right: all of them together, or each comparison by itself?"""

import numpy as np

from arena.bench.simulated import Luck, Share, line_ups, play, share
from arena.rating.estimate import rate
from arena.rating.ranges import surely_better
from arena.rating.settings import Settings


def ranges(method: str, seats: int, samples: int, bots: int = 20, seed: int = 1) -> list[Share]:
    """Equal bots over 200 groups, of which none is surely better than another if all ranges are right."""
    rng, apart = np.random.default_rng(seed), ~np.eye(bots, dtype=bool)
    together, pairwise = (Settings(method=method, ranges=kind) for kind in ("simultaneous", "pairwise"))
    none, right = [], []
    for _ in range(samples):
        found = rate(play(rng, np.zeros(bots), line_ups(rng, 200, bots, seats), Luck()), bots, together)
        none.append(not surely_better(found, together).any())
        right.append(~surely_better(found, pairwise)[apart])
    return [
        share("range", "simultaneous: all together", together.confidence, none),
        share("range", "pairwise: each comparison", pairwise.tail, right),
        share("range", "pairwise: all together", None, [each.all() for each in right]),
    ]
