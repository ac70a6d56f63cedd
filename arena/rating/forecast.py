"""Forecasts how many more groups a sequential test needs, as a likely range.

The log-likelihood ratio is taken as a Brownian motion between its bounds. Its drift is not known, so the
range is from quantiles over a mixture of drifts, weighted by how likely they are after the groups so far.
Before the first group the difference of the bots is taken as normal around the middle of elo0 and elo1.
"""

from collections.abc import Callable
from math import erfc, exp, sqrt
from statistics import NormalDist

from arena.rating.sprt import EVERY

_SHARE = 0.8  # of the probability is in the range, as much before it as after it
# Because the test does not look after each group, it ends beyond a bound, by so many standard deviations of
# the change between two looks on average (Siegmund 1985, Sequential Analysis, chapter 10).
_OVERSHOOT = 0.583
# The standard deviation of the drift before the first group, in distances from elo0 to elo1. It weighs as
# much as 1/4v groups, where v is the variance of the ratio per group.
_SPREAD = 2.0
_DRIFTS = [NormalDist().inv_cdf((step + 0.5) / 15) for step in range(15)]  # in standard deviations
_IMAGES = range(-6, 7)
_LARGEST = 700.0  # an exponent that exp can still take


def groups_left(llr: float, groups: int, variance: float, bounds: tuple[float, float]) -> tuple[float, float]:
    """How many more groups the test probably needs: at least, at most.

    The log-likelihood ratio is `llr` after `groups` groups, each of which adds about `variance` (above 0) to
    the variance of the ratio. `bounds` are those of the test.
    """
    overshoot = _OVERSHOOT * sqrt(EVERY * variance)
    lower, upper = bounds[0] - overshoot, bounds[1] + overshoot
    known = groups + 1 / (_SPREAD**2 * variance)
    drifts = [llr / known + error * sqrt(variance / known) for error in _DRIFTS]

    def remaining(more: float) -> float:
        return sum(still_inside(llr - lower, upper - lower, d, variance, more) for d in drifts) / len(drifts)

    return _time_until(remaining, (1 + _SHARE) / 2), _time_until(remaining, (1 - _SHARE) / 2)


def _time_until(remaining: Callable[[float], float], probability: float) -> float:
    """When `remaining`, which falls from 1 to 0, reaches a probability, in groups; to 1 % or half a group."""
    low, high = 0.0, 1.0
    while remaining(high) > probability:
        low, high = high, 2 * high
    while high - low > max(0.5, 0.01 * high):
        middle = (low + high) / 2
        low, high = (middle, high) if remaining(middle) > probability else (low, middle)
    return high


def still_inside(start: float, width: float, drift: float, variance: float, time: float) -> float:
    """The probability that a Brownian motion from `start` stays between 0 and `width` until this time."""
    # By the method of images (Karatzas & Shreve 1991, Brownian Motion and Stochastic Calculus, section 2.8),
    # with a drift by Girsanov's theorem.
    if not 0 < start < width:  # a test does not look after each group, so it may be outside and go on
        return 0.0
    if drift < 0:  # mirrored, so that the large exponents below have small probabilities as factors
        return still_inside(width - start, width, -drift, variance, time)
    spread, tilt = sqrt(variance * time), drift / variance
    total = 0.0
    for image in _IMAGES:
        for sign, source in ((1, start), (-1, -start)):
            shift = source - 2 * image * width  # where this image starts
            inside = _below((width - shift - drift * time) / spread) - _below(
                (-shift - drift * time) / spread
            )
            if inside > 0:
                total += sign * inside * exp(min(_LARGEST, tilt * (shift - start)))
    return min(1.0, max(0.0, total))


def _below(z: float) -> float:
    return erfc(-z / sqrt(2)) / 2
