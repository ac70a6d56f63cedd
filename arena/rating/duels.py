"""Games of two: who beat whom, whether one number per bot can explain it, and who goes round in a circle."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt

import numpy as np

from arena.rating.components import components
from arena.rating.distributions import chi_square_beyond, t_within
from arena.rating.estimate import ELO
from arena.rating.logit import logistic
from arena.rating.outcome import Games
from arena.rating.standings import Field


@dataclass(frozen=True)
class Transitivity:
    """Do the strengths explain the duels? `probability` is that of a worse fit by chance; None: no test.

    `statistic` is G² over the mean design effect, which pays for the dependence inside seed groups;
    `cycles` are sets of bots in which everybody is surely beaten by somebody else; `copeland` has for
    each bot how many of the others it has beaten (on equal points: half).
    """

    statistic: float
    freedom: int
    probability: float | None
    cycles: tuple[tuple[str, ...], ...]
    copeland: dict[str, float]


@dataclass(frozen=True)
class Pair:
    """All duels of two bots, by number: points of `one`, by seed group, in `games` games each."""

    one: int
    two: int
    points: np.ndarray
    games: np.ndarray

    def squares(self, expected: float) -> float:
        """The sum over groups of the squared miss, where each game is expected to bring so much."""
        return float(((self.points - self.games * expected) ** 2).sum())


def head_to_head(tables: Sequence[Games], size: int) -> tuple[np.ndarray, np.ndarray]:
    """Points of each bot (row) against each other one, and the number of their meetings, (K, K).

    At every table each pair of seats meets once; a tie is half a point.
    """
    points, met = np.zeros((2, size * size))
    for games in tables:
        for one in range(games.size):
            for two in range(one + 1, games.size):
                tie = games.places[one] == games.places[two]
                there, back = (
                    games.bots[:, a] * size + games.bots[:, b] for a, b in ((one, two), (two, one))
                )
                counts = np.bincount(there, minlength=size * size), np.bincount(back, minlength=size * size)
                met += counts[0] + counts[1]
                points += (counts[0] + counts[1]) / 2 if tie else counts[0]
    return points.reshape(size, size), met.reshape(size, size)


def transitivity(field: Field) -> Transitivity | None:
    """The test of fit over the games of two seats; None with fewer than three bots in them."""
    duels = [games for games in field.tables if games.size == 2]
    pairs = list(each_pair(duels, len(field.names)))
    bots = sorted({bot for pair in pairs for bot in (pair.one, pair.two)})
    if len(bots) < 3:
        return None
    statistic, effects = 0.0, []
    for pair in pairs:
        chance = float(logistic((field.ratings.elo[pair.one] - field.ratings.elo[pair.two]) / ELO))
        count, won = pair.games.sum(), pair.points.sum()
        for seen, expected in (won, count * chance), (count - won, count * (1 - chance)):
            statistic += 2 * seen * np.log(seen / expected) if seen else 0
        effects.append(pair.squares(chance) / (count * chance * (1 - chance)))
    freedom = len(pairs) - (len(bots) - len(np.unique(field.ratings.pool[bots])))
    statistic = float(statistic / np.mean(effects)) if np.mean(effects) else 0.0
    return Transitivity(
        statistic,
        freedom,
        chi_square_beyond(statistic, freedom) if freedom > 0 else None,
        tuple(
            tuple(field.names[bot] for bot in cycle)
            for cycle in cycles(pairs, len(field.names), field.settings)
        ),
        {field.names[bot]: score for bot, score in copeland(pairs).items()},
    )


def each_pair(duels: Sequence[Games], size: int):
    """The duels of each two bots that met, by the lower number."""
    if not duels:
        return
    one, two = (np.concatenate([games.bots[:, position] for games in duels]) for position in (0, 1))
    points = np.concatenate(
        [np.full(len(games.bots), 0.5 if games.places == (1, 1) else 1.0) for games in duels]
    )
    group = np.concatenate([games.group for games in duels])
    points = np.where(one < two, points, 1 - points)
    cell = np.minimum(one, two) * size + np.maximum(one, two)
    order = np.lexsort((points, group, cell))[(one != two)[np.lexsort((points, group, cell))]]
    cell, group, points = cell[order], group[order], points[order]
    for key in np.unique(cell):
        part = slice(*np.searchsorted(cell, (key, key + 1)))
        _, number = np.unique(group[part], return_inverse=True)
        yield Pair(int(key // size), int(key % size), np.bincount(number, points[part]), np.bincount(number))


def copeland(pairs: Sequence[Pair]) -> dict[int, float]:
    """For each bot the number of rivals beaten over all games, on equal points half (Copeland 1951)."""
    scores: dict[int, float] = {}
    for pair in pairs:
        lead = float(np.sign(2 * pair.points.sum() - pair.games.sum()))
        scores[pair.one] = scores.get(pair.one, 0) + (1 + lead) / 2
        scores[pair.two] = scores.get(pair.two, 0) + (1 - lead) / 2
    return dict(sorted(scores.items()))


def cycles(pairs: Sequence[Pair], size: int, settings) -> list[list[int]]:
    """Sets of three or more bots that beat each other round and round.

    An edge is a pair whose score differs from one half, by a test clustered by seed group, after
    Holm's correction for the number of pairs (Holm 1979, Scand. J. Statist. 6:65).
    """
    tested = sorted((doubt(pair), pair.one, pair.two, pair) for pair in pairs)
    links = np.zeros((size, size), bool)
    for tried, (p, one, two, pair) in enumerate(tested):
        if p > (1 - settings.confidence) / (len(tested) - tried):
            break
        winner, loser = (one, two) if 2 * pair.points.sum() > pair.games.sum() else (two, one)
        links[winner, loser] = True
    component = components(links)
    sets = [np.flatnonzero(component == label).tolist() for label in np.unique(component)]
    return [bots for bots in sets if len(bots) > 2]


def doubt(pair: Pair) -> float:
    """The two-sided p value of the pair's score against one half, its seed groups the sample.

    Groups that all say the same leave no variance to test with: then it is the sign test.
    """
    groups, count = len(pair.games), pair.games.sum()
    mean = pair.points.sum() / count
    if groups < 2 or mean == 0.5:
        return 1.0
    error = sqrt(pair.squares(mean) * groups / (groups - 1)) / count
    return 1 - t_within(abs(mean - 0.5) / error, groups - 1) if error else 0.5 ** (groups - 1)
