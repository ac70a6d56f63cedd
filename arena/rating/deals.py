"""How much of a game the deal explains, and what rotation saved: an analysis of variance of seed groups.

The games of a seed group share the deal, and every bot plays every seat. If all bots score more in one seat
than they score there in other groups of the same line-up, this common excess is the effect of the deal.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from arena.rating.arrays import Floats, Ints
from arena.rating.distributions import t_quantile
from arena.rating.field import RatedField
from arena.rating.outcome_arrays import OutcomeArrays, scores_by_position

_NEGLIGIBLE = 1e-9  # a residual; smaller ones are rounding errors


@dataclass(frozen=True)
class DealEffect:
    """The effect of the deal at tables of one size; each `…_error` is half a confidence interval.

    `deal` is the share of the variance of a score that the deal explains. `saved` is the share of games
    that rotation saves, compared with games that reveal as much but have a deal and an order of seats each;
    below 0 it costs games. The last four are None if no line-up has several seed groups of several
    games, or if the groups of each line-up ended alike.
    """

    size: int
    games: int
    groups: int
    deal: float | None = None
    deal_error: float | None = None
    saved: float | None = None
    saved_error: float | None = None


def deal_effects(field: RatedField) -> list[DealEffect]:
    """The effect of the deal at each size of table, ascending, from the games without a left-out bot."""
    whole = [games for games in field.arrays if games.size == games.table]
    sizes = sorted({games.table for games in whole})
    parts = [[games for games in whole if games.table == size] for size in sizes]
    return [
        _effect(size, part, len(field.names), field.settings.confidence)
        for size, part in zip(sizes, parts, strict=True)
    ]


def _effect(size: int, arrays: Sequence[OutcomeArrays], bots: int, confidence: float) -> DealEffect:
    bot, seat, group = (
        np.concatenate([getattr(games, name) for games in arrays]) for name in ("bots", "seats", "group")
    )
    score = np.concatenate([np.broadcast_to(scores_by_position(games), games.bots.shape) for games in arrays])
    about = size, len(group), len(np.unique(group))
    _, line_up = np.unique(np.sort(bot, axis=1), axis=0, return_inverse=True)
    line_up = line_up.ravel()
    # A group of one game, or a line-up of one group, has no information about its deal.
    _, index, count = np.unique(group, return_inverse=True, return_counts=True)
    first = np.unique(group[count[index] > 1], return_index=True)[1]
    several = np.bincount(line_up[count[index] > 1][first], minlength=line_up.max() + 1)
    used = (count[index] > 1) & (several[line_up] > 1)
    if not used.any():
        return DealEffect(*about)
    bot, seat, score, line_up = bot[used], seat[used], score[used], line_up[used]
    _, number = np.unique(group[used], return_inverse=True)
    # The residual is the score less the mean of this bot on this seat, over the G groups of its line-up. This
    # reduces all variances and covariances by 1/G of them, which the weight corrects.
    cell = (line_up[:, None] * bots + bot) * size + seat
    _, cell = np.unique(cell, return_inverse=True)
    cell = cell.reshape(bot.shape)
    residual = score - (np.bincount(cell.ravel(), score.ravel()) / np.bincount(cell.ravel()))[cell]
    if np.abs(residual).max() < _NEGLIGIBLE:  # There is no variance to explain.
        return DealEffect(*about)
    residual *= np.sqrt(several[line_up] / (several[line_up] - 1))[:, None]
    games = np.bincount(number)
    squares = np.bincount(number, (residual**2).sum(axis=1))
    seats, sums = (_squared_sums(each, residual, number, most) for each, most in ((seat, size), (bot, bots)))
    parts = np.array([squares, squares * (games - 1), seats, sums])
    return DealEffect(*about, *_jackknife(parts, _deal, confidence), *_jackknife(parts, _saved, confidence))


def _squared_sums(column: Ints, residual: Floats, number: Ints, most: int) -> Floats:
    """The sum, for each group (G,), of the squared sums of the residuals of each seat, or bot.

    `column` (m, n) has the seat, or bot, of each residual, from 0 to `most` - 1; `number` (m,) is the group.
    """
    cells = number[:, None] * most + column
    distinct, at = np.unique(cells.ravel(), return_inverse=True)
    squares = np.bincount(at, residual.ravel()) ** 2
    return np.bincount(distinct // most, squares).astype(float)  # It is float, but its type says int.


def _deal(parts: Floats) -> Floats:
    """The share of the variance that the deal explains: an intraclass correlation.

    It is the mean product of two residuals of one seat in a group, divided by the mean square of a residual.
    `parts` are the four sums that `_effect` makes of the residuals.
    """
    squares, pairs, seats, _ = parts
    share: Floats = (seats - squares) / pairs
    return share


def _saved(parts: Floats) -> Floats:
    """The share of the games that rotation saves.

    It is 1 - v / v₀, where v is the variance of the sum of a bot's residuals over a group, and v₀ its
    variance over as many independent games.
    """
    squares, _, _, sums = parts
    saved: Floats = 1 - sums / squares
    return saved


def _jackknife(parts: Floats, value: Callable[[Floats], Floats], confidence: float) -> tuple[float, float]:
    """The value of the sums of `parts` (S, G) over the groups, and half its confidence interval.

    The interval comes from leaving out one group at a time.
    """
    total, groups = parts.sum(axis=1), parts.shape[1]
    left = value(total[:, None] - parts)
    error = np.sqrt((groups - 1) / groups * ((left - left.mean()) ** 2).sum())
    return float(value(total)), float(t_quantile(confidence, groups - 1) * error)
