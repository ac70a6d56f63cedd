"""The benchmark of the ratings in small: simulated games, intervals, games saved, wrong verdicts."""

import re
from math import sqrt

import numpy as np
import pytest

from arena.bench.pairing import adaptive, errors, information, line_ups, saving
from arena.bench.ratings import (
    LUCKS,
    Luck,
    broken_bounds,
    coverage,
    newcomer_coverage,
    play,
    right_ranges,
    speed_lines,
    tilted,
    wrong_verdicts,
)
from arena.rating.adaptive import contrasts
from arena.rating.estimate import Settings, rate
from arena.rating.group_scores import CELLS, NORMALIZED, score_of
from arena.rating.logit import Model, count_stages, derivatives
from arena.rating.methods import METHODS
from arena.rating.sprt import Sprt


def test_line_ups_have_different_bots():
    tables = line_ups(np.random.default_rng(1), 500, 5, 4)
    assert all(len(set(row)) == 4 for row in tables.tolist())
    assert np.bincount(tables.ravel()).min() > 350


def test_simulated_games_are_whole_groups_with_plackett_luces_winners():
    theta, tables = np.array([1.0, 0.0, -1.0]), np.array([[0, 1, 2]] * 20_000)
    games = play(np.random.default_rng(1), theta, tables, Luck())
    rows = np.concatenate(
        [np.column_stack([part.group, part.bots[:, 0], part.seats[:, 0]]) for part in games]
    )
    assert len(rows) == 60_000 and (np.bincount(rows[:, 0]) == 3).all()
    wins = np.bincount(rows[:, 1]) / len(rows)
    np.testing.assert_allclose(wins, np.exp(theta) / np.exp(theta).sum(), atol=0.006)


@pytest.mark.parametrize(
    ("luck", "seat", "bot"), [("luck of seats", True, False), ("luck of bots", False, True)]
)
def test_luck_lasts_for_a_group(luck, seat, bot):
    """One seat, or one bot, wins all games of a group far more often than where there is no luck."""

    def same(luck):
        games = play(np.random.default_rng(1), np.zeros(4), np.array([range(4)] * 4000), luck)
        rows = np.concatenate([np.column_stack([part.group, part.bots, part.seats]) for part in games])
        rows = rows[np.argsort(rows[:, 0], kind="stable")].reshape(-1, 4, 9)
        return [(np.ptp(rows[:, :, column], axis=1) == 0).mean() for column in (1, 5)]

    bots, seats = same(LUCKS[luck])
    plain = max(same(LUCKS["no luck"]))
    assert (seats > 4 * plain) == seat and (bots > 4 * plain) == bot


def test_expected_information_is_the_curvature_of_the_fit():
    rng, theta = np.random.default_rng(1), np.linspace(-1, 1, 6)
    tables = line_ups(rng, 300, 6, 3)
    model = Model("pairs", 6)
    _, curvature = derivatives(count_stages(model, play(rng, theta, tables, Luck())), model, 0.5, theta)
    ghost = np.diag(np.exp(theta) / (1 + np.exp(theta)) ** 2)
    np.testing.assert_allclose(information(theta, tables), curvature - ghost, atol=1e-9)


def test_adaptive_line_ups_are_as_many_as_wanted():
    rng, theta = np.random.default_rng(1), np.linspace(-1, 1, 6)
    lineups = adaptive(rng, theta, 3, 40, False, np.empty((0, 3), int))
    assert lineups.shape == (40, 3)
    known = [errors(information(theta, lineups[:count]), contrasts(6)) for count in (10, 40)]
    assert known[1] < known[0] / 2


@pytest.mark.parametrize("luck", LUCKS)
@pytest.mark.parametrize("method", METHODS)
def test_intervals_hold_the_truth_as_often_as_they_say(method, luck):
    """60 tables of 8 bots: the share of 95 % is within about 2.5 of its own errors here."""
    assert 0.92 <= coverage(method, LUCKS[luck], 60) <= 0.98


def test_intervals_that_took_games_for_independent_would_not():
    """With luck of bots they are too narrow: what clustered errors are for, and what the test above sees."""
    rng, theta = np.random.default_rng(1), np.zeros(6)
    narrow = []
    for _ in range(60):
        tables = play(rng, theta, line_ups(rng, 100, 6, 4), Luck(bot=1.0))
        apart = [
            type(part)(part.places, part.bots, part.seats, np.arange(len(part.group))) for part in tables
        ]
        found = rate(apart, 6, Settings(average=0))
        narrow.append(np.abs(found.elo) <= found.error)
    assert np.mean(narrow) < 0.9


@pytest.mark.parametrize(
    ("bots", "seats", "focus", "least"), [(10, 2, False, 0.08), (12, 4, False, 0.08), (12, 2, True, 0.08)]
)
def test_adaptive_pairing_saves_games(bots, seats, focus, least):
    saved = [saving(bots, seats, 300, focus=focus, seed=seed) for seed in range(3)]
    assert least < np.mean(saved) < 0.6


def test_the_sequential_test_is_wrong_as_seldom_as_promised():
    worse, better, groups = wrong_verdicts(np.array(CELLS), np.array([3, 4, 6, 4, 3]), Sprt(0, 100), 100)
    assert worse <= 0.12 and better <= 0.12 and 32 <= groups < 100


def test_tilted_shares_have_the_difference():
    values, shares = np.array(CELLS), np.array([1, 4, 10, 4, 1])
    logistic, normalized = (tilted(values, shares, 80, model) for model in ("logistic", "normalized"))
    assert logistic.sum() == pytest.approx(1) == normalized.sum()
    assert logistic @ values == pytest.approx(score_of(80))
    mean = normalized @ values
    assert (mean - 0.5) / sqrt(normalized @ (values - mean) ** 2) == pytest.approx(80 / NORMALIZED)


def test_the_speed_is_that_of_the_same_answer():
    table, duels = speed_lines(bots=20, groups=500)
    assert re.fullmatch(
        r"20 bots, 2,000 games of 4 seats: sort \d+\.\d\d s, fit and errors \d+\.\d\d s", table
    )
    assert duels.startswith("20 bots, 2,000 duels: fit and errors ")
    assert float(re.search(r"largest difference ([\d.]+) Elo", duels)[1]) < 1e-3


@pytest.mark.parametrize("method", METHODS)
def test_intervals_of_newcomers_hold_the_truth_too(method):
    assert np.mean(newcomer_coverage(method, (3, 5, 10), 25, bots=60)) >= 0.9


def test_ranges_are_right_together_or_each_by_itself():
    assert right_ranges("pairs", "simultaneous", 40) >= 0.85 > 0.5 > right_ranges("pairs", "pairwise", 40)


@pytest.mark.parametrize("copies", [1, 5])
def test_bounds_hold_however_often_games_are_repeated(copies):
    assert broken_bounds(copies, 60) <= 0.05
