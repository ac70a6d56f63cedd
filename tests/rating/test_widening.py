"""Errors where results decide which bots meet: how often they hold, and which tables have them."""

from dataclasses import replace
from functools import cache

import formats
import numpy as np
import pytest
from instant_games import Instant, plan

from arena.rating.course import course
from arena.rating.settings import RatingSettings, Widening
from arena.rating.standings import rate_all
from arena.show.tables.report import Report
from arena.show.tables.standings import live, standings
from arena.tournament import run as tournament
from arena.tournament.formats import find, planned
from arena.tournament.runs.sources import load
from arena.tournament.runs.store import Store

CASES = {
    "swiss": formats.Case("", "swiss", {"groups": 4, "rounds": 5}),
    "adaptive": formats.Case("", "adaptive", {"games": 16 * 15}),
    "ladder": formats.Case("", "ladder", {"games": 16 * 8}),
}


@cache
def equal_bots(form: str) -> list[formats.Standings]:
    return [formats.tournament(CASES[form], 2, 0, f"{form} {sample}") for sample in range(40)]


@pytest.mark.parametrize("form", CASES)
def test_of_equal_bots_at_least_about_94_percent_are_within_their_interval(form):
    """The rate of 640 bots, with a standard error below 1.5 %; without the widening it is below 91 %."""
    assert np.concatenate([*map(formats.hits, equal_bots(form))]).mean() > 0.92
    bare = [
        formats.Standings(replace(found.field, ratings=narrowed(found.field.ratings, form)), found.theta)
        for found in equal_bots(form)
    ]
    assert np.concatenate([*map(formats.hits, bare)]).mean() < 0.91


def narrowed(ratings, form):
    (widening,) = find(form).widenings
    factor = widening.factor(ratings.groups, 2)
    return replace(ratings, error=ratings.error / factor)


def test_of_equal_bots_in_a_swiss_hardly_one_is_surely_better():
    """At most 5 % of the standings may say so: more than 6 of 40 has a probability below 1 %."""
    assert sum(not formats.are_right(found) for found in equal_bots("swiss")) <= 6


def test_a_swiss_widens_for_ever_an_adaptive_run_less_and_less():
    few, many = np.array([1, 10]), np.array([100, 10_000])
    swiss, adaptive, ladder = (find(form).widenings[0] for form in CASES)
    assert (swiss.factor(few, 2) == swiss.factor(many, 2)).all() and swiss.factor(few, 2)[0] > 1.3
    for widening in (adaptive, ladder):
        assert widening.factor(few, 2)[0] == widening.factor(few, 2)[1] > 1.25
        assert 1.1 > widening.factor(many, 2)[0] > widening.factor(many, 2)[1] > 1
    assert (swiss.factor(few, 4) < swiss.factor(few, 2)).all()
    assert (Widening().factor(many, 2) == 1).all()


def test_formats_whose_games_do_not_follow_from_results_widen_nothing():
    assert {name for name, form in planned().items() if form.widenings} == {*CASES, "knockout"}


@pytest.fixture
def run(tmp_path):
    """Plays a plan at tables of two, and returns its file."""

    def play(form, **keys):
        path = tmp_path / f"{form}.db"
        whole = replace(plan(form, **keys), seats=(2,))
        with Store(path, writer=True) as store:
            tournament.run(tournament.prepare(whole, store), store, Instant, lambda _: None, lambda _: None)
        return path

    return play


def note(report) -> str:
    return next((line for line in standings(report).notes if "results decided" in line), "")


def test_the_table_of_a_swiss_has_wider_errors_than_the_same_games_elsewhere(run):
    source = load([run("swiss", groups=3)])
    swiss, bare = (Report(source, source.settings), Report(replace(source, widenings=()), source.settings))
    for one, other in zip(swiss.rows, bare.rows, strict=True):
        assert (one.bot, one.elo, one.score) == (other.bot, other.elo, other.score)
        assert one.error == pytest.approx(2**0.5 * other.error) and one.se == pytest.approx(2**0.5 * other.se)
        assert one.rank_range[0] <= other.rank_range[0] and one.rank_range[1] >= other.rank_range[1]
    np.testing.assert_allclose(swiss.field.ratings.spread, 2**0.5 * bare.field.ratings.spread)
    assert "errors are 41% larger" in note(swiss) and not note(bare)


def test_runs_together_have_the_largest_widening(run):
    robin, swiss = run("round-robin", groups=1), run("swiss", groups=3)
    assert not load([robin]).widenings
    both = load([robin, swiss])
    assert "errors are 41% larger" in note(Report(both, both.settings))


def test_a_run_of_an_unknown_format_has_a_table(run):
    path = run("round-robin", groups=1)
    with Store(path, writer=True) as store:
        store.write_facts(replace(store.facts, plan={**store.facts.plan, "format": "blitz"}))
    assert not load([path]).widenings


def test_the_course_and_the_table_while_it_is_played_have_it_too(run):
    with Store(run("swiss", groups=3)) as store:
        played = dict(store.played())
    whole = replace(plan("swiss", groups=3), seats=(2,))
    source = load([store.path])
    rows = {row.bot: row.error for row in Report(source, source.settings).rows}
    *_, last = course(source.outcomes, source.settings, 2, source.widenings)
    assert last.error == pytest.approx(rows)
    shown = live(whole, played)
    assert shown and {row["bot"]: row["error"] for row in shown.rows} == pytest.approx(rows)


def test_no_games_have_nothing_to_widen():
    assert rate_all([], RatingSettings(), find("swiss").widenings).names == []


def test_the_table_of_formats_has_a_line_for_each():
    rows = [formats.measure(CASES["swiss"], seats, 2) for seats in (2, 4)]
    *_, heads, two, four = formats.table(rows)
    assert heads.split() == ["seats", "±", "0", "50", "100", "200", "error", "ranges", "0", "50", "first"]
    for line, seats in ((two, 2), (four, 4)):
        size, *shares, excess = line.split()
        assert int(size) == seats and float(excess) > 0 and len(shares) == 7
        assert all(0 <= float(share) <= 100 for share in shares)
