"""Pairs of bots: their results by seed group, and whether these differ from what the ratings expect.

Each pair of seats meets once in a game: the better place wins, a tie is half. The meetings within a seed
group are not independent, so the groups are the sample. If one strength per bot explains the games, two bots
score the same against each other with any third player at the table.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, pairwise
from math import exp, log, sqrt

import numpy as np

from arena.rating.arrays import Floats, Ints
from arena.rating.distributions import t_below, t_probability
from arena.rating.field import RatedField
from arena.rating.opponents import expected_scores
from arena.rating.outcome_arrays import OutcomeArrays
from arena.rating.thirds import company

_NEGLIGIBLE = 1e-9  # a standard error; if it is smaller, all groups ended alike
_MAX_BOTS = 100  # With more bots, thirds are not tested: the tests grow with the third power, and find less.


@dataclass(frozen=True)
class Pair:
    """Two bots by number, with the `points` of `one` in each seed group in which they met.

    `games` has the number of their meetings in each of these groups.
    """

    one: int
    two: int
    points: Floats
    games: Ints

    @cached_property
    def score(self) -> float:
        return float(self.points.sum() / self.count)

    @cached_property
    def count(self) -> int:
        """The number of their meetings."""
        return int(self.games.sum())

    def squared_residuals(self, expected: float) -> float:
        """The sum over groups of (points - expected points)², where `expected` is the score per meeting."""
        return float(((self.points - self.games * expected) ** 2).sum())


@dataclass(frozen=True)
class PairTest:
    """Two bots by number, their meetings, the score and the expected score of `one`, and the test.

    `p` is the p-value of this test by itself, `is_significant` the verdict with Holm's correction. With a
    `third`, only meetings with this bot at the table count.
    """

    one: int
    two: int
    meetings: int
    score: float
    expected: float
    p: float
    is_significant: bool
    third: int = -1  # none


def pair_tests(field: RatedField) -> list[PairTest]:
    """The test of each pair that met, against the score that the Elo expects, with Holm's correction."""
    # The expected scores are fitted to the same games, so they are a little too close. The test is therefore
    # conservative.
    pairs, expected = list(pairs_met(field.arrays, len(field.names))), expected_scores(field.ratings)
    chances = [float(expected[pair.one, pair.two]) for pair in pairs]
    values = [p_value(pair, chance) for pair, chance in zip(pairs, chances, strict=True)]
    rejected = holm(values, 1 - field.settings.confidence)
    return [
        PairTest(pair.one, pair.two, pair.count, pair.score, chance, p, is_significant)
        for pair, chance, p, is_significant in zip(pairs, chances, values, rejected, strict=True)
    ]


def meetings(arrays: Sequence[OutcomeArrays], size: int) -> tuple[Ints, Ints, Floats]:
    """For each meeting: the pair (lower number · size + higher), the group, the points of the lower one.

    Meetings of a bot with itself are left out.
    """
    pair, group, points = [np.empty(0, np.int64)], [np.empty(0, np.int64)], [np.empty(0)]
    for games in arrays:
        for a, b in combinations(range(games.size), 2):
            one, two = games.bots[:, a], games.bots[:, b]
            won = 0.5 if games.places[a] == games.places[b] else 1.0
            pair.append((np.minimum(one, two) * size + np.maximum(one, two))[one != two])
            group.append(games.group[one != two])
            points.append(np.where(one < two, won, 1 - won)[one != two])
    return np.concatenate(pair), np.concatenate(group), np.concatenate(points)


def pairs_met(arrays: Sequence[OutcomeArrays], size: int) -> Iterator[Pair]:
    """Each pair of bots that met; `one` has the lower number."""
    # There may be millions of meetings. Sorting one number for each is ten times as fast as sorting by three.
    cell, group, points = meetings(arrays, size)
    groups = 1 + int(group.max(initial=0))
    coded = np.sort((cell * groups + group) * 4 + (2 * points).astype(np.int64))
    both, halves = coded // 4, coded % 4
    starts = np.flatnonzero(np.diff(both, prepend=-1))  # the first meeting of each pair in each group
    won, games = np.add.reduceat(halves, starts) / 2, np.diff(starts, append=len(both))
    keys = both[starts] // groups
    ends = [*np.flatnonzero(np.diff(keys, prepend=-1)).tolist(), len(keys)]
    for start, end in pairwise(ends):
        yield Pair(*divmod(int(keys[start]), size), won[start:end], games[start:end])


def p_value(pair: Pair, expected: float) -> float:
    """The two-sided p-value of a pair's score against the `expected` one; 1 for a single seed group."""
    # This is a t test. It relies on the sample variance, which is too small if nearly all meetings end alike.
    # So for a score between the expected one and the nearer end of the scale the p-value is at least
    # Hoeffding's bound. If all groups ended alike, only the bound is left; against one half, a sign test is
    # sharper.
    groups, count, score = len(pair.games), pair.count, pair.score
    if groups < 2 or score == expected:
        return 1.0
    error = sqrt(pair.squared_residuals(score) * groups / (groups - 1)) / count
    if error < _NEGLIGIBLE:
        return _hoeffding(score, expected, groups) if expected != 0.5 else 0.5 ** (groups - 1)
    p = 1 - t_probability(abs(score - expected) / error, groups - 1)
    is_extreme = (score - expected) * (expected - 0.5) > 0
    return max(p, _hoeffding(score, expected, groups)) if is_extreme else p


def _hoeffding(score: float, expected: float, groups: int) -> float:
    """An upper bound for the probability that the mean score of groups is this far from the expected one."""
    # It holds for any independent scores from 0 to 1 (Hoeffding 1963, JASA 58:13, theorem 1).
    if not 0 < expected < 1:
        return 0.0
    both = (score, expected), (1 - score, 1 - expected)
    distance = sum(seen * log(seen / chance) for seen, chance in both if seen > 0)
    return min(1.0, 2 * exp(-groups * distance))


def holm(values: Sequence[float], level: float) -> list[bool]:
    """For each p-value, whether it is significant (Holm 1979, Scand. J. Statist. 6:65).

    `level` is the largest probability that any of them is found significant by chance.
    """
    rejected = [False] * len(values)
    for done, number in enumerate(sorted(range(len(values)), key=values.__getitem__)):
        if values[number] > level / (len(values) - done):
            break
        rejected[number] = True
    return rejected


def third_tests(field: RatedField) -> list[PairTest]:
    """The test of each pair with each third player, the smallest p-value first, with Holm's correction.

    The expected score is the score without the third. Bots that met too seldom are left out.
    """
    size = len(field.names)
    large = [games for games in field.arrays if games.size > 2]
    if not large or size > _MAX_BOTS:
        return []
    found = company(large, size)
    values = (2 * (1 - t_below(found.t, found.freedom))).tolist()
    rejected = holm(values, 1 - field.settings.confidence)
    pairs = zip(*(each.tolist() for each in divmod(found.pair, size)), strict=True)
    columns = (each.tolist() for each in (found.meetings, found.score, found.without, found.third))
    tests = [
        PairTest(one, two, meetings, score, without, p, is_significant, third)
        for (one, two), meetings, score, without, third, p, is_significant in zip(
            pairs, *columns, values, rejected, strict=True
        )
    ]
    return sorted(tests, key=lambda test: (test.p, test.one, test.two, test.third))
