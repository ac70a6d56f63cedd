"""Maximum likelihood of strengths and seat effects, in the conditional logit that every method is.

The utility of a bot in a stage is its strength θ, plus the effect γ of its seat if seats are fitted.
Each bot also wins and loses `prior` games against a virtual opponent of strength 0, which keeps perfect
scores finite. Strengths are in nats; one nat is 400/ln 10 Elo. K is the number of bots, P that of all
parameters: the strengths, then the effects for each number of seats, which add up to 0.

The log-likelihood is concave, so Newton's method finds its maximum. Equal stages are counted once, with
their number as a weight: a million games between ten bots are only a few stages.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod

import numpy as np

from arena.rating import equations
from arena.rating.arrays import Bools, Floats, Ints
from arena.rating.equations import add_at
from arena.rating.methods import METHODS
from arena.rating.outcome_arrays import OutcomeArrays, unique_lines

STEPS = 1000  # the most steps of Newton's method; ten suffice, except for long chains of one-sided results
MAX_STEP = 2  # nats; longer steps are shortened to this
_SMALL, _NEARLY = 1e-9, 1e-6  # nats; a shorter step ends the fit: always, and if the steps no longer shrink
_NEAR = 1e-2  # nats; a longer step after all others means that the maximum is out of reach
CELLS = 2**22  # numbers in memory at once


@dataclass(frozen=True, eq=False)
class Stages:
    """m stages of k members each: `index` (m, k, d) has the numbers of the d parameters of each member.

    `won` (m, k) has the points of each member, added up over equal stages.
    """

    index: Ints
    won: Floats


@dataclass(frozen=True, eq=False)
class Maximum:
    """The maximum of the likelihood: its parameters (P,), and the negative curvature there (P, P).

    `converged` says whether the parameters have full precision.
    """

    at: Floats
    curvature: Floats
    converged: bool

    @cached_property
    def inverse(self) -> Floats:
        return equations.solve(self.curvature, np.eye(len(self.at)))

    def inverse_rows(self, numbers: Iterable[int]) -> Floats:
        """The rows of `inverse` with these numbers, without the whole inverse if it is large."""
        if len(self.at) < equations.MANY:
            return self.inverse[list(numbers)]
        unit = np.arange(len(self.at))
        rows = [equations.newton_step(self.curvature, (unit == number).astype(float)) for number in numbers]
        return np.array(rows, float).reshape(-1, len(self.at))


@dataclass(frozen=True)
class Model:
    """The model to fit: a method of `METHODS`, K bots, and effects of seats at tables of these sizes.

    The sizes in `seat_counts` are ascending.
    """

    method: str
    bots: int
    seat_counts: tuple[int, ...] = ()

    @property
    def parameters(self) -> int:
        return self.bots + sum(self.seat_counts)

    @property
    def blocks(self) -> Floats:
        """The L sets of parameters of which only differences matter, as 0 and 1 (L, P).

        One set has the bots. There is another for each size of table with fitted seats.
        """
        numbers = np.arange(1 + len(self.seat_counts))
        block = np.repeat(numbers, [self.bots, *self.seat_counts])
        members: Bools = block == numbers[:, None]
        return members.astype(float)

    def index(self, games: OutcomeArrays) -> Ints:
        """The numbers of the parameters of each position (m, n, 1 or 2): the bot and, if fitted, the seat."""
        if games.table not in self.seat_counts:
            return games.bots[:, :, None]
        offset = self.bots + sum(size for size in self.seat_counts if size < games.table)
        return np.stack([games.bots, games.seats + offset], axis=2)


def count_stages(
    model: Model, arrays: Sequence[OutcomeArrays], weights: Sequence[Floats] | None = None
) -> list[Stages]:
    """The stages of all games, in which stages with the same members are added up.

    `weights` has the weight of each game (m,) for each of the `arrays`, or is None if each counts 1.
    """
    counted: dict[tuple[int, int], list[Stages]] = {}
    for number, games in enumerate(arrays):
        index, weight = _equal_games(model, games, weights[number] if weights else None)
        for members, shares in METHODS[model.method](games.places):
            stages = _merge_equal(model, index[:, members], weight[:, None] * np.array(shares))
            counted.setdefault(stages.index.shape[1:], []).append(stages)
    return [_count_together(model, parts) for _, parts in sorted(counted.items())]


def count_by_group(model: Model, arrays: Sequence[OutcomeArrays]) -> list[Stages]:
    """The stages of all games, where the games of a seed group count as one game together."""
    played = np.bincount(np.concatenate([games.group for games in arrays]))
    return count_stages(model, arrays, [1 / played[games.group] for games in arrays])


def _equal_games(model: Model, games: OutcomeArrays, weight: Floats | None) -> tuple[Ints, Floats]:
    """The parameters of each position of the games, as `Model.index`, and the weights of the games.

    Equal games are added up, unless few are expected. Without `weight` each game has the weight 1.
    """
    index = model.index(games)
    columns, spans = [*games.bots.T], [model.bots] * games.size
    if index.shape[2] > 1:
        columns, spans = [*columns, *games.seats.T], [*spans, *[games.table] * games.size]
    # If many different games are possible, few are expected to be equal.
    if prod(spans) > max(4 * len(index), 2**20):
        return index, np.ones(len(index)) if weight is None else weight
    first, number = unique_lines(columns, spans)
    return index[first], np.bincount(number, weight, len(first)).astype(float)


def _count_together(model: Model, parts: Sequence[Stages]) -> Stages:
    if len(parts) == 1:
        return parts[0]
    index = np.concatenate([part.index for part in parts])
    return _merge_equal(model, index, np.concatenate([part.won for part in parts]))


def _merge_equal(model: Model, index: Ints, won: Floats) -> Stages:
    """The stages `index` (m, k, d), `won` (m, k), with stages of the same members added up."""
    # The order of members means nothing in a stage, so the members are sorted by a number: the last parameter
    # (the seat, or without seats the bot), then the bot.
    code = index[:, :, -1] * model.parameters + index[:, :, 0]
    if index.shape[1] == 2:  # This does the same, but faster.
        swap = np.flatnonzero(code[:, 0] > code[:, 1])
        index, won = index.copy(), won.copy()
        index[swap], won[swap] = index[swap, ::-1], won[swap, ::-1]
    else:
        order = np.argsort(code, axis=1, kind="stable")
        index, won = np.take_along_axis(index, order[:, :, None], 1), np.take_along_axis(won, order, 1)
    columns = list(index.reshape(len(index), -1).T)
    first, number = unique_lines(columns, [model.parameters] * len(columns))
    points = [np.bincount(number, column, len(first)) for column in won.T]
    return Stages(index[first], np.column_stack(points))


def maximise(stages: Sequence[Stages], model: Model, prior: float, start: Floats | None = None) -> Maximum:
    """The maximum of the likelihood, by Newton's method from `start`, or from equal strengths if it is None.

    Without a prior `start` determines the mean strength, and the inverse is meaningful only for differences.

    Raises:
        LinAlgError: There is no maximum, more than one, or it is out of reach.
    """
    # Rounding errors of many games keep the steps from becoming 0, so the search also ends with small steps
    # that no longer shrink. Steps of one-sided results do not shrink for a long time either, but are long.
    at: Floats = np.zeros(model.parameters)
    if start is not None:
        at[: len(start)] = start
    # The log-likelihood is concave, but far from the maximum its curvature changes fast. Steps that are
    # limited in length cannot jump over the maximum by orders of magnitude.
    before = np.inf
    for _ in range(STEPS):
        slope, curvature = derivatives(stages, model, prior, at)
        step = equations.newton_step(curvature, slope)
        longest = np.abs(step).max()
        at = at + step * MAX_STEP / max(longest, MAX_STEP)
        if converged := bool(longest < _SMALL or (longest < _NEARLY and longest >= before)):
            break
        before = longest
    # If a step is still long after so many steps, one side won all games and the estimate has no limit.
    # (`not <` includes NaN.)
    if not longest < _NEAR:
        raise np.linalg.LinAlgError(equations.NO_ESTIMATE)
    # The curvature is from before the last step, which was shorter than `_NEAR`.
    return Maximum(at, curvature, converged)


def inverse_at(stages: Sequence[Stages], model: Model, prior: float, at: Floats) -> Floats:
    """The inverse of the negative curvature (P, P) at the parameters `at` (P,)."""
    return equations.solve(derivatives(stages, model, prior, at)[1], np.eye(model.parameters))


def derivatives(stages: Sequence[Stages], model: Model, prior: float, at: Floats) -> tuple[Floats, Floats]:
    """The slope (P,) and the negative curvature (P, P) of the log-likelihood, with the virtual opponent.

    The curvature also fixes the mean of each block that would be free without it, see `_with_prior`.
    """
    # A stage of weight w adds w p_i p_j to the curvature for each two of its members, with the sign - if they
    # are different, and w p_i (1 - p_i) for each member with itself.
    size = model.parameters
    slope, curvature = np.zeros(size), np.zeros(size * size)
    for part in stages:
        for index, won in _chunks(part):
            columns, depth = np.ascontiguousarray(index.transpose(2, 1, 0)), index.shape[2]
            weight, chance = won.sum(axis=1), stage_chances(at[columns].sum(axis=0))
            # A member has one or two parameters (bot, seat) with the same slope. Each pair of members is
            # added once and the matrix transposed at the end. So the diagonal counts half.
            for member, points in enumerate(won.T):
                expected = weight * chance[member]
                own = expected * (1 - chance[member])
                for one in range(depth):
                    slope += np.bincount(columns[one, member], points - expected, size)
                    for two in range(depth):
                        cells = columns[one, member] * size + columns[two, member]
                        add_at(curvature, cells, own / 2)
                for other in range(member):
                    both = expected * chance[other]
                    for one in range(depth):
                        for two in range(depth):
                            cells = columns[one, member] * size + columns[two, other]
                            add_at(curvature, cells, -both)
    square = curvature.reshape(size, size)
    return _with_prior(slope, square + square.T, model, prior, at)


def _with_prior(
    slope: Floats, curvature: Floats, model: Model, prior: float, at: Floats
) -> tuple[Floats, Floats]:
    """Add the games against the virtual opponent, and fix the mean of each block that is still free."""
    bots = slice(model.bots)
    slope[bots] += prior_slope(at[bots], prior)
    np.einsum("ii->i", curvature)[bots] += 2 * prior * logistic(at[bots]) * logistic(-at[bots])
    # A constant added to a whole block changes no probability. In this direction the curvature is 0, and the
    # matrix singular. With any other number there, the step keeps the mean. The prior fixes the mean of the
    # bots.
    for block in model.blocks[1 if prior else 0 :]:
        curvature = curvature + np.outer(block, block) / block.sum()
    return slope, curvature


def prior_slope(theta: Floats, prior: float) -> Floats:
    """The slope (K,) that the games against the virtual opponent add to the log-likelihood's."""
    return prior * (logistic(-theta) - logistic(theta))


def _chunks(stages: Stages) -> Iterator[tuple[Ints, Floats]]:
    # All stages at once may not fit in memory.
    count, members, depth = stages.index.shape
    span = max(1, CELLS // (members * depth))
    for first in range(0, count, span):
        yield stages.index[first : first + span], stages.won[first : first + span]


def scores(model: Model, arrays: Sequence[OutcomeArrays], at: Floats) -> Iterator[tuple[Ints, Ints, Floats]]:
    """The score vectors of the games, which add up to the slope of the log-likelihood.

    Each item has three arrays of one length: the group (ascending), the parameter, and the value.
    """
    for games in arrays:
        index = model.index(games)
        # A residual is the win of a member in a stage, less the expected win. It is the derivative of the
        # log-likelihood with respect to the member's utility, and so to each of its parameters.
        utility = at[np.ascontiguousarray(index.transpose(2, 1, 0))].sum(axis=0)
        residual = np.zeros(utility.shape)
        for members, shares in METHODS[model.method](games.places):
            expected = sum(shares) * stage_chances(utility[list(members)])
            residual[list(members)] += np.array(shares)[:, None] - expected
        for each in range(index.shape[2]):
            yield np.repeat(games.group, games.size), index[:, :, each].ravel(), residual.T.ravel()


def links(stages: Sequence[Stages], bots: int) -> Bools:
    """Whether the row's bot has scored against the column's (K, K)."""
    # A member with points in a stage has scored against all of its members, including itself.
    found: Bools = np.zeros((bots, bots), bool)
    for part in stages:
        members = part.index[:, :, 0]
        for one, points in zip(members.T, part.won.T, strict=True):
            found[one[points > 0, None], members[points > 0]] = True
    return found


def stage_chances(utility: Floats) -> Floats:
    """The probability of each member to win its stage (k, m), from the utilities; a column is a stage."""
    if len(utility) == 2:  # This does the same, but faster.
        first = logistic(utility[0] - utility[1])
        return np.stack([first, 1 - first])
    weight: Floats = np.exp(utility - utility.max(axis=0))  # The subtraction only prevents an overflow.
    total: Floats = weight.sum(axis=0)
    return weight / total


def logistic(difference: Floats) -> Floats:
    """The probability of a win against a bot that is weaker by this difference in nats."""
    with np.errstate(over="ignore"):  # The result is then correctly 0.
        odds: Floats = np.exp(-difference)
    return 1 / (1 + odds)
