"""Maximum likelihood of strengths, and of seat effects, in the conditional logit that every method is.

The utility of a bot in a stage is its strength θ, plus the effect γ of its seat where these are in
the fit. Each bot also wins and loses `prior` games against a ghost of strength 0, so that perfect
scores stay finite. Strengths are in nats; one nat is 400/ln 10 Elo. K is the number of bots, P that
of all parameters: strengths first, then the effects of each number of seats, which add up to 0.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from arena.rating.methods import METHODS
from arena.rating.outcome import Games, distinct

STEPS = 1000  # of Newton's method, at most; all but ladders of one-sided results take ten
CELLS = 2**23  # numbers held at once
UNSETTLED = "these games and this prior lead to no estimate"


@dataclass(frozen=True, eq=False)
class Stages:
    """Equal stages, counted: `index` (m, k, d) the d parameters of each member, `won` (m, k) its points."""

    index: np.ndarray
    won: np.ndarray


@dataclass(frozen=True)
class Model:
    """What is fitted: a method of `METHODS`, K bots, and the numbers of seats whose effects are in it."""

    method: str
    bots: int
    tables: tuple[int, ...] = ()

    @property
    def parameters(self) -> int:
        return self.bots + sum(self.tables)

    @property
    def levels(self) -> np.ndarray:
        """Sets of parameters of which only differences show: rows of 0 and 1 (L, P)."""
        block = np.repeat(np.arange(1 + len(self.tables)), [self.bots, *self.tables])
        return (block == np.arange(1 + len(self.tables))[:, None]) * 1.0

    def index(self, games: Games) -> np.ndarray:
        """The parameters of each position, (m, n, 1 or 2): the bot, and its seat where that is in the fit."""
        if games.size not in self.tables:
            return games.bots[:, :, None]
        offset = self.bots + sum(size for size in self.tables if size < games.size)
        return np.stack([games.bots, games.seats + offset], axis=2)


def count_stages(model: Model, tables: Sequence[Games]) -> list[Stages]:
    """The stages of all games, equal ones counted together."""
    counted = []
    for games in tables:
        index = model.index(games)
        for members, shares in METHODS[model.method](games.places):
            part = index[:, members].reshape(len(index), -1)
            first, number = distinct(list(part.T), [model.parameters] * part.shape[1])
            times = np.bincount(number, minlength=len(first))
            counted.append(Stages(index[first][:, members], times[:, None] * np.array(shares)))
    return counted


def maximise(stages: Sequence[Stages], model: Model, prior: float) -> tuple[np.ndarray, np.ndarray]:
    """The parameters (P,) and the inverse of the curvature there (P, P), by Newton's method.

    Without a prior the mean strength is 0, and the inverse means something for differences only.
    LinAlgError: there is no maximum, or more than one, or it is too far away.
    """
    found = np.zeros(model.parameters)
    for _ in range(STEPS):
        slope, curvature = derivatives(stages, model, prior, found)
        step = _solve(curvature, slope)
        longest = np.abs(step).max()
        found += step * 2 / max(longest, 2)
        if longest < 1e-12:
            break
    if not longest < 1e-6:
        raise np.linalg.LinAlgError(UNSETTLED)
    return found, _solve(derivatives(stages, model, prior, found)[1], np.eye(model.parameters))


def _solve(curvature: np.ndarray, target: np.ndarray) -> np.ndarray:
    try:
        return np.linalg.solve(curvature, target)
    except np.linalg.LinAlgError:
        raise np.linalg.LinAlgError(UNSETTLED) from None


def derivatives(
    stages: Sequence[Stages], model: Model, prior: float, at: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Slope (P,) and negative curvature (P, P) of the log-likelihood, ghost included."""
    size = model.parameters
    slope, curvature = np.zeros(size), np.zeros(size * size)
    for part in stages:
        for index, won in _pieces(part):
            weight, chance = won.sum(axis=1)[:, None], chances(at[index].sum(axis=2))
            slope += _scatter(index, won - weight * chance, size)
            spread = -weight[:, :, None] * chance[:, :, None] * chance[:, None, :]
            members = np.arange(won.shape[1])
            spread[:, members, members] += weight * chance
            for one in range(index.shape[2]):
                for two in range(index.shape[2]):
                    cells = index[:, :, None, one] * size + index[:, None, :, two]
                    curvature += np.bincount(cells.ravel(), spread.ravel(), size * size)
    return _with_ghost(slope, curvature.reshape(size, size), model, prior, at)


def _with_ghost(
    slope: np.ndarray, curvature: np.ndarray, model: Model, prior: float, at: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Add the ghost's games, and hold every mean that nothing else holds."""
    bots = slice(model.bots)
    slope[bots] += ghost_slope(at[bots], prior)
    ghost = 2 * prior * logistic(at[bots]) * logistic(-at[bots])
    np.einsum("ii->i", curvature)[bots] += ghost
    for level in model.levels[1 if prior else 0 :]:
        curvature = curvature + np.outer(level, level) / level.sum()
    return slope, curvature


def ghost_slope(theta: np.ndarray, prior: float) -> np.ndarray:
    """The slope (K,) of what the games against the ghost add to the log-likelihood."""
    return prior * (logistic(-theta) - logistic(theta))


def _pieces(stages: Stages) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Index and points, not too many at once."""
    count, members, depth = stages.index.shape
    span = max(1, CELLS // (members * depth) ** 2)
    for first in range(0, count, span):
        yield stages.index[first : first + span], stages.won[first : first + span]


def _scatter(index: np.ndarray, values: np.ndarray, size: int) -> np.ndarray:
    """What is added to each parameter (P,), from values (m, k)."""
    return sum(np.bincount(index[:, :, each].ravel(), values.ravel(), size) for each in range(index.shape[2]))


def scores(
    model: Model, tables: Sequence[Games], at: np.ndarray
) -> Iterator[tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """The scores of the games, ghost excluded, in pieces: group (ascending), parameter, what to add there."""
    for games in tables:
        index = model.index(games)
        utility = at[index].sum(axis=2)
        miss = np.zeros(utility.shape)
        for members, shares in METHODS[model.method](games.places):
            miss[:, members] += np.array(shares) - sum(shares) * chances(utility[:, members])
        for each in range(index.shape[2]):
            yield np.repeat(games.group, games.size), index[:, :, each].ravel(), miss.ravel()


def links(stages: Sequence[Stages], bots: int) -> np.ndarray:
    """Who has won something against whom (K, K)."""
    found = np.zeros((bots, bots), bool)
    for part in stages:
        members = part.index[:, :, 0]
        for one, points in zip(members.T, part.won.T, strict=True):
            found[one[points > 0, None], members[points > 0]] = True
    return found


def chances(utility: np.ndarray) -> np.ndarray:
    """The probability of each member (m, k) to win its stage."""
    if utility.shape[1] == 2:  # the same, faster
        first = logistic(utility[:, 0] - utility[:, 1])
        return np.column_stack([first, 1 - first])
    worth = np.exp(utility - utility.max(axis=1, keepdims=True))
    return worth / worth.sum(axis=1, keepdims=True)


def logistic(difference: np.ndarray) -> np.ndarray:
    with np.errstate(over="ignore"):  # then it is 0
        return 1 / (1 + np.exp(-difference))
