"""Games of two seats: whether one number per bot explains them, and cycles."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import sqrt

import numpy as np

from arena.rating.arrays import Bools, Floats, Ints
from arena.rating.components import components
from arena.rating.distributions import chi_square_tail, t_probability
from arena.rating.estimate import ELO, Settings
from arena.rating.logit import logistic
from arena.rating.outcome import OutcomeArrays
from arena.rating.standings import Field


@dataclass(frozen=True)
class Transitivity:
    """Do the strengths explain the duels?

    `statistic` is G² divided by the mean design effect, which corrects for the dependence within seed groups.
    `probability` is the p-value of the test of fit, None if there are no degrees of freedom. `cycles` are
    sets of bots in which each is significantly beaten by another; `copeland` has the number of rivals that a
    bot has beaten (half a rival on equal points).
    """

    statistic: float
    freedom: int
    probability: float | None
    cycles: tuple[tuple[str, ...], ...]
    copeland: dict[str, float]


@dataclass(frozen=True)
class Pair:
    """All duels of two bots, given by number: for each seed group, the points of `one` and the games."""

    one: int
    two: int
    points: Floats
    games: Ints

    def squared_residuals(self, expected: float) -> float:
        """The sum over groups of the squared difference to the expected score per game."""
        return float(((self.points - self.games * expected) ** 2).sum())


def transitivity(field: Field) -> Transitivity | None:
    """The test of fit over the games of two seats; None with fewer than three bots."""
    duels = [games for games in field.arrays if games.table == 2]
    pairs = list(each_pair(duels, len(field.names)))
    bots = sorted({bot for pair in pairs for bot in (pair.one, pair.two)})
    if len(bots) < 3:
        return None
    total, effects = 0.0, []
    for pair in pairs:
        chance = float(logistic((field.ratings.elo[pair.one] - field.ratings.elo[pair.two]) / ELO))
        count, won = pair.games.sum(), pair.points.sum()
        for seen, expected in (won, count * chance), (count - won, count * (1 - chance)):
            total += 2 * seen * np.log(seen / expected) if seen else 0
        effects.append(pair.squared_residuals(chance) / (count * chance * (1 - chance)))
    freedom = len(pairs) - (len(bots) - len(np.unique(field.ratings.pool[bots])))
    effect = float(np.mean(effects))
    statistic = float(total / effect) if effect else 0.0
    return Transitivity(
        statistic,
        freedom,
        chi_square_tail(statistic, freedom) if freedom > 0 else None,
        tuple(
            tuple(field.names[bot] for bot in cycle)
            for cycle in cycles(pairs, len(field.names), field.settings)
        ),
        {field.names[bot]: score for bot, score in copeland(pairs).items()},
    )


def each_pair(duels: Sequence[OutcomeArrays], size: int) -> Iterator[Pair]:
    """The duels of each pair of bots that met, from the side of the lower number."""
    if not duels:
        return
    one, two = (np.concatenate([games.bots[:, position] for games in duels]) for position in (0, 1))
    points = np.concatenate(
        [np.full(len(games.bots), 0.5 if games.places == (1, 1) else 1.0) for games in duels]
    )
    group = np.concatenate([games.group for games in duels])
    points = np.where(one < two, points, 1 - points)
    cell = np.minimum(one, two) * size + np.maximum(one, two)
    order = np.lexsort((points, group, cell))
    order = order[(one != two)[order]]
    cell, group, points = cell[order], group[order], points[order]
    for key in np.unique(cell):
        part = slice(*np.searchsorted(cell, (key, key + 1)))
        _, number = np.unique(group[part], return_inverse=True)
        won = np.bincount(number, points[part]).astype(float)  # is float already; its type says int
        yield Pair(int(key // size), int(key % size), won, np.bincount(number))


def copeland(pairs: Sequence[Pair]) -> dict[int, float]:
    """The number of rivals that each bot has beaten over all games, half on equal points (Copeland 1951)."""
    scores: dict[int, float] = {}
    for pair in pairs:
        lead = float(np.sign(2 * pair.points.sum() - pair.games.sum()))
        scores[pair.one] = scores.get(pair.one, 0) + (1 + lead) / 2
        scores[pair.two] = scores.get(pair.two, 0) + (1 - lead) / 2
    return dict(sorted(scores.items()))


def cycles(pairs: Sequence[Pair], size: int, settings: Settings) -> list[list[int]]:
    """Sets of three or more bots that beat each other in a cycle.

    An edge is a pair whose score differs significantly from one half, by a test clustered by seed group,
    with Holm's correction for the number of pairs (Holm 1979, Scand. J. Statist. 6:65).
    """
    tested = sorted((p_value(pair), pair.one, pair.two, pair) for pair in pairs)
    links: Bools = np.zeros((size, size), bool)
    for done, (p, one, two, pair) in enumerate(tested):
        if p > (1 - settings.confidence) / (len(tested) - done):
            break
        winner, loser = (one, two) if 2 * pair.points.sum() > pair.games.sum() else (two, one)
        links[winner, loser] = True
    component = components(links)
    sets = [np.flatnonzero(component == label).tolist() for label in np.unique(component)]
    return [bots for bots in sets if len(bots) > 2]


def p_value(pair: Pair) -> float:
    """The two-sided p-value of the pair's score against one half, with its seed groups as the sample.

    If all groups ended alike there is no variance for a t test; a sign test takes its place.
    """
    groups, count = len(pair.games), int(pair.games.sum())
    mean = float(pair.points.sum()) / count
    if groups < 2 or mean == 0.5:
        return 1.0
    error = sqrt(pair.squared_residuals(mean) * groups / (groups - 1)) / count
    return 1 - t_probability(abs(mean - 0.5) / error, groups - 1) if error else 0.5 ** (groups - 1)
