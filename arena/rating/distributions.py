"""Student's t, for intervals from few seed groups, and chi square, for a test of fit."""

from math import atan, cos, erfc, exp, inf, isnan, lgamma, log, nan, pi, sin, sqrt
from statistics import NormalDist

import numpy as np

from arena.rating.arrays import Floats

STEPS = 100  # the most steps of Newton's method
MAX_FREEDOM = 1000  # degrees of freedom above which Student's t is taken as normal


def t_quantile(confidence: float, freedom: int) -> float:
    """The t that |T| stays below with probability `confidence`; NaN without degrees of freedom."""
    # Newton's method starts from the normal quantile, which is smaller. P(|T| < t) is concave, so no step
    # overshoots.
    if freedom <= 0:
        return nan
    t = NormalDist().inv_cdf((1 + confidence) / 2)
    peak = 2 * exp(lgamma((freedom + 1) / 2) - lgamma(freedom / 2)) / sqrt(freedom * pi)
    for _ in range(STEPS):
        step = (confidence - t_probability(t, freedom)) / (
            peak * (1 + t * t / freedom) ** (-(freedom + 1) / 2)
        )
        t += step
        if abs(step) < 1e-12 * t:
            break
    return t


def t_quantiles(confidence: float, freedom: Floats) -> Floats:
    """`t_quantile` for each number of degrees of freedom: whole, infinite (normal), or NaN if unknown."""
    distinct, number = np.unique(freedom, return_inverse=True)
    normal = NormalDist().inv_cdf((1 + confidence) / 2)
    quantiles = [
        normal if each == inf else nan if isnan(each) else t_quantile(confidence, int(each))
        for each in distinct
    ]
    return np.array(quantiles)[number].reshape(freedom.shape)


def t_probability(t: float, freedom: int) -> float:
    """P(|T| < t) for whole degrees of freedom (Abramowitz & Stegun 1964, 26.7.3 and 26.7.4)."""
    angle, odd = atan(t / sqrt(freedom)), freedom % 2
    k = np.arange(2 + odd, freedom, 2)
    series = 1 + float(np.cumprod((k - 1) / k * cos(angle) ** 2).sum())
    if not odd:
        return sin(angle) * series
    return 2 / pi * (angle + (sin(angle) * cos(angle) * series if freedom > 1 else 0))


def t_below(x: Floats, freedom: Floats) -> Floats:
    """P(T < x) for each x and its whole degrees of freedom; normal above `MAX_FREEDOM`, NaN below 1."""
    few = (freedom > 0) & (freedom <= MAX_FREEDOM)
    n = np.where(few, freedom, 1)
    angle, odd = np.arctan(x / np.sqrt(n)), n % 2  # The formula is the one of `t_probability`.
    cosine = np.cos(angle) ** 2
    term, series = np.ones(x.shape), np.ones(x.shape)
    for half in range(1, int(n.max(initial=1)) // 2 + 1):
        k = 2 * half + odd
        term = np.where(k < n, term * (k - 1) / k * cosine, 0)
        series += term
    sine = np.sin(angle)
    both = np.where(odd, 2 / pi * (angle + np.where(n > 1, sine * np.cos(angle) * series, 0)), sine * series)
    normal: Floats = np.vectorize(NormalDist().cdf, otypes=[float])(x)
    return np.where(few, (1 + both) / 2, np.where(freedom > 0, normal, nan))


def chi_square_tail(x: float, freedom: int) -> float:
    """P(X > x) for chi square with whole degrees of freedom (Abramowitz & Stegun 1964, 26.4.4 and 26.4.5)."""
    if x <= 0:
        return 1.0
    half, odd = x / 2, freedom % 2
    terms = (k + odd / 2 for k in range(freedom // 2))
    tail = sum(exp(power * log(half) - half - lgamma(power + 1)) for power in terms)
    return min(1.0, tail + (erfc(sqrt(half)) if odd else 0))
