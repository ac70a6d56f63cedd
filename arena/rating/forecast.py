"""Forecasts a likely range for the number of groups that a sequential test still needs.

The log-likelihood ratio is modelled as a Brownian motion between its bounds. Its drift is unknown, so the
range is from quantiles over a mixture of drifts, weighted by how likely they are after the groups so far.
Before the first group the difference of the bots is modelled as normal around the middle of elo0 and elo1.
"""

from collections.abc import Callable
from math import erfc, exp, sqrt
from statistics import NormalDist

EVERY = 8  # groups between two looks of a test
_SHARE = 0.8  # the probability of the range; the rest is half before it and half after it
# The test does not look after each group, so it ends beyond a bound. On average it overshoots by this many
# standard deviations of the change between two looks (Siegmund 1985, Sequential Analysis, chapter 10).
_OVERSHOOT = 0.583
# The standard deviation of the drift before the first group, in distances from elo0 to elo1. It weighs as
# much as 1/4v groups, where v is the variance of the ratio per group.
_SPREAD = 2.0
_DRIFTS = [NormalDist().inv_cdf((step + 0.5) / 15) for step in range(15)]  # in standard deviations
_IMAGES = range(-6, 7)
_LARGEST = 700.0  # a larger exponent overflows exp


def groups_left(llr: float, groups: int, variance: float, bounds: tuple[float, float]) -> tuple[float, float]:
    """A likely range for the number of groups that the test still needs.

    Args:
        llr: The log-likelihood ratio so far.
        groups: The number of groups so far.
        variance: How much a group adds to the variance of the ratio, about; above 0.
        bounds: The bounds of the test.
    """
    overshoot = _OVERSHOOT * sqrt(EVERY * variance)
    lower, upper = bounds[0] - overshoot, bounds[1] + overshoot
    known = groups + 1 / (_SPREAD**2 * variance)
    drifts = [llr / known + error * sqrt(variance / known) for error in _DRIFTS]

    def remaining(more: float) -> float:
        return sum(still_inside(llr - lower, upper - lower, d, variance, more) for d in drifts) / len(drifts)

    return _time_until(remaining, (1 + _SHARE) / 2), _time_until(remaining, (1 - _SHARE) / 2)


def _time_until(remaining: Callable[[float], float], probability: float) -> float:
    """The groups after which `remaining`, which falls from 1 to 0, reaches a probability.

    It is exact to 1 % or half a group.
    """
    low, high = 0.0, 1.0
    while remaining(high) > probability:
        low, high = high, 2 * high
    while high - low > max(0.5, 0.01 * high):
        middle = (low + high) / 2
        low, high = (middle, high) if remaining(middle) > probability else (low, middle)
    return high


def still_inside(start: float, width: float, drift: float, variance: float, time: float) -> float:
    """The probability that a Brownian motion from `start` stays between 0 and `width` until this time."""
    # This is the method of images (Karatzas & Shreve 1991, Brownian Motion and Stochastic Calculus, section
    # 2.8), with a drift by Girsanov's theorem.
    if not 0 < start < width:  # The test does not look after each group, so it may go on outside.
        return 0.0
    if drift < 0:  # The problem is mirrored to give the large exponents below small factors.
        return still_inside(width - start, width, -drift, variance, time)
    spread, tilt = sqrt(variance * time), drift / variance
    total = 0.0
    for image in _IMAGES:
        for sign, source in ((1, start), (-1, -start)):
            shift = source - 2 * image * width  # the start of this image
            inside = _below((width - shift - drift * time) / spread) - _below(
                (-shift - drift * time) / spread
            )
            if inside > 0:
                total += sign * inside * exp(min(_LARGEST, tilt * (shift - start)))
    return min(1.0, max(0.0, total))


def _below(z: float) -> float:
    return erfc(-z / sqrt(2)) / 2
