"""Paired differences: the luck of a deal is in both scores, and so in no difference."""

import pytest

from arena.rating.outcomes import Paired, paired_differences


def test_a_constant_lead_is_certain_however_much_the_deals_differ():
    games = [
        (bot, deal, luck + lead)
        for deal, luck in enumerate((0, 0.2, 0.5))
        for bot, lead in (("a", 0.3), ("b", 0))
    ]
    assert paired_differences(games, 0.95) == [Paired("a", "b", 3, pytest.approx(0.3), pytest.approx(0))]


def test_only_common_deals_count_each_with_the_mean_of_its_games():
    games = [
        ("a", 1, 1.0),
        ("a", 1, 0.0),
        ("a", 2, 1.0),
        ("a", 3, 0.0),
        ("b", 1, 0.0),
        ("b", 2, 0.0),
        ("c", 9, 1.0),
    ]
    (found,) = paired_differences(games, 0.95)
    assert (found.one, found.two, found.deals, found.difference) == ("a", "b", 2, 0.75)
    assert found.error == pytest.approx(12.706 * 0.25, abs=1e-3), "Student's t with one degree of freedom"


def test_one_deal_has_no_error():
    assert paired_differences([("a", 1, 1.0), ("b", 1, 0.5)], 0.95) == [Paired("a", "b", 1, 0.5, None)]
