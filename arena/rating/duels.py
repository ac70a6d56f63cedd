"""Tests whether one number per bot explains the games of two seats, and finds cycles."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np

from arena.rating.arrays import Bools
from arena.rating.components import components
from arena.rating.distributions import chi_square_tail
from arena.rating.field import RatedField
from arena.rating.logit import Model, Stages, logistic, maximise
from arena.rating.pairs import Pair, holm, p_value, pairs_met
from arena.rating.settings import RatingSettings

_MIN_EXPECTED = 5.0  # wins and losses of a pair; with fewer, its part of G² does not follow chi square


@dataclass(frozen=True)
class Transitivity:
    """The test whether one strength per bot explains the duels, the games of two seats.

    Attributes:
        statistic: From `misfit`.
        freedom: Its degrees of freedom.
        probability: The p-value; None without degrees of freedom.
        cycles: Sets of bots in which each is significantly beaten by another.
        copeland: By bot, the number of rivals that it has beaten; a rival with equal points counts half.
    """

    statistic: float
    freedom: int
    probability: float | None
    cycles: tuple[tuple[str, ...], ...]
    copeland: dict[str, float]


def transitivity(field: RatedField) -> Transitivity | None:
    """The test of fit over the games of two seats; None if fewer than three bots played any."""
    duels = [games for games in field.arrays if games.table == 2]
    pairs = list(pairs_met(duels, len(field.names)))
    if len({bot for pair in pairs for bot in (pair.one, pair.two)}) < 3:
        return None
    statistic, freedom = misfit(pairs)
    probability = chi_square_tail(statistic, freedom) if freedom > 0 else None
    cycles = _cycles(pairs, len(field.names), field.settings)
    named = tuple(tuple(field.names[bot] for bot in cycle) for cycle in cycles)
    copeland = {field.names[bot]: score for bot, score in _copeland(pairs).items()}
    return Transitivity(statistic, freedom, probability, named, copeland)


def misfit(pairs: Sequence[Pair]) -> tuple[float, int]:
    """G² of the pairs divided by their mean design effect, and its degrees of freedom.

    Both are 0 if the pairs that can be tested lead to no estimate.
    """
    # Pairs with little information about the fit are left out: pairs from different strong components, and
    # pairs with few expected wins or losses. The strengths are fitted only to the other pairs, without the
    # prior, which would pull them together. Each fit may rule out more pairs, so this is repeated until it
    # does not. Without an estimate there are no degrees of freedom.
    pairs = [pair for pair in pairs if _is_expected_often(pair, 0.5)]  # Any fit would leave out the rest.
    while True:
        try:
            parts = [_fit(part) for part in _strong_parts(pairs)]
        except np.linalg.LinAlgError:  # A chain of many bots far apart is out of numerical reach.
            return 0.0, 0
        kept = [pair for pair, chance in chain(*parts) if _is_expected_often(pair, chance)]
        if len(kept) == len(pairs):
            break
        pairs = kept
    total, effects = 0.0, []
    for pair, chance in chain(*parts):
        count, won = pair.games.sum(), pair.points.sum()
        for seen, expected in (won, count * chance), (count - won, count * (1 - chance)):
            total += 2 * seen * np.log(seen / expected) if seen else 0
        effects.append(pair.squared_residuals(chance) / (count * chance * (1 - chance)))
    effect = float(np.mean(effects)) if effects else 0.0
    bots = {bot for pair in pairs for bot in (pair.one, pair.two)}
    return float(total / effect) if effect else 0.0, len(pairs) - (len(bots) - len(parts))


def _strong_parts(pairs: Sequence[Pair]) -> list[list[Pair]]:
    """The pairs within each strong component of the bots that they link."""
    bots, ends = np.unique([(pair.one, pair.two) for pair in pairs], return_inverse=True)
    ends = ends.reshape(-1, 2)
    scored: Bools = np.zeros((len(bots), len(bots)), bool)
    for (one, two), pair in zip(ends, pairs, strict=True):
        won = pair.points.sum()
        scored[one, two], scored[two, one] = won > 0, won < pair.games.sum()
    strong = components(scored)
    parts: dict[int, list[Pair]] = {}
    for (one, two), pair in zip(ends, pairs, strict=True):
        if strong[one] == strong[two]:
            parts.setdefault(int(strong[one]), []).append(pair)
    return [*parts.values()]


def _fit(pairs: Sequence[Pair]) -> list[tuple[Pair, float]]:
    """The pairs of one strong component, each with the fitted chance of `one` to win."""
    bots, ends = np.unique([(pair.one, pair.two) for pair in pairs], return_inverse=True)
    points = [(won := pair.points.sum(), pair.games.sum() - won) for pair in pairs]
    stages = Stages(ends.reshape(-1, 2, 1), np.array(points, float))
    at = maximise([stages], Model("pairs", len(bots)), prior=0).at
    one, two = ends.reshape(-1, 2).T
    return list(zip(pairs, logistic(at[one] - at[two]).tolist(), strict=True))


def _is_expected_often(pair: Pair, chance: float) -> bool:
    return int(pair.games.sum()) * min(chance, 1 - chance) >= _MIN_EXPECTED


def _copeland(pairs: Sequence[Pair]) -> dict[int, float]:
    """The number of rivals that each bot has beaten over all games (Copeland 1951).

    A rival with equal points counts half.
    """
    scores: dict[int, float] = {}
    for pair in pairs:
        lead = float(np.sign(2 * pair.points.sum() - pair.games.sum()))
        scores[pair.one] = scores.get(pair.one, 0) + (1 + lead) / 2
        scores[pair.two] = scores.get(pair.two, 0) + (1 - lead) / 2
    return dict(sorted(scores.items()))


def _cycles(pairs: Sequence[Pair], size: int, settings: RatingSettings) -> list[list[int]]:
    """Sets of three or more bots, by number, in which each is significantly beaten by another of the set."""
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
