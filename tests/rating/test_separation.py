"""How surely bots that won, or lost, all games against others are better, or worse, than each of them."""

import random
from itertools import combinations

import numpy as np
import pytest
from outcomes import duel
from simulated import Luck, line_ups, play

from arena.rating.estimate import rate
from arena.rating.outcome_arrays import to_arrays
from arena.rating.outcomes import Outcome
from arena.rating.ranges import surely_better
from arena.rating.rows import standings
from arena.rating.settings import RatingSettings
from arena.rating.standings import rate_all

FIELD = [f"b{number}" for number in range(10)]
SETTINGS = RatingSettings()


def rows_of(outcomes, **settings):
    return {row.bot: row for row in standings(rate_all(outcomes, RatingSettings(**settings)))}


def field_with_a_champion(groups, seats=2, lost=False, upset=0):
    """Each line-up of ten bots plays so many groups; `b0` wins (or has `lost`) all games but an `upset`."""
    rng = random.Random(4)
    for lineup in combinations(FIELD, seats):
        for number in range(groups):
            for turn in range(seats):
                seated = lineup[turn:] + lineup[:turn]
                places = rng.sample(range(2, seats + 2), seats)
                if "b0" in seated:
                    places[seated.index("b0")] = seats + 2 if (upset > 0) != lost else 1
                    upset -= 1
                ranks = tuple(1 + sum(other < own for other in places) for own in places)
                yield Outcome(seated, ranks, f"{' '.join(lineup)} {number}")


@pytest.mark.parametrize(
    "groups, seats, upset",
    [(8, 2, 0), (8, 2, 1), (3, 2, 0), (1, 3, 0), (1, 4, 0)],
    ids=["144 of 144", "143 of 144", "three groups a pair", "three seats", "four seats"],
)
def test_a_bot_that_won_all_its_games_is_surely_first_as_is_one_with_a_single_loss(groups, seats, upset):
    rows = rows_of(field_with_a_champion(groups, seats, upset=upset))
    assert rows["b0"].rank_range == (1, 1) and rows["b0"].los > 0.99
    assert all(row.rank_range[0] > 1 for bot, row in rows.items() if bot != "b0")


@pytest.mark.parametrize("groups, seats", [(8, 2), (3, 2), (1, 3), (1, 4)], ids=str)
def test_a_broken_bot_is_surely_last_and_widens_no_range_of_others(groups, seats):
    outcomes = list(field_with_a_champion(groups, seats, lost=True))
    rows = rows_of(outcomes)
    assert rows["b0"].rank_range == (10, 10)
    apart = rows_of([game for game in outcomes if "b0" not in game.bots])
    if seats == 2:  # at larger tables the games with b0 also compare the others
        assert [rows[bot].rank_range for bot in FIELD[1:]] == [apart[bot].rank_range for bot in FIELD[1:]]
    assert all(row.rank_range[1] < 10 for bot, row in rows.items() if bot != "b0")


@pytest.mark.parametrize("groups", [1, 2, 5, 9])
def test_of_two_bots_the_p_value_is_the_chance_that_equal_ones_have_this_record(groups):
    games = [duel("a", "b", f"{number}") for number in range(groups) for _ in range(2)]
    names, arrays = to_arrays(games)
    found = rate(arrays, len(names), SETTINGS).separation
    assert found == pytest.approx(np.array([[1, 0.5**groups], [1, 1]])), "the games of a group count once"


def test_beating_weaker_bots_says_little_of_a_strong_one():
    """d beats only c, which a and b beat in four of five games; a third of the time c beats them as well."""
    games = [duel("d", "c", f"d{number}") for number in range(4)]
    for number in range(30):
        for bot in "ab":
            games.append(duel(*((bot, "c") if number % 5 else ("c", bot)), f"{bot}{number}"))
    names, arrays = to_arrays(games)
    found = rate(arrays, len(names), SETTINGS).separation
    to_a, to_c = found[names.index("d"), [names.index("a"), names.index("c")]]
    assert to_c == pytest.approx(0.5**4, rel=0.5) and 0.4 < to_a < 1


def test_bots_that_never_met_are_compared_through_the_bots_between_them():
    games = [duel("a", "b", f"a{number}") for number in range(12)]
    games += [duel("b", "c", f"b{number}") for number in range(12)]
    rows = rows_of(games)
    assert [rows[bot].rank_range for bot in "abc"] == [(1, 1), (2, 2), (3, 3)]


def test_by_the_winner_method_a_game_that_a_third_bot_won_compares_nothing():
    games = [Outcome(("a", "b", "c"), (1, 2, 3), f"{number}") for number in range(12)]
    by_winner, by_pairs = rows_of(games, method="winner"), rows_of(games)
    assert by_winner["b"].rank_range == (2, 3) and by_pairs["b"].rank_range == (2, 2)
    assert by_winner["a"].rank_range == by_pairs["a"].rank_range == (1, 1)


@pytest.mark.parametrize("repeats", [True, False], ids=["games of a group are alike", "independent games"])
@pytest.mark.parametrize("lead, groups", [(4, 1), (2, 1), (0, 2)])
def test_of_two_equal_bots_far_above_others_neither_is_surely_better_by_luck(lead, groups, repeats):
    """With estimates as if they were true, the chance of the clean record misled in 7 % of such tables."""
    theta, rng = np.array([lead, lead, *[0.0] * 6]), np.random.default_rng(1)
    lineups = np.repeat(np.array(list(combinations(range(8), 2))), groups, axis=0)
    wrong = 0
    for _ in range(40):
        found = rate(play(rng, theta, lineups, Luck(repeats=repeats)), 8, SETTINGS)
        wrong += (surely_better(found, SETTINGS) & (theta[:, None] <= theta)).any()
    assert wrong <= 2


def evenly(winners, others=(), groups=12, name=""):
    """So many groups, which the `winners` win in turn, against each other and the `others`."""
    for number in range(groups):
        first = winners[number % len(winners)]
        rest = tuple(bot for bot in (*winners, *others) if bot != first)
        yield Outcome((first, *rest), (1, *[2] * len(rest)), f"{name}{number}")


def test_by_the_winner_method_a_bot_is_compared_by_the_games_that_it_or_the_other_won():
    """Of four games that a or b won, all are a's: with equal bots a chance of ½^4, however often b lost."""
    names, arrays = to_arrays(list(evenly("acd", "b")))
    found = rate(arrays, len(names), RatingSettings(method="winner")).separation
    assert found[[0, 2, 3], 1] == pytest.approx(0.5**4)


@pytest.mark.parametrize("method", ["winner", "plackett-luce"])
def test_the_first_of_four_has_beaten_three_at_once(method):
    names, arrays = to_arrays([*evenly("a", "bcd", 9, "a"), *evenly("bcd", (), 9, "b")])
    found = rate(arrays, len(names), RatingSettings(method=method)).separation
    assert found[0, 1:].min() >= 0.25**9 and found[0, 1:].max() < 0.4**9


@pytest.mark.parametrize("seats, lead, groups", [(4, 4, 18), (4, 0, 8), (3, 0, 8)])
def test_by_the_winner_method_a_bot_that_won_nothing_is_not_surely_worse_than_its_equals(seats, lead, groups):
    """A bot often loses to a winner chosen from several: taken for duels, 9 % of these tables misled."""
    theta, rng = np.array([lead, lead, *[0.0] * 8]), np.random.default_rng(1)
    settings, wrong = RatingSettings(method="winner"), 0
    for _ in range(60):
        games = play(rng, theta, line_ups(rng, groups * 10 // seats, 10, seats), Luck(repeats=True))
        found = rate(games, 10, settings)
        wrong += (surely_better(found, settings) & (theta[:, None] <= theta)).any()
    assert wrong <= 2
