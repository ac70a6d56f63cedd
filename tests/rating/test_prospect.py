"""What is forecast of standings before a run, against what comes of it."""

from itertools import combinations
from statistics import fmean

import numpy as np
import pytest
from simulated import Luck, play

from arena.rating.best import best_ranks
from arena.rating.estimate import ELO, rate
from arena.rating.prospect import Strengths
from arena.rating.settings import RatingSettings, Widening
from arena.rating.standings import Field

SETTINGS, NO_LUCK = RatingSettings(), Luck()


def robin(bots, seats, groups):
    return np.repeat(np.array(list(combinations(range(bots), seats))), groups, axis=0)


def expected(lineups, bots, settings=SETTINGS, **more):
    return Strengths.assumed(bots).prospect([lineups], settings, **more)


def field_of(rng, theta, lineups, luck=NO_LUCK):
    """The field of an earlier run, whose bots are `bot00`, `bot01` and so on."""
    arrays = play(rng, theta, lineups, luck)
    names = [f"bot{number:02}" for number in range(len(theta))]
    return Field(names, arrays, rate(arrays, len(theta), SETTINGS), SETTINGS, {})


@pytest.mark.parametrize("bots, seats, groups", [(6, 4, 8), (8, 2, 20), (10, 2, 6), (5, 3, 12)])
@pytest.mark.parametrize("method", ["pairs", "winner"])
def test_errors_are_within_a_fifth_of_the_forecast(bots, seats, groups, method):
    settings, rng = RatingSettings(method=method), np.random.default_rng(7)
    found = expected(robin(bots, seats, groups), bots, settings)
    errors = [
        np.median(rate(play(rng, theta, robin(bots, seats, groups), Luck()), bots, settings).error)
        for theta in rng.normal(0, 200 / ELO, (10, bots))
    ]
    assert found.error == pytest.approx(np.mean(errors), rel=0.2)
    assert found.apart > found.error and 0 <= found.podium <= found.first <= 1


@pytest.mark.parametrize("bots, seats, groups", [(6, 2, 40), (8, 4, 10)])
def test_a_sure_podium_is_as_likely_as_forecast(bots, seats, groups):
    rng, lineups = np.random.default_rng(7), robin(bots, seats, groups)
    found = expected(lineups, bots)
    ranks = [
        best_ranks(rate(play(rng, theta, lineups, Luck()), bots, SETTINGS), SETTINGS)
        for theta in rng.normal(0, 200 / ELO, (100, bots))
    ]
    assert found.first == pytest.approx(fmean((each == 1).sum() == 1 for each in ranks), abs=0.15)
    assert found.podium == pytest.approx(fmean((each <= 3).sum() == 3 for each in ranks), abs=0.15)


def test_four_times_as_many_games_halve_the_error():
    few, many = (expected(robin(6, 2, groups), 6) for groups in (25, 100))
    assert many.error == pytest.approx(few.error / 2, rel=0.15)
    assert many.apart == pytest.approx(few.apart / 2, rel=0.15)
    assert many.first > few.first and many.podium > few.podium and many.best > few.best


def test_a_part_of_the_games_tells_what_all_of_them_will():
    """Also how likely it is that a bot is surely first, to which the errors of the part do not say enough."""
    lineups = robin(6, 2, 200)
    part = expected(lineups, 6, share=0.1)
    whole = expected(lineups, 6)
    for name in ("games", "error", "apart", "best", "first", "podium"):
        assert getattr(part, name) == pytest.approx(getattr(whole, name), rel=0.15), name


def test_few_tournaments_with_redrawn_bots_tell_what_many_do():
    few, many = (expected(robin(6, 2, 60), 6, samples=samples) for samples in (8, None))
    assert few.first == pytest.approx(many.first, abs=0.15)
    assert few.podium == pytest.approx(many.podium, abs=0.15)


def test_a_format_that_widens_errors_widens_the_forecast():
    bare, wide = (expected(robin(6, 2, 25), 6, widenings=widenings) for widenings in ((), (Widening(1.0),)))
    assert wide.error == pytest.approx(2**0.5 * bare.error)
    assert wide.apart == pytest.approx(2**0.5 * bare.apart)


def test_a_few_games_have_no_forecast():
    assert expected(robin(4, 4, 1), 4) is None
    assert expected(robin(4, 2, 9), 5) is None, "the fifth bot does not play"


@pytest.mark.parametrize("spread", [60.0, 250.0])
def test_an_earlier_run_tells_the_spread_within_a_fifth(spread):
    """The Elo varies by its errors as well, here by about 50: that is taken out again."""
    rng = np.random.default_rng(3)
    names = [f"bot{number:02}" for number in range(12)]
    found = [
        Strengths.like(field_of(rng, theta, robin(12, 2, 10)), names).spread
        for theta in rng.normal(0, spread / ELO, (12, 12))
    ]
    assert np.sqrt(np.mean(np.square(found))) == pytest.approx(spread, rel=0.2)


def test_an_earlier_run_tells_what_to_expect_of_the_same_bots():
    """A champion that leads by far is surely first more often than one of two equals."""
    rng = np.random.default_rng(5)
    for theta in (np.array([1.6, 0, 0.1, 0, -0.2, -0.3]), np.array([0.5, 0.5, 0, 0, -0.5, -0.5])):
        field = field_of(rng, theta, robin(6, 2, 30))
        found = Strengths.like(field, field.names).prospect([robin(6, 2, 60)], SETTINGS)
        ranks = [
            best_ranks(rate(play(rng, theta, robin(6, 2, 60), Luck()), 6, SETTINGS), SETTINGS)
            for _ in range(20)
        ]
        sure = fmean((each == 1).sum() == 1 for each in ranks)
        assert found.first == pytest.approx(sure, abs=0.2), theta


def test_bots_that_did_not_play_earlier_are_like_those_that_did():
    rng = np.random.default_rng(4)
    field = field_of(rng, np.linspace(-1, 1, 6), robin(6, 2, 40))
    found = Strengths.like(field, ["bot05", "new"])
    assert found.deviation[0] < found.deviation[1] == found.spread
    assert found.centre[0] > found.centre[1] == pytest.approx(field.ratings.elo.mean())
    assert Strengths.like(field_of(rng, np.zeros(2), robin(2, 2, 40)), ["new"]) is None


@pytest.mark.parametrize("luck", [Luck(), Luck(bot=1.5), Luck(repeats=True)])
def test_an_earlier_run_tells_how_far_its_errors_exceed_those_of_independent_games(luck):
    rng, theta = np.random.default_rng(6), np.array([0.6, 0.3, 0, 0, -0.3, -0.6])
    field = field_of(rng, theta, robin(6, 2, 30), luck)
    found = Strengths.like(field, field.names).prospect([robin(6, 2, 120)], SETTINGS)
    errors = [np.median(field_of(rng, theta, robin(6, 2, 120), luck).ratings.error) for _ in range(4)]
    assert found.error == pytest.approx(np.mean(errors), rel=0.2)
