"""Which line-ups to play next, so that the errors of the table shrink fastest.

With V the inverse curvature of the estimate, a seed group of line-up L adds its expected curvature
H = g w_n Σ p(1-p) d dᵀ over the pairs of L, d = e_i - e_j, for g games of n seats. The line-up is the
better, the more it takes from tr C V Cᵀ, the sum of the squared errors (A-optimal design: Kiefer 1974,
Ann. Statist. 2:849). The best pair is found by trying all, further seats are filled one by one.
"""

from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from arena.rating.logit import Model, count_stages, logistic, maximise
from arena.rating.outcome import Games


def prospects(tables: Sequence[Games], size: int, prior: float) -> tuple[np.ndarray, np.ndarray]:
    """Strengths in nats (K,) and the inverse curvature V (K, K) after these games; none are needed."""
    model = Model("pairs", size)
    return maximise(count_stages(model, tables), model, prior)


def contrasts(size: int, focus: int | None = None) -> np.ndarray:
    """CᵀC (K, K) for what is to be known: every bot against the mean, or one bot against each other."""
    if focus is None:
        return np.eye(size) - 1 / size
    rows = np.delete(np.eye(size)[focus] - np.eye(size), focus, axis=0)
    return rows.T @ rows / len(rows)


def best_lineups(
    theta: np.ndarray,
    inverse: np.ndarray,
    aim: np.ndarray,
    sizes: Iterable[int],
    teams: Sequence[int] | None = None,
) -> Iterator[tuple[int, ...]]:
    """A line-up for each size of table, the best first, each chosen as if those before it had been played.

    `aim` is from `contrasts`. The caller lets them be played and asks anew. Two bots of the same team,
    by its number, never meet; there must be as many teams as seats. Without `teams` each bot is alone.
    """
    team = np.arange(len(theta)) if teams is None else np.array(teams)
    inverse, profit = inverse.copy(), inverse @ aim @ inverse
    chance = logistic(theta[:, None] - theta)
    for seats in sizes:
        worth = seats * 3 / (seats + 1) * chance * chance.T  # of each pair, for all games of the seed group
        lineup = list(_best_pair(inverse, profit, worth, team))
        while len(lineup) < seats:
            lineup.append(_best_addition(lineup, inverse, profit, worth, team))
        yield tuple(sorted(lineup))
        _play(lineup, inverse, profit, worth)


def _play(lineup: list[int], inverse: np.ndarray, profit: np.ndarray, worth: np.ndarray) -> None:
    """Make V and VCᵀCV what they are after a group of this line-up (Woodbury), at the cost of n K²."""
    cells = np.ix_(lineup, lineup)
    curvature = _laplacian(worth[cells])
    gained = np.linalg.solve(np.eye(len(lineup)) + curvature @ inverse[cells], curvature)
    taken = inverse[:, lineup] @ gained
    inwards = taken @ profit[lineup]
    profit += taken @ profit[cells] @ taken.T - inwards - inwards.T
    inverse -= taken @ inverse[lineup]


def _best_pair(
    inverse: np.ndarray, profit: np.ndarray, worth: np.ndarray, team: np.ndarray
) -> tuple[int, int]:
    """The two bots whose games take most from the errors: λ ‖CVd‖² / (1 + λ dᵀVd) for each pair at once."""
    gain = worth * _distances(profit) / (1 + worth * _distances(inverse))
    gain[team[:, None] == team] = -1
    one, two = divmod(_first_best(gain), len(gain))
    return one, two


def _first_best(gain: np.ndarray) -> int:
    """The first of those that are best but for rounding, so that machines agree."""
    return int(np.argmax(np.round(gain / gain.max(), 9)))


def _distances(matrix: np.ndarray) -> np.ndarray:
    """dᵀ M d for the difference d of each two bots."""
    own = np.diag(matrix)
    return own[:, None] + own - 2 * matrix


def _best_addition(
    lineup: list[int], inverse: np.ndarray, profit: np.ndarray, worth: np.ndarray, team: np.ndarray
) -> int:
    """The bot that makes most of a table where these sit already."""
    free = np.flatnonzero(~np.isin(team, team[lineup])).tolist()
    tables = np.array([[*lineup, bot] for bot in free])
    rows, columns = tables[:, :, None], tables[:, None, :]
    curvature = _laplacian(worth[rows, columns])
    change = np.eye(tables.shape[1]) + curvature @ inverse[rows, columns]
    gain = np.einsum("tij,tji->t", np.linalg.solve(change, curvature), profit[rows, columns])
    return free[_first_best(gain)]


def _laplacian(worth: np.ndarray) -> np.ndarray:
    """Σ λ d dᵀ over the pairs of a table (…, n, n)."""
    among = worth * (1 - np.eye(worth.shape[-1]))
    return np.eye(worth.shape[-1]) * among.sum(axis=-1)[..., None] - among
