"""Pairs of bots with a third player: how often the test is wrong, and what it finds."""

import random
from itertools import permutations

import pytest
from outcomes import duel

from arena.rating.outcomes import Outcome
from arena.rating.pairs import third_tests
from arena.rating.settings import RatingSettings
from arena.rating.standings import rate_all


def games(rng, strengths, groups, seats, weak=()):
    """Games of seed groups that share luck. With the second bot of `weak` the first one plays badly."""
    for number in range(groups):
        lineup = rng.sample(sorted(strengths), seats)
        shared = {bot: rng.gauss(0, 1) for bot in lineup}
        for turn in range(seats):
            seated = lineup[turn:] + lineup[:turn]
            points = {bot: strengths[bot] + shared[bot] + rng.gauss(0, 1) for bot in seated}
            if set(weak) <= set(seated):
                points.update({bot: points[bot] - 3 for bot in weak[:1]})
            places = tuple(1 + sum(points[rival] > points[bot] for rival in seated) for bot in seated)
            yield Outcome(tuple(seated), places, f"group {number}")


def found_in(outcomes):
    return third_tests(rate_all(outcomes, RatingSettings()))


@pytest.mark.parametrize(("seats", "groups"), [(3, 200), (4, 60)])
def test_in_any_company_hardly_a_run_has_a_significant_third(seats, groups):
    """At most 5 % of all runs may have any. The strengths go from equal to clear wins."""
    rng, runs, wrong, count = random.Random(seats), 30, 0, 0
    for run in range(runs):
        strengths = {bot: 0.4 * (run % 3) * number for number, bot in enumerate("abcde")}
        found = found_in(games(rng, strengths, groups, seats))
        count += len(found)
        wrong += any(test.is_significant for test in found)
    assert count > 10 * runs and wrong <= 4  # of 30 at 5 %: more has a probability below 2 %


def test_a_bot_that_plays_badly_with_another_is_found_with_the_scores_on_both_sides():
    outcomes = list(games(random.Random(1), dict.fromkeys("abcdef", 0.0), 200, 4, weak="af"))
    found = [test for test in found_in(outcomes) if test.is_significant]
    assert found[0].is_significant and [test.p for test in found] == sorted(test.p for test in found)
    assert {(test.one, test.third) for test in found} == {(0, 5)}  # a against others, with f
    test = found[0]
    won = {True: [], False: []}
    for outcome in outcomes:
        places = dict(zip(outcome.bots, outcome.places, strict=True))
        if {"a", "abcdef"[test.two]} <= places.keys():
            won["f" in places].append(places["a"] < places["abcdef"[test.two]])
    assert test.meetings == len(won[True])
    assert test.score == pytest.approx(sum(won[True]) / len(won[True]))
    assert test.expected == pytest.approx(sum(won[False]) / len(won[False]))


def test_few_groups_and_scores_that_are_nearly_perfect_are_not_tested():
    few = [
        Outcome(order, (1, 2, 3), f"{n % 9} {sorted(order)}")
        for n in range(90)
        for order in [*permutations("abc"), *permutations("abd")]
    ]
    assert found_in(few) == []
    clear = [Outcome(("a", "b", "cd"[n % 2]), (1, 2, 3), f"{n}") for n in range(200)]
    assert found_in(clear) == [] == found_in([duel("a", "b", f"{n}") for n in range(50)]) == found_in([])


def test_a_group_with_several_line_ups_is_one_group():
    """Its games with the third and without have the same luck: it counts once, not twice."""
    rng, outcomes = random.Random(2), []
    for number in range(40):
        first = rng.random() < 0.5
        for third in "cd":
            order = ("a", "b", third) if first else ("b", "a", third)
            outcomes += [Outcome(order, (1, 2, 3), f"{number}")] * 2
    found = {(test.one, test.two, test.third): test for test in found_in(outcomes)}
    test = found[0, 1, 2]
    assert test.score == pytest.approx(test.expected) and test.p == pytest.approx(1) and test.meetings == 80


def test_a_bot_at_two_seats_is_one_third():
    rng = random.Random(3)
    orders = [tuple(rng.sample(["a", "b", *third], 4)) for third in ("cc", "dd") * 60]
    found = found_in([Outcome(order, (1, 2, 3, 4), f"{n}") for n, order in enumerate(orders)])
    assert {test.meetings for test in found if (test.one, test.two) == (0, 1)} == {60}
