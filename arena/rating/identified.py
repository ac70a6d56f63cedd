"""Finds which effects of seats the games identify, whatever the prior.

The prior makes every fit regular, so a fit does not show whether seats are confounded with bots. If ann
always has the first seat, a strong ann and a good seat explain the games equally well. So the effects must be
identified and finite without the prior, in the comparisons within strong components.
"""

from collections.abc import Iterable, Iterator, Sequence
from math import sqrt

import numpy as np

from arena.rating.arrays import Bools, Floats, Ints
from arena.rating.equations import newton_step
from arena.rating.logit import MAX_STEP, Model, Stages, count_stages, derivatives
from arena.rating.outcome_arrays import OutcomeArrays

STEPS = 100  # the most steps of Newton's method
_SHORT = 0.1  # nats; a shorter step is followed by shorter ones, while an infinite effect moves on by more
_FAR = 7  # nats; larger effects count as infinite: they would take millions of games
_ROUNDING = 1e-8  # relative to the largest eigenvalue


def identifiable_model(
    method: str, arrays: Sequence[OutcomeArrays], strong: Ints, start: Floats | None = None
) -> tuple[Model, list[Stages]]:
    """The model with the effects of seats at the sizes where the games identify them, and its stages.

    `strong` (K,) has the strong components as in `Ratings`; a `start` (K,) near the strengths saves time.
    """
    sizes = {games.table for games in arrays}
    while True:
        model = Model(method, len(strong), tuple(sorted(sizes)))
        stages = count_stages(model, arrays)
        comparable = list(within_components(stages, strong))
        unknown = _confounded(comparable, model, strong) or _infinite(comparable, model, strong, start)
        # Leaving out unknown effects may identify others, so all remaining ones are checked again.
        if not unknown:
            return model, stages
        sizes -= unknown


def within_components(stages: Iterable[Stages], strong: Ints) -> Iterator[Stages]:
    """The stages, reduced to the members that are in the strong component of the winner."""
    # Members of other components lose all such stages. If differences between components were infinite, only
    # the members of one component would remain.
    for part in stages:
        component = strong[part.index[:, :, 0]]
        winner = np.take_along_axis(component, part.won.argmax(axis=1)[:, None], 1)
        inside = component == winner
        members = inside.sum(axis=1)
        for count in np.unique(members[members > 1]):
            here = np.flatnonzero(members == count)
            index, won = part.index[here][inside[here]], part.won[here][inside[here]]
            yield Stages(index.reshape(len(here), count, -1), won.reshape(len(here), count))


def _confounded(stages: Sequence[Stages], model: Model, strong: Ints) -> set[int]:
    """The sizes of tables whose effects of seats are not all identified."""
    # The information of the games about the effects, with free strengths, is the Schur complement of the
    # strengths in the curvature. If strengths can make up for some effects in every comparison, it is 0 in
    # the direction of these effects. Equal effects of all seats of a size are not affected: their mean is
    # fixed.
    if not model.seat_counts:
        return set()
    bots, effects = slice(model.bots), slice(model.bots, None)
    curvature = derivatives(stages, model, 0, np.zeros(model.parameters))[1] + _fixed_means(model, strong)
    columns = curvature[effects, bots]
    made_up = np.array([newton_step(curvature[bots, bots], column) for column in columns])
    values, vectors = np.linalg.eigh(curvature[effects, effects] - columns @ made_up.T)
    free = vectors[:, values <= _ROUNDING * max(values[-1], 1)]
    blocks = zip(model.seat_counts, model.blocks[1:, effects].astype(bool), strict=True)
    return {size for size, block in blocks if np.abs(free[block]).max(initial=0) > sqrt(_ROUNDING)}


def _fixed_means(model: Model, strong: Ints) -> Floats:
    """The term (P, P) that fixes the mean of each strong component in a curvature without a prior."""
    same: Bools = strong[:, None] == strong
    fixed = np.zeros((model.parameters, model.parameters))
    fixed[: model.bots, : model.bots] = same / same.sum(axis=1)
    return fixed


def _infinite(stages: Sequence[Stages], model: Model, strong: Ints, start: Floats | None) -> set[int]:
    """The sizes of tables with effects of seats that grow without limit if there is no prior."""
    at = np.zeros(model.parameters)
    if start is not None:
        at[: model.bots] = start
    fixed, effects = _fixed_means(model, strong), slice(model.bots, None)
    for _ in range(STEPS if model.seat_counts else 0):
        slope, curvature = derivatives(stages, model, 0, at)
        try:
            step = newton_step(curvature + fixed, slope)
        except np.linalg.LinAlgError:
            break
        longest = np.abs(step).max()
        if longest < _SHORT:  # The next steps would be shorter still.
            return set()
        at = at + step * MAX_STEP / max(longest, MAX_STEP)
        if np.abs(at[effects]).max() > _FAR:
            break
    return {
        size
        for size, block in zip(model.seat_counts, model.blocks[1:].astype(bool), strict=True)
        if np.abs(at[block]).max() > _FAR / 2
    }
