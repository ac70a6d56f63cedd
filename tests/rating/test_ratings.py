"""Ratings against published and external answers, and the properties that every table must have.

`data/tcec_s12_div4` holds the 112 games of TCEC season 12, division 4 (7 lost by forfeit), with the ratings
that Ordo gives and the estimates and clustered errors computed in R. `data/pudding` is the taste test of
Davidson 1970 (J. Amer. Statist. Assoc. 65:317), with a fit of his model in R.
"""

import json
import random
import tracemalloc
from dataclasses import asdict, replace
from itertools import combinations, pairwise, permutations
from math import exp, log, sqrt

import numpy as np
import pytest
from outcomes import DATA, duel, luck, table, tcec

from arena.rating import equations, logit
from arena.rating.components import components
from arena.rating.distributions import MAX_FREEDOM, chi_square_tail, t_below, t_quantile
from arena.rating.duels import misfit, transitivity
from arena.rating.estimate import ELO, rate
from arena.rating.logit import Model, count_stages, derivatives, maximise, scores
from arena.rating.methods import METHODS
from arena.rating.outcome_arrays import to_arrays, unique_lines
from arena.rating.outcomes import Outcome
from arena.rating.pairs import Pair
from arena.rating.points import head_to_head
from arena.rating.ranges import critical_value
from arena.rating.rows import standings as rows_of
from arena.rating.sandwich import squares
from arena.rating.seats import seat_effects
from arena.rating.settings import Anchor, RatingSettings
from arena.rating.standings import rate_all
from arena.rating.superiority import superiority


def reference(path):
    return json.loads((DATA / path).read_text())


def standings(outcomes, **settings):
    return rows_of(rate_all(outcomes, RatingSettings(**settings)))


def fit(outcomes, anchor=None, **settings):
    names, tables = to_arrays(list(outcomes))
    settings = RatingSettings(anchor=anchor, **settings)
    return names, rate(
        tables, len(names), settings, {names.index(bot): elo for bot, elo in settings.anchors.items()}
    )


def strengths(outcomes, method="pairs", prior=0.0):
    """Names, strengths in nats, and the inverse of the curvature."""
    names, tables = to_arrays(list(outcomes))
    model = Model(method, len(names))
    found = maximise(count_stages(model, tables), model, prior)
    return names, found.at, found.inverse


def dump(outcomes, **settings):
    return json.dumps([asdict(row) for row in standings(outcomes, **settings)])


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
    np.testing.assert_allclose(ratings.error, ratings.se * 2.160368656461, atol=1e-6)  # 14 groups each


def test_forfeits_are_counted():
    assert {row.bot: row.forfeits for row in standings(tcec()) if row.forfeits} == {
        "Scorpio 2.82": {"late": 7}
    }


def pudding():
    for row in table("pudding/pairs.csv"):
        pair = row["i"], row["j"]
        for column, places in ("w_ij", (1, 2)), ("w_ji", (2, 1)), ("t_ij", (1, 1)):
            for number in range(int(row[column])):
                yield Outcome(pair, places, f"{pair}{column}{number}")


def test_pudding_is_where_hunters_mm_algorithm_ends():
    names, tables = to_arrays(list(pudding()))
    won, _ = head_to_head(tables, len(names))
    worth = np.ones(len(names))
    for _ in range(1000):
        worth = won.sum(axis=1) / ((won + won.T) / (worth[:, None] + worth)).sum(axis=1)
    _, theta, _ = strengths(pudding())
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
    names, tables = to_arrays(outcomes)
    model = Model("pairs", len(names))
    found = maximise(count_stages(model, tables), model, 0.5)
    theta, inverse = found.at, found.inverse
    by_group = naive_scores(outcomes, dict(zip(names, theta, strict=True)))
    u = np.array([[group[name] for name in names] for group in by_group.values()])
    ghost = 0.5 * (1 - 2 / (1 + np.exp(-theta)))
    np.testing.assert_allclose(u.sum(axis=0) + ghost, 0, atol=1e-9)
    np.testing.assert_allclose(squares(scores(model, tables, theta), len(u), len(names)), u.T @ u, atol=1e-9)
    centre = np.eye(len(names)) - 1 / len(names)
    freedom = len(u) - (len(names) - 1)
    v = len(u) / freedom * centre @ inverse @ u.T @ u @ inverse @ centre
    np.testing.assert_allclose(fit(outcomes)[1].se, ELO * np.sqrt(np.diag(v)), atol=1e-9)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("prior", [0, 0.5])
def test_curvature_is_the_derivative_of_the_slope(method, prior):
    names, tables = to_arrays(list(luck()))
    model = Model(method, len(names), (2, 3, 4))
    stages, at = count_stages(model, tables), np.linspace(-1, 1, model.parameters)
    _, curvature = derivatives(stages, model, prior, at)
    for level in model.blocks[1 if prior else 0 :]:
        curvature = curvature - np.outer(level, level) / level.sum()
    for number, column in enumerate(curvature):
        nudge = 1e-5 * (np.arange(model.parameters) == number)
        ahead, behind = (derivatives(stages, model, prior, at + way * nudge)[0] for way in (1, -1))
        np.testing.assert_allclose((behind - ahead) / 2e-5, column, atol=1e-6)


def test_scores_are_squared_alike_in_one_piece_and_in_many(monkeypatch):
    names, tables = to_arrays(list(luck()))
    model = Model("pairs", len(names))
    pieces = list(scores(model, tables, np.zeros(len(names))))
    whole = squares(pieces, 60, len(names))
    monkeypatch.setattr("arena.rating.sandwich.CELLS", 20)
    np.testing.assert_allclose(squares(pieces, 60, len(names)), whole, atol=1e-12)


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


def test_students_t_below_is_that_of_scipy_and_normal_for_many_groups():
    from scipy import stats  # takes a second

    rng = np.random.default_rng(1)
    x, freedom = rng.normal(0, 3, (40, 50)), rng.integers(1, MAX_FREEDOM + 1, (40, 50)).astype(float)
    np.testing.assert_allclose(t_below(x, freedom), stats.t.cdf(x, freedom), atol=1e-13)
    for many in MAX_FREEDOM + 1, np.inf:
        np.testing.assert_allclose(t_below(x, np.full(x.shape, many)), stats.norm.cdf(x), atol=1e-13)
    assert np.isnan(t_below(x, np.full(x.shape, 0.0))).all() and np.isnan(t_below(x, x * np.nan)).all()


def rounded(row):
    return {key: round(cell, 6) if isinstance(cell, float) else cell for key, cell in asdict(row).items()}


def test_the_order_of_the_records_leaves_no_trace():
    outcomes = [*luck(), duel("x", "y", "elsewhere")]
    expected = dump(outcomes)
    for seed in range(5):
        shuffled = random.Random(seed).sample(outcomes, len(outcomes))
        assert dump(iter(shuffled)) == expected


def test_renaming_moves_only_the_names():
    new = dict(zip("abcdef", "qebzxd", strict=True))
    renamed = [replace(outcome, bots=tuple(new[bot] for bot in outcome.bots)) for outcome in luck()]
    before = [rounded(replace(row, bot=new[row.bot])) for row in standings(luck())]
    assert [rounded(row) for row in standings(renamed)] == before


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
    names, ratings = fit(luck(), anchor=Anchor("c", 1000))
    for row in standings(luck(), anchor=Anchor("c", 1000)):
        same = free[row.bot]
        assert row.elo - same.elo == pytest.approx(1000 - free["c"].elo)
        assert row.los == pytest.approx(same.los) and row.rank_range == same.rank_range
        assert row.error == 0 if row.bot == "c" else row.error > 0
    np.testing.assert_allclose(ratings.se, ratings.spread[names.index("c")], atol=1e-9)


def test_several_anchors_give_the_level_together_and_have_errors():
    """The mean of their Elo is the mean of those given: no other level is nearer to these."""
    free = {row.bot: row for row in standings(luck())}
    given = {"a": 1000.0, "c": 1400.0}
    names, ratings = fit(luck(), anchor=tuple(Anchor(bot, elo) for bot, elo in given.items()))
    elo = dict(zip(names, ratings.elo, strict=True))
    assert elo["a"] + elo["c"] == pytest.approx(2400)
    assert elo["f"] - elo["a"] == pytest.approx(free["f"].elo - free["a"].elo)
    a, c = names.index("a"), names.index("c")
    np.testing.assert_allclose(ratings.se[[a, c]], ratings.spread[a, c] / 2)  # of a less (a + c) / 2
    assert (ratings.error > ratings.se).all()
    # The variance of f less (a + c) / 2, from those of the three differences.
    f, spread = names.index("f"), ratings.spread**2
    variance = (spread[f, a] + spread[f, c]) / 2 - spread[a, c] / 4
    assert ratings.se[f] ** 2 == pytest.approx(variance)


def test_one_anchor_in_a_list_is_that_anchor():
    assert dump(luck(), anchor=(Anchor("c", 1000),)) == dump(luck(), anchor=Anchor("c", 1000))
    assert dump(luck(), anchor=(Anchor("nobody", 1), Anchor("c", 1000))) == dump(
        luck(), anchor=Anchor("c", 1000)
    )
    assert dump(luck(), anchor=()) == dump(luck())
    with pytest.raises(ValueError, match="anchor: names c twice"):
        RatingSettings(anchor=(Anchor("c", 1), Anchor("c", 1)))


def test_the_pool_with_most_anchors_is_the_main_one():
    other = [duel("x", "y", "1"), duel("y", "x", "2")]
    anchors = Anchor("x", 800), Anchor("y", 900), Anchor("a", 1500)
    rows = standings([*luck(), *other], anchor=anchors)
    assert {row.bot for row in rows if "!" not in row.flags} == {"x", "y"}
    assert [row.elo for row in rows if row.bot == "a"] == [1500]  # each pool has the level of its own
    rows = standings([*luck(), *other], anchor=anchors[1:])
    assert {row.bot for row in rows if "!" in row.flags} == {"x", "y"}, "of equally many, the larger"


def test_an_anchor_that_has_not_played_changes_nothing():
    assert dump(luck(), anchor=Anchor("nobody", 1000)) == dump(luck())


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
        Outcome(("a", "b", "c"), (1, 2, 2), "one", {2: "crashed"}),
        Outcome(("b", "c", "a"), (1, 3, 1), "one"),
        Outcome(("c", "a"), (1, 2), "two"),
    ]
    rows = {row.bot: row for row in standings(outcomes)}
    counted = {row.bot: (row.games, row.groups, row.forfeits, row.mean_place) for row in rows.values()}
    assert counted == {"a": (3, 2, {}, 4 / 3), "b": (2, 1, {}, 1.5), "c": (3, 2, {"crashed": 1}, 2)}
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
    assert (first.bot, first.flags, first.rank_range, first.los) == ("a", ">~?", (1, 2), None)
    assert (last.bot, last.flags, last.rank_range, last.los) == ("b", "<~?", (1, 2), None)
    u = exp((first.elo - last.elo) / 2 / ELO)  # 1/(1+u²) + ½/(1+u) = ½u/(1+u): win and ghost in balance
    assert u**3 - u**2 - u - 3 == pytest.approx(0, abs=1e-9)
    assert first.error == pytest.approx(last.error) and first.error > 100


def test_no_games_make_an_empty_table():
    assert standings([]) == []


def test_one_tie_has_no_error():
    rows = standings([duel("a", "b", "1", tie=True)])
    assert [(row.rank, row.rank_range, row.elo, row.error, row.los) for row in rows] == [
        (None, (1, 2), 1500, None, None),
        (None, (1, 2), 1500, None, None),
    ]


def test_a_bot_of_too_few_games_comes_last_and_has_no_elo_to_print():
    games = [duel(*("ab" if number % 3 else "ba"), f"{number}") for number in range(40)]
    new = [duel("new", "a", "n1"), duel("a", "new", "n2")]  # with two groups its interval is thousands wide
    rows = standings(games + new)
    assert [(row.bot, row.rank, row.unrated) for row in rows] == [
        ("a", 1, None), ("b", 2, None), ("new", None, "too few games"),
    ]  # fmt: skip
    assert rows[2].elo > rows[1].elo and rows[2].error > 1000 and rows[1].los is None
    assert rows[2].shown["elo"] is None and rows[2].shown["error"] is None and rows[2].shown["score"] == 0.5
    anchored = standings(games + new, anchor=Anchor("new", 1000))
    assert [row.unrated for row in anchored if row.bot == "new"] == [None], "its Elo is given, not estimated"


def test_too_few_groups_leave_errors_unknown():
    assert {row.error for row in standings(luck(groups=5, seats=(6,)))} == {None}
    assert None not in {row.error for row in standings(luck(groups=6, seats=(6,)))}


def test_two_bots():
    from scipy import stats

    outcomes = [duel(*("ab" if number % 4 else "ba"), f"{number}") for number in range(40)]
    first, last = standings(outcomes, prior=0)
    assert first.elo - last.elo == pytest.approx(ELO * log(3))
    spread = ELO * sqrt(1 / (40 * 0.75 * 0.25)) * sqrt(40 / 39)
    assert first.error == pytest.approx(t_quantile(0.95, 39) * spread / 2)
    assert first.los == pytest.approx(stats.t.cdf((first.elo - last.elo) / spread, 39))


def test_a_perfect_and_a_zero_score_are_flagged_and_leave_the_others_alone():
    outcomes = list(luck())
    for number, bot in enumerate("abcdef" * 6):
        outcomes += [duel("best", bot, f"+{number}"), duel(bot, "worst", f"-{number}")]
    rows = standings(outcomes)
    assert [row.flags for row in rows] == [">~", *[""] * 6, "<~"]
    assert rows[0].elo > 2000 > rows[-1].elo and all(row.error > 0 for row in rows)
    assert rows[0].error > 2 * max(row.error for row in rows[1:-1])
    anchored = standings(outcomes, anchor=Anchor("worst", 0))
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
    rows = standings([*luck(), duel("x", "y", "1"), duel("y", "x", "2")], anchor=Anchor("x", 800))
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


# --- other methods


def nascar():
    races = {}
    for row in table("nascar/games_long.csv"):
        races.setdefault(row["game"], {})[row["player"]] = int(row["rank"])
    return [Outcome(tuple(places), tuple(places.values()), race) for race, places in races.items()]


def without(outcomes, dropped):
    """The same races as if some had not started."""
    for outcome in outcomes:
        seats = [seat for seat, bot in enumerate(outcome.bots) if bot not in dropped]
        order = sorted(outcome.places[seat] for seat in seats)
        places = tuple(1 + order.index(outcome.places[seat]) for seat in seats)
        yield Outcome(tuple(outcome.bots[seat] for seat in seats), places, outcome.group)


def test_nascar_by_plackett_luce_is_that_of_r():
    r = reference("nascar/r_plackettluce.json")
    everybody = {bot for race in nascar() for bot in race.bots}
    names, theta, inverse = strengths(without(nascar(), everybody - set(r["items"])), "plackett-luce")
    assert names == sorted(r["items"])
    expected = dict(zip(r["items"], r["log_worth_mean0"], strict=True))
    np.testing.assert_allclose(theta, [expected[name] for name in names], atol=1e-6)
    centre = np.eye(len(names)) - 1 / len(names)
    errors = dict(zip(r["items"], r["se_mean0"], strict=True))
    naive = np.sqrt(np.diag(centre @ inverse @ centre))
    np.testing.assert_allclose(naive, [errors[name] for name in names], atol=1e-6)


def test_nascar_with_the_ghost_keeps_the_drivers_who_were_only_ever_last():
    r = reference("nascar/r_plackettluce_npseudo05_all87.json")
    names, theta, _ = strengths(nascar(), "plackett-luce", 0.5)
    expected = dict(
        zip(r["items"], np.array(r["log_worth_ref1"]) - np.mean(r["log_worth_ref1"]), strict=True)
    )
    np.testing.assert_allclose(theta - theta.mean(), [expected[name] for name in names], atol=1e-6)


def salad():
    """Four dressings A to D, the judges' ranks."""
    for number, row in enumerate(table("salad/ranks.csv")):
        yield Outcome(tuple("ABCD"), tuple(int(row[dressing]) for dressing in "ABCD"), f"judge {number}")


def test_salad_by_plackett_luce_is_that_of_r():
    r = reference("salad/r_plackettluce.json")
    _, theta, inverse = strengths(salad(), "plackett-luce")
    np.testing.assert_allclose(theta, r["log_worth_mean0"], atol=1e-6)
    centre = np.eye(4) - 1 / 4
    np.testing.assert_allclose(centre @ inverse @ centre, r["vcov_mean0"], atol=1e-6)


@pytest.mark.parametrize("method", METHODS)
def test_methods_agree_on_duels_without_ties(method):
    duels = [outcome for outcome in tcec() if outcome.places != (1, 1)]
    _, expected = fit(duels)
    _, ratings = fit(duels, method=method)
    np.testing.assert_allclose(ratings.elo, expected.elo, atol=1e-6)
    np.testing.assert_allclose(ratings.error, expected.error, atol=1e-6)


def order_likelihood(order, strength):
    """The log-probability of an order of finish by Plackett-Luce, term by term."""
    left, total = list(order), 0.0
    for bot in order:
        total += strength[bot] - log(sum(exp(strength[rival]) for rival in left))
        left.remove(bot)
    return total


@pytest.mark.parametrize(
    "places", [(1, 2, 3, 4), (1, 1, 3, 4), (1, 2, 2, 2), (1, 2, 3, 3), (1, 1, 3, 3), (1, 1, 1, 1)]
)
def test_plackett_luce_averages_over_the_orders_of_tied_bots(places):
    strength = {0: 0.3, 1: -1.2, 2: 0.8, 3: 2.0}
    orders = [order for order in permutations(range(4)) if [places[bot] for bot in order] == sorted(places)]
    expected = sum(order_likelihood(order, strength) for order in orders) / len(orders)
    total = 0.0
    for members, shares in METHODS["plackett-luce"](places):
        everybody = log(sum(exp(strength[bot]) for bot in members))
        total += sum(share * (strength[bot] - everybody) for bot, share in zip(members, shares, strict=True))
    assert total == pytest.approx(expected)


def test_winner_looks_at_the_first_place_alone():
    swapped = [
        replace(outcome, places=tuple({2: 3, 3: 2}.get(place, place) for place in outcome.places))
        for outcome in luck(seats=(3,))
        if sorted(outcome.places) == [1, 2, 3]
    ]
    straight = [outcome for outcome in luck(seats=(3,)) if sorted(outcome.places) == [1, 2, 3]]
    _, one = fit(straight, method="winner")
    _, two = fit(swapped, method="winner")
    np.testing.assert_allclose(one.elo, two.elo, atol=1e-9)


def test_choix_finds_the_same_strengths():
    """Another way to the maximum: Luce spectral ranking (Maystre & Grossglauser 2015)."""
    import choix  # imports scipy.stats, which takes a second

    finishers = set(reference("nascar/r_plackettluce.json")["items"])
    races = list(without(nascar(), {bot for race in nascar() for bot in race.bots} - finishers))
    names, theta, _ = strengths(races, "plackett-luce")
    spectral = choix.ilsr_rankings(len(names), [[names.index(bot) for bot in race.bots] for race in races])
    np.testing.assert_allclose(spectral, theta, atol=1e-6)


# --- seats


def test_seat_effects_are_those_of_r_and_ordo():
    r = reference("tcec_s12_div4/r_glm_seat.json")
    names, ratings = fit(tcec(), average=0, prior=0, seats="fit")
    np.testing.assert_allclose(ratings.elo, r["elo"], atol=1e-6)
    freedom = r["G"] - len(names)
    cr0 = sqrt(r["G"] / freedom)
    np.testing.assert_allclose(ratings.se, cr0 * np.array(r["se_cluster_cr0"]), atol=1e-6)
    np.testing.assert_allclose(ratings.spread, cr0 * np.array(r["diff_se_cluster_cr0"]), atol=1e-6)
    white, black = seat_effects(rate_all(tcec(), RatingSettings(prior=0)))
    assert white.elo - black.elo == pytest.approx(r["seat0_advantage"], abs=1e-6)
    assert white.elo + black.elo == pytest.approx(0, abs=1e-9)
    half = t_quantile(0.95, freedom) * cr0 * r["seat_se"]["cr0"] / 2
    assert [white.error, black.error] == pytest.approx([half, half], abs=1e-6)
    assert (white.games, black.games) == (112, 112)
    ordo = {row["PLAYER"]: float(row["RATING"]) for row in table("tcec_s12_div4/ordo_WD.csv")}
    assert dict(zip(names, ratings.elo, strict=True)) == pytest.approx(ordo, abs=1e-3)


def test_seats_of_every_size_of_table_have_their_own_effects():
    rows = seat_effects(rate_all(luck(), RatingSettings()))
    assert [(row.size, row.seat) for row in rows] == [
        (size, seat) for size in (2, 3, 4) for seat in range(size)
    ]
    for size in 2, 3, 4:
        assert sum(row.elo for row in rows if row.size == size) == pytest.approx(0, abs=1e-9)
        assert sum(row.score for row in rows if row.size == size) == pytest.approx(size / 2)


def mostly(first, second, wins, games):
    """Games of `first` in the first seat against `second`, of which it wins so many."""
    return [
        Outcome((first, second), (1, 2) if number < wins else (2, 1), f"{first}{second}{number}")
        for number in range(games)
    ]


@pytest.mark.parametrize("prior", [0, 0.5])
@pytest.mark.parametrize(
    "outcomes",
    [
        pytest.param(mostly("a", "b", 40, 60), id="every bot keeps its seat"),
        pytest.param(mostly("a", "b", 40, 60) + mostly("b", "c", 30, 60), id="two keep it against the third"),
        pytest.param(
            mostly("a", "b", 40, 60)
            + [game for bot in "ab" for game in mostly(bot, "c", 30, 30) + mostly("c", bot, 0, 30)],
            id="only one-sided games swap seats",
        ),
        pytest.param(mostly("a", "b", 60, 60) + mostly("b", "a", 0, 60), id="one bot always wins"),
        pytest.param(mostly("a", "b", 60, 60) + mostly("b", "a", 60, 60), id="one seat always wins"),
        pytest.param(
            mostly("a", "b", 60, 60) + mostly("b", "a", 30, 60), id="one bot always wins in one seat"
        ),
        pytest.param(mostly("a", "b", 40, 60) + mostly("b", "a", 0, 1), id="seats are swapped once"),
        pytest.param(mostly("a", "b", 9, 60) + mostly("x", "y", 40, 60), id="two pools"),
    ],
)
def test_seats_that_the_games_do_not_tell_have_no_effect(outcomes, prior):
    rows = seat_effects(rate_all(outcomes, RatingSettings(prior=prior)))
    assert {row.elo for row in rows} == {row.error for row in rows} == {None}
    assert {row.games for row in rows} == {sum(game.bots[0] in "abc" for game in outcomes)}


@pytest.mark.parametrize(
    "outcomes",
    [
        pytest.param(mostly("a", "b", 40, 60) + mostly("b", "a", 20, 60), id="seats are swapped"),
        pytest.param(mostly("a", "b", 40, 60) + mostly("b", "a", 1, 2), id="twice"),
        pytest.param(
            mostly("a", "b", 40, 60) + mostly("b", "c", 30, 60) + mostly("c", "a", 20, 60), id="in a circle"
        ),
        pytest.param(mostly("a", "b", 40, 60) + mostly("a", "a", 40, 60), id="a bot meets itself"),
        pytest.param(
            mostly("a", "b", 40, 60) + mostly("b", "a", 20, 60) + mostly("a", "z", 60, 60),
            id="one never wins",
        ),
    ],
)
def test_seats_that_the_games_tell_have_an_effect(outcomes):
    first, second = seat_effects(rate_all(outcomes, RatingSettings()))
    assert first.elo == pytest.approx(-second.elo, abs=1e-9) and first.error > 0


def test_a_seat_without_a_bot_that_counts_has_no_score():
    """After `arena exclude` in a run that has played only the first games of its groups."""
    outcomes = [Outcome(("z", "a", "b"), (2, 1, 3), "1").without({"z"})]
    empty, *others = seat_effects(rate_all(outcomes, RatingSettings()))
    assert (empty.games, empty.score, empty.first) == (0, None, None)
    assert [(row.games, row.score, row.first) for row in others] == [(1, 1, 1), (1, 0, 0)]


@pytest.mark.parametrize("method", METHODS)
def test_the_seats_of_one_size_may_be_told_and_those_of_another_not(method):
    """The bots x and y sit at tables of two only, and always in the same order; the others rotate."""
    outcomes = [*luck(seats=(4, 3)), *mostly("x", "y", 20, 40), *mostly("y", "a", 20, 40)]
    for settings in RatingSettings(method=method), RatingSettings(method=method, seats="fit"):
        field = rate_all(outcomes, settings)
        rows = seat_effects(field)
        assert [row.size for row in rows if row.elo is None] == [2, 2]
        assert [row.size for row in rows if row.elo is not None] == [3, 3, 3, 4, 4, 4, 4]
        by_size = [sum(row.elo for row in rows if row.size == size) for size in (3, 4)]
        assert by_size == pytest.approx([0, 0], abs=1e-9)


def test_fitting_seats_that_the_games_do_not_tell_leaves_the_elo_to_the_games():
    """With the prior to decide, both bots would have the same Elo."""
    outcomes = mostly("a", "b", 40, 60)
    assert standings(outcomes, seats="fit") == standings(outcomes)


# --- perfect scores, cycles, what stands beside the table


def test_the_bound_of_a_perfect_score_is_where_it_would_be_luck():
    outcomes = list(luck())
    outcomes += [duel("best", bot, f"+{number}") for number, bot in enumerate("abcdef" * 2)]
    rows = {row.bot: row for row in standings(outcomes)}
    chance = 1.0
    for bot in "abcdef" * 2:
        chance /= 1 + 10 ** ((rows[bot].elo - rows["best"].bound) / 400)
    assert chance == pytest.approx(0.025, rel=1e-6)
    assert {row.bound for row in rows.values() if row.bot != "best"} == {None}


def test_the_bound_of_a_zero_score_lies_above_it():
    outcomes = [*luck(), *(duel(bot, "worst", f"-{number}") for number, bot in enumerate("abcdef" * 4))]
    worst = standings(outcomes)[-1]
    assert worst.bot == "worst" and worst.elo < worst.bound < 1500


def test_rock_paper_scissors_is_a_cycle():
    circle = [duel(*pair, f"{pair}{number}") for pair in ("rp", "ps", "sr") for number in range(20)]
    others = [
        duel(*pair, f"{pair}{number}", number % 2)
        for pair in ("rx", "px", "sx", "xp")
        for number in range(20)
    ]
    found = transitivity(rate_all(circle + others, RatingSettings()))
    assert found.cycles == (("p", "r", "s"),)
    assert found.probability < 1e-6
    assert found.copeland == {"p": 1.5, "r": 2, "s": 2, "x": 0.5}


def test_bots_of_one_strength_each_are_no_cycle():
    rng = random.Random(3)
    outcomes = []
    for number in range(400):
        one, two = rng.sample("abcde", 2)
        chance = 1 / (1 + exp("abcde".index(two) * 0.5 - "abcde".index(one) * 0.5))
        outcomes.append(duel(*((one, two) if rng.random() < chance else (two, one)), str(number)))
    found = transitivity(rate_all(outcomes, RatingSettings()))
    assert found.cycles == () and found.freedom == 6 and found.probability > 0.01


def ladder(rng, step, groups, games, bots=6):
    """The pairs of a ladder in which Elo is right, this many Elo from each bot to the next."""
    for one, two in combinations(range(bots), 2):
        chance = 1 / (1 + 10 ** (step * (two - one) / 400))
        yield Pair(one, two, rng.binomial(games, chance, groups).astype(float), np.full(groups, games))


@pytest.mark.parametrize("groups", [5, 50, 500])
def test_a_perfect_ladder_is_no_misfit(groups):
    """Each bot wins every game against all below it: nothing contradicts one Elo per bot."""
    outcomes = [
        duel(one, two, f"{one}{two}{group}")
        for one, two in combinations("abcdef", 2)
        for group in range(groups)
    ]
    found = transitivity(rate_all(outcomes, RatingSettings()))
    assert (found.statistic, found.freedom, found.probability) == (0, 0, None)


@pytest.mark.parametrize("step", [600, 800, 1600])
def test_rare_upsets_are_no_misfit(step):
    rng = np.random.default_rng(1)
    for _ in range(10):
        statistic, freedom = misfit([*ladder(rng, step, 100, 2), Pair(6, 7, np.ones(9), np.full(9, 2))])
        assert freedom == 0 or chi_square_tail(statistic, freedom) > 1e-4


def test_bots_too_far_apart_for_an_estimate_have_no_test_of_fit(monkeypatch):
    monkeypatch.setattr(logit, "STEPS", 2)
    assert misfit([*ladder(np.random.default_rng(1), 300, 50, 2)]) == (0, 0)


def test_a_pair_that_is_left_out_does_not_hide_a_misfit():
    rng = np.random.default_rng(1)
    circle = [Pair(one, two, np.full(50, 1.5), np.full(50, 2)) for one, two in ((0, 1), (1, 2))]
    circle += [Pair(0, 2, np.full(50, 0.5), np.full(50, 2))]
    statistic, freedom = misfit(
        [*circle, Pair(2, 3, rng.binomial(2, 0.99, 50).astype(float), np.full(50, 2))]
    )
    assert freedom == 1 and chi_square_tail(statistic, freedom) < 1e-6


@pytest.mark.slow
@pytest.mark.parametrize("step, groups, games", [(0, 50, 2), (100, 50, 2), (200, 50, 2), (400, 100, 100)])
def test_one_in_a_hundred_true_ladders_is_a_misfit(step, groups, games):
    """A share of 0.3 to 3 %, where the test promises 1 %."""
    rng = np.random.default_rng(1)
    tests = [misfit([*ladder(rng, step, groups, games)]) for _ in range(1000)]
    made = [chi_square_tail(statistic, freedom) < 0.01 for statistic, freedom in tests if freedom]
    assert len(made) > 900 and 0.003 < np.mean(made) < 0.03


def test_two_bots_have_no_test_of_transitivity():
    assert transitivity(rate_all([duel("a", "b", "1")], RatingSettings())) is None
    assert transitivity(rate_all([], RatingSettings())) is None


def test_likelihoods_of_superiority_add_up():
    better = superiority(rate_all(luck(), RatingSettings()).ratings)
    np.testing.assert_allclose(better + better.T, 1, atol=1e-12)


def test_too_few_groups_leave_the_errors_unknown_also_with_an_anchor():
    """There are as many groups as free parameters."""
    outcomes = [duel("a", "b", "1"), duel("b", "c", "1"), duel("c", "a", "2"), duel("b", "a", "2")]
    for anchor in (None, Anchor("a", 1000.0)):
        rows = standings(outcomes, anchor=anchor)
        assert [row.error for row in rows if row.bot != "a"] == [None, None]


def test_head_to_head_counts_each_pair_of_seats_once():
    outcomes = [Outcome(("a", "b", "c"), (1, 2, 2), "1"), duel("c", "a", "2")]
    names, tables = to_arrays(outcomes)
    points, met = head_to_head(tables, len(names))
    assert points.tolist() == [[0, 1, 1], [0, 0, 0.5], [1, 0.5, 0]]
    assert met.tolist() == [[0, 1, 2], [1, 0, 1], [2, 1, 0]]


def test_forfeits_may_be_left_out():
    left = standings(tcec(), forfeits="exclude", average=0, prior=0)
    clean = standings([each for each in tcec() if not each.forfeits], average=0, prior=0)
    assert left == clean != standings(tcec(), average=0, prior=0)


def test_a_bot_that_forfeited_every_game_has_no_row_without_them():
    outcomes = [*luck(), *(Outcome(("a", "z"), (1, 2), f"z{number}", {1: "crashed"}) for number in range(3))]
    assert "z" in {row.bot for row in standings(outcomes)}
    assert "z" not in {row.bot for row in standings(outcomes, forfeits="exclude")}


def test_opponents_are_those_met():
    outcomes = [duel("a", "b", "1"), duel("b", "a", "2"), Outcome(("a", "b", "c"), (1, 2, 3), "3")]
    rows = {row.bot: row for row in standings(outcomes)}
    expected = (2 * rows["b"].elo + (rows["b"].elo + rows["c"].elo) / 2) / 3
    assert rows["a"].opponents == pytest.approx(expected)


@pytest.mark.parametrize(
    "x, freedom, p",
    [
        (3.841458820694, 1, 0.05),
        (5.991464547108, 2, 0.05),
        (7.814727903251, 3, 0.05),
        (18.307038053275, 10, 0.05),
        (37.566234786625, 20, 0.01),
        (233.994268893232, 200, 0.05),
        (0, 5, 1),
        (1e-3, 4, 1),
    ],
)
def test_chi_square_is_that_of_the_tables(x, freedom, p):
    assert chi_square_tail(x, freedom) == pytest.approx(p, rel=1e-6)


# --- where Newton's method ends


def steps(monkeypatch, outcomes, prior, method="pairs"):
    """The number of steps of the fit, and whether it converged."""
    taken = []
    original = logit.derivatives
    monkeypatch.setattr(logit, "derivatives", lambda *given: taken.append(1) or original(*given))
    names, tables = to_arrays(list(outcomes))
    model = Model(method, len(names))
    found = maximise(count_stages(model, tables), model, prior)
    return len(taken), found


@pytest.mark.parametrize("method", METHODS)
def test_rounding_errors_do_not_keep_the_fit_from_ending(monkeypatch, method):
    original = equations.solve
    noise = np.random.default_rng(1)
    monkeypatch.setattr(
        equations, "solve", lambda *given: original(*given) + 1e-8 * noise.uniform(-1, 1, given[1].shape)
    )
    taken, found = steps(monkeypatch, luck(), 0.5, method)
    assert taken < 20 and found.converged


def test_conjugate_gradients_come_to_the_same_ratings_and_errors(monkeypatch):
    """They are used for many bots; a chain takes more products than allowed, and is solved directly."""
    chain = [game for number in range(30) for game in mostly(f"{number:02}", f"{number + 1:02}", 2, 3)]
    for outcomes in list(luck()), chain, [*luck(), duel("top", "f", "1")]:
        for settings in RatingSettings(), RatingSettings(prior=0), RatingSettings(seats="fit"):
            direct = rate_all(outcomes, settings)
            with monkeypatch.context() as many:
                many.setattr(equations, "MANY", 1)
                many.setattr(equations, "MAX_PRODUCTS", 20)
                gradients = rate_all(outcomes, settings)
                np.testing.assert_allclose(gradients.ratings.elo, direct.ratings.elo, atol=1e-6)
                np.testing.assert_allclose(gradients.ratings.error, direct.ratings.error, atol=1e-6)
                found = [(row.elo, row.error) for row in seat_effects(gradients)]
            expected = [(row.elo, row.error) for row in seat_effects(direct)]
            np.testing.assert_allclose(np.array(found, float), np.array(expected, float), atol=1e-5)


def test_a_long_chain_of_one_sided_results_takes_its_steps(monkeypatch):
    """Its steps are shortened, so they are equally long for a while, but they are no end."""
    chain = [duel(f"{one:02}", f"{one + 1:02}", f"{one} {game}") for one in range(20) for game in "abc"]
    taken, found = steps(monkeypatch, chain, 1e-4)
    model = Model("pairs", 21)
    slope, _ = logit.derivatives(count_stages(model, to_arrays(chain)[1]), model, 1e-4, found.at)
    assert found.converged and taken > 20 and np.abs(slope).max() < 1e-12
    assert np.ptp(found.at) > 20


def test_a_fit_that_did_not_converge_is_said(monkeypatch):
    assert rate_all(luck(), RatingSettings()).ratings.converged
    monkeypatch.setattr(logit, "STEPS", 4)
    field = rate_all(luck(), RatingSettings())
    assert not field.ratings.converged
    monkeypatch.setattr(logit, "STEPS", 1)
    with pytest.raises(np.linalg.LinAlgError, match="lead to no estimate"):
        rate_all(luck(), RatingSettings())


def test_stages_with_the_same_members_are_counted_together():
    outcomes = [duel("a", "b", "1"), duel("b", "a", "2"), Outcome(("b", "a"), (1, 1), "3")]
    (stages,) = count_stages(Model("pairs", 2), to_arrays(outcomes)[1])
    assert stages.index.tolist() == [[[0], [1]]] and stages.won.tolist() == [[1.5, 1.5]]


def test_a_handful_of_games_takes_little_memory_to_count():
    """Many results with few games each, as in games of several seats with ties, are counted one by one."""
    columns = [np.array([150, 3, 150])] * 2 + [np.array([4, 4, 4])]
    tracemalloc.start()
    first, number = unique_lines(columns, [200, 200, 100])
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert (columns[0][first].tolist(), number.tolist()) == ([3, 150], [1, 0, 1])
    assert peak < 100_000


# --- few groups of one's own


def newcomer(groups, regular=40, rng=None):
    """The regular bots a to f with this many groups, and a bot z that played few groups."""
    rng = rng or random.Random(2)
    yield from luck(regular)
    for number in range(groups):
        winner, loser = ("z", "abcdef"[number % 6]) if rng.random() < 0.5 else ("abcdef"[number % 6], "z")
        yield from (duel(winner, loser, f"new {number}"), duel("z", "abcdef"[number % 6], f"new {number}"))


def test_the_error_of_a_newcomer_has_the_degrees_of_freedom_of_its_own_groups():
    names, tables = to_arrays(list(newcomer(4)))
    ratings = rate(tables, len(names), RatingSettings())
    assert ratings.groups[-1] == 4 and ratings.freedom[-1] == 3
    assert ratings.error[-1] == pytest.approx(ratings.se[-1] * t_quantile(0.95, 3))
    model = Model("pairs", len(names))
    found = maximise(count_stages(model, tables), model, 0.5)
    meat = squares(scores(model, tables, found.at), 44, len(names))
    robust = 4 / 3 * ELO**2 * found.inverse @ meat @ found.inverse
    assert ratings.spread[-1, 0] > sqrt(robust[-1, -1]) * 0.9
    assert 3 <= ratings.spread_freedom[-1, 0] < 8  # nearly all of this error is that of the newcomer


def test_a_bot_of_a_single_group_has_rough_errors_and_so_has_all_if_it_is_the_anchor():
    """Its own scores add up to 0, as in any fit, so between groups there is nothing of it to see."""
    outcomes = [*luck(), duel("z", "c", "one"), duel("d", "z", "one")]
    names = sorted({bot for each in outcomes for bot in each.bots})
    free, fixed = (
        rate_all(outcomes, RatingSettings(anchor=anchor)).ratings for anchor in (None, Anchor("z", 1000.0))
    )
    assert [name for name, is_rough in zip(names, free.rough, strict=True) if is_rough] == ["z"]
    assert fixed.rough.tolist() == [name != "z" for name in names]
    for spread in (free.spread, free.spread.T):
        assert spread[:-1, :-1].max() < 70 and spread[-1, :-1].min() > 250
    assert free.se[:-1].max() < 40 and free.se[-1] > 200
    np.testing.assert_allclose(fixed.se[:-1], fixed.spread[-1, :-1])


def test_a_single_group_has_a_rough_error():
    rows = {row.bot: row for row in standings([*luck(), duel("z", "a", "new"), duel("b", "z", "new")])}
    assert "~" in rows["z"].flags and rows["z"].error > 100
    assert all("~" not in row.flags for bot, row in rows.items() if bot != "z")


def test_many_groups_of_ones_own_leave_the_error_to_all():
    names, ratings = fit(luck(3000))
    freedom = 3000 - len(names) + 1
    assert ratings.freedom.max() < freedom
    np.testing.assert_allclose(ratings.error, ratings.se * t_quantile(0.95, freedom), rtol=2e-3)


def test_the_distance_to_an_anchor_has_the_freedom_of_both():
    names, ratings = fit(newcomer(4), anchor=Anchor("z", 1000))
    assert (ratings.freedom[:-1] < 8).all() and ratings.error[-1] == 0
    _, other = fit(newcomer(4), anchor=Anchor("a", 1000))
    assert other.freedom[names.index("z")] < 8 < other.freedom[names.index("b")]


def test_repeating_a_group_moves_neither_the_bound_nor_a_rough_error_inwards():
    outcomes = [*luck(), *(duel("best", bot, f"+{number}") for number, bot in enumerate("abcdef" * 2))]
    extra = [outcome for outcome in outcomes if outcome.bots[0] == "best"] * 4
    once, often = (
        {row.bot: row for row in standings(each, anchor=Anchor("a", 0))}
        for each in (outcomes, outcomes + extra)
    )
    assert often["best"].bound == pytest.approx(once["best"].bound, abs=25)
    assert often["best"].error >= once["best"].error


def test_a_bound_counts_the_hardest_opponent_of_a_group():
    outcomes = list(luck())
    for number in range(12):
        outcomes += [duel("best", "a", f"+{number}"), Outcome(("best", "b", "f"), (1, 2, 3), f"+{number}")]
    rows = {row.bot: row for row in standings(outcomes)}
    hardest = max(rows[bot].elo for bot in "abf")
    chance = (1 / (1 + 10 ** ((hardest - rows["best"].bound) / 400))) ** 12
    assert chance == pytest.approx(0.025, rel=1e-6)


# --- ranges of ranks


@pytest.mark.parametrize(
    "bots, critical", [(2, 1.960), (3, 2.344), (5, 2.728), (10, 3.164), (20, 3.541)], ids=str
)
def test_the_critical_value_of_equal_errors_is_that_of_tukey(bots, critical):
    """The .95 quantiles of the studentized range with infinite degrees of freedom, divided by √2."""
    assert critical_value(np.sqrt(2) * (1 - np.eye(bots)), 0.95) == pytest.approx(critical, abs=0.04)


def test_the_critical_value_of_very_many_bots_is_bonferronis_bound(monkeypatch):
    """It holds for any covariance, and is not much more than the simulated one."""
    spread = np.sqrt(2) * (1 - np.eye(60))
    simulated = critical_value(spread, 0.95)
    monkeypatch.setattr("arena.rating.ranges.MAX_SIMULATED", 59)
    assert simulated < critical_value(spread, 0.95) < 1.08 * simulated


def test_the_standings_compare_only_neighbours(monkeypatch):
    """The likelihoods of all pairs took a quarter of the time of 2000 bots."""
    expected = standings(luck())
    better = superiority(rate_all(luck(), RatingSettings()).ratings)
    monkeypatch.setattr("arena.rating.superiority.superiority", None)
    assert standings(luck()) == expected
    names = [*"abcdef"]
    for row, following in pairwise(expected):
        assert row.los == better[names.index(row.bot), names.index(following.bot)]


def test_components_of_random_graphs_are_those_of_paths():
    rng = np.random.default_rng(1)
    for _ in range(100):
        links = rng.random((12, 12)) < rng.choice([0.05, 0.1, 0.3])
        reach = links | np.eye(12, dtype=bool)
        for middle in range(12):
            reach |= reach[:, [middle]] & reach[[middle]]
        assert components(links).tolist() == (reach & reach.T).argmax(axis=1).tolist()


def test_the_critical_value_knows_bots_that_move_together():
    """If one bot is far less sure than the others, all its differences to them are nearly the same."""
    spread = np.full((10, 10), 0.01 * sqrt(2))
    spread[0] = spread[:, 0] = 1
    np.fill_diagonal(spread, 0)
    assert 1.9 < critical_value(spread[:2, :2], 0.95) < 2 < critical_value(spread, 0.95) < 3.2


def test_equal_bots_have_ranges_that_hold_together():
    """In each sample a range is wrong if it lacks some rank: with equal bots, all are possible."""

    def right(ranges):
        rng, good = random.Random(5), 0
        for _ in range(60):
            outcomes = []
            for number in range(200):
                pair = rng.sample("abcdefghijklmnop", 2)
                outcomes.append(duel(*pair, f"{number}"))
            good += all(row.rank_range == (1, 16) for row in standings(outcomes, ranges=ranges))
        return good / 60

    assert right("simultaneous") > 0.88 > 0.75 > right("pairwise")


def test_pairwise_ranges_are_those_of_the_likelihood_of_superiority():
    names = to_arrays(list(luck()))[0]
    better = superiority(rate_all(luck(), RatingSettings()).ratings)
    for row in standings(luck(), ranges="pairwise"):
        number = names.index(row.bot)
        surely = (better[:, number] > 0.975).sum(), (better[number] > 0.975).sum()
        assert row.rank_range == (1 + surely[0], len(names) - surely[1])
