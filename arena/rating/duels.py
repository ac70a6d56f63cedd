"""Games of two seats: whether one number per bot explains them, and cycles."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from arena.rating.arrays import Bools
from arena.rating.components import components
from arena.rating.pairs import Pair, holm, p_value, pair_tests, pairs_met
from arena.rating.settings import Settings
from arena.rating.standings import Field


@dataclass(frozen=True)
class Transitivity:
    """Whether one strength per bot explains the duels, the games of two seats.

    `probability` is the p-value that it does: that of the pair whose score is least what the Elo expects,
    times the number of pairs. `cycles` are sets of bots in which each is significantly beaten by another.
    """

    probability: float
    cycles: tuple[tuple[str, ...], ...]


def transitivity(field: Field) -> Transitivity | None:
    """The test over the games of two seats; None if fewer than three bots played any."""
    duels = [games for games in field.arrays if games.table == 2]
    pairs = list(pairs_met(duels, len(field.names)))
    if len({bot for pair in pairs for bot in (pair.one, pair.two)}) < 3:
        return None
    least = min(test.p for test in pair_tests(field, duels))
    cycles = _cycles(pairs, len(field.names), field.settings)
    named = tuple(tuple(field.names[bot] for bot in cycle) for cycle in cycles)
    return Transitivity(min(1.0, least * len(pairs)), named)


def _cycles(pairs: Sequence[Pair], size: int, settings: Settings) -> list[list[int]]:
    """Sets of three or more bots, by number, in which each is beaten by another of the set."""
    # An edge is a pair whose score differs significantly from one half, with Holm's correction.
    rejected = holm([p_value(pair, 0.5) for pair in pairs], 1 - settings.confidence)
    links: Bools = np.zeros((size, size), bool)
    for pair in (pair for pair, is_significant in zip(pairs, rejected, strict=True) if is_significant):
        ahead = 2 * pair.points.sum() > pair.games.sum()
        winner, loser = (pair.one, pair.two) if ahead else (pair.two, pair.one)
        links[winner, loser] = True
    component = components(links)
    sets = [np.flatnonzero(component == label).tolist() for label in np.unique(component)]
    return [bots for bots in sets if len(bots) > 2]
