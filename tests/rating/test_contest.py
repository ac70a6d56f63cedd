"""What contests count beside the Elo: points, tie-breaks, results against each opponent, and the course."""

import re
from itertools import combinations
from math import log

import numpy as np
import pytest
from outcomes import DATA, duel, luck, tcec

from arena.rating.course import changes, course
from arena.rating.estimate import ELO
from arena.rating.opponents import difference_errors, differences, expected_scores, opponents
from arena.rating.outcomes import Outcome
from arena.rating.points import contest_columns, position_points
from arena.rating.rows import standings
from arena.rating.settings import Anchor, RatingSettings
from arena.rating.standings import rate_all

ROUND_ROBIN = [
    duel("a", "b", "1"),
    duel("a", "c", "2", tie=True),
    duel("d", "a", "3"),
    duel("b", "c", "4"),
    duel("b", "d", "5", tie=True),
    duel("c", "d", "6", tie=True),
]


def rows(outcomes, **settings):
    return {row.bot: row for row in standings(rate_all(outcomes, RatingSettings(**settings)))}


# --- points and tie-breaks


def test_the_tie_breaks_of_a_round_robin():
    """A crosstable of chess, added up by hand (FIDE Handbook C.07)."""
    found = rows(ROUND_ROBIN, order="points")
    assert list(found) == ["d", "a", "b", "c"] and [row.rank for row in found.values()] == [1, 2, 3, 4]
    assert {bot: (row.wins, row.draws, row.losses) for bot, row in found.items()} == {
        "a": (1, 1, 1), "b": (1, 1, 1), "c": (0, 2, 1), "d": (1, 2, 0),
    }  # fmt: skip
    assert {bot: row.points for bot, row in found.items()} == {"a": 1.5, "b": 1.5, "c": 1, "d": 2}
    assert {bot: row.direct for bot, row in found.items()} == {"a": 1, "b": 0, "c": None, "d": None}
    sonneborn_berger = {bot: row.sonneborn_berger for bot, row in found.items()}
    assert sonneborn_berger == {
        "a": 1.5 + 1 / 2,
        "b": 1 + 2 / 2,
        "c": 1.5 / 2 + 2 / 2,
        "d": 1.5 + (1.5 + 1) / 2,
    }
    assert {bot: row.buchholz for bot, row in found.items()} == {"a": 4.5, "b": 4.5, "c": 5, "d": 4}
    assert {row.los for row in found.values()} == {None}


def test_bots_that_no_tie_break_parts_share_a_rank():
    found = rows(
        [duel("a", "b", "1"), duel("b", "a", "2"), duel("a", "c", "3"), duel("b", "c", "4")], order="points"
    )
    assert [(row.bot, row.rank, row.direct) for row in found.values()] == [
        ("a", 1, 0.5),
        ("b", 1, 0.5),
        ("c", 3, None),
    ]


@pytest.mark.parametrize(
    "places, scale, points",
    [
        ((1, 2), (), [1, 0]),
        ((1, 1), (), [0.5, 0.5]),
        ((1, 2, 3, 4), (), [1, 2 / 3, 1 / 3, 0]),
        ((1, 2, 2, 4), (), [1, 0.5, 0.5, 0]),
        ((1, 2, 3, 4), (10, 6, 3, 1), [10, 6, 3, 1]),
        ((1, 2, 2, 4), (10, 6, 3, 1), [10, 4.5, 4.5, 1]),
        ((1, 1, 1), (10, 6), [16 / 3] * 3),
        ((1, 2, 3), (1,), [1, 0, 0]),
        ((1, 1), (3, 0, 7), [1.5, 1.5]),
    ],
)
def test_points_for_places(places, scale, points):
    assert position_points(places, scale) == pytest.approx(points)


def test_thirds_that_are_equal_make_a_tie():
    games = [Outcome(("a", "b", "c"), (1, 1, 1), "1"), Outcome(("a", "b", "c"), (1, 1, 1), "2")]
    games += [
        Outcome(("a", "d", "e", "c"), (2, 1, 3, 4), "3"),
        Outcome(("b", "d", "e", "c"), (2, 1, 3, 4), "4"),
    ]
    found = rows(games, points=(1,), order="points")
    assert found["a"].points == found["c"].points and found["a"].rank == found["b"].rank


def test_winnings_add_up_to_nothing():
    found = rows([Outcome(("a", "b", "c", "d"), (1, 2, 2, 4), "1"), Outcome(("a", "b", "c"), (1, 1, 3), "2")])
    assert [found[bot].net for bot in "abcd"] == [(3 + 0.5) / 2, (-1 + 0.5) / 2, -1, -1]
    found = rows(luck())
    assert sum(row.net * row.games for row in found.values()) == pytest.approx(0)


def test_a_bot_that_meets_itself_gets_points_and_no_tie_breaks():
    (row,) = rows([Outcome(("a", "a"), (1, 2), "1")]).values()
    assert (row.points, row.direct, row.sonneborn_berger, row.buchholz, row.net) == (1, None, 0, 0, 0)


def test_points_are_the_sum_of_the_scores():
    for row in rows(luck()).values():
        assert row.points == pytest.approx(row.score * row.games)


def test_the_order_of_the_games_does_not_matter():
    games = list(luck())
    assert rows(games, order="points", points=(3, 1)) == rows(games[::-1], order="points", points=(3, 1))


def test_no_games_have_no_columns():
    assert all(column == [] for column in contest_columns([], np.zeros(0)).values())


def test_games_of_four_have_no_wins_draws_and_losses_of_duels():
    field = rate_all(
        [Outcome(tuple("abcd"), (1, 2, 3, 4), f"{number}") for number in range(9)], RatingSettings()
    )
    assert {(row.wins, row.draws, row.losses) for row in standings(field)} == {(None, None, None)}
    assert {(row.wins, row.draws, row.losses) for row in opponents(field, "a")} == {(None, None, None)}


# --- two bots


def test_each_opponent_is_as_in_ordos_head_to_head():
    """`ordo -W -D -j`: results, percentages and differences of all pairs."""
    field = rate_all(tcec(), RatingSettings(prior=0, average=0, seats="fit"))
    shown = (DATA / "tcec_s12_div4/ordo_WD_h2h.txt").read_text()
    blocks = re.split(r"\n\d+\) ", shown)[1:]
    assert len(blocks) == 8
    for block in blocks:
        head, *lines = block.splitlines()
        bot = next(name for name in field.names if head.startswith(name))
        *each, whole = opponents(field, bot)
        total = [int(number) for number in re.search(r"\(\+(\d+),=(\d+),-(\d+)\)", head).groups()]
        assert [whole.wins, whole.draws, whole.losses] == total and whole.bot == ""
        for row in each:
            line = next(line for line in lines if line.strip().startswith(row.bot))
            games, won, drawn, lost, percent, gap = re.search(
                r":\s+(\d+) \(\s*(\d+),\s*(\d+),\s*(\d+)\),\s*([\d.]+) :\s*([-+\d.]+),", line
            ).groups()
            assert (row.meetings, row.wins, row.draws, row.losses) == tuple(
                map(int, (games, won, drawn, lost))
            )
            assert 100 * row.score == pytest.approx(float(percent), abs=0.06)
            one, two = field.names.index(bot), field.names.index(row.bot)
            assert differences(field.ratings)[one, two] == pytest.approx(float(gap), abs=2e-3)


def test_the_performance_is_the_elo_that_would_score_so():
    field = rate_all(
        [duel("a", "b", f"{n}", tie=n > 2) for n in range(8)] + [duel("c", "a", "x")], RatingSettings()
    )
    *each, whole = opponents(field, "a")
    of = dict(zip(field.names, field.ratings.elo, strict=True))
    (b,) = [row for row in each if row.bot == "b"]
    assert b.score == (3 + 5 / 2) / 8 and b.performance == pytest.approx(of["b"] + ELO * log(5.5 / 2.5))
    (c,) = [row for row in each if row.bot == "c"]
    assert c.performance is None and c.score == 0
    scored = sum(
        meetings / (1 + np.exp((of[bot] - whole.performance) / ELO)) for bot, meetings in (("b", 8), ("c", 1))
    )
    assert scored == pytest.approx(5.5) and whole.meetings == 9


def test_the_expected_score_of_all_meetings_is_the_score():
    """Without a prior, the fit equals each bot's score to what is expected of it."""
    field = rate_all(tcec(), RatingSettings(prior=0))
    for bot in field.names:
        *_, whole = opponents(field, bot)
        assert whole.expected == pytest.approx(whole.score, abs=1e-9)


def test_differences_have_the_interval_of_their_own_covariance():
    field = rate_all(luck(), RatingSettings(confidence=0.9))
    gaps, errors, expected = (
        differences(field.ratings),
        difference_errors(field.ratings, field.settings),
        expected_scores(field.ratings),
    )  # fmt: skip
    for one, two in combinations(range(len(field.names)), 2):
        assert gaps[one, two] == -gaps[two, one]
        assert errors[one, two] == pytest.approx(errors[two, one])
        assert expected[one, two] == pytest.approx(1 - expected[two, one])
        anchored = rate_all(luck(), RatingSettings(confidence=0.9, anchor=Anchor(field.names[two], 0)))
        assert errors[one, two] == pytest.approx(anchored.ratings.error[one])
    assert np.isnan(np.diag(gaps)).all()


def test_bots_of_different_pools_have_no_difference():
    field = rate_all(
        [*luck(), *(duel(*pair, f"{pair}{n}") for pair in ("xy", "yx") for n in range(9))], RatingSettings()
    )
    x, a = field.names.index("x"), field.names.index("a")
    for matrix in (differences(field.ratings), difference_errors(field.ratings, field.settings)):
        assert np.isnan(matrix[x, a])


# --- over time


def test_the_course_ends_in_the_standings():
    games = list(luck())
    found = list(course(games, RatingSettings(), 5))
    assert [point.groups for point in found] == [12, 24, 36, 48, 60]
    field = rate_all(games, RatingSettings())
    assert found[-1].elo == dict(zip(field.names, field.ratings.elo.tolist(), strict=True))
    assert found[-1].games == len(games)
    first = rate_all([game for game in games if int(game.group.split()[1]) < 12], RatingSettings())
    assert found[0].elo == dict(zip(first.names, first.ratings.elo.tolist(), strict=True))


@pytest.mark.parametrize(
    "groups, parts, counts", [(3, 5, [1, 2, 3]), (7, 3, [3, 5, 7]), (1, 1, [1]), (0, 4, [])]
)
def test_the_course_of_few_groups(groups, parts, counts):
    games = [duel("a", "b", f"{group}") for group in range(groups)]
    assert [point.groups for point in course(games, RatingSettings(), parts)] == counts


def test_what_each_version_gained():
    names = ["bot@00aa11", "bot@22bb33", "bot"]
    games = [
        duel(*pair, f"{name}{n}") for name in names for n in range(40)
        for pair in [(name, "x")] * (names.index(name) + 1) + [("x", name)]
    ]  # fmt: skip
    field = rate_all(games, RatingSettings())
    ((first, second, third),) = changes(field, games)
    assert [row.bot for row in (first, second, third)] == names and first.gain is None
    assert second.gain == pytest.approx(second.elo - first.elo) and second.gain > 50
    assert third.los > 0.8 and third.error > 0
    assert list(changes(rate_all(luck(), RatingSettings()), luck())) == []


def test_a_name_like_an_address_is_no_version():
    games = [duel("kim@home", "kim", f"{n}") for n in range(3)]
    assert list(changes(rate_all(games, RatingSettings()), games)) == []
