"""Ratings against published and external answers, and the properties that every table must have.

`data/tcec_s12_div4` holds the 112 games of TCEC season 12, division 4 (7 lost by forfeit), with the ratings
that Ordo gives and the estimates and clustered errors computed in R. `data/pudding` is the taste test of
Davidson 1970 (J. Amer. Statist. Assoc. 65:317), with a fit of his model in R.
"""

import csv
import json
import random
from dataclasses import asdict, replace
from math import exp, log, sqrt
from pathlib import Path
from statistics import NormalDist

import numpy as np
import pytest

from arena.bradley_terry import (
    ELO,
    components,
    count_pairs,
    derivatives,
    maximise,
    pair_scores,
    points_won,
    rate,
    squares,
)
from arena.ratings import Outcome, standings, tabulate, to_json
from arena.student import t_quantile

DATA = Path(__file__).parent / "data"
PLACES = {"1": (1, 2), "0.5": (1, 1), "0": (2, 1)}


def table(path):
    with (DATA / path).open(newline="") as file:
        return list(csv.DictReader(file))


def reference(path):
    return json.loads((DATA / path).read_text())


def tcec(statuses=("ok", "forfeit")):
    for row in table("tcec_s12_div4/games.csv"):
        places = PLACES[row["score0"]]
        lost = frozenset([places.index(2)] if row["status"] == "forfeit" else [])
        if row["status"] in statuses:
            yield Outcome((row["seat0"], row["seat1"]), places, row["group"], lost)


def fit(outcomes, anchor=None, **options):
    names, tables = tabulate(outcomes)
    fixed = (names.index(anchor[0]), anchor[1]) if anchor else None
    return names, rate(count_pairs(tables, len(names)), len(names), fixed, **options)


def duel(winner, loser, group, tie=False):
    return Outcome((winner, loser), (1, 1) if tie else (1, 2), group)


def luck(groups=60, bots="abcdef", seats=(4, 3, 2), seed=1):
    """Made-up games: line-ups of several sizes in all rotations, stronger bots later in the alphabet."""
    rng = random.Random(seed)
    for number in range(groups):
        lineup = rng.sample(bots, seats[number % len(seats)])
        for turn in range(len(lineup)):
            seated = lineup[turn:] + lineup[:turn]
            points = [rng.randrange(6) + bots.index(bot) for bot in seated]
            places = tuple(1 + sum(rival > own for rival in points) for own in points)
            yield Outcome(tuple(seated), places, f"group {number}", frozenset({0} if points[0] == 0 else ()))


def dump(outcomes, **options):
    return json.dumps([asdict(row) for row in standings(outcomes, **options)])


# --- against other programs


@pytest.mark.parametrize(
    "statuses, answers", [(("ok", "forfeit"), "ordo_basic.csv"), (("ok",), "ordo_noforfeit.csv")]
)
def test_two_seats_without_prior_are_the_rating_of_ordo(statuses, answers):
    ordo = {row["PLAYER"]: row for row in table(f"tcec_s12_div4/{answers}")}
    rows = standings(tcec(statuses), average=0, prior=0)
    assert [row.bot for row in rows] == list(ordo)
    for row in rows:
        assert row.elo == pytest.approx(float(ordo[row.bot]["RATING"]), abs=1e-3)
        assert 100 * row.score == pytest.approx(float(ordo[row.bot]["(%)"]), abs=0.005)
        assert row.games == int(ordo[row.bot]["PLAYED"])


@pytest.mark.parametrize("answers, prior", [("r_ghost05.json", 0.5), ("r_glm.json", 0)])
def test_strengths_and_clustered_errors_are_those_of_r(answers, prior):
    r = reference(f"tcec_s12_div4/{answers}")
    names, ratings = fit(tcec(), average=0, prior=prior)
    cr0 = sqrt(r["G"] / (r["G"] - len(names) + 1))  # R's CR0 has no factor for the groups
    assert names == r["players"]
    np.testing.assert_allclose(ratings.elo, r.get("elo_mean0") or r["elo"], atol=1e-6)
    np.testing.assert_allclose(ratings.se, cr0 * np.array(r["se_cluster_cr0"]), atol=1e-6)
    differences = r.get("diff_se_crK") or cr0 * np.array(r["diff_se_cluster_cr0"])
    np.testing.assert_allclose(ratings.spread, differences, atol=1e-6)
    np.testing.assert_allclose(ratings.error, ratings.se * 2.009575237129, atol=1e-6)


def test_forfeits_are_counted():
    assert {row.bot: row.forfeits for row in standings(tcec()) if row.forfeits} == {"Scorpio 2.82": 7}


def pudding():
    for row in table("pudding/pairs.csv"):
        pair = row["i"], row["j"]
        for column, places in ("w_ij", (1, 2)), ("w_ji", (2, 1)), ("t_ij", (1, 1)):
            for number in range(int(row[column])):
                yield Outcome(pair, places, f"{pair}{column}{number}")


def test_pudding_is_where_hunters_mm_algorithm_ends():
    names, tables = tabulate(pudding())
    won = points_won(count_pairs(tables, len(names)), len(names))
    worth = np.ones(len(names))
    for _ in range(1000):
        worth = won.sum(axis=1) / ((won + won.T) / (worth[:, None] + worth)).sum(axis=1)
    theta, _ = maximise(won, 0)
    np.testing.assert_allclose(theta, np.log(worth) - np.log(worth).mean(), atol=1e-12)


def test_pudding_ties_shrink_davidsons_strengths_evenly():
    davidson = reference("pudding/r_davidson.json")
    _, ratings = fit(pudding(), average=0, prior=0)
    slope = 2 / (2 + davidson["tie2"])  # of the expected score at equal strength, against Bradley-Terry's
    np.testing.assert_allclose(ratings.elo / ELO, slope * np.array(davidson["log_worth_mean0"]), atol=1e-3)


# --- against the formulas, game by game


def naive_scores(outcomes, strength):
    """By group, the score vector: the sum over games and pairs of w (y - p)."""
    scores = {}
    for outcome in outcomes:
        seats = len(outcome.bots)
        group = scores.setdefault(outcome.group, dict.fromkeys(strength, 0.0))
        for one in range(seats):
            for two in range(seats):
                if one != two:
                    mine, other = outcome.places[one], outcome.places[two]
                    y = 1 if mine < other else 0.5 if mine == other else 0
                    delta = strength[outcome.bots[one]] - strength[outcome.bots[two]]
                    group[outcome.bots[one]] += 3 / (seats + 1) * (y - 1 / (1 + exp(-delta)))
    return scores


def test_mixed_numbers_of_seats_follow_the_formulas():
    outcomes = list(luck())
    names, tables = tabulate(outcomes)
    pairs = count_pairs(tables, len(names))
    theta, inverse = maximise(points_won(pairs, len(names)), 0.5)
    scores = naive_scores(outcomes, dict(zip(names, theta, strict=True)))
    u = np.array([[group[name] for name in names] for group in scores.values()])
    ghost = 0.5 * (1 - 2 / (1 + np.exp(-theta)))
    np.testing.assert_allclose(u.sum(axis=0) + ghost, 0, atol=1e-9)
    np.testing.assert_allclose(squares(*pair_scores(pairs, theta), len(names)), u.T @ u, atol=1e-9)
    centre = np.eye(len(names)) - 1 / len(names)
    freedom = len(u) - (len(names) - 1)
    v = len(u) / freedom * centre @ inverse @ u.T @ u @ inverse @ centre
    np.testing.assert_allclose(fit(outcomes)[1].se, ELO * np.sqrt(np.diag(v)), atol=1e-9)


def test_curvature_is_the_derivative_of_the_slope():
    names, tables = tabulate(luck())
    won, theta = points_won(count_pairs(tables, len(names)), len(names)), np.linspace(-1, 1, len(names))
    _, curvature = derivatives(won, 0.5, theta)
    for bot, column in enumerate(curvature):
        nudge = 1e-5 * (np.arange(len(names)) == bot)
        ahead, behind = derivatives(won, 0.5, theta + nudge)[0], derivatives(won, 0.5, theta - nudge)[0]
        np.testing.assert_allclose((behind - ahead) / 2e-5, column, atol=1e-6)


def test_scores_are_squared_alike_in_one_piece_and_in_many(monkeypatch):
    names, tables = tabulate(luck())
    pieces = pair_scores(count_pairs(tables, len(names)), np.zeros(len(names)))
    whole = squares(*pieces, len(names))
    monkeypatch.setattr("arena.bradley_terry.CELLS", 100)
    np.testing.assert_allclose(squares(*pieces, len(names)), whole, atol=1e-12)


@pytest.mark.parametrize(
    "confidence, freedom, t",
    [
        (0.95, 1, 12.706204736),
        (0.95, 2, 4.3026527297),
        (0.95, 3, 3.1824463053),
        (0.95, 10, 2.2281388520),
        (0.95, 29, 2.0452296421),
        (0.95, 30, 2.0422724563),
        (0.95, 49, 2.0095752371),
        (0.95, 100, 1.9839715185),
        (0.95, 1000, 1.9623390808),
        (0.90, 5, 2.0150483733),
        (0.99, 4, 4.6040948714),
        (0.99, 60, 2.6602830289),
        (0.999, 1, 636.61924877),
        (0.999, 120, 3.3734537685),
        (0.95, 250_000, 1.9599734770),
    ],
)
def test_t_quantile_is_that_of_the_tables(confidence, freedom, t):
    assert t_quantile(confidence, freedom) == pytest.approx(t, rel=1e-8)


# --- properties


def test_the_order_of_the_records_leaves_no_trace():
    outcomes = [*luck(), duel("x", "y", "elsewhere")]
    expected = dump(outcomes)
    for seed in range(5):
        shuffled = random.Random(seed).sample(outcomes, len(outcomes))
        assert dump(iter(shuffled)) == expected


def test_renaming_moves_only_the_names():
    new = dict(zip("abcdef", "qebzxd", strict=True))
    renamed = [replace(outcome, bots=tuple(new[bot] for bot in outcome.bots)) for outcome in luck()]
    before = [to_json(replace(row, bot=new[row.bot])) for row in standings(luck())]
    assert [to_json(row) for row in standings(renamed)] == before


def test_doubling_all_groups_divides_errors_by_the_root_of_two():
    outcomes = list(luck())
    again = [replace(outcome, group=f"more {outcome.group}") for outcome in outcomes]
    _, once = fit(outcomes, prior=0)
    _, twice = fit(outcomes + again, prior=0)
    freedom = len("abcdef") - 1
    factor = (60 / (60 - freedom)) / (120 / (120 - freedom))
    np.testing.assert_allclose(twice.elo, once.elo, atol=1e-9)
    np.testing.assert_allclose(once.se / twice.se, sqrt(2 * factor), rtol=1e-9)


def test_repeating_a_group_inside_itself_leaves_elo_and_errors():
    outcomes = list(luck())
    _, once = fit(outcomes, prior=0)
    _, twice = fit(outcomes * 2, prior=0)
    np.testing.assert_allclose(twice.elo, once.elo, atol=1e-9)
    np.testing.assert_allclose(twice.error, once.error, rtol=1e-9)
    np.testing.assert_allclose(twice.spread, once.spread, rtol=1e-9, atol=1e-5)


def test_an_anchor_moves_the_scale_and_has_no_error():
    free = {row.bot: row for row in standings(luck())}
    names, ratings = fit(luck(), anchor=("c", 1000))
    for row in standings(luck(), anchor=("c", 1000)):
        same = free[row.bot]
        assert row.elo - same.elo == pytest.approx(1000 - free["c"].elo)
        assert row.los == pytest.approx(same.los) and row.rank_range == same.rank_range
        assert row.error == 0 if row.bot == "c" else row.error > 0
    np.testing.assert_allclose(ratings.se, ratings.spread[names.index("c")], atol=1e-9)


def test_an_anchor_that_has_not_played_changes_nothing():
    assert dump(luck(), anchor=("nobody", 1000)) == dump(luck())


def test_the_average_is_the_mean_elo():
    assert np.mean([row.elo for row in standings(luck())]) == pytest.approx(1500)
    assert np.mean([row.elo for row in standings(luck(), average=0)]) == pytest.approx(0, abs=1e-9)


def test_wider_confidence_means_wider_errors_and_rank_ranges():
    narrow, wide = standings(luck(), confidence=0.5), standings(luck(), confidence=0.99)
    for one, two in zip(narrow, wide, strict=True):
        assert one.error < two.error
        assert two.rank_range[0] <= one.rank_range[0] <= one.rank <= one.rank_range[1] <= two.rank_range[1]


# --- what is plainly counted


def test_counts_of_a_small_table():
    outcomes = [
        Outcome(("a", "b", "c"), (1, 2, 2), "one", frozenset({2})),
        Outcome(("b", "c", "a"), (1, 3, 1), "one"),
        Outcome(("c", "a"), (1, 2), "two"),
    ]
    rows = {row.bot: row for row in standings(outcomes)}
    counted = {row.bot: (row.games, row.groups, row.forfeits, row.mean_place) for row in rows.values()}
    assert counted == {"a": (3, 2, 0, 4 / 3), "b": (2, 1, 0, 1.5), "c": (3, 2, 1, 2)}
    assert [rows[bot].score for bot in "abc"] == pytest.approx([1.75 / 3, 1 / 2, 1.25 / 3])
    assert [rows[bot].first for bot in "abc"] == pytest.approx([2 / 3, 1 / 2, 1 / 3])


def test_few_groups_are_flagged():
    def even(groups):
        return [duel(*("ab" if number % 3 else "ba"), f"{number}") for number in range(groups)]

    assert [row.flags for row in standings(even(29))] == ["?", "?"]
    assert [row.flags for row in standings(even(30))] == ["", ""]


def test_equal_bots_share_a_rank_in_the_order_of_their_names():
    swap = dict(zip("abcdef", "aecdbf", strict=True))
    mirrored = [replace(outcome, bots=tuple(swap[bot] for bot in outcome.bots)) for outcome in luck()]
    rows = standings([*luck(), *mirrored])
    one = next(number for number, row in enumerate(rows) if row.bot == "b")
    assert [row.bot for row in rows[one : one + 2]] == ["b", "e"]
    assert [row.rank for row in rows[one : one + 3]] == [one + 1, one + 1, one + 3]
    assert rows[one].los == pytest.approx(0.5)


# --- when an estimate or an error does not exist


def test_one_game_makes_a_table():
    first, last = standings([duel("a", "b", "1")])
    assert (first.bot, first.flags, first.rank_range, first.los > 0.5) == ("a", ">~?", (1, 2), True)
    assert (last.bot, last.flags, last.rank_range, last.los) == ("b", "<~?", (1, 2), None)
    u = exp((first.elo - last.elo) / 2 / ELO)  # 1/(1+u²) + ½/(1+u) = ½u/(1+u): win and ghost in balance
    assert u**3 - u**2 - u - 3 == pytest.approx(0, abs=1e-9)
    assert first.error == pytest.approx(last.error) and first.error > 100


def test_no_games_make_an_empty_table():
    assert standings([]) == []


def test_one_tie_has_no_error():
    rows = standings([duel("a", "b", "1", tie=True)])
    assert [(row.rank, row.rank_range, row.elo, row.error, row.los) for row in rows] == [
        (1, (1, 2), 1500, None, None),
        (1, (1, 2), 1500, None, None),
    ]


def test_too_few_groups_leave_errors_unknown():
    assert {row.error for row in standings(luck(groups=5, seats=(6,)))} == {None}
    assert None not in {row.error for row in standings(luck(groups=6, seats=(6,)))}


def test_two_bots():
    outcomes = [duel(*("ab" if number % 4 else "ba"), f"{number}") for number in range(40)]
    first, last = standings(outcomes, prior=0)
    assert first.elo - last.elo == pytest.approx(ELO * log(3))
    spread = ELO * sqrt(1 / (40 * 0.75 * 0.25)) * sqrt(40 / 39)
    assert first.error == pytest.approx(t_quantile(0.95, 39) * spread / 2)
    assert first.los == pytest.approx(NormalDist().cdf((first.elo - last.elo) / spread))


def test_a_perfect_and_a_zero_score_are_flagged_and_leave_the_others_alone():
    outcomes = list(luck())
    for number, bot in enumerate("abcdef" * 6):
        outcomes += [duel("best", bot, f"+{number}"), duel(bot, "worst", f"-{number}")]
    rows = standings(outcomes)
    assert [row.flags for row in rows] == [">~", *[""] * 6, "<~"]
    assert rows[0].elo > 2000 > rows[-1].elo and all(row.error > 0 for row in rows)
    assert rows[0].error > 2 * max(row.error for row in rows[1:-1])
    anchored = standings(outcomes, anchor=("worst", 0))
    assert [row.flags for row in anchored] == [">~", *["~"] * 6, "<"] and anchored[-1].error == 0


def test_without_a_prior_a_table_with_no_estimate_gets_the_ghost():
    outcomes = [*luck(), duel("best", "a", "+")]
    assert dump(outcomes, prior=0) == dump(outcomes)


def test_one_sided_halves_are_compared_by_the_curvature():
    halves = [(pair, number) for pair in ("ab", "cd") for number in range(40)]
    outcomes = [duel(*(pair if number % 2 else pair[::-1]), f"{pair}{number}") for pair, number in halves]
    rows = standings([*outcomes, *(duel("a", "c", f"up {number}") for number in range(9))])
    assert sorted(row.bot for row in rows[:2]) == ["a", "b"]
    assert {row.flags for row in rows} == {"~"}


def test_separate_pools_are_flagged_and_rated_apart():
    apart = [duel(*pair, f"{number}") for number, pair in enumerate(["xy", "yx", "xy"] * 10)]
    alone = {row.bot: row for row in standings(luck())} | {row.bot: row for row in standings(apart)}
    rows = standings([*luck(), *apart])
    assert {row.bot for row in rows if "!" in row.flags} == {"x", "y"}
    for row, following in zip(rows, [*rows[1:], None], strict=True):
        assert (row.elo, row.error) == pytest.approx((alone[row.bot].elo, alone[row.bot].error))
        same = following and ({row.bot, following.bot} <= {*"xy"} or not {row.bot, following.bot} & {*"xy"})
        assert (row.los is not None) == bool(same)


def test_the_pool_of_the_anchor_is_the_main_one():
    rows = standings([*luck(), duel("x", "y", "1"), duel("y", "x", "2")], anchor=("x", 800))
    assert {row.bot for row in rows if "!" in row.flags} == {*"abcdef"}
    assert np.mean([row.elo for row in rows if "!" in row.flags]) == pytest.approx(1500)
    assert {row.elo for row in rows if "!" not in row.flags} == {800}


def test_a_bot_against_itself_says_nothing():
    rows = {row.bot: row for row in standings([Outcome(("a", "a"), (1, 2), "1"), *luck(bots="bcdef")])}
    assert "!" in rows["a"].flags and (rows["a"].elo, rows["a"].error) == (1500, None)
    assert (rows["a"].games, rows["a"].score) == (2, 0.5)


def test_components_are_those_that_reach_each_other():
    links = np.zeros((7, 7), bool)
    for start, end in (0, 2), (2, 4), (4, 0), (4, 1), (1, 3), (5, 6), (6, 5):
        links[start, end] = True
    assert components(links).tolist() == [0, 1, 0, 3, 0, 5, 5]


def test_a_row_as_json():
    first, last = (to_json(row) for row in standings([duel("a", "b", "1")]))
    assert json.loads(json.dumps(first)) == first
    assert first["elo"] == 1631.4 and first["rank_range"] == [1, 2] and first["score"] == 1.0
    assert last["los"] is None and last["elo"] == 1368.6
