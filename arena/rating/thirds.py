"""Pairs of bots at tables of three and more, with a third player and without."""

from collections.abc import Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np

from arena.rating.arrays import Floats, Ints
from arena.rating.outcome_arrays import OutcomeArrays

_MIN_GROUPS = 10  # groups with the third, and groups without it
_MIN_EXPECTED = 10  # wins and losses, with the third and without it; more cautious than for chi square
_NEGLIGIBLE = 1e-9  # a standard error


class Company(NamedTuple):
    """Pairs (lower number · size + higher), each with a `third` bot: the difference that this bot makes.

    Attributes:
        pair: The pair.
        third: The number of the third bot.
        meetings: The meetings of the pair with the third.
        score: The mean points of the lower number with the third.
        without: The mean points of the lower number without the third.
        t: The difference over its error.
        freedom: The degrees of freedom of `t`.
    """

    pair: Ints
    third: Ints
    meetings: Ints
    score: Floats
    without: Floats
    t: Floats
    freedom: Floats


def company(arrays: Sequence[OutcomeArrays], size: int) -> Company:
    """The pairs and thirds of bots 0 to `size` - 1 that met often enough, together and without the third."""
    # Under the hypothesis the pair has the same mean score in any company, so the residuals are from the mean
    # of all its games. The variance of one side would be too small if nearly all its games ended alike.
    pair, group, third, met, won = _meetings(arrays, size)
    by_pair = third < 0  # These are all meetings of a pair; the others are with one third.
    total, points = (np.bincount(pair[by_pair], each[by_pair], size**2) for each in (met, won))
    mean = points / np.maximum(total, 1)
    residual = won - met * mean[pair]
    # A cell is a pair in a seed group.
    span = 1 + int(group.max(initial=0))
    cells, cell = np.unique(pair * span + group, return_inverse=True)
    met_in, whole = (np.bincount(cell[by_pair], each[by_pair], len(cells)) for each in (met, residual))
    of_cell = cells // span
    squares, groups = np.bincount(of_cell, whole**2, size**2), np.bincount(of_cell, minlength=size**2)
    # A part is the meetings in a cell with one third; `of` is the number of its pair and third in `keys`.
    parts, part = np.unique(cell[~by_pair] * size + third[~by_pair], return_inverse=True)
    met_with, own = (np.bincount(part, each[~by_pair], len(parts)) for each in (met, residual))
    here = parts // size
    keys, of = np.unique(of_cell[here] * size + parts % size, return_inverse=True)
    number = keys // size
    inside, excess, groups_with = (np.bincount(of, each) for each in (met_with, own, np.ones(len(of))))
    outside = total[number] - inside
    groups_without = groups[number] - np.bincount(of, met_with == met_in[here])
    least = np.minimum(mean, 1 - mean)[number] * np.minimum(inside, outside)
    enough = (np.minimum(groups_with, groups_without) >= _MIN_GROUPS) & (least >= _MIN_EXPECTED)
    # The difference has two variances. One is from the contribution of each group, which may be on both
    # sides. The other one is computed as if the variance were the same on both sides.
    outside = np.maximum(outside, 1)
    rest = whole[here] / outside[of]
    added = np.bincount(of, (own / inside[of] - rest + own / outside[of]) ** 2 - rest**2)
    apart = squares[number] / outside**2 + added
    equal = (squares / np.maximum(total, 1))[number] * (1 / inside + 1 / outside)
    freedom = np.maximum(groups[number] - 2, 1)
    error = np.sqrt(np.maximum(apart, equal) * groups[number] / freedom)
    score, without = mean[number] + excess / inside, mean[number] - excess / outside
    t = np.abs(score - without) / np.maximum(error, _NEGLIGIBLE)
    columns = number, keys % size, inside.astype(int), score, without, t, freedom.astype(float)
    return Company(*(each[enough] for each in columns))


_Meetings = tuple[Ints, Ints, Ints, Ints, Floats]


def _meetings(arrays: Sequence[OutcomeArrays], size: int) -> _Meetings:
    """The meetings of each pair in a seed group: all of them (third -1), then by third player.

    Returns:
        Columns: the pair (lower number · size + higher), the group, the third, the number of meetings, and
        the points of the lower number.
    """
    parts: list[_Meetings] = []
    for games in arrays:
        order = games.bots.argsort(axis=1, kind="stable")
        bots, places = np.take_along_axis(games.bots, order, axis=1), np.array(games.places)[order]
        row = games.group  # The games of a line-up in a group are counted together.
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
                if third > 0:  # A bot with two seats counts once.
                    known &= bot != seated[:, third - 1]
                parts.append((pair[known], group[known], bot[known], met[known], won[known]))
    columns = [np.concatenate(column) for column in zip(*parts, strict=True)]
    return columns[0], columns[1], columns[2], columns[3], columns[4]
