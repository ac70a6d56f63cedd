"""What the table promises: its intervals, its speed, the games it saves, and the sequential test.

All games are simulated. A bot's utility in a game is its strength, plus luck, plus a Gumbel variable; places
are in the order of the utilities: so Plackett-Luce holds, and Bradley-Terry for each pair. Luck is normal and
lasts for a seed group, which is a line-up in all its rotations. Luck of a *seat* is a good hand, which in the
duplicate deals of a group everybody has once; luck of a *bot* is a deal that suits it, wherever it sits. With
luck no method has the true model: its intervals should then hold what it says of very many groups.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from time import perf_counter

import numpy as np

from arena.bench.pairing import line_ups, saving_lines
from arena.rating.estimate import ELO, Ratings, Settings, rate
from arena.rating.methods import METHODS
from arena.rating.outcome import Games, in_order
from arena.rating.sprt import CELLS, Sprt, score_of

MANY = 50_000  # groups that tell what a method estimates


@dataclass(frozen=True)
class Luck:
    """Standard deviations in nats of what lasts for a seed group."""

    seat: float = 0.0
    bot: float = 0.0


LUCKS = {"no luck": Luck(), "luck of seats": Luck(seat=1.0), "luck of bots": Luck(bot=1.0)}


def measure() -> Iterator[str]:
    """Lines of results; about a minute and a half."""
    yield from coverage_lines()
    yield from speed_lines()
    yield from saving_lines()
    yield from verdict_lines()


# Games


def play(rng: np.random.Generator, theta: np.ndarray, tables: np.ndarray, luck: Luck) -> list[Games]:
    """The games of these groups (G, n), as `in_order` has them: each in its n rotations."""
    groups, seats = tables.shape
    hands, suits = rng.normal(0, luck.seat, (groups, seats)), rng.normal(0, luck.bot, (groups, seats))
    worth = rotations(theta[tables] + suits) + hands[:, None] + rng.gumbel(size=(groups, seats, seats))
    places = 1 + (-worth).argsort(axis=2).argsort(axis=2)
    group = np.repeat(np.arange(groups), seats)
    return in_order(rotations(tables).reshape(-1, seats), places.reshape(-1, seats), group)


def rotations(cells: np.ndarray) -> np.ndarray:
    """(G, n) as (G, n, n): each row turned through all places."""
    return np.stack([np.roll(cells, -turn, axis=1) for turn in range(cells.shape[1])], axis=1)


# Intervals


def coverage_lines(samples: int = 400) -> Iterator[str]:
    yield f"95 % intervals that hold the truth ({samples} tables of 8 bots, 100 groups of 4 seats)"
    for method in METHODS:
        shares = (f"{name} {100 * coverage(method, luck, samples):.1f} %" for name, luck in LUCKS.items())
        yield f"  {method:<15}{'   '.join(shares)}"


def coverage(
    method: str, luck: Luck, samples: int, groups: int = 100, bots: int = 8, seats: int = 4, seed: int = 1
) -> float:
    """The share of intervals, over all bots of so many tables, that hold the truth."""
    rng, theta = np.random.default_rng(seed), np.linspace(-1, 1, bots)

    def table(size: int) -> Ratings:
        tables = play(rng, theta, line_ups(rng, size, bots, seats), luck)
        return rate(tables, bots, Settings(method=method, average=0))

    truth = ELO * theta if luck == Luck() else table(MANY).elo
    found = [table(groups) for _ in range(samples)]
    return float(np.mean([np.abs(each.elo - truth) <= each.error for each in found]))


# Speed


def speed_lines(bots: int = 200, groups: int = 250_000) -> Iterator[str]:
    """All of a table in memory: its games put in order, fitted, and the errors."""
    rng = np.random.default_rng(1)
    theta, lineups = rng.normal(0, 1, bots), line_ups(rng, groups, bots, 4)
    games = play(rng, theta, lineups, Luck())
    rows = [np.concatenate([getattr(part, name) for part in games]) for name in ("bots", "group")]
    places = np.concatenate([np.tile(part.places, (len(part.bots), 1)) for part in games])
    mixed = rng.permutation(len(places))
    began = perf_counter()
    tables = in_order(rows[0][mixed], places[mixed], rows[1][mixed])
    ordered = perf_counter()
    rate(tables, bots, Settings())
    ended = perf_counter()
    yield (
        f"{bots} bots, {4 * groups:,} games of 4 seats: put in order {ordered - began:.2f} s, "
        f"fit and errors {ended - ordered:.2f} s"
    )
    yield from beside_choix(rng, theta, 2 * groups)


def beside_choix(rng: np.random.Generator, theta: np.ndarray, groups: int) -> Iterator[str]:
    """The same for duels, and the time of choix, which gives strengths without errors."""
    tables = play(rng, theta, line_ups(rng, groups, len(theta), 2), Luck())
    began = perf_counter()
    mine = rate(tables, len(theta), Settings(prior=0, average=0))
    seconds = perf_counter() - began
    line = f"{len(theta)} bots, {2 * groups:,} duels: fit and errors {seconds:.2f} s"
    try:
        import choix
    except ImportError:
        yield f"{line} (choix is not installed)"
        return
    duels, size = tables[0].bots, len(theta)
    won = np.bincount(duels[:, 0] * size + duels[:, 1], minlength=size * size).reshape(size, size)
    began = perf_counter()
    other = ELO * choix.ilsr_pairwise_dense(won)
    seconds, apart = perf_counter() - began, np.abs(mine.elo - other + other.mean()).max()
    yield f"{line}; choix, the fit alone, from counts {seconds:.2f} s, {apart:.5f} Elo apart"


# Verdicts


def verdict_lines(runs: int = 500) -> Iterator[str]:
    yield f"wrong verdicts of the sequential test, 5 % promised ({runs} runs at each end)"
    pairs, twins = np.array(CELLS), np.arange(49) / 48
    for name, values, shares, elo0, elo1 in (
        ("pairs, 0 or 40 Elo", pairs, np.array([1, 4, 10, 4, 1]), 0, 40),
        ("pairs, 0 or 100 Elo", pairs, np.array([3, 4, 6, 4, 3]), 0, 100),
        ("twins of 4 seats, 0 or 40 Elo", twins, np.exp(-(((twins - 0.5) / 0.19) ** 2) / 2), 0, 40),
    ):
        worse, better, groups = wrong_verdicts(values, shares, Sprt(elo0, elo1), runs)
        yield f"  {name:<32}too kind {100 * worse:.1f} %, too hard {100 * better:.1f} %, {groups:.0f} groups"


def wrong_verdicts(
    values: np.ndarray, shares: np.ndarray, test: Sprt, runs: int, most: int = 4000, seed: int = 1
) -> tuple[float, float, float]:
    """Shares of wrong verdicts where H0 and where H1 holds, and the mean number of groups until one is there.

    Groups are independent. Their scores come from `values` with `shares`, tilted exponentially to the mean.
    """
    rng, wrong, groups = np.random.default_rng(seed), [], []
    for elo, truth in ((test.elo0, False), (test.elo1, True)):
        draws = rng.choice(values, (runs, most), p=tilted(values, shares, score_of(elo)))
        verdicts = [test.decide(scores) for scores in draws]
        wrong.append(sum(verdict.better is not truth for verdict in verdicts) / runs)
        groups += [verdict.groups for verdict in verdicts]
    return *wrong, float(np.mean(groups))


def tilted(values: np.ndarray, shares: np.ndarray, mean: float) -> np.ndarray:
    """The shares nearest to these that have the mean."""
    low, high = -50.0, 50.0
    for _ in range(100):
        tilt = (low + high) / 2
        weights = shares * np.exp(tilt * (values - 0.5))
        low, high = (tilt, high) if weights @ values < mean * weights.sum() else (low, tilt)
    return weights / weights.sum()
