"""How often is the verdict of the sequential test right?"""

import numpy as np

from arena.bench.simulated import Share, share
from arena.rating.estimate import ELO
from arena.rating.sprt import Sprt, TwinScore

TEST = Sprt(0, 60)
MOST = 2000  # groups of a test; one that is undecided after these is not right


def verdicts(
    seats: int, samples: int, repeats: bool = False, test: Sprt = TEST, seed: int = 1
) -> list[Share]:
    """Verdicts where H0 is true and where H1 is true; `repeats`: the games of a group repeat each other."""
    rng, shares = np.random.default_rng(seed), []
    for name, elo, better, promised in (
        ("H0", test.elo0, False, 1 - test.alpha),
        ("H1", test.elo1, True, 1 - test.beta),
    ):
        right = [test.decide(group_scores(rng, elo, seats, repeats)).better is better for _ in range(samples)]
        case = f"{'near-deterministic, ' * repeats}{name}: {elo:g} Elo"
        shares.append(share("verdict", case, promised, right))
    return shares


def group_scores(rng: np.random.Generator, elo: float, seats: int, repeats: bool) -> list[float]:
    """The scores of `MOST` groups of two bots that are so far apart, as `arena compare` has them.

    With more than two seats these are twin games, against opponents between the two.
    """
    turns = 1 if repeats else seats
    if seats == 2:
        wins: list[float] = (rng.logistic(size=(MOST, turns)) < elo / ELO).mean(axis=1).tolist()
        return wins
    opponents, scores = rng.gumbel(size=(MOST, turns, seats - 1)), []
    for strength in (elo / ELO / 2, -elo / ELO / 2):
        utility = strength + rng.gumbel(size=(MOST, turns, 1))
        scores.append((utility > opponents).mean(axis=(1, 2)).tolist())
        opponents = opponents if repeats else rng.gumbel(size=opponents.shape)
    return [TwinScore((1 + own - other) / 2, (own + other) / 2) for own, other in zip(*scores, strict=True)]
