"""How often is the verdict of the sequential test right?"""

import numpy as np

from arena.bench.simulated import Share, share
from arena.rating.arrays import Floats
from arena.rating.estimate import ELO
from arena.rating.group_scores import CELLS, NORMALIZED, TwinScore
from arena.rating.sprt import Sprt

TEST = Sprt(0, 60)
NORMALIZED_TEST = Sprt(0, 60, elo_model="normalized")
PAIRS = np.array(CELLS), np.array([1.0, 4, 10, 4, 1])  # scores of groups of two seats, and how often they are
TWINS = np.arange(49) / 48, np.exp(-(((np.arange(49) / 48 - 0.5) / 0.19) ** 2) / 2)
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


def normalized_verdicts(seats: int, samples: int, test: Sprt = NORMALIZED_TEST, seed: int = 1) -> list[Share]:
    """The same for limits in normalized Elo. The scores of groups are drawn from shares that have them."""
    rng, shares = np.random.default_rng(seed), []
    values, usual = PAIRS if seats == 2 else TWINS
    for name, elo, better, promised in (
        ("H0", test.elo0, False, 1 - test.alpha),
        ("H1", test.elo1, True, 1 - test.beta),
    ):
        draws = rng.choice(values, (samples, MOST), p=tilted(values, usual, elo))
        right = [test.decide(scores).better is better for scores in draws]
        shares.append(share("verdict", f"{name}: {elo:g} nElo", promised, right))
    return shares


def tilted(values: Floats, shares: Floats, elo: float) -> Floats:
    """The shares, tilted exponentially so that a bot with these scores is better by this normalized Elo."""
    low, high = -50.0, 50.0
    for _ in range(100):
        tilt = (low + high) / 2
        weights: Floats = shares * np.exp(tilt * (values - 0.5))
        weights /= weights.sum()
        mean = float(weights @ values)
        t = (mean - 0.5) / float(np.sqrt(weights @ (values - mean) ** 2))
        low, high = (tilt, high) if NORMALIZED * t < elo else (low, tilt)
    return weights
