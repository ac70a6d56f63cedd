"""The sequential test: against Fishtest's formula, an independent maximum, and bots of known difference."""

import random
from math import inf, log, sqrt

import numpy as np
import pytest

from arena.rating.experiments import UNSEEN, Sprt, Verdict
from arena.rating.group_scores import CELLS, NORMALIZED, GroupScores, TwinScore, score_of

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
    assert Sprt(elo0, elo1).llr(GroupScores(groups(*counts, cells=cells))) == pytest.approx(llr, abs=0.006)


@pytest.mark.parametrize(
    "counts, elo0, elo1, llr",
    [
        ((365, 16618, 36229, 16974, 390), 0, 2, 2.250368),
        ((127, 5150, 10712, 4883, 104), -1.75, 0.25, -3.004606),
        ((104, 4883, 10712, 5150, 127), -1.75, 0.25, 4.047061),
        ((0, 0, 0, 0, 5550), 0, 5, 111.797555),
        ((3, 20, 51, 22, 4), 0, 20, 0.058205),
        ((3, 20, 51, 32, 14), 0, 20, 2.419887),
        ((3, 45, 120, 50, 5), 0, 5, 0.196946),
        ((10, 40, 60, 70, 20), -5, 40, 5.908301),
        ((12, 30, 80, 10, 2), 0, 30, -6.521577),
        ((0, 2, 30, 8, 0), 0, 50, 1.600114),
        ((0, 0, 20, 60, 20), 0, 100, 21.318776),
        ((1, 0, 1, 30, 68), 50, 200, 26.267254),
    ],
)
def test_ratios_of_fishtest_in_normalized_elo(counts, elo0, elo1, llr):
    """Computed by `LLR_normalized` of Fishtest (server/fishtest/stats/LLRcalc.py, commit b8eecff22)."""
    test = Sprt(elo0, elo1, elo_model="normalized")
    assert test.llr(GroupScores(groups(*counts))) == pytest.approx(llr, abs=1e-6)


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
    assert Sprt(elo0, elo1).llr(GroupScores(groups(*counts, cells=cells))) == pytest.approx(
        under1 - under0, abs=1e-6
    )


def greatest_with_t_value(values, weights, t):
    """Σ w ln p, at most, for shares p with (mean - ½)/σ = t: over all pairs of a mean and a mean square.

    Of each pair, from a grid that is refined, the dual problem with two multipliers is solved.
    """
    leads, weights = np.array(values) - 0.5, np.array(weights)
    order = np.sort(leads)
    tau, best = t / sqrt(1 + t * t), np.linspace(0.001, 0.499, 500)
    for _ in range(3):
        possible = (best**2 < 0.2499) & (best**2 > np.interp(tau * best, order, order**2) + 1e-5)
        roots = best[possible]
        gaps = np.stack([leads - tau * roots[:, None], leads**2 - roots[:, None] ** 2], axis=2)
        x = np.zeros((len(roots), 2))
        for _ in range(60):
            f = 1 + np.einsum("rck,rk->rc", gaps, x)
            slope = np.einsum("c,rck,rc->rk", weights, gaps, 1 / f)
            curvature = np.einsum("c,rck,rcl,rc->rkl", weights, gaps, gaps, 1 / f**2)
            step = np.linalg.solve(curvature, slope[..., None])[..., 0]
            change = np.einsum("rck,rk->rc", gaps, step) / f
            x += step * np.minimum(1, 0.9 / np.maximum(1e-9, (-change).max(axis=1)))[:, None]
        found = weights @ np.log(weights / weights.sum()) - np.log(f) @ weights
        top, width = roots[found.argmax()], roots[1] - roots[0]
        best = np.linspace(top - width, top + width, 100)
    return found.max()


@pytest.mark.parametrize("elo0, elo1", [(0, 20), (-30, 5), (100, 300)])
@pytest.mark.parametrize("counts", [(3, 20, 51, 22, 4), (1, 1, 1, 28, 9), (4, 0, 30, 0, 6), (2, 2, 9, 19, 8)])
def test_the_ratio_in_normalized_elo_is_that_of_the_greatest_likelihoods(counts, elo0, elo1):
    weights = [count or UNSEEN for count in counts]
    under0, under1 = (greatest_with_t_value(CELLS, weights, elo / NORMALIZED) for elo in (elo0, elo1))
    test = Sprt(elo0, elo1, elo_model="normalized")
    assert test.llr(GroupScores(groups(*counts))) == pytest.approx(under1 - under0, abs=1e-5)


@pytest.mark.parametrize("elo0", [-500, -200, -5, 0, 5, 200, 490])
@pytest.mark.parametrize("counts", [(40, 0, 0, 0, 0), (0, 0, 40, 0, 0), (0, 39, 0, 1, 0), (20, 0, 0, 0, 20)])
def test_limits_far_from_the_scores_have_a_ratio_and_its_mirror_image(counts, elo0):
    test, mirrored = (
        Sprt(low, low + 10, elo_model="normalized").llr(GroupScores(groups(*each)))
        for low, each in ((elo0, counts), (-elo0 - 10, counts[::-1]))
    )
    assert abs(test) < inf and test == pytest.approx(-mirrored, rel=1e-6, abs=1e-9)


def test_the_ratio_of_wins_and_losses_is_the_plain_one():
    s0, s1 = score_of(0), score_of(50)
    plain = 60 * log(s1 / s0) + 40 * log((1 - s1) / (1 - s0))
    assert Sprt(0, 50).llr(GroupScores([1] * 60 + [0] * 40)) == pytest.approx(plain, abs=0.01)


def test_no_groups_say_nothing():
    assert Sprt(0, 20).llr(GroupScores([])) == 0
    assert Sprt(0, 20).decide([]) == Verdict(None, 0, 0)


def test_the_order_and_the_rounding_of_the_scores_do_not_matter_to_the_ratio():
    third, scores = 1 / 3, [0.1 + 0.2, 1 / 3, 0.5, 0.9] * 9
    same = [0.3, 1 - (third + third), 0.5, 1 - 0.1] * 9
    assert Sprt(0, 20).llr(GroupScores(scores)) == Sprt(0, 20).llr(GroupScores(reversed(same)))


def test_swapping_the_bots_turns_the_ratio():
    scores = groups(3, 20, 51, 22, 14)
    assert Sprt(-20, 0).llr(GroupScores([1 - score for score in scores])) == pytest.approx(
        -Sprt(0, 20).llr(GroupScores(scores))
    )


def test_better_scores_never_lower_the_ratio():
    test, scores = Sprt(0, 20), groups(10, 10, 10, 10, 10)
    ratios = []
    while scores:
        ratios.append(test.llr(GroupScores(scores + [1.0] * (50 - len(scores)))))
        scores.pop(0)
    assert ratios == sorted(ratios)


@pytest.mark.parametrize("score", [-0.01, 1.01, inf, float("nan")])
def test_a_score_is_from_0_to_1(score):
    with pytest.raises(ValueError, match="from 0 to 1"):
        Sprt(0, 20).llr(GroupScores([0.5, score]))


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
        (0, 501, 0.05, 0.05, "normalized"),
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
    assert [number for number in range(60) if Sprt.is_look(number)] == [32, 40, 48, 56]


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
    assert verdict.llr == Sprt(0, elo1).llr(GroupScores(scores[:looked]))


def test_equal_scores_come_to_a_verdict():
    """Where every group is drawn, at first only the unseen outcomes speak."""
    verdict = Sprt(0, 20).decide([0.5] * 200)
    assert (verdict.better, verdict.groups) == (False, 56)


def test_equal_scores_have_no_verdict_in_normalized_elo():
    """A difference is measured in deviations, and there are none."""
    assert Sprt(0, 20, elo_model="normalized").decide([0.5] * 400).better is None


def test_more_groups_do_not_change_a_verdict():
    rng = random.Random(4)
    for _ in range(20):
        scores = rng.choices(CELLS, (1, 3, 5, 4, 2), k=400)
        verdict = Sprt(0, 60).decide(scores)
        assert Sprt.is_look(verdict.groups) and verdict.better is not None
        for end in (verdict.groups, verdict.groups + 1, verdict.groups + 50):
            assert Sprt(0, 60).decide(scores[:end]) == verdict
        assert Sprt(0, 60).decide(scores[: verdict.groups - 1]).better is None


PAIRS, DRAWISH, SURE = np.array(CELLS), np.array([1, 4, 10, 4, 1]), np.array([1, 0, 2, 0, 9])
TWINS, BELL = np.arange(49) / 48, np.exp(-((np.arange(-24, 25) / 9) ** 2) / 2)


def tilted(values, shares, test, elo):
    """The shares nearest to these that have this difference: those tilted by an exponential."""
    low, high = -100.0, 100.0
    for _ in range(100):
        tilt = (low + high) / 2
        weights = shares * np.exp(tilt * (values - 0.5))
        weights /= weights.sum()
        mean, goal = weights @ values, score_of(elo)
        if test.elo_model == "normalized":
            goal = 0.5 + elo / NORMALIZED * sqrt(weights @ (values - mean) ** 2)
        low, high = (tilt, high) if mean < goal else (low, tilt)
    return weights


@pytest.mark.parametrize(
    "values, shares, test",
    [
        pytest.param(PAIRS, DRAWISH, Sprt(0, 40), id="pairs"),
        pytest.param(np.array([0, 0.5, 1]), np.array([3, 4, 3]), Sprt(-30, 30), id="pairs without ties"),
        pytest.param(TWINS, BELL, Sprt(-30, 30), id="twins of four"),
        pytest.param(PAIRS, DRAWISH, Sprt(0, 70, elo_model="normalized"), id="pairs, normalized"),
        pytest.param(PAIRS, SURE, Sprt(80, 160, elo_model="normalized"), id="one wins, normalized"),
        pytest.param(TWINS[::4], BELL[::4], Sprt(-60, 60, elo_model="normalized"), id="twins, normalized"),
    ],
)
def test_wrong_verdicts_are_no_more_than_promised(values, shares, test):
    """200 runs at each end: more than 20 wrong at 5 % happen once in a thousand, and the seed is fixed.

    The ratio in normalized Elo takes longer: more than 9 of 60 wrong happen once in a thousand.
    """
    rng, (runs, most) = np.random.default_rng(1), (200, 20) if test.elo_model == "logistic" else (60, 9)
    for elo, right in ((test.elo0, False), (test.elo1, True)):
        draws = rng.choice(values, (runs, 3000), p=tilted(values, shares, test, elo))
        verdicts = [test.decide(scores).better for scores in draws]
        assert None not in verdicts
        assert verdicts.count(not right) <= most


# --- twin games: the scale of the standings


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


def test_twins_that_are_always_equal_leave_it_undecided():
    assert Sprt(0, 20).decide([TwinScore(0.5, 1.0)] * 50).better is None
