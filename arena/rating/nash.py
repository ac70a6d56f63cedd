"""Nash averages (`methods.md`): the mixture of bots that no bot beats, and the score of each bot against it.

It needs scipy, the extra `nash`. So import it only to compute averages.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.linalg import null_space  # type: ignore[import-untyped]  # scipy has no type hints
from scipy.optimize import linprog, minimize  # type: ignore[import-untyped]

from arena.rating.arrays import Floats, Ints
from arena.rating.outcome_arrays import OutcomeArrays
from arena.rating.pairs import meetings

RESAMPLES = 500
_DIGITS = 6  # Payoffs are rounded to give the linear program numbers of one scale.
_TOLERANCES = (1e-9, 1e-8, 1e-7)  # With the first one, the linear program has no solution for some payoffs.
_SURE = 1e-4  # the mass, or lost score, that proves whether a bot is in the mixture
_RANK = 1e-8  # as a share of the largest singular value; smaller singular values count as 0
_EXPLOITED = 5e-7  # the most that a bot may score above one half against the masses: half of a last digit
_MIN_MASS = 1e-12  # keeps the logarithm of a mass finite


@dataclass(frozen=True, eq=False)
class NashAverage:
    """The equilibrium of K bots: their masses in the mixture, skills (scores against it), and intervals."""

    mass: Floats
    skill: Floats
    mass_interval: Floats  # (2, K): the low ends, then the high ends
    skill_interval: Floats  # (2, K)
    resamples: int  # of the seed groups, for the intervals


@dataclass(frozen=True, eq=False)
class PairResults:
    """The results of each pair of bots in each seed group in which it met.

    Attributes:
        size: The number of bots.
        groups: The number of seed groups.
        cell: The pair of each entry: lower number · size + higher number.
        group: The seed group of each entry.
        points: The points of the bot with the lower number.
        met: The number of their meetings.
    """

    size: int
    groups: int
    cell: Ints
    group: Ints
    points: Floats
    met: Floats

    @classmethod
    def of(cls, arrays: Sequence[OutcomeArrays], size: int) -> "PairResults":
        """The results of bots 0 to `size` - 1: each two seats of a game meet once, a tie is half a point."""
        cell, group, points = meetings(arrays, size)
        key, number = np.unique(group * size * size + cell, return_inverse=True)
        return cls(
            size,
            1 + max((int(games.group[-1]) for games in arrays), default=-1),
            key % (size * size),
            key // (size * size),
            np.bincount(number, points, len(key)).astype(float),  # It is float, but its type says int.
            np.bincount(number, minlength=len(key)).astype(float),
        )

    def groups_met(self) -> Ints:
        """The number of seed groups in which each pair met (K, K)."""
        upper = np.bincount(self.cell, minlength=self.size**2).reshape(self.size, self.size)
        return upper + upper.T

    def payoffs(self, weights: Floats) -> Floats:
        """The score of the row against the column, less one half (K, K); 0 for pairs that did not meet.

        `weights` (G,) says how often each seed group counts.
        """
        weight, cells = weights[self.group], self.size**2
        won, met = (np.bincount(self.cell, weight * part, cells) for part in (self.points, self.met))
        share = np.divide(won, met, out=np.full(cells, 0.5), where=met > 0) - 0.5
        upper: Floats = np.round(share, _DIGITS).reshape(self.size, self.size)
        return upper - upper.T

    def nash_average(self, bots: Sequence[int], confidence: float) -> NashAverage:
        """The equilibrium of these bots, given by number; each two of them should have met.

        Raises:
            ValueError: No equilibrium was found, for numerical reasons.
        """
        # The intervals are percentiles of a Bayesian bootstrap (Rubin 1981, Ann. Statist. 9:130). Each seed
        # group gets a random weight, while the usual bootstrap draws how often it counts. A weight is never
        # 0, so every pair keeps a score. The random numbers are fixed.
        cells, rng = np.ix_(bots, bots), np.random.default_rng(1)

        def average(weights: Floats) -> tuple[Floats, Floats]:
            payoffs = self.payoffs(weights)[cells]
            mass = equilibrium(payoffs)
            return mass, payoffs @ mass + 0.5

        tail = (1 - confidence) / 2
        drawn = [average(rng.standard_exponential(self.groups)) for _ in range(RESAMPLES)]
        # The shape is (2, 2, K): low and high, of masses and of skills.
        ends = np.quantile(drawn, [tail, 1 - tail], axis=0)
        return NashAverage(*average(np.ones(self.groups)), ends[:, 0], ends[:, 1], RESAMPLES)


def equilibrium(payoffs: Floats) -> Floats:
    """The masses p (K,) of the equilibrium with the largest entropy, for antisymmetric `payoffs` A (K, K).

    Raises:
        ValueError: The solver finds none, for numerical reasons.
    """
    # p is an equilibrium if A p ≤ 0. In the equilibrium with the largest entropy, each bot has a mass if it
    # has one in any equilibrium, and each other bot loses to some equilibrium (Tucker 1956, in Linear
    # Inequalities and Related Systems). So a linear program looks for a p with p - A p > 0. Against the bots
    # with a mass in it, all equilibria score 0. If this leaves a choice, the entropy decides.
    size = len(payoffs)
    if not size:
        return np.empty(0)
    one = np.eye(size)
    for tolerance in _TOLERANCES:
        found = linprog(  # It looks for p and u with the largest sum of u, where u ≤ p - A p and u ≤ SURE.
            np.repeat([0, -1], size),
            A_ub=np.block([[payoffs, np.zeros((size, size))], [payoffs - one, one]]),
            b_ub=np.zeros(2 * size),
            A_eq=np.repeat([[1, 0]], size, axis=1),
            b_eq=[1],
            bounds=[(0, 1)] * size + [(0, _SURE)] * size,
            options=dict.fromkeys(["primal_feasibility_tolerance", "dual_feasibility_tolerance"], tolerance),
        )
        if found.success:
            break
    else:
        raise ValueError("no equilibrium was found, for numerical reasons")
    start: Floats = np.maximum(found.x[:size], 0)
    played = start > -payoffs @ start
    inside, others = payoffs[np.ix_(played, played)], payoffs[np.ix_(~played, played)]
    mass = np.zeros(size)
    mass[played] = _most_entropy(start[played], inside, others)
    chosen: Floats = mass if (payoffs @ mass).max() < _EXPLOITED else start
    total: float = chosen.sum()
    return chosen / total


def _most_entropy(start: Floats, inside: Floats, others: Floats) -> Floats:
    """The p (K,) with the largest entropy, of all p > 0 that satisfy the conditions of the equilibrium.

    The conditions are Σ p = Σ `start`, `inside` (I, K) · p = 0 and `others` (O, K) · p ≤ 0. `start` (K,)
    satisfies them.
    """
    free: Floats = null_space(np.vstack([inside, np.ones(len(start))]), rcond=_RANK)
    if not free.size:
        return start
    limits = np.vstack([np.eye(len(start)), -others])
    base, slope = limits @ start, limits @ free

    def at(y: Floats) -> Floats:
        return np.maximum(start + free @ y, _MIN_MASS)

    found = minimize(
        lambda y: at(y) @ np.log(at(y)),
        np.zeros(free.shape[1]),
        jac=lambda y: free.T @ (np.log(at(y)) + 1),
        method="SLSQP",
        constraints={"type": "ineq", "fun": lambda y: base + slope @ y, "jac": lambda y: slope},
        options={"ftol": 1e-15, "maxiter": 1000},
    )
    p: Floats = at(found.x)
    return p
