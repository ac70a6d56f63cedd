"""The benchmark of the ratings in small: simulated games, promises that hold, and ones that would not."""

import re
from dataclasses import replace
from math import sqrt

import numpy as np
import pytest
from promises import (
    coverage,
    group_scores,
    likelihoods,
    near_deterministic,
    newcomers,
    normalized_verdicts,
    ranges,
    tilted,
    verdicts,
)
from ratings import COLUMNS, plain, speed_lines, text_lines
from saving import adaptive, errors, information, saving
from simulated import LUCKS, Luck, Share, line_ups, play, share

from arena.rating.adaptive import contrasts
from arena.rating.estimate import rate
from arena.rating.experiments import Sprt
from arena.rating.group_scores import CELLS, NORMALIZED, GroupScores, difference, score_of
from arena.rating.logit import Model, count_stages, derivatives
from arena.rating.methods import METHODS
from arena.rating.settings import RatingSettings

pytestmark = pytest.mark.slow  # many simulated tournaments


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


def test_games_that_repeat_each_other_end_alike_with_the_same_chances():
    theta = np.array([1.0, 0.0])
    games = play(np.random.default_rng(1), theta, np.array([[0, 1]] * 20_000), Luck(repeats=True))
    wins = np.bincount(games[0].group[games[0].bots[:, 0] == 0], minlength=20_000)
    assert set(wins.tolist()) == {0, 2}
    assert wins.mean() / 2 == pytest.approx(np.e / (1 + np.e), abs=0.01)


def test_the_error_of_a_share_is_between_samples():
    """Cases in one sample are not independent: here all of a sample hold or none."""
    alike = share("interval", "", 0.95, [[True] * 10, [False] * 10] * 50)
    assert (alike.measured, alike.samples) == (0.5, 100)
    assert alike.error == pytest.approx(0.5 / np.sqrt(99))
    assert share("interval", "", 0.95, [[True], [False, False]]).measured == pytest.approx(1 / 3)
    assert share("LOS", "", None, [[], []]).measured is None


@pytest.mark.parametrize("luck", LUCKS)
@pytest.mark.parametrize("method", METHODS)
def test_intervals_hold_the_truth_as_often_as_they_say(method, luck):
    """60 tables of 8 bots: the share of 95 % is within about 2.5 of its own errors here."""
    (found,) = coverage(method, 4, 60, luck)
    assert 0.92 <= found.measured <= 0.98


def test_intervals_that_took_games_for_independent_would_not():
    """With luck of bots they are too narrow: what clustered errors are for, and what the test above sees."""
    rng, theta = np.random.default_rng(1), np.zeros(6)
    narrow = []
    for _ in range(60):
        tables = play(rng, theta, line_ups(rng, 100, 6, 4), Luck(bot=1.0))
        apart = [replace(part, group=np.arange(len(part.group))) for part in tables]
        found = rate(apart, 6, RatingSettings(average=0))
        narrow.append(np.abs(found.elo) <= found.error)
    assert np.mean(narrow) < 0.9


@pytest.mark.parametrize(
    ("bots", "seats", "focus", "least"), [(10, 2, False, 0.08), (12, 4, False, 0.08), (12, 2, True, 0.08)]
)
def test_adaptive_pairing_saves_games(bots, seats, focus, least):
    saved = [saving(bots, seats, 300, focus=focus, seed=seed) for seed in range(3)]
    assert least < np.mean(saved) < 0.6


@pytest.mark.parametrize("repeats", [False, True])
@pytest.mark.parametrize("seats", [2, 4])
def test_the_sequential_test_is_right_as_often_as_promised(seats, repeats):
    for found in verdicts(seats, 40, repeats, Sprt(0, 120)):
        assert found.promised == 0.95 and found.measured >= 0.85


@pytest.mark.parametrize("seats", [2, 4])
def test_the_test_of_normalized_elo_is_right_as_often_as_promised(seats):
    for found in normalized_verdicts(seats, 40, Sprt(0, 120, elo_model="normalized")):
        assert found.promised == 0.95 and found.measured >= 0.85


def test_tilted_shares_have_the_difference():
    values = np.array(CELLS)
    shares = tilted(values, np.array([1, 4, 10, 4, 1]), 80)
    mean = shares @ values
    assert shares.sum() == pytest.approx(1)
    assert (mean - 0.5) / sqrt(shares @ (values - mean) ** 2) == pytest.approx(80 / NORMALIZED)


@pytest.mark.parametrize("repeats", [False, True])
@pytest.mark.parametrize("seats", [2, 3, 4])
def test_groups_of_bots_so_far_apart_have_the_elo_of_the_sequential_test(seats, repeats):
    rng = np.random.default_rng(1)
    scores = [score for _ in range(10) for score in group_scores(rng, 100, seats, repeats)]
    assert difference(GroupScores(scores))[0] == pytest.approx(100, abs=12)
    assert repeats or seats > 2 or np.mean(scores) == pytest.approx(score_of(100), abs=0.01)


def test_the_speed_is_that_of_the_same_answer():
    table, duels = speed_lines(bots=20, groups=500)
    assert re.fullmatch(
        r"20 bots, 2,000 games of 4 seats: sort \d+\.\d\d s, fit and errors \d+\.\d\d s", table
    )
    assert duels.startswith("20 bots, 2,000 duels: fit and errors ")
    assert float(re.search(r"largest difference ([\d.]+) Elo", duels)[1]) < 1e-3


@pytest.mark.parametrize(("method", "seats"), [("pairs", 2), *((method, 4) for method in METHODS)])
def test_newcomers_are_rated_with_the_errors_of_their_own_groups(method, seats):
    found = newcomers(method, seats, 25, bots=60)
    intervals, sure = (
        [each.measured for each in found if each.check == check] for check in ("interval", "LOS")
    )
    assert np.mean(intervals) >= 0.88 and np.mean(sure) >= 0.9


@pytest.mark.parametrize("method", METHODS)
def test_near_deterministic_bots_keep_to_their_intervals_and_bounds(method):
    interval, bound, *likely = near_deterministic(method, 4, 60)
    assert interval.measured >= 0.9 and bound.measured >= 0.95
    assert [each.promised <= each.measured + 4 * each.error + 0.05 for each in likely] == [True] * 4


def test_a_likelihood_is_right_as_often_as_it_says_if_strengths_are_far_apart():
    for found in likelihoods("pairs", 4, 100):
        assert found.measured == pytest.approx(found.promised, abs=4 * found.error + 0.01)


def test_it_says_nothing_of_bots_of_nearly_equal_strength():
    found = {each.case: each.measured for each in likelihoods("pairs", 4, 60, spread=0.02)}
    assert found["3 Elo apart, 80 to 95 %"] is found["3 Elo apart, 95 to 99 %"] is None


def test_it_is_not_too_high_in_close_fields():
    for found in likelihoods("pairs", 4, 60, spread=0.1):
        assert found.measured >= found.promised - 4 * found.error - 0.01, found.case


def test_ranges_are_right_together_or_each_by_itself():
    together, each, by_chance = ranges("pairs", 4, 40)
    assert together.measured >= 0.85 > 0.5 > by_chance.measured
    assert each.measured == pytest.approx(0.975, abs=0.02)


# --- what is shown


def test_every_row_has_a_column_for_each_method():
    row = {column: Share("interval", "no luck", 0.95, 0.9, 0.01, 7) for column in COLUMNS}
    nothing = {column: Share("LOS", "far apart", None, None, None, 7) for column in COLUMNS}
    title, headings, *lines = text_lines(7, [row, row, nothing])
    assert "7 samples" in title
    assert headings.split() == ["said", "2", "seats", "pairs", "p-luce", "winner", "±"]
    assert [re.split(r"  +", line.strip()) for line in lines] == [
        ["95 % intervals that contain the truth"],
        *[["no luck", "95.0", "90.0", "90.0", "90.0", "90.0", "1.0"]] * 2,
        ["bots that are better, where LOS is from ... to ...; said: the mean LOS"],
        ["far apart"],
    ]
    assert all(len(line) <= 80 for line in (title, headings, *lines))
    assert [(each["method"], each["seats"]) for each in plain(row)] == list(COLUMNS)
