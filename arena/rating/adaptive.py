"""The line-ups to play next, chosen so that the errors of the standings shrink fastest.

The formulas are in `methods.md`, "Adaptive pairing". V is the inverse curvature of the estimate; the best
line-up takes most from tr C V Cᵀ, the sum of the squared errors.
"""

from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from arena.rating.arrays import Floats, Ints
from arena.rating.logit import Model, count_stages, logistic, maximise
from arena.rating.outcome_arrays import OutcomeArrays


def prospects(arrays: Sequence[OutcomeArrays], size: int, prior: float) -> tuple[Floats, Floats]:
    """The strengths in nats (K,) and the inverse curvature V (K, K) after these games, if any."""
    model = Model("pairs", size)
    found = maximise(count_stages(model, arrays), model, prior)
    return found.at, found.inverse


def contrasts(size: int, focus: int | None = None) -> Floats:
    """CᵀC (K, K) of the errors to reduce.

    They are the errors of the bot `focus` against each other bot, or if it is None, of each bot against the
    mean.
    """
    if focus is None:
        return np.eye(size) - 1 / size
    differences: Floats = np.delete(np.eye(size)[focus] - np.eye(size), focus, axis=0)
    return differences.T @ differences / len(differences)


def best_lineups(
    theta: Floats, inverse: Floats, aim: Floats, sizes: Iterable[int], teams: Sequence[int] | None = None
) -> Iterator[tuple[int, ...]]:
    """Choose a line-up for each number of seats in `sizes`, as if the line-ups before it had been played.

    Args:
        theta: From `prospects`.
        inverse: From `prospects`.
        aim: From `contrasts`.
        sizes: The numbers of seats.
        teams: The team of each bot, or None without teams. Bots of a team never meet, so there must be at
            least as many teams as seats.

    Returns:
        Line-ups of bots by number, ascending.
    """
    # Without teams each bot is a team of its own, because it must not meet itself.
    team = np.arange(len(theta)) if teams is None else np.array(teams)
    inverse, profit = inverse.copy(), inverse @ aim @ inverse
    chance = logistic(theta[:, None] - theta)
    for seats in sizes:
        # λ of each pair: the curvature g w_n p (1-p) of all games of a seed group, where g is the number of
        # seats (one game for each rotation), and w_n = 3/(n+1), the weight of a pair in `methods.pairs`.
        weight = seats * 3 / (seats + 1) * chance * chance.T
        # With many seats it would take too long to try all line-ups. The best pair is found exactly; then
        # bots are added one at a time.
        lineup = list(_best_pair(inverse, profit, weight, team))
        while len(lineup) < seats:
            lineup.append(_best_addition(lineup, inverse, profit, weight, team))
        yield tuple(sorted(lineup))
        _update(lineup, inverse, profit, weight)


def _update(lineup: list[int], inverse: Floats, profit: Floats, weight: Floats) -> None:
    """Change V (`inverse`) and VCᵀCV (`profit`) in place as a group of this line-up would (Woodbury)."""
    # (V⁻¹ + E H Eᵀ)⁻¹ = V - V E (I + H EᵀVE)⁻¹ H EᵀV, where E picks the columns of the line-up. So the system
    # to solve is only n by n; `profit` follows from V - A and its transpose, multiplied out.
    cells = np.ix_(lineup, lineup)
    curvature = _laplacian(weight[cells])
    gained = np.linalg.solve(np.eye(len(lineup)) + curvature @ inverse[cells], curvature)
    taken = inverse[:, lineup] @ gained
    inwards = taken @ profit[lineup]
    profit += taken @ profit[cells] @ taken.T - inwards - inwards.T
    inverse -= taken @ inverse[lineup]


def _best_pair(inverse: Floats, profit: Floats, weight: Floats, team: Ints) -> tuple[int, int]:
    """The two bots whose games reduce the errors most: λ ‖CVd‖² / (1 + λ dᵀVd) for all pairs at once."""
    gain = weight * _distances(profit) / (1 + weight * _distances(inverse))
    gain[team[:, None] == team] = -1  # This includes each bot with itself.
    one, two = divmod(_first_best(gain), len(gain))
    return one, two


def _first_best(gain: Floats) -> int:
    """The index of the largest gain, or the first of several that are equal but for rounding errors."""
    return int(np.argmax(np.round(gain / gain.max(), 9)))


def _distances(matrix: Floats) -> Floats:
    """dᵀ M d (K, K) for the difference d = e_i - e_j of every two bots."""
    own: Floats = np.diag(matrix)
    return own[:, None] + own - 2 * matrix


def _best_addition(lineup: list[int], inverse: Floats, profit: Floats, weight: Floats, team: Ints) -> int:
    """The bot that reduces the errors most if it joins this line-up."""
    free: list[int] = np.flatnonzero(~np.isin(team, team[lineup])).tolist()
    # The trace that a line-up takes off is tr (I + H EᵀVE)⁻¹ H Eᵀ(VCᵀCV)E: all candidates (t) at once.
    lineups = np.array([[*lineup, bot] for bot in free])
    rows, columns = lineups[:, :, None], lineups[:, None, :]
    curvature = _laplacian(weight[rows, columns])
    change = np.eye(lineups.shape[1]) + curvature @ inverse[rows, columns]
    gain = np.einsum("tij,tji->t", np.linalg.solve(change, curvature), profit[rows, columns])
    return free[_first_best(gain)]


def _laplacian(weight: Floats) -> Floats:
    """The curvature Σ λ d dᵀ over the pairs of line-ups (…, n, n), with the weights λ of their pairs."""
    size = weight.shape[-1]
    between = weight * (1 - np.eye(size))
    laplacian: Floats = np.eye(size) * between.sum(axis=-1)[..., None] - between
    return laplacian
