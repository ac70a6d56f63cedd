"""What is forecast of standings before a run, against what comes of it."""

from itertools import combinations

import numpy as np
import pytest
from simulated import Luck, play

from arena.rating.estimate import ELO, rate
from arena.rating.prospect import SPREAD, prospect
from arena.rating.settings import RatingSettings
from arena.rating.widening import Widening


def robin(bots, seats, groups):
    return np.repeat(np.array(list(combinations(range(bots), seats))), groups, axis=0)


@pytest.mark.parametrize("bots, seats, groups", [(6, 4, 8), (8, 2, 20), (12, 2, 5), (5, 3, 12)])
@pytest.mark.parametrize("method", ["pairs", "winner"])
def test_errors_are_within_a_fifth_of_the_forecast(bots, seats, groups, method):
    settings, rng = RatingSettings(method=method), np.random.default_rng(7)
    found = prospect([robin(bots, seats, groups)], bots, settings)
    errors = [
        np.median(rate(play(rng, theta, robin(bots, seats, groups), Luck()), bots, settings).error)
        for theta in rng.normal(0, SPREAD / ELO, (10, bots))
    ]
    assert found.error == pytest.approx(np.mean(errors), rel=0.2)
    assert found.apart > found.error and 0 <= found.first <= 1


def test_four_times_as_many_games_halve_the_error():
    few, many = (prospect([robin(6, 2, groups)], 6, RatingSettings()) for groups in (25, 100))
    assert many.error == pytest.approx(few.error / 2, rel=0.15)
    assert many.apart == pytest.approx(few.apart / 2, rel=0.15) and many.first >= few.first


def test_more_games_than_are_simulated_have_the_error_of_their_root():
    found, more = (prospect([robin(6, 2, groups)], 6, RatingSettings()) for groups in (600, 6000))
    assert more.error == pytest.approx(found.error / np.sqrt(10), rel=0.15)


def test_a_format_that_widens_errors_widens_the_forecast():
    bare, wide = (
        prospect([robin(6, 2, 25)], 6, RatingSettings(), widenings=widenings)
        for widenings in ((), (Widening(1.0),))
    )
    assert wide.error == pytest.approx(2**0.5 * bare.error)
    assert wide.apart == pytest.approx(2**0.5 * bare.apart)


def test_a_few_games_have_no_forecast():
    assert prospect([robin(4, 4, 1)], 4, RatingSettings()) is None
