"""The linear equations of Newton's method, in which a curvature is a symmetric matrix: sums and solutions."""

import numpy as np

from arena.rating.arrays import Floats, Ints

MANY = 1000  # parameters from which conjugate gradients are faster
_EXACT = 1e-9  # the error of a step, relative to the slope
MAX_PRODUCTS = 300  # After so many products of a matrix and a vector, a direct solution takes no longer.
NO_ESTIMATE = "these games and this prior lead to no estimate"


def newton_step(curvature: Floats, slope: Floats) -> Floats:
    """The step (P,) of Newton's method: the solution of curvature · step = slope.

    Raises:
        LinAlgError: As `solve`.
    """
    # With many parameters it is found by conjugate gradients, which take few products of a matrix and a
    # vector if each bot has met several others. The result is exact enough for a fit, where each step starts
    # anew from the slope. If they do not converge soon, the equations are solved directly.
    if len(slope) < MANY:
        return solve(curvature, slope)
    scale = 1 / np.diag(curvature)  # the preconditioner of Jacobi
    step, rest = np.zeros(len(slope)), slope.copy()
    along = towards = scale * rest
    size = rest @ towards
    enough = _EXACT**2 * size
    for _ in range(MAX_PRODUCTS):
        if size <= enough:
            return step
        product = curvature @ along
        if not (bend := along @ product) > 0:
            break
        share = size / bend
        step += share * along
        rest -= share * product
        towards = scale * rest
        before, size = size, rest @ towards
        along = towards + size / before * along
    return solve(curvature, slope)


def solve(curvature: Floats, target: Floats) -> Floats:
    """The solution of curvature · x = target.

    Raises:
        LinAlgError: There is no solution, or more than one.
    """
    try:
        return np.asarray(np.linalg.solve(curvature, target), dtype=np.float64)
    except np.linalg.LinAlgError:
        raise np.linalg.LinAlgError(NO_ESTIMATE) from None


def add_at(total: Floats, cells: Ints, values: Floats) -> None:
    """Add the values to these cells of a flat array; a cell may occur several times."""
    if len(cells) < len(total) // 8:
        np.add.at(total, cells, values)
    else:  # This is faster, but needs another array of all cells.
        total += np.bincount(cells, values, len(total))
