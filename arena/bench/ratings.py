"""Checks what the ratings promise: intervals, ranges, bounds, speed, games saved, and the sequential test.

All games are simulated. The utility of a bot in a game is its strength, plus luck, plus a Gumbel variable;
places are in the order of utilities. So the Plackett-Luce model is true, and Bradley-Terry for each pair.
Luck is normal and lasts for a seed group, which is a line-up in all its rotations. Luck of a *seat* is a good
hand, which every bot has once in a group; luck of a *bot* is a deal that suits it in any seat. With luck the
model of every method is wrong: its intervals should then contain the estimate from very many groups.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from arena.bench.pairing import line_ups, saving_lines
from arena.rating.arrays import Floats, Ints
from arena.rating.estimate import ELO, Ratings, Settings, rate
from arena.rating.group_scores import CELLS, NORMALIZED, elo_of
from arena.rating.methods import METHODS
from arena.rating.outcome import Outcome, OutcomeArrays, in_order
from arena.rating.ranges import surely_better
from arena.rating.sprt import EloModel, Sprt
from arena.rating.standings import rated, standings

Number = TypeVar("Number", np.float64, np.int64)

MANY = 50_000  # groups for what a method estimates in the limit


@dataclass(frozen=True)
class Luck:
    """Standard deviations in nats of the luck that lasts for a seed group."""

    seat: float = 0.0
    bot: float = 0.0


LUCKS = {"no luck": Luck(), "luck of seats": Luck(seat=1.0), "luck of bots": Luck(bot=1.0)}


def measure() -> Iterator[str]:
    """Lines of results; about two minutes."""
    yield from coverage_lines()
    yield from newcomer_lines()
    yield from range_lines()
    yield from bound_lines()
    yield from speed_lines()
    yield from saving_lines()
    yield from verdict_lines()


# Games


def play(rng: np.random.Generator, theta: Floats, lineups: Ints, luck: Luck) -> list[OutcomeArrays]:
    """Simulate a seed group of each line-up (G, n), in its n rotations."""
    groups, seats = lineups.shape
    hands, suits = rng.normal(0, luck.seat, (groups, seats)), rng.normal(0, luck.bot, (groups, seats))
    utility = rotations(theta[lineups] + suits) + hands[:, None] + rng.gumbel(size=(groups, seats, seats))
    places = 1 + (-utility).argsort(axis=2).argsort(axis=2)
    group = np.repeat(np.arange(groups), seats)
    return in_order(rotations(lineups).reshape(-1, seats), places.reshape(-1, seats), group)


def rotations(cells: NDArray[Number]) -> NDArray[Number]:
    """All n rotations of each line: (G, n) becomes (G, n, n)."""
    return np.stack([np.roll(cells, -turn, axis=1) for turn in range(cells.shape[1])], axis=1)


# Intervals


def coverage_lines(samples: int = 400) -> Iterator[str]:
    yield f"95 % intervals that contain the truth ({samples} samples: 8 bots, 100 groups of 4 seats)"
    for method in METHODS:
        shares = (f"{name} {100 * coverage(method, luck, samples):.1f} %" for name, luck in LUCKS.items())
        yield f"  {method:<15}{'   '.join(shares)}"


def coverage(
    method: str, luck: Luck, samples: int, groups: int = 100, bots: int = 8, seats: int = 4, seed: int = 1
) -> float:
    """The share of intervals that contain the truth, over all bots in this number of samples."""
    rng, theta = np.random.default_rng(seed), np.linspace(-1, 1, bots)

    def sample(size: int) -> Ratings:
        arrays = play(rng, theta, line_ups(rng, size, bots, seats), luck)
        return rate(arrays, bots, Settings(method=method, average=0))

    truth = ELO * theta if luck == Luck() else sample(MANY).elo
    found = [sample(groups) for _ in range(samples)]
    return float(np.mean([np.abs(each.elo - truth) <= each.error for each in found]))


def newcomer_lines(samples: int = 100) -> Iterator[str]:
    own = (3, 5, 10)
    yield f"... of newcomers with so many groups of their own ({samples} samples: 200 bots, 30 groups each)"
    for method in METHODS:
        shares = newcomer_coverage(method, own, samples)
        cells = (f"{groups} groups {100 * share:.0f} %" for groups, share in zip(own, shares, strict=True))
        yield f"  {method:<15}{'   '.join(cells)}"


def newcomer_coverage(
    method: str,
    own: Sequence[int],
    samples: int,
    bots: int = 200,
    groups: int = 30,
    seats: int = 4,
    seed: int = 1,
) -> list[float]:
    """The share of intervals that contain the truth, for newcomers with each number of groups in `own`.

    The last bots are the newcomers; each of their groups has opponents from all others.
    """
    rng, old = np.random.default_rng(seed), bots - len(own)
    hits = []
    for _ in range(samples):
        theta = rng.normal(0, 0.8, bots)
        lineups = [line_ups(rng, old * groups // seats, old, seats)]
        for newcomer, count in enumerate(own, old):
            others = line_ups(rng, count, old, seats - 1)
            lineups.append(np.column_stack([np.full(count, newcomer), others]))
        found = rate(
            play(rng, theta, np.concatenate(lineups), Luck()), bots, Settings(method=method, average=0)
        )
        hits.append(np.abs(found.elo - ELO * (theta - theta.mean()))[old:] <= found.error[old:])
    shares: list[float] = np.mean(hits, axis=0).tolist()
    return shares


# Ranges of ranks


def range_lines(samples: int = 200) -> Iterator[str]:
    yield f"standings with all rank ranges right ({samples} samples: 20 equal bots, 200 groups of 4 seats)"
    for method in METHODS:
        shares = (
            f"{ranges} {100 * right_ranges(method, ranges, samples):.1f} %"
            for ranges in ("simultaneous", "pairwise")
        )
        yield f"  {method:<15}{'   '.join(shares)}"


def right_ranges(method: str, ranges: str, samples: int, bots: int = 20, seed: int = 1) -> float:
    """The share of standings of equal bots in which no bot is surely better than another."""
    rng, settings = np.random.default_rng(seed), Settings(method=method, ranges=ranges)
    right = 0
    for _ in range(samples):
        games = play(rng, np.zeros(bots), line_ups(rng, 200, bots, 4), Luck())
        right += not surely_better(rate(games, bots, settings), settings).any()
    return right / samples


# Bounds of perfect scores


def bound_lines(samples: int = 200) -> Iterator[str]:
    yield (
        f"bounds of perfect scores that the truth breaks, at most 2.5 % promised for each of 2 bots"
        f" ({samples} samples: 6 bots far apart, 30 groups)"
    )
    for copies in 1, 2, 5:
        yield f"  {copies} equal games in a group: {100 * broken_bounds(copies, samples):.1f} %"


def broken_bounds(copies: int, samples: int, bots: int = 6, groups: int = 30, seed: int = 1) -> float:
    """How often the truth is beyond the bound of a perfect score, for the best and the worst bot.

    Bots are deterministic: the games of a group all end alike.
    """
    rng, theta, broken = np.random.default_rng(seed), np.linspace(-2, 2, bots), 0
    truth = ELO * theta
    for _ in range(samples):
        lineups = line_ups(rng, groups, bots, 2)
        wins = rng.random(groups) < 1 / (1 + np.exp(theta[lineups[:, 1]] - theta[lineups[:, 0]]))
        outcomes = [
            Outcome((str(one), str(two)), (1, 2) if won else (2, 1), str(group))
            for group, ((one, two), won) in enumerate(zip(lineups.tolist(), wins.tolist(), strict=True))
            for _ in range(copies)
        ]
        for row in standings(rated(outcomes, Settings(average=0))):
            if row.bound is not None:
                beyond = row.bound - truth[int(row.bot)]
                broken += bool(beyond > 0 if row.score == 1 else beyond < 0)
    return broken / (2 * samples)


# Speed


def speed_lines(bots: int = 200, groups: int = 250_000) -> Iterator[str]:
    """The time from games in memory to standings: sort the games, fit, and compute the errors."""
    rng = np.random.default_rng(1)
    theta, lineups = rng.normal(0, 1, bots), line_ups(rng, groups, bots, 4)
    games = play(rng, theta, lineups, Luck())
    seated, group = (np.concatenate([getattr(part, name) for part in games]) for name in ("bots", "group"))
    places = np.concatenate([np.tile(part.places, (len(part.bots), 1)) for part in games])
    mixed = rng.permutation(len(places))
    began = perf_counter()
    arrays = in_order(seated[mixed], places[mixed], group[mixed])
    ordered = perf_counter()
    rate(arrays, bots, Settings())
    ended = perf_counter()
    yield (
        f"{bots} bots, {4 * groups:,} games of 4 seats: sort {ordered - began:.2f} s, "
        f"fit and errors {ended - ordered:.2f} s"
    )
    yield from compare_with_choix(rng, theta, 2 * groups)


def compare_with_choix(rng: np.random.Generator, theta: Floats, groups: int) -> Iterator[str]:
    """The same for duels, and the time that choix takes for the strengths alone."""
    arrays = play(rng, theta, line_ups(rng, groups, len(theta), 2), Luck())
    began = perf_counter()
    mine = rate(arrays, len(theta), Settings(prior=0, average=0))
    seconds = perf_counter() - began
    line = f"{len(theta)} bots, {2 * groups:,} duels: fit and errors {seconds:.2f} s"
    try:
        import choix
    except ImportError:
        yield f"{line} (choix is not installed)"
        return
    duels, size = arrays[0].bots, len(theta)
    won = np.bincount(duels[:, 0] * size + duels[:, 1], minlength=size * size).reshape(size, size)
    began = perf_counter()
    other = ELO * choix.ilsr_pairwise_dense(won.astype(float))
    seconds, apart = perf_counter() - began, np.abs(mine.elo - other + other.mean()).max()
    yield f"{line}; choix: fit from counts {seconds:.2f} s, largest difference {apart:.5f} Elo"


# Verdicts


def verdict_lines(runs: int = 500) -> Iterator[str]:
    yield f"wrong verdicts of the sequential test, at most 5 % promised ({runs} runs for H0 and for H1)"
    pairs, twins = np.array(CELLS), np.arange(49) / 48
    drawish, even = np.array([1, 4, 10, 4, 1]), np.array([3, 4, 6, 4, 3])
    bell = np.exp(-(((twins - 0.5) / 0.19) ** 2) / 2)
    for name, values, shares, test in (
        ("pairs, 0 or 40 Elo", pairs, drawish, Sprt(0, 40)),
        ("pairs, 0 or 100 Elo", pairs, even, Sprt(0, 100)),
        ("pairs, 0 or 40 nElo", pairs, drawish, Sprt(0, 40, elo_model="normalized")),
        ("pairs, 0 or 100 nElo", pairs, even, Sprt(0, 100, elo_model="normalized")),
        ("twins of 4 seats, 0 or 40 Elo", twins, bell, Sprt(0, 40)),
        ("twins of 4 seats, 0 or 40 nElo", twins, bell, Sprt(0, 40, elo_model="normalized")),
    ):
        worse, better, groups = wrong_verdicts(values, shares, test, runs)
        wrong = f"wrongly better {100 * worse:.1f} %, wrongly not {100 * better:.1f} %"
        yield f"  {name:<32}{wrong}, {groups:.0f} groups"


def wrong_verdicts(
    values: Floats, shares: Floats, test: Sprt, runs: int, most: int = 4000, seed: int = 1
) -> tuple[float, float, float]:
    """Shares of wrong verdicts if H0 and if H1 is true, and the mean number of groups until a verdict.

    Groups are independent. Their scores are drawn from `values` with `shares`, tilted to H0 or H1.
    """
    rng = np.random.default_rng(seed)
    wrong: list[float] = []
    groups: list[int] = []
    for elo, truth in ((test.elo0, False), (test.elo1, True)):
        draws = rng.choice(values, (runs, most), p=tilted(values, shares, elo, test.elo_model))
        verdicts = [test.decide(scores) for scores in draws]
        wrong.append(sum(verdict.better is not truth for verdict in verdicts) / runs)
        groups += [verdict.groups for verdict in verdicts]
    return wrong[0], wrong[1], float(np.mean(groups))


def tilted(values: Floats, shares: Floats, elo: float, model: EloModel) -> Floats:
    """The shares, tilted exponentially so that a bot with these scores is better by this difference."""
    low, high = -50.0, 50.0
    for _ in range(100):
        tilt = (low + high) / 2
        weights: Floats = shares * np.exp(tilt * (values - 0.5))
        weights /= weights.sum()
        mean = float(weights @ values)
        t = (mean - 0.5) / float(np.sqrt(weights @ (values - mean) ** 2))
        found = elo_of(mean) if model == "logistic" else NORMALIZED * t
        low, high = (tilt, high) if found < elo else (low, tilt)
    return weights
