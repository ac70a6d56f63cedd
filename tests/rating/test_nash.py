"""Nash averages: equilibria that are known, the properties that define them, and their intervals."""

import numpy as np
import pytest
from outcomes import duel

from arena.rating import nash
from arena.rating.nash import PairResults, equilibrium
from arena.rating.outcome_arrays import to_arrays
from arena.rating.outcomes import Outcome
from arena.rating.points import head_to_head

ROCK_PAPER_SCISSORS = [[0, -1, 1], [1, 0, -1], [-1, 1, 0]]


def antisymmetric(upper):
    return np.triu(upper, 1) - np.triu(upper, 1).T


def random_payoffs(seed):
    """Often with few distinct values or with copies of bots, so that there are many equilibria."""
    rng = np.random.default_rng(seed)
    size, steps = rng.integers(1, 12), rng.choice([2, 8, 1000])
    payoffs = antisymmetric(rng.integers(-steps, steps + 1, (size, size)) / (2 * steps))
    bots = rng.integers(0, size, size + 3) if seed % 3 == 0 else range(size)
    return payoffs[np.ix_(bots, bots)]


def results(outcomes):
    names, arrays = to_arrays(list(outcomes))
    return names, PairResults.of(arrays, len(names))


def averages(outcomes):
    names, found = results(outcomes)
    return found.nash_average(range(len(names)), 0.95)


def circle(groups, share=0.8):
    """a beats b, b beats c, c beats a: this share of the games of each pair."""
    for pair in "ab", "bc", "ca":
        for number in range(groups):
            yield duel(*(pair if number < share * groups else pair[::-1]), f"{pair}{number}")


# --- equilibria


@pytest.mark.parametrize(
    "payoffs, mass",
    [
        ([], []),
        ([[0]], [1]),
        ([[0, 0.01], [-0.01, 0]], [1, 0]),
        ([[0, 0], [0, 0]], [1 / 2, 1 / 2]),
        (ROCK_PAPER_SCISSORS, [1 / 3, 1 / 3, 1 / 3]),
        ([[0, -1, 2], [1, 0, -3], [-2, 3, 0]], [3 / 6, 2 / 6, 1 / 6]),
        (np.kron(ROCK_PAPER_SCISSORS, np.ones((20, 20))), [1 / 60] * 60),
        ([[0, 0, 1], [0, 0, -1], [-1, 1, 0]], [1 / 2, 1 / 2, 0]),  # any p with p1 >= p2 and p3 = 0
    ],
)
def test_known_equilibria(payoffs, mass):
    np.testing.assert_allclose(equilibrium(np.array(payoffs, float) / 6), mass, atol=1e-7)


def test_no_bot_beats_the_mixture_and_no_equilibrium_has_more_entropy():
    """The entropy is concave, so p has the most if no equilibrium q has Σ (q - p) (-ln p) > 0."""
    from scipy.optimize import linprog  # takes a second

    for seed in range(80):
        payoffs = random_payoffs(seed)
        mass, size = equilibrium(payoffs), len(payoffs)
        assert (payoffs @ mass).max() < 1e-9, seed  # far below what is promised for payoffs of mixed scales
        assert mass.min() >= 0 and mass.sum() == pytest.approx(1, abs=1e-12), seed
        slope = np.log(np.maximum(mass, 1e-14))
        other = linprog(slope, payoffs, np.zeros(size), np.ones((1, size)), [1])
        assert -other.fun <= -slope @ mass + 1e-5, seed


def test_no_bot_beats_the_mixture_if_payoffs_are_of_mixed_scales():
    """Scores that differ by millionths, next to large ones, are hard for a linear program."""
    for seed in range(60):
        rng = np.random.default_rng(seed)
        size, scale = rng.integers(2, 15), 10.0 ** -rng.uniform(0, 6)
        payoffs = rng.choice([0, 1, -1, 0.3], (size, size)) * rng.choice([1, scale], (size, size)) / 2
        payoffs = antisymmetric(payoffs).round(6)
        mass = equilibrium(payoffs)
        assert (payoffs @ mass).max() < 1e-6 and mass.min() >= 0, seed
        assert mass.sum() == pytest.approx(1, abs=1e-12), seed


def test_a_copy_shares_the_mass_of_its_original_and_changes_no_other():
    """With random payoffs there is a single equilibrium."""
    for bot in range(9):
        payoffs = antisymmetric(np.random.default_rng(bot).uniform(-0.5, 0.5, (9, 9)))
        before, with_copy = equilibrium(payoffs), [*range(9), bot]
        after = equilibrium(payoffs[np.ix_(with_copy, with_copy)])
        assert after[bot] == pytest.approx(after[-1], abs=1e-6), bot
        after[bot] += after[-1]
        np.testing.assert_allclose(after[:-1], before, atol=1e-9)


def test_where_there_are_many_equilibria_a_copy_counts():
    np.testing.assert_allclose(equilibrium(np.zeros((3, 3))), 1 / 3)


def test_a_bot_that_beats_all_others_has_all_the_mass():
    payoffs = antisymmetric(np.full((20, 20), 1e-4))
    np.testing.assert_array_equal(equilibrium(payoffs), [1, *[0] * 19])


# --- from games


@pytest.fixture
def fewer_resamples(monkeypatch):
    monkeypatch.setattr(nash, "RESAMPLES", 100)


def test_payoffs_are_the_scores_of_head_to_head():
    outcomes = [
        Outcome(("a", "b", "c"), (1, 2, 3), "1"),
        Outcome(("b", "a"), (1, 1), "1"),
        Outcome(("c", "a", "b"), (1, 2, 3), "2"),
    ]
    _, arrays = to_arrays(outcomes)
    points, met = head_to_head(arrays, 3)
    found = PairResults.of(arrays, 3)
    expected = points / (met + np.eye(3)) - 0.5 + np.eye(3) / 2
    np.testing.assert_allclose(found.payoffs(np.ones(2)), expected, atol=1e-6)
    assert found.groups_met().tolist() == [[0, 2, 2], [2, 0, 2], [2, 2, 0]]
    first_group = found.payoffs(np.array([1.0, 0.0]))
    assert first_group[0].tolist() == [0, 0.25, 0.5]


def test_a_bot_with_two_seats_does_not_meet_itself():
    _, found = results([Outcome(("a", "a", "b"), (1, 2, 3), "1")])
    assert found.groups_met().tolist() == [[0, 1], [1, 0]]
    assert found.payoffs(np.ones(1)).tolist() == [[0, 0.5], [-0.5, 0]]


def test_pairs_that_have_not_met_are_known():
    names, found = results([duel("a", "b", "1"), duel("b", "c", "2")])
    assert found.groups_met()[names.index("a"), names.index("c")] == 0


@pytest.mark.usefixtures("fewer_resamples")
def test_bots_in_a_circle_are_equal_however_often_each_pair_met():
    more = [duel(*("ab" if number < 80 else "ba"), f"more {number}") for number in range(100)]
    for outcomes in circle(40), [*circle(40), *more]:
        found = averages(outcomes)
        np.testing.assert_allclose(found.mass, 1 / 3)
        np.testing.assert_allclose(found.skill, 1 / 2)


@pytest.mark.usefixtures("fewer_resamples")
def test_a_skill_is_the_score_against_the_mixture():
    outcomes = [*circle(40), *(duel("abc"[number % 3], "z", f"z{number}") for number in range(60))]
    found = averages(outcomes)
    np.testing.assert_allclose(found.skill, [0.5, 0.5, 0.5, 0], atol=1e-9)
    np.testing.assert_allclose(found.mass, [1 / 3, 1 / 3, 1 / 3, 0], atol=1e-9)


# --- intervals


@pytest.mark.usefixtures("fewer_resamples")
def test_intervals_hold_the_estimate_and_are_the_same_each_time():
    one, two = averages(circle(60)), averages(circle(60))
    for ends, value in (one.mass_interval, one.mass), (one.skill_interval, one.skill):
        assert (ends[0] <= value + 1e-9).all() and (value <= ends[1] + 1e-9).all()
    np.testing.assert_array_equal(one.mass_interval, two.mass_interval)


@pytest.mark.slow
def test_four_times_the_groups_halve_the_intervals():
    widths = [np.ptp(averages(circle(groups)).mass_interval, axis=0).mean() for groups in (50, 200)]
    assert widths[1] == pytest.approx(widths[0] / 2, rel=0.15)


@pytest.mark.usefixtures("fewer_resamples")
def test_repeating_the_games_of_a_group_leaves_the_intervals():
    once, twice = averages(circle(50)), averages([*circle(50), *circle(50)])
    np.testing.assert_allclose(once.mass_interval, twice.mass_interval, atol=1e-9)


@pytest.mark.slow
@pytest.mark.usefixtures("fewer_resamples")
def test_intervals_hold_the_truth_about_as_often_as_they_say():
    """In a circle all masses are 1/3, far from 0: there the bootstrap is sound."""
    rng, hits = np.random.default_rng(1), []
    for _ in range(20):
        outcomes = [
            duel(*(pair if rng.random() < 0.75 else pair[::-1]), f"{pair}{number}")
            for pair in ("ab", "bc", "ca")
            for number in range(60)
        ]
        low, high = averages(outcomes).mass_interval
        hits.append((low <= 1 / 3) & (high >= 1 / 3))
    assert np.mean(hits) >= 0.88
