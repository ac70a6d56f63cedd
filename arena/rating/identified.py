"""The effects of seats that the games tell, whatever the prior.

The prior makes every fit regular, so a fit alone does not show that its seats are confounded with its bots:
if ann always has the first seat, a strong ann and a good seat explain the games equally well. So the effects
must be identified and finite without the prior, in the comparisons within strong components.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations
from math import sqrt

import numpy as np

from arena.rating.arrays import Bools, Floats, Ints
from arena.rating.equations import newton_step
from arena.rating.logit import CELLS, LONGEST, Model, Stages, count_stages, derivatives
from arena.rating.outcome import OutcomeArrays

STEPS = 100  # of Newton's method at most
_SHORT = 0.1  # nats; a shorter step is followed by shorter ones. An infinite effect moves further in each
_FAR = 7  # nats; effects so large are infinite: they would need millions of games
_ROUNDING = 1e-9  # relative to the largest eigenvalue


def identifiable_model(
    method: str, arrays: Sequence[OutcomeArrays], strong: Ints, start: Floats | None = None
) -> tuple[Model, list[Stages]]:
    """The model with the effects of seats for the sizes where the games tell them, and its stages."""
    sizes = {games.table for games in arrays}
    while True:
        model = Model(method, len(strong), tuple(sorted(sizes)))
        stages = count_stages(model, arrays)
        comparable = list(_within_components(stages, strong))
        unknown = _confounded(comparable, model, strong) or _infinite(comparable, model, strong, start)
        # Without the effects that the games do not tell, others may be told: so all are looked at again.
        if not unknown:
            return model, stages
        sizes -= unknown


def _within_components(stages: Iterable[Stages], strong: Ints) -> Iterator[Stages]:
    """The stages among the members that are in the strong component of the winner."""
    # The others lose all such stages: with infinitely large differences between components, only these
    # remain.
    for part in stages:
        component = strong[part.index[:, :, 0]]
        winner = np.take_along_axis(component, part.won.argmax(axis=1)[:, None], 1)
        inside = component == winner
        members = inside.sum(axis=1)
        for count in np.unique(members[members > 1]):
            here = np.flatnonzero(members == count)
            index, won = part.index[here][inside[here]], part.won[here][inside[here]]
            yield Stages(index.reshape(len(here), count, -1), won.reshape(len(here), count))


def _confounded(stages: Iterable[Stages], model: Model, strong: Ints) -> set[int]:
    """The sizes of tables whose effects of seats are not all identified."""
    # A comparison of two bots in two seats is an edge between the bots. If strengths follow from effects
    # along a tree of such edges, each further edge closes a cycle, which is an equation for the effects
    # alone. Those of a size are identified if strengths could make up only for effects that are equal on all
    # its seats: these mean nothing, as only differences of effects matter.
    pairs = [part.index[:, pair] for part in stages for pair in combinations(range(part.index.shape[1]), 2)]
    if not pairs or not model.seat_counts:
        return set(model.seat_counts)
    bots = np.concatenate([pair[:, :, 0] for pair in pairs])
    seats = np.concatenate([pair[:, :, -1] for pair in pairs]) - model.bots
    solutions = _solutions(bots, np.maximum(seats, -1), sum(model.seat_counts), strong)
    blocks = zip(model.seat_counts, model.blocks[1:, model.bots :].astype(bool), strict=True)
    return {size for size, block in blocks if np.ptp(solutions[block], axis=0).max() > sqrt(_ROUNDING)}


def _solutions(bots: Ints, seats: Ints, count: int, strong: Ints) -> Floats:
    """A basis (S, L) of the effects of seats that strengths could make up for in every comparison of two.

    The comparisons (m, 2) are of `bots` in `seats`, 0 to S - 1, or -1 where no effects are fitted.
    """
    ends, places = (np.concatenate([each, each[:, ::-1]]).T for each in (bots, seats))  # both ways
    strengths = np.zeros((len(strong), count))  # what follows from each effect
    reached: Bools = np.isin(np.arange(len(strong)), np.unique(strong, return_index=True)[1])
    # A breadth-first search from the first bot of each component, all components at once: each round reaches
    # the bots that are one comparison further, and notes the strength that they must have.
    while len(edges := np.flatnonzero(reached[ends[1]] & ~reached[ends[0]])):
        bot, first = np.unique(ends[0, edges], return_index=True)
        chosen = edges[first]
        strengths[bot] = strengths[ends[1, chosen]] + _strengths_needed(places[:, chosen], count)
        reached[bot] = True
    # Each comparison gives the equation "strengths that the tree gives = strengths that the comparison
    # needs". The sum of squares of all equations has the solutions as its null space, and needs little
    # memory.
    total, span = np.zeros((count, count)), max(1, CELLS // count)
    for start in range(0, len(bots), span):
        (one, two), where = ends[:, start : start + span], places[:, start : start + span]
        equations = strengths[one] - strengths[two] - _strengths_needed(where, count)
        total += equations.T @ equations
    values, vectors = np.linalg.eigh(total)
    return np.asarray(vectors[:, values <= _ROUNDING * max(values[-1], 1)], np.float64)


def _strengths_needed(seats: Ints, count: int) -> Floats:
    """By how much the first bot of each comparison must be stronger, for each effect (m, S)."""
    found, rows = np.zeros((seats.shape[1], count)), np.arange(seats.shape[1])
    found[rows, seats[0]] -= 1
    found[rows, seats[1]] += 1  # without effects both seats are -1: the last column is then 0 again
    return found


def _infinite(stages: Sequence[Stages], model: Model, strong: Ints, start: Floats | None) -> set[int]:
    """The sizes of tables with effects of seats that grow without end if there is no prior."""
    at = np.zeros(model.parameters)
    if start is not None:
        at[: model.bots] = start
    # Without a prior, the mean of each component is free. To fix it makes the curvature regular.
    same: Bools = strong[:, None] == strong
    fixed = np.zeros((model.parameters, model.parameters))  # the mean of each component
    fixed[: model.bots, : model.bots] = same / same.sum(axis=1)
    effects = slice(model.bots, None)
    for _ in range(STEPS if model.seat_counts else 0):
        slope, curvature = derivatives(stages, model, 0, at)
        try:
            step = newton_step(curvature + fixed, slope)
        except np.linalg.LinAlgError:
            break
        longest = np.abs(step).max()
        if longest < _SHORT:  # the steps to come are shorter still
            return set()
        at = at + step * LONGEST / max(longest, LONGEST)
        if np.abs(at[effects]).max() > _FAR:
            break
    return {
        size
        for size, block in zip(model.seat_counts, model.blocks[1:].astype(bool), strict=True)
        if np.abs(at[block]).max() > _FAR / 2
    }
