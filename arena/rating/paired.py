"""Paired differences: the scores of two bots that played the same seat with the same cards."""

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass
from itertools import combinations
from math import nan, sqrt
from statistics import fmean, stdev

from arena.rating.distributions import t_quantile


@dataclass(frozen=True)
class Paired:
    """How much more bot `one` scored than bot `two`: the mean over their common deals, from -1 to 1.

    `deals` is the number of common deals. `error` is half the confidence interval; None with fewer than two.
    """

    one: str
    two: str
    deals: int
    difference: float
    error: float | None


def paired_differences(games: Iterable[tuple[str, Hashable, float]], confidence: float) -> list[Paired]:
    """The difference between each two bots with common deals.

    A game is a bot, its deal, and its score from 0 to 1.
    """
    scores: dict[str, dict[Hashable, list[float]]] = {}
    for bot, deal, score in games:
        scores.setdefault(bot, {}).setdefault(deal, []).append(score)
    means = {bot: {deal: fmean(each) for deal, each in found.items()} for bot, found in scores.items()}
    found = [_pair(one, two, means, confidence) for one, two in combinations(sorted(means), 2)]
    return [each for each in found if each]


def _pair(
    one: str, two: str, means: Mapping[str, Mapping[Hashable, float]], confidence: float
) -> Paired | None:
    differences = [mean - means[two][deal] for deal, mean in means[one].items() if deal in means[two]]
    count = len(differences)
    if not count:
        return None
    error = t_quantile(confidence, count - 1) * stdev(differences) / sqrt(count) if count > 1 else nan
    return Paired(one, two, count, fmean(differences), None if error != error else error)
