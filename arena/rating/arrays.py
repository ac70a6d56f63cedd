"""Types of numpy arrays, as the rating uses them, and sums into large ones."""

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]


def add_at(total: Floats, cells: Ints, values: Floats) -> None:
    """Add the values to these cells of a flat array; a cell may occur several times."""
    if len(cells) < len(total) // 8:
        np.add.at(total, cells, values)
    else:  # faster, but it takes another array of all cells
        total += np.bincount(cells, values, len(total))
