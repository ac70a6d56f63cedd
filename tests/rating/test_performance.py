"""Performance ratings: the Elo of a bot whose opponents have a fixed Elo."""

import random
from math import inf, isclose, log10

import pytest

from arena.rating.standings import Performance


def one_opponent(wins, losses, elo=1500.0):
    points = [1.0] * wins + [0.0] * losses
    return [(f"g{number}", elo, won) for number, won in enumerate(points)]


def test_against_one_opponent_it_is_the_formula_of_elo():
    found = Performance.of(one_opponent(30, 10))
    assert isclose(found.elo, 1500 + 400 * log10(3), abs_tol=1e-6)
    assert (found.score, found.meetings, found.groups) == (0.75, 40, 40)
    assert found.low < found.elo < found.high


def test_games_of_a_group_count_as_one():
    """Ten copies of each game say no more than one."""
    once = one_opponent(30, 10)
    often = Performance.of([meeting for meeting in once for _ in range(10)])
    assert isclose(often.elo, Performance.of(once).elo) and isclose(often.high, Performance.of(once).high)


@pytest.mark.parametrize(
    "met, low, high, told",
    [
        (one_opponent(20, 0), 1500, inf, "over "),
        (one_opponent(0, 20), -inf, 1500, "below "),
        (one_opponent(1, 0), 0, inf, "over "),
    ],
)
def test_a_perfect_score_has_a_bound(met, low, high, told):
    found = Performance.of(met)
    assert low <= found.low < found.high <= high
    assert str(found).startswith(told)


def test_without_games_there_is_none():
    assert Performance.of([]) is None


def test_the_interval_holds_nineteen_times_of_twenty():
    """Games at tables of three against 1300, 1500 and 1700, in groups that share their luck."""
    chance, held, true = random.Random(7), 0, 1600
    for _ in range(200):
        met = []
        for number in range(40):
            luck = chance.gauss(0, 100)
            for elo in chance.sample([1300, 1500, 1700], 2):
                won = chance.random() < 1 / (1 + 10 ** ((elo - true - luck) / 400))
                met.append((f"g{number}", elo, float(won)))
        found = Performance.of(met)
        held += found.low <= true <= found.high
    assert 180 <= held <= 200
