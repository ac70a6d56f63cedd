"""How long a test will last: the Brownian motion between two bounds, and how often its ranges hold."""

from math import exp, pi, sin

import numpy as np
import pytest

from arena.rating.experiments import Sprt, Trial
from arena.rating.forecast import groups_left, still_inside
from arena.rating.group_scores import CELLS


def test_without_drift_it_is_the_series_of_sines():
    """Karatzas & Shreve, section 2.8.C: from the middle of an interval of width π."""
    for time in (0.5, 2, 8):
        series = sum(4 / (pi * n) * sin(n * pi / 2) * exp(-n * n * time / 2) for n in range(1, 80) if n % 2)
        assert still_inside(pi / 2, pi, 0, 1, time) == pytest.approx(series, abs=1e-9)


@pytest.mark.parametrize(
    ("start", "drift"),
    [(0.3, -3), (0.3, 0.1), (0.3, 3), (3, -0.4), (3, 0.01), (3, 0.5), (5.5, -3), (5.5, 0.1), (5.5, 3)],
)
def test_the_mean_time_is_that_of_wald(start, drift):
    """E T = (6 P(up) - start)/drift, with P(up) = (1 - e^(-2 drift start))/(1 - e^(-12 drift))."""
    up = (1 - exp(-2 * drift * start)) / (1 - exp(-12 * drift))
    times = np.arange(0.0005, 150, 0.05)
    mean = 0.05 * sum(still_inside(start, 6, drift, 1, time) for time in times)
    assert mean == pytest.approx((6 * up - start) / drift, abs=0.03)


def test_time_only_shortens_what_is_left_inside():
    for drift in (-20, 0, 0.7):
        chances = [still_inside(2, 6, drift, 0.3, time) for time in np.geomspace(0.001, 1000, 60)]
        assert max(np.diff(chances)) < 1e-5 and chances[0] == pytest.approx(1)
        assert chances[-1] == pytest.approx(0, abs=1e-5)


@pytest.mark.parametrize(
    "llr, more, shorter",
    [
        ((0, 50), (0, 200), False),  # the same ratio after more groups: the bots are less different
        ((1, 50), (2, 50), True),  # nearer to the bound
        ((-2.9, 50), (-1, 50), False),
    ],
)
def test_what_makes_a_range_shorter(llr, more, shorter):
    ends = [groups_left(*each, 0.02, (-2.94, 2.94)) for each in (llr, more)]
    assert all(0 < low < high for low, high in ends)
    assert (ends[1][1] < ends[0][1]) is shorter


@pytest.mark.parametrize("model", ["logistic", "normalized"])
def test_about_four_of_five_tests_end_within_the_range(model):
    """At some moment of 100 tests; fewer than 66 or more than 91 of 100 at 80 % happen once in 500."""
    rng, test, within, times = np.random.default_rng(2), Sprt(0, 60, elo_model=model), 0, 0
    while times < 100:
        shares = np.array([1, 4, 10, 4, 1]) * np.exp(rng.uniform(-0.2, 0.8) * np.array(CELLS))
        scores = rng.choice(CELLS, 2000, p=shares / shares.sum()).tolist()
        verdict, now, trial = test.decide(scores), int(rng.integers(16, 60)), Trial(test)
        if verdict.groups <= now:
            continue
        for score in scores[:now]:
            trial.add(score)
        low, high = groups_left(trial.verdict.llr, now, test.variance(trial.seen), test.bounds)
        within += max(32 - now, low) - 8 <= verdict.groups - now <= max(32 - now, high) + 8
        times += 1
    assert 66 <= within <= 91
