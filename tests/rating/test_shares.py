"""Shares that are counted in games: sums, and intervals that cover the truth as often as they say."""

import numpy as np
import pytest

from arena.rating.outcomes import Tallied


def tallied(games) -> Tallied:
    found = Tallied()
    for counted, of in games:
        found.add(int(counted), int(of))
    return found


def test_merging_is_adding():
    games = [(1, 3), (0, 2), (5, 5), (0, 0), (2, 9)]
    both = tallied(games[:2])
    both.merge(tallied(games[2:]))
    assert both == tallied(games) == tallied(games[::-1])
    assert (both.value, both.groups) == (8 / 19, 4)  # a game without chances says nothing


def test_no_interval_without_two_games():
    assert Tallied().value is None and Tallied().interval(False) is None
    assert tallied([(1, 2)]).interval(False) is None


def test_nothing_of_many_is_not_surely_nothing():
    low, high = tallied([(0, 5)] * 20).interval(False)
    assert low == 0 and 0.1 < high < 0.25
    low, high = tallied([(5, 5)] * 20).interval(False)
    assert 0.75 < low < 0.9 and high == 1


def test_games_that_are_all_alike_count_as_many_chances_as_games():
    """Ten chances that are decided together are one."""
    together = tallied([(10, 10)] * 30 + [(0, 10)] * 30)
    single = tallied([(1, 1)] * 30 + [(0, 1)] * 30)
    assert together.interval(False) == pytest.approx(single.interval(False), abs=0.002)


@pytest.mark.parametrize(("share", "alike"), [(0.5, False), (0.1, False), (0.5, True), (0.1, True)])
def test_the_interval_of_a_share_covers_the_truth(share, alike):
    """In 95 % of 1000 simulated runs; also if the chances of a game have a share of their own."""
    dice, covered, runs = np.random.default_rng(1), 0, 1000
    for _ in range(runs):
        chances = dice.integers(1, 12, 80)
        own = dice.beta(share, 1 - share, 80) if alike else np.full(80, share)
        low, high = tallied(zip(dice.binomial(chances, own), chances, strict=True)).interval(False)
        covered += low <= share <= high
    assert 0.925 < covered / runs < 0.985


def test_the_interval_of_a_ratio_covers_the_truth():
    dice, covered, runs = np.random.default_rng(2), 0, 1000
    for _ in range(runs):
        of = dice.integers(5, 30, 60)
        low, high = tallied(zip(dice.poisson(1.4 * of), of, strict=True)).interval(True)
        covered += low <= 1.4 <= high
    assert 0.93 < covered / runs < 0.97
