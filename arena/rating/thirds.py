"""Pairs of bots at tables of three and more: whether their result depends on a third player.

If one strength per bot explains the games, two bots score the same against each other in any company.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from arena.rating.arrays import Floats, Ints
from arena.rating.distributions import t_below
from arena.rating.outcome import OutcomeArrays
from arena.rating.pairs import holm
from arena.rating.standings import Field

MAX_BOTS = 100  # the tests grow with the third power; of so many none finds anything
_MIN_GROUPS = 10  # with the third, and without
_MIN_EXPECTED = 10  # wins and losses with the third, and without: as for chi square, and more cautious


@dataclass(frozen=True)
class ThirdTest:
    """Two bots and a third by number, the score of `one` against `two` with the third and without, the test.

    `meetings` are those of the two with the third. `p` is the p-value of this test by itself,
    `is_significant` the verdict with Holm's correction for all tests of the field.
    """

    one: int
    two: int
    third: int
    meetings: int
    score: float
    without: float
    p: float
    is_significant: bool


def third_tests(field: Field) -> list[ThirdTest]:
    """The tests of all pairs and third players that met often enough, the smallest p-value first."""
    # The difference D of two mean scores, with the third and without, has the mean 0, whichever the scores of
    # the pair. Its variance comes from the residuals by seed group, from the mean score of the pair over all
    # games: a side on which nearly all games ended alike would have too small a variance of its own.
    size = len(field.names)
    large = [games for games in field.arrays if games.size > 2]
    if not large or size > MAX_BOTS:
        return []
    pair, group, third, met, won = _meetings(large, size)
    # A cell is a pair in a seed group; `of_pair` says of which pair.
    cells, cell = np.unique(pair * (1 + group.max(initial=0)) + group, return_inverse=True)
    pairs, of_pair = np.unique(cells // (1 + group.max(initial=0)), return_inverse=True)
    alone = third < 0  # the meetings of a pair, once for each line-up and group
    met_in, won_in = (np.bincount(cell[alone], each[alone], len(cells)) for each in (met, won))
    met_of, won_of = (np.bincount(of_pair, each) for each in (met_in, won_in))
    residual = won_in - met_in * (won_of / met_of)[of_pair]
    squares = np.bincount(of_pair, residual**2)
    groups = np.bincount(of_pair)
    # A part is a cell with a third, `of` the pair and third of it.
    parts, part = np.unique(cell[~alone] * size + third[~alone], return_inverse=True)
    met_with, won_with = (np.bincount(part, each[~alone], len(parts)) for each in (met, won))
    here = parts // size
    keys, of = np.unique(of_pair[here] * size + parts % size, return_inverse=True)
    number = keys // size
    inside, points, groups_with = (np.bincount(of, each) for each in (met_with, won_with, met_with > 0))
    outside = met_of[number] - inside
    score, without = points / inside, (won_of[number] - points) / np.maximum(outside, 1)
    groups_without = groups[number] - np.bincount(of, met_with == met_in[here])
    mean = (won_of / met_of)[number]
    least = np.minimum(mean, 1 - mean) * np.minimum(inside, outside)
    enough = (np.minimum(groups_with, groups_without) >= _MIN_GROUPS) & (least >= _MIN_EXPECTED)
    # The residuals of the part with the third; its groups may have games without it, too.
    own = won_with - met_with * mean[of]
    both = own / inside[of] - (residual[here] - own) / np.maximum(outside, 1)[of]
    apart = squares[number] / np.maximum(outside, 1) ** 2
    apart += np.bincount(of, both**2 - (residual[here] / np.maximum(outside, 1)[of]) ** 2)
    equal = (squares / met_of)[number] * (1 / inside + 1 / np.maximum(outside, 1))
    freedom = groups[number] - 2
    error = np.sqrt(np.maximum(apart, equal) * groups[number] / np.maximum(freedom, 1))
    t = np.abs(score - without)[enough] / np.maximum(error[enough], 1e-9)
    values = 2 * (1 - t_below(t, freedom[enough].astype(float)))
    rejected = holm(values.tolist(), 1 - field.settings.confidence)
    found = [
        ThirdTest(
            int(pairs[number[at]] // size), int(pairs[number[at]] % size), int(keys[at] % size),
            int(inside[at]), float(score[at]), float(without[at]), p, is_significant,
        )
        for at, p, is_significant in zip(np.flatnonzero(enough), values.tolist(), rejected, strict=True)
    ]  # fmt: skip
    return sorted(found, key=lambda test: (test.p, test.one, test.two, test.third))


def _meetings(arrays: Sequence[OutcomeArrays], size: int) -> tuple[Ints, Ints, Ints, Ints, Floats]:
    """The meetings of each pair in a seed group: all of them (third -1), then those with each third player.

    In columns: the pair (lower number · size + higher), the group, the third, the number of meetings, and the
    points of the lower number.
    """
    parts: list[tuple[Ints, Ints, Ints, Ints, Floats]] = []
    for games in arrays:
        order = games.bots.argsort(axis=1, kind="stable")
        bots, places = np.take_along_axis(games.bots, order, axis=1), np.array(games.places)[order]
        row = games.group  # the games of a line-up in a group are counted together
        for column in bots.T:
            _, first, row = np.unique(row * size + column, return_index=True, return_inverse=True)
        met, seated, group = np.bincount(row), bots[first], games.group[first]
        for one, two in combinations(range(games.size), 2):
            ahead = np.sign(places[:, two] - places[:, one])
            won = np.bincount(row, (1 + ahead) / 2)
            pair = seated[:, one] * size + seated[:, two]
            differ = seated[:, one] != seated[:, two]
            for third in range(-1, games.size):
                if third in (one, two):
                    continue
                bot = seated[:, third] if third >= 0 else np.full(len(seated), -1)
                known = differ & (bot != seated[:, one]) & (bot != seated[:, two])
                if third > 0:  # one that sits there twice counts once
                    known &= bot != seated[:, third - 1]
                parts.append((pair[known], group[known], bot[known], met[known], won[known]))
    pair, group, third, met, points = map(np.concatenate, zip(*parts, strict=True))
    return pair, group, third, met, points
