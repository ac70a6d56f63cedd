"""The scores of groups: what is counted, and the difference of two bots in logistic and in normalized Elo."""

from math import inf, log, sqrt

import numpy as np
import pytest

from arena.rating.group_scores import (
    CELLS,
    NORMALIZED,
    GroupScores,
    TwinScore,
    difference,
    elo_of,
    normalized_difference,
    score_of,
)


def counted(*counts, cells=CELLS):
    return GroupScores(score for score, count in zip(cells, counts, strict=True) for _ in range(count))


# --- the counts


@pytest.mark.parametrize(
    "scores, classes",
    [
        ([], (0, 0, 0, 0, 0)),
        ([0, 0.25, 0.5, 0.75, 1], (1, 1, 1, 1, 1)),
        ([1, 0.5, 0.5, 0, 0.75, 1, 1], (1, 0, 2, 1, 3)),
        ([1 / 12, 5 / 12, 1 - 1 / 2, 1 / 6 + 1 / 3, 7 / 12, 11 / 12], (0, 2, 2, 2, 0)),
    ],
)
def test_groups_are_lost_below_even_above_and_won(scores, classes):
    assert GroupScores(scores).classes == classes


def test_moments_by_hand():
    seen = counted(1, 0, 2, 0, 1)
    assert (seen.groups, seen.mean) == (4, 0.5)
    assert [seen.moment(power) for power in (1, 2, 3, 4)] == [0, 1 / 8, 0, 1 / 32]


# --- logistic Elo


@pytest.mark.parametrize("elo, score", [(0, 0.5), (400, 10 / 11), (-400, 1 / 11), (inf, 1), (-inf, 0)])
def test_elo_and_expected_score(elo, score):
    assert elo_of(score) == pytest.approx(elo)
    if abs(elo) < inf:
        assert score_of(elo) == pytest.approx(score)


def test_the_difference_has_the_interval_of_students_t():
    elo, low, high = difference(GroupScores([0.25, 0.5, 0.75, 0.5, 0.75]))
    margin = 2.7764451052 * sqrt(0.175 / 4) / sqrt(5)
    assert elo == pytest.approx(elo_of(0.55))
    assert (low, high) == pytest.approx((elo_of(0.55 - margin), elo_of(0.55 + margin)))


def test_an_interval_that_leaves_the_scores_is_infinite():
    assert difference(GroupScores([0, 1])) == (0, -inf, inf)
    elo, low, high = difference(GroupScores([1] * 9 + [0.5]))
    assert elo == pytest.approx(elo_of(0.95)) and 0 < low < elo and high == inf


def test_no_groups_leave_the_difference_open():
    assert difference(GroupScores([])) == (0, -inf, inf)


def test_equal_scores_do_not_make_an_interval_of_nothing():
    """20 wins of 20: the bound of Clopper and Pearson, 0.025 ** (1 / 20), and so on both sides of a draw."""
    sure = 0.025 ** (1 / 20)
    assert difference(GroupScores([1] * 20)) == pytest.approx((inf, elo_of(sure), inf))
    assert difference(GroupScores([0] * 20)) == pytest.approx((-inf, -inf, -elo_of(sure)))
    assert difference(GroupScores([0.5] * 20)) == pytest.approx((0, elo_of(sure / 2), -elo_of(sure / 2)))
    assert difference(GroupScores([0.5])) == pytest.approx((0, elo_of(0.0125), -elo_of(0.0125)))


# --- twin games: the scale of the standings


@pytest.mark.parametrize("field", [0, 200, -350])
@pytest.mark.parametrize("gap", [-200, 0, 20, 100])
def test_twin_games_have_the_elo_of_the_standings_whatever_the_opponents(field, gap):
    own, other = score_of(gap / 2 - field), score_of(-gap / 2 - field)
    level, mean = (own + other) / 2, (1 + own - other) / 2
    assert score_of(gap, level) == pytest.approx(mean)
    assert elo_of(mean, level) == pytest.approx(gap, abs=1e-9)
    scores = [TwinScore(mean + sign * 0.1, level) for sign in (-1, 1)] * 5000
    elo, low, high = difference(GroupScores(scores))
    assert elo == pytest.approx(gap, abs=0.1) and low < elo < high


def test_bots_that_always_win_have_no_end_of_their_difference():
    elo, low, high = difference(GroupScores([TwinScore(1.0, 0.5)] * 20))
    assert (elo, high) == (inf, inf) and low > 0


# --- normalized Elo


def test_normalized_elo_by_hand():
    """The formula of fastchess (elo_pentanomial.cpp), in which a game deviates √2 times as much."""
    m = (45 * 0.25 + 120 * 0.5 + 50 * 0.75 + 5) / 223
    variance = sum(n * (a - m) ** 2 for n, a in zip((3, 45, 120, 50, 5), CELLS, strict=True)) / 223
    nelo, low, high = normalized_difference(counted(3, 45, 120, 50, 5))
    assert nelo == pytest.approx(800 / log(10) * (m - 0.5) / sqrt(2 * variance))
    assert nelo == pytest.approx(13.15738, abs=1e-5)
    assert high - nelo == nelo - low == pytest.approx(800 / log(10) / sqrt(2) * 1.9707 / sqrt(223), rel=1e-3)


def test_one_deviation_of_a_group_is_245_normalized_elo():
    nelo, *_ = normalized_difference(GroupScores([0.5, 1.0]))  # mean 3/4, deviation 1/4
    assert nelo == pytest.approx(245.674, abs=1e-3)


def test_swapped_bots_have_the_opposite_difference():
    scores = [0.25] * 3 + [0.5] * 8 + [0.75] * 9 + [1.0] * 2
    nelo, low, high = normalized_difference(GroupScores(scores))
    assert normalized_difference(GroupScores(1 - score for score in scores)) == pytest.approx(
        (-nelo, -high, -low)
    )


def test_normalized_elo_needs_no_level():
    """It is in deviations of what was played, against whatever opponents."""
    scores = [0.25] * 3 + [0.5] * 8 + [0.75] * 9
    twins = GroupScores(TwinScore(score, 0.9) for score in scores)
    assert normalized_difference(twins) == normalized_difference(GroupScores(scores))


@pytest.mark.parametrize("scores, nelo", [([], 0), ([0.5] * 9, 0), ([0.75] * 9, inf), ([0.0], -inf)])
def test_equal_scores_say_nothing_of_deviations(scores, nelo):
    assert normalized_difference(GroupScores(scores)) == (nelo, -inf, inf)


@pytest.mark.parametrize("shares", [(1, 4, 10, 4, 1), (0, 1, 5, 9, 5), (1, 0, 4, 0, 10)])
def test_intervals_in_normalized_elo_hold_the_truth(shares):
    """At 95 % of 600 samples; fewer than 553 would happen once in ten thousand, and the seed is fixed."""
    rng, values = np.random.default_rng(1), np.array(CELLS)
    p = np.array(shares) / sum(shares)
    mean = values @ p
    true = NORMALIZED * (mean - 0.5) / sqrt(p @ (values - mean) ** 2)
    ends = [normalized_difference(counted(*draw))[1:] for draw in rng.multinomial(120, p, 600)]
    assert sum(low <= true <= high for low, high in ends) >= 553
