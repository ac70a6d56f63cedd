"""The games worth watching, and the bracket: their measures by example."""

from types import SimpleNamespace as Made

import pytest

from arena.referee.placings import PlayedRound, PlayedTable, Seated
from arena.rules import Figure, Mark
from arena.show.pages.featured import Drama, closest_ending, featured_games, longest_bluff
from arena.show.pages.notable import NotableGames
from arena.show.pages.rounds import bracket
from arena.show.tables.review import SeatScore
from arena.tournament.runs.account import Told
from arena.tournament.runs.moments import Moment


def moments(*news):
    return [Moment((Told(number, None, text),), (), ()) for number, text in enumerate(news, 1)]


def bluffs(*marks):
    """A game in which these claims were made: `true`, `lie`, or `caught`."""
    observed = []
    for mark in marks:
        observed.append(Mark("bluffs", 0, mark != "true"))
        if mark == "caught":
            observed.append(Mark("caught", 0, 1, of=0))
    return Made(figures={"bluffs": Figure("")}, observe=lambda log: observed)


@pytest.mark.parametrize(
    ("claims", "length", "begin"),
    [
        (["lie", "lie", "true", "lie"], 2, 0),
        (["true", "lie", "lie", "caught", "lie"], 2, 1),
        (["lie", "true", "lie", "lie", "lie"], 3, 2),
        (["caught", "lie", "true"], 0, 0),  # one bluff is no chain
    ],
)
def test_a_chain_of_bluffs_ends_with_the_truth_or_when_one_is_caught(claims, length, begin):
    told = moments(*(text for _ in claims for text in ("turn 1 p1", "claim p1 duchess")))
    found = longest_bluff(bluffs(*claims), [], told)
    assert found == (
        Drama(length, 2 * begin + 1, f"{length} bluffs in a row, and none of them was caught")
        if length
        else None
    )


def test_broken_promises_are_the_bluffs_of_intrigue():
    marks = [Mark("kept", 0, kept) for kept in (1, 0, 0)]
    game = Made(figures={"kept": Figure("")}, observe=lambda log: marks)
    told = moments(
        "promise 1 p1 kept 1", "promise 2 p1 void 1", "promise 3 p1 broken 1", "promise 4 p1 broken 1"
    )
    assert longest_bluff(game, [], told) == Drama(2, 2, "2 promises in a row were broken")


STAND = (
    "lose p1 duchess cause=coup",
    "lose p2 captain cause=coup",
    "turn 8 p1",
    "turn 9 p2",
    "lose p2 duchess cause=coup",
)


@pytest.mark.parametrize(
    ("news", "result", "value"),
    [
        (STAND, ([1, 2], None), 2),  # both had one card for two turns
        (STAND[1:], ([1, 2], None), None),  # the winner had two cards
        ((), ([1, 2], [80, 60]), -0.25),
        ((), ([1, 1], [0, 0]), None),
    ],
)
def test_the_end_is_close_if_the_last_two_stand_long_or_have_equal_scores(news, result, value):
    found = closest_ending(Made(result=result), moments(*news))
    assert (found and found.value) == value


def test_no_game_is_featured_twice():
    games = [Made(game=Made(places=(1, 2), forfeits=forfeits)) for forfeits in ({}, {}, {1: "late"})]
    notable = {
        "a": NotableGames([SeatScore(2, 0, 1, 0.1), SeatScore(0, 0, 1, 0.2), SeatScore(1, 0, 1, 0.4)], [])
    }
    ends = {0: Drama(9, 5, "close"), 1: Drama(3, 7, "less close")}
    found = [(each.title, each.at, each.moment) for each in featured_games(games, notable, {}, ends)]
    assert found == [("The biggest upset", 0, 0), ("The closest ending", 1, 7)]


def table(*bots, title=""):
    """A table from which the first bot advances."""
    return PlayedTable(tuple(Seated(bot, 0.5, bot == bots[0]) for bot in bots), (), title=title)


def test_tables_that_meet_later_stand_side_by_side():
    rounds = [
        PlayedRound(1, "quarter-finals", (table("a", "h"), table("b", "g"), table("d", "e")), ("c",)),
        PlayedRound(2, "semi-finals", (table("a", "d"), table("b", "c")), ()),
        PlayedRound(3, "final", (table("a", "b"), table("d", "c", title="third place")), ()),
    ]
    columns, is_tree = bracket(rounds)
    names = [
        [each if isinstance(each, str) else each.bots[0].bot for each in column.entries] for column in columns
    ]
    assert names == [["a", "d", "b", "c"], ["a", "b"], ["a"]] and is_tree
    assert [len(column.others) for column in columns] == [0, 0, 1]
    rounds[1] = PlayedRound(2, "semi-finals", (table("a", "b", "d", "c"),), ())
    assert not bracket(rounds)[1]  # no lines if they would not show who meets whom
