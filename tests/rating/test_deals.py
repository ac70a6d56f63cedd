"""What the deal explains and what rotation saved, in games whose deals decide as much as is said."""

import numpy as np
import pytest

from arena.rating.deals import DealEffect, deal_effects
from arena.rating.outcomes import Outcome
from arena.rating.settings import RatingSettings
from arena.rating.standings import rate_all


def effect(seats: int, deal: float = 0.0, alike: float = 0.0, groups: int = 40, games: int = 0) -> DealEffect:
    """Of games in which luck of seats (`deal`), or of bots (`alike`), is the same in a group."""
    rng, outcomes, strength = np.random.default_rng(1), [], np.linspace(-0.5, 0.5, 6)
    for line_up in range(8):
        bots = rng.choice(6, seats, replace=False)
        for group in range(groups):
            dealt, own = rng.normal(0, 1, seats) * deal**0.5, rng.normal(0, 1, 6) * alike**0.5
            for rotation in range(games or seats):
                seated = np.roll(bots, rotation)
                luck = rng.normal(0, max(0, 1 - deal - alike) ** 0.5, seats)
                order = np.argsort(np.argsort(-(strength[seated] + dealt + own[seated] + luck)))
                names = tuple("abcdef"[bot] for bot in seated)
                outcomes.append(Outcome(names, tuple((order + 1).tolist()), f"{line_up} {group}"))
    (found,) = deal_effects(rate_all(outcomes, RatingSettings()))
    return found


@pytest.mark.parametrize("seats", [2, 4])
def test_deals_that_decide_nothing_explain_nothing(seats):
    found = effect(seats)
    assert (found.size, found.games, found.groups) == (seats, 320 * seats, 320)
    assert abs(found.deal) < found.deal_error < 0.15 and abs(found.saved) < found.saved_error


@pytest.mark.parametrize("seats", [2, 4])
def test_deals_that_decide_a_part_explain_about_as_much_and_rotation_takes_it_out(seats):
    found = effect(seats, deal=0.4)
    assert 0.1 < found.deal < 0.45 and found.deal > found.deal_error
    assert found.saved > found.saved_error


def test_games_of_a_group_that_repeat_each_other_cost_games():
    found = effect(4, alike=0.8)
    assert found.saved < -1, "four games tell less than two"


def test_without_a_second_group_or_a_second_game_nothing_is_known():
    assert effect(4, groups=1).deal is None and effect(4, games=1).saved is None
    assert deal_effects(rate_all([], RatingSettings())) == []


def test_of_groups_that_all_end_alike_nothing_is_known():
    games = [
        Outcome(bots, places, f"g{group}")
        for group in range(3)
        for bots, places in ((("ann", "bob"), (1, 2)), (("bob", "ann"), (2, 1)))
    ]
    assert deal_effects(rate_all(games, RatingSettings())) == [DealEffect(2, 6, 3)]
