"""Pairs of bots against what the ratings expect: how often the test is wrong, and what it finds."""

import random
from itertools import combinations, permutations

import pytest
from outcomes import duel, luck

from arena.rating.outcomes import Outcome
from arena.rating.pairs import holm, pair_tests, pairs_met
from arena.rating.settings import RatingSettings
from arena.rating.standings import rate_all

BOTS = "abcd"


def games(rng, strengths, groups, seats):
    """Games of seed groups: the luck of a bot is partly the same in all games of a group."""
    for number in range(groups):
        lineup = rng.sample(BOTS, seats)
        shared = {bot: rng.gauss(0, 1) for bot in lineup}
        for turn in range(seats):
            seated = lineup[turn:] + lineup[:turn]
            points = {bot: strengths[bot] + shared[bot] + rng.gauss(0, 1) for bot in seated}
            places = tuple(1 + sum(points[rival] > points[bot] for rival in seated) for bot in seated)
            yield Outcome(tuple(seated), places, f"group {number}")


@pytest.mark.parametrize("seats", [2, 4])
def test_where_one_elo_fits_hardly_a_run_has_a_significant_pair(seats):
    """At most 5 % of all runs may have any. The strengths go from equal to nearly sure wins."""
    rng, runs, wrong = random.Random(seats), 60, 0
    for run in range(runs):
        spread = 0.6 * (run % 4)
        strengths = {bot: spread * number for number, bot in enumerate(BOTS)}
        field = rate_all(games(rng, strengths, 40, seats), RatingSettings())
        wrong += any(test.is_significant for test in pair_tests(field))
    assert wrong <= 7  # of 60 at 5 %: more has a probability below 1 %


def test_a_cycle_of_clear_wins_is_significant_in_games_of_two_and_of_three():
    """Each has the same Elo, so one half is expected of each pair."""
    beats = {("a", "b"), ("b", "c"), ("c", "a")}
    duels = [duel(*pair, f"{pair} {number}") for pair in sorted(beats) for number in range(20)]
    tests = pair_tests(rate_all(duels, RatingSettings()))
    assert len(tests) == 3 and all(test.is_significant and test.meetings == 20 for test in tests)
    assert [test.score for test in tests] == [1, 0, 1]
    assert [test.expected for test in tests] == pytest.approx([0.5] * 3)
    large = [
        Outcome((*pair, "d"), (1, 2, 3), f"{pair} {number}") for pair in sorted(beats) for number in range(20)
    ]
    found = {(test.one, test.two): test for test in pair_tests(rate_all(large, RatingSettings()))}
    assert all(found[pair].is_significant for pair in combinations(range(3), 2))
    assert not any(found[bot, 3].is_significant for bot in range(3))  # all beat d, as expected


def test_the_games_of_one_group_prove_nothing():
    outcomes = [duel(*pair, "group") for pair in (("a", "b"), ("b", "c"), ("c", "a")) for _ in range(100)]
    assert not any(test.is_significant for test in pair_tests(rate_all(outcomes, RatingSettings())))


def test_only_bots_that_met_are_a_pair():
    tests = pair_tests(
        rate_all([duel("a", "b", "1"), duel("c", "d", "2"), duel("c", "c", "3")], RatingSettings())
    )
    assert [(test.one, test.two, test.p) for test in tests] == [(0, 1, 1.0), (2, 3, 1.0)]
    assert pair_tests(rate_all([], RatingSettings())) == []


def test_meetings_are_counted_by_pair_and_group():
    field = rate_all(luck(), RatingSettings())
    counted = {}
    for outcome in luck():
        for one, two in permutations(range(len(outcome.bots)), 2):
            pair = field.names.index(outcome.bots[one]), field.names.index(outcome.bots[two])
            if pair[0] < pair[1]:
                group = counted.setdefault(pair, {}).setdefault(outcome.group, [0.0, 0])
                lead = outcome.places[two] - outcome.places[one]
                group[0] += (1 + (lead > 0) - (lead < 0)) / 2
                group[1] += 1
    found = {
        (pair.one, pair.two): [*zip(pair.points.tolist(), pair.games.tolist(), strict=True)]
        for pair in pairs_met(field.arrays, len(field.names))
    }
    assert found.keys() == counted.keys() and list(found) == sorted(found)
    for pair, groups in counted.items():
        assert sorted(found[pair]) == sorted(map(tuple, groups.values()))


def test_holm_lowers_the_level_for_the_first_and_stops_at_one_that_fails():
    assert holm([0.01, 0.04, 0.02], 0.05) == [True, True, True]
    assert holm([0.01, 0.04, 0.03], 0.05) == [True, False, False]
    assert holm([0.02, 0.9, 0.001], 0.05) == [True, False, True]
    assert holm([], 0.05) == []
