"""Games of two seats: whether one number per bot explains them, and cycles."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from arena.rating.arrays import Bools
from arena.rating.components import components
from arena.rating.distributions import chi_square_tail
from arena.rating.estimate import ELO, Settings
from arena.rating.logit import logistic
from arena.rating.pairs import Pair, each_pair, holm, p_value
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

    An edge is a pair whose score differs significantly from one half, with Holm's correction.
    """
    rejected = holm([p_value(pair, 0.5) for pair in pairs], 1 - settings.confidence)
    links: Bools = np.zeros((size, size), bool)
    for pair in (pair for pair, is_significant in zip(pairs, rejected, strict=True) if is_significant):
        ahead = 2 * pair.points.sum() > pair.games.sum()
        winner, loser = (pair.one, pair.two) if ahead else (pair.two, pair.one)
        links[winner, loser] = True
    component = components(links)
    sets = [np.flatnonzero(component == label).tolist() for label in np.unique(component)]
    return [bots for bots in sets if len(bots) > 2]
