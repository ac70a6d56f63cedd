"""Maximum likelihood of strengths and seat effects, in the conditional logit that every method is.

The utility of a bot in a stage is its strength θ, plus the effect γ of its seat if seats are fitted.
Each bot also wins and loses `prior` games against a virtual opponent of strength 0, which keeps perfect
scores finite. Strengths are in nats; one nat is 400/ln 10 Elo. K is the number of bots, P that of all
parameters: the strengths, then the effects for each number of seats, which add up to 0.

The log-likelihood is concave, so Newton's method finds its maximum. Equal stages are counted once, with
their number as a weight: a million games between ten bots are only a few stages.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from arena.rating.arrays import Bools, Floats, Ints
from arena.rating.methods import METHODS
from arena.rating.outcome import OutcomeArrays, distinct

STEPS = 1000  # of Newton's method at most; ten are enough, except for long chains of one-sided results
CELLS = 2**23  # numbers in memory at once
NO_ESTIMATE = "these games and this prior lead to no estimate"


@dataclass(frozen=True, eq=False)
class Stages:
    """Counted stages of k members: `index` (m, k, d) the d parameters of each, `won` (m, k) its points."""

    index: Ints
    won: Floats


@dataclass(frozen=True)
class Model:
    """What is fitted: a method of `METHODS`, K bots, and the effects of seats for these numbers of seats."""

    method: str
    bots: int
    seat_counts: tuple[int, ...] = ()

    @property
    def parameters(self) -> int:
        return self.bots + sum(self.seat_counts)

    @property
    def blocks(self) -> Floats:
        """Sets of parameters of which only differences matter, as indicators 0 and 1 (L, P)."""
        numbers = np.arange(1 + len(self.seat_counts))
        block = np.repeat(numbers, [self.bots, *self.seat_counts])
        members: Bools = block == numbers[:, None]
        return members.astype(float)

    def index(self, games: OutcomeArrays) -> Ints:
        """The parameters of each position, (m, n, 1 or 2): the bot, and its seat if seats are fitted."""
        if games.size not in self.seat_counts:
            return games.bots[:, :, None]
        offset = self.bots + sum(size for size in self.seat_counts if size < games.size)
        return np.stack([games.bots, games.seats + offset], axis=2)


def count_stages(model: Model, arrays: Sequence[OutcomeArrays]) -> list[Stages]:
    """The stages of all games; equal stages are counted together."""
    counted = []
    for games in arrays:
        index = model.index(games)
        for members, shares in METHODS[model.method](games.places):
            part = index[:, members].reshape(len(index), -1)
            first, number = distinct(list(part.T), [model.parameters] * part.shape[1])
            times = np.bincount(number, minlength=len(first))
            counted.append(Stages(index[first][:, members], times[:, None] * np.array(shares)))
    return counted


def maximise(stages: Sequence[Stages], model: Model, prior: float) -> tuple[Floats, Floats]:
    """The parameters (P,) at the maximum and the inverse of the curvature there (P, P), by Newton's method.

    Without a prior the mean strength is 0, and the inverse is meaningful for differences only.
    LinAlgError: there is no maximum, more than one, or it is out of reach.
    """
    found: Floats = np.zeros(model.parameters)
    for _ in range(STEPS):
        slope, curvature = derivatives(stages, model, prior, found)
        step = _solve(curvature, slope)
        longest = np.abs(step).max()
        found += step * 2 / max(longest, 2)
        if longest < 1e-12:
            break
    if not longest < 1e-6:
        raise np.linalg.LinAlgError(NO_ESTIMATE)
    return found, _solve(derivatives(stages, model, prior, found)[1], np.eye(model.parameters))


def _solve(curvature: Floats, target: Floats) -> Floats:
    try:
        return np.asarray(np.linalg.solve(curvature, target), dtype=np.float64)
    except np.linalg.LinAlgError:
        raise np.linalg.LinAlgError(NO_ESTIMATE) from None


def derivatives(stages: Sequence[Stages], model: Model, prior: float, at: Floats) -> tuple[Floats, Floats]:
    """Slope (P,) and negative curvature (P, P) of the log-likelihood, with the virtual opponent."""
    size = model.parameters
    slope, curvature = np.zeros(size), np.zeros(size * size)
    for part in stages:
        for index, won in _chunks(part):
            weight, chance = won.sum(axis=1)[:, None], chances(at[index].sum(axis=2))
            slope += _scatter(index, won - weight * chance, size)
            spread = -weight[:, :, None] * chance[:, :, None] * chance[:, None, :]
            members = np.arange(won.shape[1])
            spread[:, members, members] += weight * chance
            for one in range(index.shape[2]):
                for two in range(index.shape[2]):
                    cells = index[:, :, None, one] * size + index[:, None, :, two]
                    curvature += np.bincount(cells.ravel(), spread.ravel(), size * size)
    return _with_prior(slope, curvature.reshape(size, size), model, prior, at)


def _with_prior(
    slope: Floats, curvature: Floats, model: Model, prior: float, at: Floats
) -> tuple[Floats, Floats]:
    """Add the games against the virtual opponent, and fix the mean of each block that they do not fix."""
    bots = slice(model.bots)
    slope[bots] += prior_slope(at[bots], prior)
    np.einsum("ii->i", curvature)[bots] += 2 * prior * logistic(at[bots]) * logistic(-at[bots])
    for block in model.blocks[1 if prior else 0 :]:
        curvature = curvature + np.outer(block, block) / block.sum()
    return slope, curvature


def prior_slope(theta: Floats, prior: float) -> Floats:
    """The slope (K,) that the games against the virtual opponent add to that of the log-likelihood."""
    return prior * (logistic(-theta) - logistic(theta))


def _chunks(stages: Stages) -> Iterator[tuple[Ints, Floats]]:
    """Index and points in chunks that fit in memory."""
    count, members, depth = stages.index.shape
    span = max(1, CELLS // (members * depth) ** 2)
    for first in range(0, count, span):
        yield stages.index[first : first + span], stages.won[first : first + span]


def _scatter(index: Ints, values: Floats, size: int) -> Floats:
    """The sum of the values (m, k) by parameter (P,)."""
    total = np.zeros(size)
    for each in range(index.shape[2]):
        total += np.bincount(index[:, :, each].ravel(), values.ravel(), size)
    return total


def scores(model: Model, arrays: Sequence[OutcomeArrays], at: Floats) -> Iterator[tuple[Ints, Ints, Floats]]:
    """The score vectors of the games, without the virtual opponent, as triples of arrays.

    A triple has the group (ascending), the parameter, and the value that the game adds to its score.
    """
    for games in arrays:
        index = model.index(games)
        utility = at[index].sum(axis=2)
        residual = np.zeros(utility.shape)
        for members, shares in METHODS[model.method](games.places):
            residual[:, members] += np.array(shares) - sum(shares) * chances(utility[:, members])
        for each in range(index.shape[2]):
            yield np.repeat(games.group, games.size), index[:, :, each].ravel(), residual.ravel()


def links(stages: Sequence[Stages], bots: int) -> Bools:
    """Whether the bot of the row has scored against that of the column (K, K)."""
    found: Bools = np.zeros((bots, bots), bool)
    for part in stages:
        members = part.index[:, :, 0]
        for one, points in zip(members.T, part.won.T, strict=True):
            found[one[points > 0, None], members[points > 0]] = True
    return found


def chances(utility: Floats) -> Floats:
    """The probability of each member (m, k) to win its stage."""
    if utility.shape[1] == 2:  # the same, faster
        first = logistic(utility[:, 0] - utility[:, 1])
        return np.column_stack([first, 1 - first])
    weight: Floats = np.exp(utility - utility.max(axis=1, keepdims=True))
    total: Floats = weight.sum(axis=1, keepdims=True)
    return weight / total


def logistic(difference: Floats) -> Floats:
    with np.errstate(over="ignore"):  # the result is then 0, as it should be
        odds: Floats = np.exp(-difference)
    return 1 / (1 + odds)
