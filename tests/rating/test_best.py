"""Which bots may be first: fewer than the ranges of ranks leave, and in 95 % the best bot is one of them."""

from itertools import combinations
from statistics import NormalDist

import numpy as np
import pytest
from outcomes import duel, luck
from shown_tables import report
from simulated import Luck, line_ups, play

from arena.rating.best import _levels, best_ranks
from arena.rating.estimate import rate
from arena.rating.ranges import surely_better
from arena.rating.settings import RatingSettings
from arena.show.tables.notes import notes

SETTINGS = RatingSettings()


@pytest.mark.parametrize("others, critical", [(2, 1.92), (3, 2.06), (4, 2.16), (5, 2.23), (9, 2.42)], ids=str)
def test_the_critical_value_is_that_of_dunnetts_table(others, critical):
    """One-sided, 5 %, infinite degrees of freedom (Dunnett 1955, table 1a)."""
    size = others + 1
    chances = np.full((size, size), 0.03) + np.eye(size)
    levels = _levels(chances, np.sqrt(2) * (1 - np.eye(size)), 0.05, others)
    assert [-NormalDist().inv_cdf(level) for level in levels] == pytest.approx([critical] * size, abs=0.04)


@pytest.mark.parametrize("lead, seats", [(0.0, 2), (0.3, 2), (0.3, 4)])
def test_the_best_bot_may_be_first_and_fewer_bots_than_the_ranges_say(lead, seats):
    theta, rng = np.array([lead, 0.9 * lead, *[0.0] * 6]), np.random.default_rng(1)
    missed, sizes = 0, []
    for _ in range(40):
        found = rate(play(rng, theta, line_ups(rng, 150, 8, seats), Luck()), 8, SETTINGS)
        best, by_ranges = best_ranks(found, SETTINGS), 1 + surely_better(found, SETTINGS).sum(axis=0)
        assert (best >= by_ranges).all()
        missed += best[0] > 1
        sizes.append(((best == 1).sum(), (by_ranges == 1).sum()))
    assert missed <= 5
    assert sum(size for size, _ in sizes) < sum(size for _, size in sizes)


def test_the_notes_name_them():
    games = [duel("e", other, f"{other}{number}") for number in range(12) for other in "abcd"]
    games += [
        duel(*(pair[:: 1 - 2 * (number % 2)]), f"{''.join(pair)}{number}")
        for number in range(12)
        for pair in combinations("abcd", 2)
    ]
    assert "Surely first: e." in notes(report(games))
    even = report([game for game in games if "e" not in game.bots])
    assert "Any bot may be first." in notes(even) and even.contenders == (list("abcd"), list("abcd"))
    assert any(note.startswith("May be first: ") for note in notes(report(luck(groups=20))))


def test_where_points_decide_nothing_is_said():
    by_points = report(luck(), order="points")
    assert not any("first" in note for note in notes(by_points)) and by_points.contenders == ([], [])


def test_a_bot_that_no_game_links_is_no_contender():
    games = [duel(*pair, f"{number}") for number in range(9) for pair in ("ab", "bc", "ca")]
    assert report([*games, duel("x", "y", "far")]).contenders[0] == ["a", "b", "c"]
