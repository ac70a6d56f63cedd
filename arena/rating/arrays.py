"""The types of numpy arrays of ratings, and a function that replaces NaN by None."""

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]


def none_if_nan(number: float) -> float | None:
    return None if np.isnan(number) else float(number)
