"""The most likely shares of group scores under a hypothesis of a sequential test."""

from collections.abc import Iterable, Mapping, Sequence
from math import inf, log, sqrt
from operator import mul

STEPS, _CLOSE = 100, 1e-11  # the most rounds of the search for a t value, and the error at which it ends


def with_mean(weights: Mapping[float, float], mean: float) -> list[float]:
    """p̂/p for each score: its share of the counts `weights`, divided by its share under the hypothesis."""
    # Under the hypothesis, p are the most likely shares with this mean, from 0 to 1.
    return _factors(list(weights.values()), [score - mean for score in weights])


def with_t_value(weights: Mapping[float, float], t: float) -> list[float]:
    """p̂/p for each score, as in `with_mean`, for the hypothesis (mean - ½)/(standard deviation) = t."""
    # With b = score - ½ and τ = t/√(1 + t²) the condition is E b = τ r, where r² = E b². Its Lagrange
    # equations say that p are the most likely shares with E d = 0, where d = b - τ (r² + b²)/2r. For another
    # r such shares have E b² ≠ r². E b² is at most r² at r = ½. It is above r² if r is so small that only one
    # d still has the sign of τ. So there is a solution between. If the scores are far from t, there may be
    # several solutions, with small and with large r. One search starts from the r of the scores, another from
    # ½, and the better result is taken.
    if not t:  # The mean is ½, whatever the deviation.
        return with_mean(weights, 0.5)
    counts, leads = list(weights.values()), [score - 0.5 for score in weights]
    total, cosine = sum(counts), 1 / sqrt(1 + t * t)
    tau = t * cosine
    least = 0.5
    for b in sorted((abs(b) for b in leads if b * t > 0), reverse=True):
        if b * (1 + cosine) > least * abs(tau):  # This d has the sign of τ from a smaller r up to `least`.
            least = min(least, b * abs(tau) / (1 + cosine))

    def root_mean_square(shares: Iterable[float]) -> float:
        return sqrt(sum(share * b * b for share, b in zip(shares, leads, strict=True)) / total)

    def search(r: float) -> list[float]:
        """The factors p̂/p of a solution near r: secant method, or bisection if a step leaves the bracket."""
        # `gap` is the distance from r to the r that follows from it. It is 0 at a solution.
        low, high, step, gap = least, 0.5, 0.0, 0.0
        for _ in range(STEPS):
            found = _factors(counts, [b - tau * (r * r + b * b) / (2 * r) for b in leads])
            before, gap = gap, root_mean_square(w / f for w, f in zip(counts, found, strict=True)) - r
            if min(abs(gap), high - low) < _CLOSE:
                break
            low, high = (r, high) if gap > 0 else (low, r)
            step = step * gap / (before - gap) if (before - gap) * step > 0 else gap
            if not low < r + step < high:
                step = (low + high) / 2 - r
            r += step
        return found

    # The largest likelihood is the smallest Σ w ln (p̂/p).
    starts = 0.5, max(root_mean_square(counts), 1.001 * least)
    return min(map(search, starts), key=lambda found: sum(map(mul, counts, map(log, found))))


def _factors(counts: Sequence[float], deviations: Sequence[float]) -> list[float]:
    """The factor f = 1 + x d of each deviation d, with x such that f > 0 and Σ w d/f = 0 for the counts w."""
    # The shares w/f are then the most likely shares with a mean deviation of 0. There are deviations on both
    # sides of 0, so the sum falls from ∞ to -∞ as x goes from pole to pole. Newton's method finds the zero.
    # If a step would leave the bracket, bisection replaces it.
    pairs = list(zip(counts, deviations, strict=True))
    low, high = -1 / max(deviations), -1 / min(deviations)
    # The search ends when a step changes nothing, or is exactly at an end of the bracket.
    x, ahead = inf, 0.0
    while ahead not in (x, low, high):
        x = ahead
        parts = [(weight, d / (1 + x * d)) for weight, d in pairs]
        fall, value = sum(w * part * part for w, part in parts), sum(w * part for w, part in parts)
        low, high = (x, high) if value > 0 else (low, x)
        ahead = x + value / fall
        if not (low < ahead < high or ahead == x):
            ahead = (low + high) / 2
    return [1 + x * d for d in deviations]
