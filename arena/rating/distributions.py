"""Tails of Student's t and of chi square: what few seed groups, and a test of fit, need."""

from math import atan, cos, erfc, exp, lgamma, log, pi, sin, sqrt
from statistics import NormalDist

import numpy as np

STEPS = 100  # of Newton's method, at most


def t_quantile(confidence: float, freedom: int) -> float:
    """Student's |t| stays below this with probability `confidence`; NaN without degrees of freedom.

    By Newton's method from the normal quantile below it: P(|T| < t) is concave, so no step goes too far.
    """
    if freedom <= 0:
        return np.nan
    t = NormalDist().inv_cdf((1 + confidence) / 2)
    peak = 2 * exp(lgamma((freedom + 1) / 2) - lgamma(freedom / 2)) / sqrt(freedom * pi)
    for _ in range(STEPS):
        step = (confidence - t_within(t, freedom)) / (peak * (1 + t * t / freedom) ** (-(freedom + 1) / 2))
        t += step
        if abs(step) < 1e-12 * t:
            break
    return t


def t_within(t: float, freedom: int) -> float:
    """P(|T| < t) for whole degrees of freedom (Abramowitz & Stegun 1964, 26.7.3 and 26.7.4)."""
    angle, odd = atan(t / sqrt(freedom)), freedom % 2
    k = np.arange(2 + odd, freedom, 2)
    series = 1 + np.cumprod((k - 1) / k * cos(angle) ** 2).sum()
    if not odd:
        return sin(angle) * series
    return 2 / pi * (angle + (sin(angle) * cos(angle) * series if freedom > 1 else 0))


def chi_square_beyond(x: float, freedom: int) -> float:
    """P(X > x) for chi square with whole degrees of freedom (Abramowitz & Stegun 1964, 26.4.4 and 26.4.5)."""
    if x <= 0:
        return 1.0
    half, odd = x / 2, freedom % 2
    terms = (k + odd / 2 for k in range(freedom // 2))
    tail = sum(exp(power * log(half) - half - lgamma(power + 1)) for power in terms)
    return min(1.0, tail + (erfc(sqrt(half)) if odd else 0))
