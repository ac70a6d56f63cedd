"""The sequential test: against Fishtest's formula, an independent maximum, and bots of known difference."""

import random
from math import inf, log, sqrt

import numpy as np
import pytest

from arena.rating.sprt import CELLS, UNSEEN, Sprt, TwinScore, Verdict, difference, elo_of, is_look, score_of

SINKING = [0.25, 0.75] * 16 + [0.25, 0.5] * 5


def groups(*counts, cells=CELLS):
    """Scores of groups, from how often each cell occurs."""
    return [score for score, count in zip(cells, counts, strict=True) for _ in range(count)]


# --- the ratio


@pytest.mark.parametrize(
    "counts, cells, elo0, elo1, llr",
    [
        ((223, 9863, 21279, 10037, 246), CELLS, 0.5, 2.5, -3.07),
        ((871, 26175, 55983, 26678, 821), CELLS, 0, 2, -4.98),
        ((21184, 40708, 21404), (0, 0.5, 1), 0.5, 2.5, -1.57),
        ((57030, 106593, 57433), (0, 0.5, 1), 0, 2, -2.59),
    ],
)
def test_ratios_that_fishtests_formula_gives(counts, cells, elo0, elo1, llr):
    """To two digits, as the tests of fastchess have them (app/tests/sprt_test.cpp, the logistic ones)."""
    assert Sprt(elo0, elo1).llr(groups(*counts, cells=cells)) == pytest.approx(llr, abs=0.006)


def greatest_likelihood(values, weights, mean):
    """Σ w ln p, at most, for shares p with this mean: Newton's method on the shares themselves."""
    values, weights = np.array(values), np.array(weights)
    plane = np.linalg.svd(np.array([np.ones(len(values)), values]))[2][2:].T  # steps that keep sum and mean
    low, high = values.argmin(), values.argmax()
    shares = np.full(len(values), 1e-3 / len(values))  # a start within: a little of all, the rest at the ends
    rest, missing = 1 - shares.sum(), mean - shares @ values
    shares[high] += (missing - rest * values[low]) / (values[high] - values[low])
    shares[low] += 1 - shares.sum()
    for _ in range(200):
        slope, curvature = plane.T @ (weights / shares), (plane.T * (weights / shares**2)) @ plane
        step = plane @ np.linalg.solve(curvature, slope)
        shares = shares + step * min(1, 0.9 / max(-step / shares))
    return weights @ np.log(shares)


@pytest.mark.parametrize("elo0, elo1", [(0, 20), (-30, 5), (100, 300)])
@pytest.mark.parametrize(
    "counts, cells",
    [
        ((3, 20, 51, 22, 4), CELLS),
        ((1, 1, 1, 28, 9), CELLS),
        ((4, 0, 30, 0, 6), CELLS),
        ((0, 0, 32, 0, 0), CELLS),
        ((0, 0, 0, 2, 30), CELLS),
        ((5, 7, 11, 13), (1 / 6, 1 / 3, 1 / 2, 47 / 48)),
    ],
)
def test_the_ratio_is_that_of_the_greatest_likelihoods(counts, cells, elo0, elo1):
    counted = dict.fromkeys(CELLS, 0) | dict(zip(cells, counts, strict=True))
    values, weights = list(counted), [count or UNSEEN for count in counted.values()]
    under0, under1 = (greatest_likelihood(values, weights, score_of(elo)) for elo in (elo0, elo1))
    assert Sprt(elo0, elo1).llr(groups(*counts, cells=cells)) == pytest.approx(under1 - under0, abs=1e-6)


def test_the_ratio_of_wins_and_losses_is_the_plain_one():
    s0, s1 = score_of(0), score_of(50)
    plain = 60 * log(s1 / s0) + 40 * log((1 - s1) / (1 - s0))
    assert Sprt(0, 50).llr([1] * 60 + [0] * 40) == pytest.approx(plain, abs=0.01)


def test_no_groups_say_nothing():
    assert Sprt(0, 20).llr([]) == 0
    assert Sprt(0, 20).decide([]) == Verdict(None, 0, 0)


def test_the_order_and_the_rounding_of_the_scores_do_not_matter_to_the_ratio():
    third, scores = 1 / 3, [0.1 + 0.2, 1 / 3, 0.5, 0.9] * 9
    same = [0.3, 1 - (third + third), 0.5, 1 - 0.1] * 9
    assert Sprt(0, 20).llr(scores) == Sprt(0, 20).llr(reversed(same))


def test_swapping_the_bots_turns_the_ratio():
    scores = groups(3, 20, 51, 22, 14)
    assert Sprt(-20, 0).llr([1 - score for score in scores]) == pytest.approx(-Sprt(0, 20).llr(scores))


def test_better_scores_never_lower_the_ratio():
    test, scores = Sprt(0, 20), groups(10, 10, 10, 10, 10)
    ratios = []
    while scores:
        ratios.append(test.llr(scores + [1.0] * (50 - len(scores))))
        scores.pop(0)
    assert ratios == sorted(ratios)


@pytest.mark.parametrize("score", [-0.01, 1.01, inf, float("nan")])
def test_a_score_is_from_0_to_1(score):
    with pytest.raises(ValueError, match="from 0 to 1"):
        Sprt(0, 20).llr([0.5, score])


@pytest.mark.parametrize(
    "limits",
    [
        (20, 0),
        (5, 5),
        (0, inf),
        (-3000, 0),
        (float("nan"), 5),
        (0, 5, 0),
        (0, 5, 0.05, 0),
        (0, 5, 0.5, 0.5),
        (0, 5, -0.1),
        (0, 5, float("nan")),
    ],
)
def test_limits_that_make_no_test(limits):
    with pytest.raises(ValueError, match="should be"):
        Sprt(*limits)


# --- the verdict


def test_the_bounds_are_walds():
    assert Sprt(0, 5).bounds == pytest.approx((-log(19), log(19)))
    assert Sprt(0, 5, alpha=0.01, beta=0.1).bounds == pytest.approx((log(0.1 / 0.99), log(90)))


def test_looks_are_after_32_groups_and_then_every_8():
    assert [number for number in range(60) if is_look(number)] == [32, 40, 48, 56]


@pytest.mark.parametrize(
    "scores, elo1, better, looked",
    [
        ([1] * 31, 200, None, 31),  # however clear
        ([1] * 32, 200, True, 32),
        ([1] * 32 + [0] * 9, 200, True, 32),
        ([0] * 33, 200, False, 32),
        (SINKING[:39], 52, None, 39),  # beyond the bound, but it is no look
        (SINKING, 52, False, 40),
        (SINKING, 40, None, 42),
    ],
)
def test_verdicts(scores, elo1, better, looked):
    verdict = Sprt(0, elo1).decide(scores)
    assert (verdict.better, verdict.groups) == (better, looked)
    assert verdict.llr == Sprt(0, elo1).llr(scores[:looked])


def test_equal_scores_come_to_a_verdict():
    """Where every group is drawn, at first only the unseen outcomes speak."""
    verdict = Sprt(0, 20).decide([0.5] * 200)
    assert (verdict.better, verdict.groups) == (False, 56)


def test_more_groups_do_not_change_a_verdict():
    rng = random.Random(4)
    for _ in range(20):
        scores = rng.choices(CELLS, (1, 3, 5, 4, 2), k=400)
        verdict = Sprt(0, 60).decide(scores)
        assert is_look(verdict.groups) and verdict.better is not None
        for end in (verdict.groups, verdict.groups + 1, verdict.groups + 50):
            assert Sprt(0, 60).decide(scores[:end]) == verdict
        assert Sprt(0, 60).decide(scores[: verdict.groups - 1]).better is None


def tilted(values, shares, mean):
    """The shares nearest to these that have the mean: those tilted by an exponential."""
    low, high = -100.0, 100.0
    for _ in range(100):
        tilt = (low + high) / 2
        weights = shares * np.exp(tilt * (values - 0.5))
        low, high = (tilt, high) if weights @ values < mean * weights.sum() else (low, tilt)
    return weights / weights.sum()


@pytest.mark.parametrize(
    "values, shares, elo0, elo1",
    [
        pytest.param(np.array(CELLS), np.array([1, 4, 10, 4, 1]), 0, 40, id="pairs"),
        pytest.param(np.array([0, 0.5, 1]), np.array([3, 4, 3]), -30, 30, id="pairs without ties"),
        pytest.param(
            np.arange(49) / 48, np.exp(-((np.arange(-24, 25) / 9) ** 2) / 2), -30, 30, id="twins of four"
        ),
    ],
)
def test_wrong_verdicts_are_no_more_than_promised(values, shares, elo0, elo1):
    """400 runs at each end; more than 34 wrong at 5 % happen once in a thousand, and the seed is fixed."""
    rng, test = np.random.default_rng(1), Sprt(elo0, elo1)
    for elo, right in ((elo0, False), (elo1, True)):
        draws = rng.choice(values, (400, 3000), p=tilted(values, shares, score_of(elo)))
        verdicts = [test.decide(scores).better for scores in draws]
        assert None not in verdicts
        assert verdicts.count(not right) <= 34


# --- the difference


@pytest.mark.parametrize("elo, score", [(0, 0.5), (400, 10 / 11), (-400, 1 / 11), (inf, 1), (-inf, 0)])
def test_elo_and_expected_score(elo, score):
    assert elo_of(score) == pytest.approx(elo)
    if abs(elo) < inf:
        assert score_of(elo) == pytest.approx(score)


def test_the_difference_has_the_interval_of_students_t():
    elo, low, high = difference([0.25, 0.5, 0.75, 0.5, 0.75])
    margin = 2.7764451052 * sqrt(0.175 / 4) / sqrt(5)
    assert elo == pytest.approx(elo_of(0.55))
    assert (low, high) == pytest.approx((elo_of(0.55 - margin), elo_of(0.55 + margin)))


def test_an_interval_that_leaves_the_scores_is_infinite():
    assert difference([0, 1]) == (0, -inf, inf)
    elo, low, high = difference([1] * 9 + [0.5])
    assert elo == pytest.approx(elo_of(0.95)) and 0 < low < elo and high == inf


def test_no_groups_leave_the_difference_open():
    assert difference([]) == (0, -inf, inf)


def test_equal_scores_do_not_make_an_interval_of_nothing():
    """20 wins of 20: the bound of Clopper and Pearson, 0.025 ** (1 / 20), and so on both sides of a draw."""
    sure = 0.025 ** (1 / 20)
    assert difference([1] * 20) == pytest.approx((inf, elo_of(sure), inf))
    assert difference([0] * 20) == pytest.approx((-inf, -inf, -elo_of(sure)))
    assert difference([0.5] * 20) == pytest.approx((0, elo_of(sure / 2), -elo_of(sure / 2)))
    assert difference([0.5]) == pytest.approx((0, elo_of(0.0125), -elo_of(0.0125)))


# --- twin games: the scale of the standings


@pytest.mark.parametrize("field", [0, 200, -350])
@pytest.mark.parametrize("gap", [-200, 0, 20, 100])
def test_twin_games_have_the_elo_of_the_standings_whatever_the_opponents(field, gap):
    own, other = score_of(gap / 2 - field), score_of(-gap / 2 - field)
    level, mean = (own + other) / 2, (1 + own - other) / 2
    assert score_of(gap, level) == pytest.approx(mean)
    assert elo_of(mean, level) == pytest.approx(gap, abs=1e-9)
    scores = [TwinScore(mean + sign * 0.1, level) for sign in (-1, 1)] * 5000
    elo, low, high = difference(scores)
    assert elo == pytest.approx(gap, abs=0.1) and low < elo < high


@pytest.mark.parametrize("field", [0, 200])
def test_the_test_of_twin_games_decides_between_differences_of_the_standings(field):
    rng, test, better = np.random.default_rng(1), Sprt(0, 100), []
    for gap in (0, 100):
        chances = score_of(gap / 2 - field), score_of(-gap / 2 - field)
        for _ in range(30):
            own, other = (rng.binomial(2, chance, 1500) / 2 for chance in chances)
            pairs = zip(own.tolist(), other.tolist(), strict=True)
            better.append(test.decide(TwinScore((1 + a - b) / 2, (a + b) / 2) for a, b in pairs).better)
    assert sum(better[:30]) <= 5 and sum(better[30:]) >= 25


def test_bots_that_always_win_have_no_end_of_their_difference():
    elo, low, high = difference([TwinScore(1.0, 0.5)] * 20)
    assert (elo, high) == (inf, inf) and low > 0
    assert Sprt(0, 20).decide([TwinScore(0.5, 1.0)] * 50).better is None
