"""How surely a bot is better than one that has never scored against it or its peers.

Between strong components one side has won everything. So the likelihood has no maximum without a prior, and
its curvature is useless for the error (Hauck & Donner 1977, J. Amer. Statist. Assoc. 72:851). But the
probability of such a clean record is known for each distance of the two sides. So the hypothesis that the
winner is no better than the loser is tested by its likelihood ratio, the probability of the record if both
were equal. As a p-value the ratio is cautious: χ² would give less.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from arena.rating.arrays import Floats, Ints
from arena.rating.identified import within_components
from arena.rating.logit import Model, count_by_group, stage_chances
from arena.rating.methods import METHODS
from arena.rating.outcome import OutcomeArrays

_FAR = 10.0  # nats; an estimate within a component is hardly farther from the truth
_STEPS = 20  # steps of the search for a maximum, which shrink its interval to a 10,000th
_GOLDEN = (5**0.5 - 1) / 2

OwnGames = Callable[[Ints | int, Floats], Floats]
"""The change (n,) of the log-likelihood within components if each bot (n,) rises by so many nats (n,)."""


def separation(arrays: Sequence[OutcomeArrays], theta: Floats, strong: Ints, method: str) -> Floats:
    """The p-value (K, K) of the hypothesis that the row's bot is no better than the column's.

    `theta` (K,) are the strengths in nats, `strong` (K,) the strong components. The p-value is 1 unless
    the row's component has won all its meetings with the column's.
    """
    found = np.broadcast_to(1.0, (len(theta), len(theta)))
    if (strong == strong[0]).all():
        return found
    found, own = found.copy(), _own_games(arrays, theta, strong, method)
    for winners, losers, counts in _hardest_meetings(arrays, theta, strong, method):
        above, below = (np.flatnonzero(strong == strong[bots[0]]) for bots in (winners, losers))
        # If the two bots are equal, the winner is worse than estimated, the loser better, or both. If a bot
        # is a component by itself, it has no estimate of its own that could be wrong.
        part = 0.5 if min(len(above), len(below)) > 1 else float(len(above) == 1)
        record = _Record(theta, winners, losers, counts, below, part, own)
        for bot in above.tolist():
            found[bot, below] = np.exp(_maxima(partial(record.log_ratios, bot), len(below)))
    return found


@dataclass(frozen=True, eq=False)
class _Record:
    """The hardest meetings (n,) of two components, of which the first won all.

    `below` (m,) are the bots of the second. `part` is the share of a shift by which the loser rises; the
    winner falls by the rest.
    """

    theta: Floats
    winners: Ints
    losers: Ints
    counts: Floats
    below: Ints
    part: float
    own: OwnGames

    def log_ratios(self, bot: int, shift: Floats) -> Floats:
        """The logarithm of the likelihood ratio (m,) of the hypotheses that `bot` equals each bot `below`.

        `shift` (m,) is the error in nats of both estimates together.
        """
        lead = self.theta[self.winners] - self.theta[self.losers]
        equal = (self.theta[self.below] - self.theta[bot] + shift)[:, None]
        rise, fall = self.part * shift, (1 - self.part) * shift
        moved = rise[:, None] * (self.losers == self.below[:, None]) + fall[:, None] * (self.winners == bot)
        record = np.logaddexp(0, moved - lead - equal) @ self.counts
        ratios: Floats = self.own(bot, -fall) + self.own(self.below, rise) - record
        return ratios


def _maxima(concave: Callable[[Floats], Floats], size: int) -> Floats:
    """The maxima (n,) of n concave functions from 0 to `_FAR`, by golden-section search."""
    low, high = np.zeros(size), np.full(size, _FAR)
    for _ in range(_STEPS):
        one, two = high - _GOLDEN * (high - low), low + _GOLDEN * (high - low)
        rising = concave(one) < concave(two)
        low, high = np.where(rising, one, low), np.where(rising, high, two)
    return np.maximum(concave((low + high) / 2), concave(np.zeros(size)))


def _own_games(arrays: Sequence[OutcomeArrays], theta: Floats, strong: Ints, method: str) -> OwnGames:
    # A bot with the chance q in a stage wins it with q e^u / (1 + q (e^u - 1)) if it rises by u.
    size = len(theta)
    bots, chances, weights, points = [np.zeros(0, int)], [np.zeros(0)], [np.zeros(0)], np.zeros(size)
    for part in within_components(count_by_group(Model(method, size), arrays), strong):
        chance = stage_chances(theta[part.index[:, :, 0].T])
        for member, won in enumerate(part.won.T):
            bots.append(part.index[:, member, 0])
            chances.append(chance[member])
            weights.append(part.won.sum(axis=1))
            points += np.bincount(bots[-1], won, size)
    bot = np.concatenate(bots)
    order = np.argsort(bot, kind="stable")
    bot, played = bot[order], np.bincount(bot, minlength=size)
    column = np.arange(len(bot)) - np.repeat(np.cumsum(played) - played, played)
    chance_of, weight_of = np.zeros((2, size, max(played.max(), 1)))
    chance_of[bot, column] = np.concatenate(chances)[order]
    weight_of[bot, column] = np.concatenate(weights)[order]

    def change(bots: Ints | int, rise: Floats) -> Floats:
        grown = np.log1p(chance_of[bots] * np.expm1(rise)[:, None])
        change: Floats = points[bots] * rise - (weight_of[bots] * grown).sum(axis=1)
        return change

    return change


def _hardest_meetings(
    arrays: Sequence[OutcomeArrays], theta: Floats, strong: Ints, method: str
) -> Iterator[tuple[Ints, Ints, Floats]]:
    """The winners, losers and counts of meetings (n,), for each two components of which the first won all.

    Games of a group, and meetings at one table, may repeat each other. So each group counts once, as its
    meeting that was hardest to win.
    """
    columns = [np.zeros((6, 0))]
    for games in arrays:
        for winner, loser in _meetings(method, games.places):
            one, two = games.bots[:, winner], games.bots[:, loser]
            here = strong[one] != strong[two]
            one, two, group = one[here], two[here], games.group[here]
            columns.append(np.stack([strong[one], strong[two], group, theta[one] - theta[two], one, two]))
    met = np.concatenate(columns, axis=1)
    met = met[:, np.lexsort(met[::-1])]
    hardest = met[:, np.append(True, (np.diff(met[:3]) != 0).any(axis=0))[: met.shape[1]]]
    lines, counts = np.unique(hardest[[0, 1, 4, 5]], axis=1, return_counts=True)
    edges = np.flatnonzero((np.diff(lines[:2]) != 0).any(axis=0)) + 1
    for line, count in zip(np.split(lines, edges, axis=1), np.split(counts, edges), strict=True):
        yield line[2].astype(int), line[3].astype(int), count.astype(float)


def _meetings(method: str, places: tuple[int, ...]) -> list[tuple[int, int]]:
    """The positions of winner and loser of each meeting that counts by this method."""
    found = {
        (winner, loser)
        for members, shares in METHODS[method](places)
        for winner, points in zip(members, shares, strict=True)
        for loser, others in zip(members, shares, strict=True)
        if points > 0 == others
    }
    return sorted(found)
