"""What is left of a difference without the exaggeration of a test that stops early."""

from statistics import fmean

import numpy as np
import pytest
from promises import NORMALIZED_TEST, TEST, group_scores

from arena.rating.experiments import Sprt, Trial
from arena.rating.forecast import still_inside
from arena.rating.stopping import reached_ahead


@pytest.mark.parametrize("drift", [-0.3, -0.01, 0, 0.02, 0.4])
@pytest.mark.parametrize("time", [1, 30, 400])
def test_a_motion_has_reached_one_bound_or_the_other_or_is_inside(drift, time):
    ahead, width, variance = 2.5, 6.0, 0.05
    parts = (
        reached_ahead(ahead, width, drift, variance, time),
        reached_ahead(width - ahead, width, -drift, variance, time),
        still_inside(width - ahead, width, drift, variance, time),
    )
    assert sum(parts) == pytest.approx(1, abs=1e-9)


def trials(test, elo, count=60):
    rng = np.random.default_rng(1)
    for _ in range(count):
        trial = Trial(test)
        for score in group_scores(rng, elo, 2, False):
            trial.add(score)
            if trial.is_decided:
                break
        yield trial


@pytest.mark.parametrize("elo", [0, 20, 60, 100])
def test_the_corrected_difference_is_too_high_as_often_as_too_low(elo):
    found = [(trial.difference(), trial.corrected_difference()) for trial in trials(TEST, elo)]
    assert 0.3 < np.mean([corrected[0] > elo for _, corrected in found]) < 0.7
    assert np.mean([corrected[1] < elo < corrected[2] for _, corrected in found]) > 0.9
    if elo > 20:  # H1 is accepted: the plain difference is too large on average
        assert fmean(plain[0] for plain, _ in found) > 1.05 * elo
        assert fmean(plain[0] - corrected[0] for plain, corrected in found) > 0.08 * elo


def test_after_the_verdict_not_better_the_correction_is_upwards():
    for trial in trials(TEST, 0, 5):
        assert trial.verdict.better is False
        assert trial.corrected_difference()[0] > trial.difference()[0]


def test_a_normalized_test_has_its_difference_in_normalized_elo():
    for trial in trials(NORMALIZED_TEST, 40, 5):
        low, high = sorted((30, trial.normalized_difference()[0]))
        assert low < trial.corrected_difference()[0] < high


def test_an_undecided_test_and_an_infinite_difference_have_none():
    undecided, perfect = Trial(TEST), Trial(Sprt(0, 60))
    undecided.add(0.5)
    for _ in range(32):
        perfect.add(1.0)
    assert undecided.corrected_difference() is None
    assert perfect.is_decided and perfect.corrected_difference() is None
