"""How surely a bot is better than one that has never scored against it or its peers.

Between strong components one side has won everything. So the likelihood has no maximum without a prior, and
its curvature is useless for the error (Hauck & Donner 1977, J. Amer. Statist. Assoc. 72:851). But the
probability of such a clean record is known for each distance of the two sides. So the hypothesis that the
winner is no better than the loser is tested by its likelihood ratio, the probability of the record if both
were equal. As a p-value the ratio is cautious: χ² would give less.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from arena.rating.arrays import Bools, Floats, Ints
from arena.rating.identified import within_components
from arena.rating.logit import Model, count_by_group, stage_chances
from arena.rating.methods import METHODS
from arena.rating.outcome_arrays import OutcomeArrays

_FAR = 10.0  # nats; an estimate within a component is hardly farther from the truth
_STEPS = 20  # steps of the search for a maximum, which shrink its interval to a 10,000th
_GOLDEN = (5**0.5 - 1) / 2

OwnGames = Callable[[Ints | int, Floats], Floats]
"""The change (n,) of the log-likelihood within components if each bot (n,) rises by so many nats (n,)."""


def separation(arrays: Sequence[OutcomeArrays], theta: Floats, strong: Ints, method: str) -> Floats:
    """The p-value (K, K) of the hypothesis that the row's bot is no better than the column's.

    `theta` (K,) are the strengths in nats, `strong` (K,) the strong components. The p-value is 1 unless
    the row's component has won all choices between the two.
    """
    found = np.broadcast_to(1.0, (len(theta), len(theta)))
    if (strong == strong[0]).all():
        return found
    found, own = found.copy(), _own_games(arrays, theta, strong, method)
    for upper, lower, lines, counts in _hardest_choices(arrays, theta, strong, method):
        above, below = np.flatnonzero(strong == upper), np.flatnonzero(strong == lower)
        # If the two bots are equal, the winner is worse than estimated, the loser better, or both. A bot that
        # is a component by itself has no estimate of its own that could be wrong.
        part = 0.5 if min(len(above), len(below)) > 1 else float(len(above) == 1)
        losers = _Side.of(theta, -lines, below[:, None])
        for bot in above.tolist():
            winners = _Side.of(theta, lines, np.array([[bot]]))
            record = _Record(theta, bot, below, winners, losers, counts, part, own)
            found[bot, below] = np.exp(_maxima(record.log_ratios, len(below)))
    return found


@dataclass(frozen=True, eq=False)
class _Record:
    """The hardest choices (n,) between two components, of which the first won all.

    `bot` is one of the first component, and `below` (m,) are the bots of the second. `counts` (n,) is how
    often each choice counts. `part` is the share of a shift by which the loser rises; the
    winner falls by the rest.
    """

    theta: Floats
    bot: int
    below: Ints
    winners: "_Side"
    losers: "_Side"
    counts: Floats
    part: float
    own: OwnGames

    def log_ratios(self, shift: Floats) -> Floats:
        """The logarithm of the likelihood ratio (m,) of the hypotheses that `bot` equals each bot `below`.

        `shift` (m,) is the error in nats of both estimates together.
        """
        equal = (self.theta[self.below] - self.theta[self.bot] + shift)[:, None]
        rise, fall = self.part * shift, (1 - self.part) * shift
        against = self.losers.moved(rise) - self.winners.moved(-fall) - equal
        record = np.logaddexp(0, against) @ self.counts
        ratios: Floats = self.own(self.bot, -fall) + self.own(self.below, rise) - record
        return ratios


@dataclass(frozen=True, eq=False)
class _Side:
    """One side of the choices (n,), of which one bot may move.

    The sum of exp(θ) over the side is exp(`scale`) times the sum of `one`, for that bot, and of `others`.
    """

    scale: Floats
    one: Floats
    others: Floats

    @classmethod
    def of(cls, theta: Floats, lines: Ints, bots: Ints) -> "_Side":
        """The side of the positive members of these `lines`; each of the `bots` (m, 1) moves by itself."""
        utility = np.where(lines > 0, theta[np.abs(lines) - 1], -np.inf)
        scale = utility.max(axis=1)
        one, others = np.zeros((2, len(bots), len(lines)))
        for member, weight in zip(lines.T, np.exp(utility.T - scale), strict=True):
            moves = member == bots + 1
            one += weight * moves
            others += weight * ~moves
        return cls(scale, one, others)

    def moved(self, change: Floats) -> Floats:
        """The logarithm of the sum (m, n) after the bots have moved by so many nats (m,)."""
        strength: Floats = self.scale + np.log(self.others + self.one * np.exp(change)[:, None])
        return strength


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


def _hardest_choices(
    arrays: Sequence[OutcomeArrays], theta: Floats, strong: Ints, method: str
) -> Iterator[tuple[int, int, Ints, Floats]]:
    """For each two components that met, of which the first won all: both, its choices, how often each counts.

    A line (n, k) has the members of a choice between the two components: the bots of the first as 1 + their
    number, those of the second as -1 - their number, and 0 to fill up. The games of a seed group may repeat
    each other, and so may choices at one table, so a group counts as the choice that was hardest to win.
    """
    found = [_choices(games, theta, strong, method) for games in arrays]
    width = max(lines.shape[1] for _, lines in found)
    keys = np.concatenate([each for each, _ in found])
    lines = np.concatenate([np.pad(each, ((0, 0), (0, width - each.shape[1]))) for _, each in found])
    order = np.lexsort((*lines.T[::-1], *keys.T[::-1]))
    keys, lines = keys[order], lines[order]
    hardest = np.append(True, (np.diff(keys[:, :3], axis=0) != 0).any(axis=1))
    table = np.column_stack([keys[hardest, :2].astype(int), lines[hardest]])
    table, counts = np.unique(table, axis=0, return_counts=True)
    edges = np.flatnonzero((np.diff(table[:, :2], axis=0) != 0).any(axis=1)) + 1
    for part, count in zip(np.split(table, edges), np.split(counts, edges), strict=True):
        yield int(part[0, 0]), int(part[0, 1]), part[:, 2:], count.astype(float)


def _choices(games: OutcomeArrays, theta: Floats, strong: Ints, method: str) -> tuple[Floats, Ints]:
    """The choices that a component won against another, as in `_hardest_choices`, and their keys (n, 4).

    A key has the winning component, the losing one, the seed group, and the logarithm of the odds to win.
    """
    # A stage tells of two components that a bot of the first was chosen from the members of both. It is no
    # duel of the winner and a loser: a bot that loses to the best of three equals was probably not worse.
    keys, lines = [np.zeros((0, 4))], [np.zeros((0, games.size), int)]
    for members, shares in METHODS[method](games.places):
        bots = games.bots[:, members]
        component = strong[bots]
        # Several bots that share a win are in one component.
        won = component[:, shares.index(max(shares))]
        for member, lost in enumerate(component.T):
            # Each losing component counts once, at its first member.
            new = (lost != won) & (component[:, :member] != lost[:, None]).all(axis=1)
            upper, lower, here = won[new, None], lost[new, None], component[new]
            side = (here == upper).astype(int) - (here == lower)
            utility = theta[bots[new]]
            odds = _log_sum(utility, side > 0) - _log_sum(utility, side < 0)
            keys.append(np.column_stack([upper, lower, games.group[new], odds]))
            line = np.sort(side * (bots[new] + 1), axis=1)
            lines.append(np.pad(line, ((0, 0), (0, games.size - len(members)))))
    return np.concatenate(keys), np.concatenate(lines)


def _log_sum(utility: Floats, chosen: Bools) -> Floats:
    """ln Σ exp(utility) over the `chosen` members of each line (n, k), of which there is at least one."""
    found: Floats = np.logaddexp.reduce(np.where(chosen, utility, -np.inf), axis=1)
    return found
