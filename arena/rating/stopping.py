"""The difference of two bots after a sequential test, corrected for the bias of early stopping.

A test often stops when luck has helped it to a bound, so the mean score exaggerates the difference. Here the
log-likelihood ratio is modelled as a Brownian motion between the bounds of the test. A result is more extreme
if it reached its bound earlier. The estimate is the difference for which a result at least as extreme as this
one has a probability of one half, so it is too high as often as too low. At the ends of the interval the
probability is 2.5 and 97.5 % (Siegmund 1978, Biometrika 65:341).
"""

from collections.abc import Callable
from math import erfc, exp, log, sqrt

_IMAGES = range(-8, 9)
_HALVINGS = 60  # A bracket is then as short as the precision of a float allows.
_LARGEST = 700.0  # a larger exponent overflows exp


def drift_at(probability: float, ahead: float, width: float, variance: float, groups: int) -> float:
    """The drift for which `reached_ahead` by this number of groups has this probability."""
    return _increasing_at(lambda drift: reached_ahead(ahead, width, drift, variance, groups), probability)


def reached_ahead(ahead: float, width: float, drift: float, variance: float, time: float) -> float:
    """The probability that a Brownian motion reaches the bound `ahead` by this time, and no other before.

    The other bound is at a distance of `width` from it. The `drift` towards `ahead` and the `variance` are
    per unit of time.
    """
    # This is the method of images for the first passage, with a drift by Girsanov's theorem (Karatzas &
    # Shreve 1991, Brownian Motion and Stochastic Calculus, section 2.8). Each image has an inverse Gaussian
    # distribution.
    total, spread = 0.0, sqrt(variance * time)
    for image in _IMAGES:
        distance = ahead + 2 * image * width
        far, sign = abs(distance), 1 if distance > 0 else -1
        for exponent, z in (
            (drift * (ahead - far) / variance, (drift * time - far) / spread),
            (drift * (ahead + far) / variance, (-drift * time - far) / spread),
        ):
            below = erfc(-z / sqrt(2)) / 2
            if below > 0:
                total += sign * exp(min(_LARGEST, exponent + log(below)))
    return min(1.0, max(0.0, total))


def _increasing_at(function: Callable[[float], float], target: float) -> float:
    """The argument at which an increasing function reaches the target."""
    low, high = -1.0, 1.0
    while function(low) > target:
        low *= 2
    while function(high) < target:
        high *= 2
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if function(middle) < target else (low, middle)
    return low
