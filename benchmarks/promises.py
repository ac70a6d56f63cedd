"""How often the ratings keep their promises: intervals, LOS, bounds, ranges of ranks, verdicts of a test."""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from simulated import LUCKS, Luck, Share, line_ups, play, share

from arena.rating.arrays import Bools, Floats, Ints
from arena.rating.best import best_ranks
from arena.rating.bounds import bounds
from arena.rating.components import reference_weights
from arena.rating.estimate import ELO, Ratings, rate
from arena.rating.experiments import Sprt
from arena.rating.group_scores import CELLS, NORMALIZED, TwinScore
from arena.rating.outcome_arrays import OutcomeArrays
from arena.rating.ranges import surely_better
from arena.rating.rows import tally
from arena.rating.settings import RatingSettings
from arena.rating.standings import Field
from arena.rating.superiority import superiorities

MANY = 50_000  # groups for the estimate of a method in the limit
BINS = (0.5, 0.8, 0.95, 0.99, 1.0)  # of LOS
OWN = (3, 5, 10)  # groups of newcomers
SURE = 0.95  # LOS of a newcomer that is counted
TEST = Sprt(0, 60)
NORMALIZED_TEST = Sprt(0, 60, elo_model="normalized")
PAIRS = np.array(CELLS), np.array([1.0, 4, 10, 4, 1])  # scores of groups of two seats, and their frequencies
TWINS = np.arange(49) / 48, np.exp(-(((np.arange(49) / 48 - 0.5) / 0.19) ** 2) / 2)
MAX_GROUPS = 2000  # A test that is undecided after so many groups counts as wrong.


def coverage(method: str, seats: int, samples: int, luck: str = "no luck", seed: int = 1) -> list[Share]:
    """The intervals of 8 bots over 100 groups that contain the truth."""
    rng, theta = np.random.default_rng(seed), np.linspace(-1, 1, 8)

    def sample(groups: int) -> Ratings:
        return rated(play(rng, theta, line_ups(rng, groups, 8, seats), LUCKS[luck]), 8, method)

    truth = theta if LUCKS[luck] == Luck() else sample(MANY).elo / ELO
    held = [contained(sample(100), truth) for _ in range(samples)]
    return [share("interval", luck, RatingSettings.confidence, held)]


def _one_sided(settings: RatingSettings) -> float:
    """The confidence of one end of an interval: .975."""
    return (1 + settings.confidence) / 2


def rated(games: Sequence[OutcomeArrays], bots: int, method: str) -> Ratings:
    return rate(games, bots, RatingSettings(method=method, average=0))


def contained(found: Ratings, theta: Floats) -> Bools:
    """Whether the intervals (K,) contain these strengths in nats, both relative to the comparable bots."""
    weights = reference_weights(found.strong)
    hits: Bools = np.abs(found.elo - weights @ found.elo - ELO * (theta - weights @ theta)) <= found.error
    return hits


def likelihoods(method: str, seats: int, samples: int, spread: float = 0.0, seed: int = 1) -> list[Share]:
    """LOS among 8 bots over 100 groups, for all pairs.

    The strengths are normal with this standard deviation in nats. With 0 they are uniform over a range much
    wider than the errors, as LOS assumes.
    """
    rng, claims = np.random.default_rng(seed), []
    for _ in range(samples):
        theta = rng.normal(0, spread, 8) if spread else rng.uniform(-1, 1, 8)
        found = rated(play(rng, theta, line_ups(rng, 100, 8, seats), Luck()), 8, method)
        claims.append(claimed(found, theta, *np.triu_indices(8, 1)))
    return by_bin(f"{spread * ELO:.0f} Elo apart" if spread else "far apart", claims)


def claimed(found: Ratings, theta: Floats, one: Ints, two: Ints) -> tuple[Floats, Bools]:
    """The LOS of the bot of each pair that seems better, and whether it is."""
    los = superiorities(found, one, two)
    return np.maximum(los, 1 - los), (theta[one] > theta[two]) == (los > 0.5)


def by_bin(case: str, claims: Sequence[tuple[Floats, Bools]]) -> list[Share]:
    return [
        said(f"{case}, {100 * low:.0f} to {100 * high:.0f} %", claims, low, high)
        for low, high in pairwise(BINS)
    ]


def said(case: str, claims: Sequence[tuple[Floats, Bools]], low: float, high: float = 1.0) -> Share:
    """How often a LOS from `low` to `high` was right; its mean is the promise."""
    chosen = [(low <= los) & ((los < high) | (high == 1)) for los, _ in claims]
    promised = np.concatenate([los[here] for (los, _), here in zip(claims, chosen, strict=True)])
    right = [true[here] for (_, true), here in zip(claims, chosen, strict=True)]
    return share("LOS", case, float(promised.mean()) if len(promised) else None, right)


def newcomers(method: str, seats: int, samples: int, bots: int = 200, seed: int = 1) -> list[Share]:
    """Intervals and LOS of newcomers with few groups of their own, among bots with 30 groups each.

    The last bots are the newcomers; each of their groups has opponents from all others.
    """
    rng, old = np.random.default_rng(seed), bots - len(OWN)
    held: list[Bools] = []
    claims = []
    for _ in range(samples):
        theta = np.append(rng.normal(0, 0.8, old), rng.uniform(-1.5, 1.5, len(OWN)))
        lineups = [line_ups(rng, old * 30 // seats, old, seats)]
        for newcomer, count in enumerate(OWN, old):
            others = line_ups(rng, count, old, seats - 1)
            lineups.append(np.column_stack([np.full(count, newcomer), others]))
        found = rated(play(rng, theta, np.concatenate(lineups), Luck()), bots, method)
        held.append(contained(found, theta)[old:])
        claims.append([claimed(found, theta, np.full(old, bot), np.arange(old)) for bot in range(old, bots)])
    named = [f"newcomer, {count} groups" for count in OWN]
    intervals = [
        share("interval", case, RatingSettings.confidence, [each[number] for each in held])
        for number, case in enumerate(named)
    ]
    return intervals + [
        said(f"{case}, {100 * SURE:.0f} to 100 %", [each[number] for each in claims], SURE)
        for number, case in enumerate(named)
    ]


def near_deterministic(method: str, seats: int, samples: int, seed: int = 1) -> list[Share]:
    """6 bots far apart over 30 groups whose games repeat each other: upsets are rare.

    It checks the intervals of bots without a perfect score, and LOS. For the best and the worst bot, it
    checks how often the truth is within the bound of a perfect score, or there is none.
    """
    rng, theta, names = np.random.default_rng(seed), np.linspace(-2, 2, 6), [*"012345"]
    settings = RatingSettings(method=method, average=0)
    inside, within, claims = [], [], []
    for _ in range(samples):
        games = play(rng, theta, line_ups(rng, 30, 6, seats), Luck(repeats=True))
        found = rated(games, 6, method)
        table = Field(names, games, found, settings, {})
        scores = np.array(tally(table)["score"])
        weights = reference_weights(found.strong)
        truth = ELO * (theta - weights @ theta) + weights @ found.elo
        bound = np.array(bounds(games, found, settings, scores.tolist()), float)  # NaN without one
        inside.append(contained(found, theta)[np.isnan(bound)])
        within.append(~(np.where(scores == 1, bound > truth, bound < truth)[[0, -1]]))
        claims.append(claimed(found, theta, *np.triu_indices(6, 1)))
    case = "near-deterministic"
    return [
        share("interval", case, RatingSettings.confidence, inside),
        share("bound", f"{case}, best and worst", _one_sided(RatingSettings()), within),
        *by_bin(case, claims),
    ]


def ranges(method: str, seats: int, samples: int, bots: int = 20, seed: int = 1) -> list[Share]:
    """Equal bots over 200 groups, of which none is surely better than another if all ranges are right."""
    rng, apart = np.random.default_rng(seed), ~np.eye(bots, dtype=bool)
    together, pairwise = (RatingSettings(method=method, ranges=kind) for kind in ("simultaneous", "pairwise"))
    none, right = [], []
    for _ in range(samples):
        found = rate(play(rng, np.zeros(bots), line_ups(rng, 200, bots, seats), Luck()), bots, together)
        none.append(not surely_better(found, together).any())
        right.append(~surely_better(found, pairwise)[apart])
    return [
        share("range", "simultaneous: all together", together.confidence, none),
        share("range", "pairwise: each comparison", _one_sided(pairwise), right),
        share("range", "pairwise: all together", None, [each.all() for each in right]),
    ]


def clean_records(method: str, seats: int, samples: int, bots: int = 10, seed: int = 1) -> list[Share]:
    """Champions far above 9 equal bots, which win nearly all games, over few groups whose games are alike.

    One champion should be surely first; of two equal ones neither is surely better than the other.
    """
    rng, settings, shares = np.random.default_rng(seed), RatingSettings(method=method), []
    for groups in (9, 18, 27):  # The champion plays one, two or three per opponent, with two seats.
        theta = np.array([6.0, *[0.0] * (bots - 1)])
        found = [rated(_alike(rng, theta, groups, seats), bots, method) for _ in range(samples)]
        first = [surely_better(each, settings)[0, 1:].all() for each in found]
        may_be = [(best_ranks(each, settings)[1:] > 1).all() for each in found]
        shares += [
            share("champion", f"by the ranges, {groups} groups", None, first),
            share("champion", f"only one may be first, {groups} groups", None, may_be),
        ]
    twins = np.array([4.0, 4.0, *[0.0] * (bots - 2)])
    wrong = [
        (
            surely_better(rated(_alike(rng, twins, 18, seats), bots, method), settings)
            & (twins[:, None] <= twins)
        ).any()
        for _ in range(samples)
    ]
    return [*shares, share("twins", "all together", settings.confidence, [~each for each in wrong])]


def _alike(rng: np.random.Generator, theta: Floats, groups: int, seats: int) -> list[OutcomeArrays]:
    """So many groups of each bot, on average, whose games repeat each other."""
    count = -(-groups * len(theta) // seats)
    return play(rng, theta, line_ups(rng, count, len(theta), seats), Luck(repeats=True))


def first_places(method: str, seats: int, samples: int, bots: int = 10, seed: int = 1) -> list[Share]:
    """How often the best, or the three best, of close bots over 200 groups are among the possible ones."""
    rng, settings = np.random.default_rng(seed), RatingSettings(method=method)
    theta = np.array([0.3, 0.25, 0.2, *[0.0] * (bots - 3)])
    ranks = [
        best_ranks(rated(play(rng, theta, line_ups(rng, 200, bots, seats), Luck()), bots, method), settings)
        for _ in range(samples)
    ]
    return [
        share("first", "the best bot may be first", settings.confidence, [each[0] == 1 for each in ranks]),
        share("first", "the third may be among three", settings.confidence, [each[2] <= 3 for each in ranks]),
    ]


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
    """The scores of `MAX_GROUPS` groups of two bots that are so far apart, as in `arena compare`.

    With more than two seats these are twin games, against opponents between the two.
    """
    turns = 1 if repeats else seats
    if seats == 2:
        wins: list[float] = (rng.logistic(size=(MAX_GROUPS, turns)) < elo / ELO).mean(axis=1).tolist()
        return wins
    opponents, scores = rng.gumbel(size=(MAX_GROUPS, turns, seats - 1)), []
    for strength in (elo / ELO / 2, -elo / ELO / 2):
        utility = strength + rng.gumbel(size=(MAX_GROUPS, turns, 1))
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
        draws = rng.choice(values, (samples, MAX_GROUPS), p=tilted(values, usual, elo))
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
