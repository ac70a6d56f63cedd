"""Games in which one seat acts at a time, by numbers, as the adapter to OpenSpiel plays them."""

import copy
import pickle
import random
from collections import Counter

import pytest
from other_game import install

import arena
from arena.games import GAMES, INSTALLED
from arena.library.sequential import CHANCE, OVER, layout, words_of
from arena.rules import Ask

TABLES = [
    ("complots", {}),
    ("complots", {"seats": 3, "cast": "inquisitor"}),
    ("complots", {"seats": 4, "priority": "random", "treasury": "unlimited"}),
    ("local", {"seats": 3}),
    ("intrigue", {"rounds": 2, "private": True, "press": 3}),
    ("intrigue", {"seats": 4, "rounds": 2, "bribe_unit": "advisor"}),
]


def layout_of(name, by_score=True, seats=None, **options):
    table = arena.table(name, seats, **options)
    return layout(table.name, table.seats, tuple(table.options.items()), by_score)


def positions(game, dice):
    """The positions of a game that is played at random; the last one is at its end."""
    while game.player != OVER:
        yield game
        game.act(dice.choice(list(game.legal())))
    yield game


@pytest.mark.parametrize(("name", "options"), TABLES)
def test_a_random_game(name, options):
    """Information is that of the library, numbers are words, copies and pickles go on like the original."""
    known, dice = layout_of(name, **options), random.Random(name)
    for count, game in enumerate(positions(known.first.copy(), dice)):
        step = game.match.step
        assert list(game.legal()) == sorted(game.legal()) and len(set(game.legal().values())) == len(
            game.legal()
        )
        assert all(0 <= number < known.extent.actions for number in game.legal())
        if game.player == CHANCE:
            assert sum(chance for _, chance in game.chances()) == pytest.approx(1)
        elif game.player != OVER:
            assert all(step.choices[game.player].accepts(word) for word in game.legal().values())
        if count % 7 == 0:
            twins = [game.copy(), copy.deepcopy(game), pickle.loads(pickle.dumps(game))]
            for twin in twins if game.player != OVER else ():
                twin.act(dice.choice(list(twin.legal())))
            assert all(twin.match is not game.match for twin in twins)
        if isinstance(step, Ask) and not game.answers:
            state = arena.State(known.table, game.match)
            assert game.information == [
                "\n".join(state.information(seat)) for seat in range(known.table.seats)
            ]
    again = known.first.copy()
    for word in words_of(game.match):
        again.act(again.number(word))
    assert again.information == game.information
    assert count <= known.extent.longest
    low, high = known.range
    assert all(low <= each <= high for each in known.returns(game.match))


def test_a_copy_in_the_middle_of_answers_goes_on_alike():
    game = layout_of("complots", starter="p1").first.copy()
    for word in (
        "captain",
        "duchess",
        "contessa",
    ):  # two are dealt, the last is the draft of the first player
        game.act(game.number(word))
    twins = [game, game.copy(), pickle.loads(pickle.dumps(game))]
    for twin in twins:
        assert (twin.player, list(twin.answers)) == (1, [0])
        assert twin.information[0].endswith("\nanswer " + twin.answers[0])
        assert "answer" not in twin.information[1]
        twin.act(twin.number("captain"))
    assert len({twin.text() for twin in twins}) == 1
    assert {tuple(twin.information) for twin in twins} == {tuple(game.information)}


def test_returns_are_scores_where_the_game_has_them():
    for by_score, total in ((True, None), (False, 0.0)):
        known = layout_of("intrigue", by_score, rounds=2)
        *_, game = positions(known.first.copy(), random.Random(1))
        assert known.total == total
        scores = list(map(float, game.match.result[1]))
        assert (known.returns(game.match) == scores) == by_score
        assert known.returns(known.first.match) == [0.0] * 3
    for name in ("complots", "local"):
        assert (layout_of(name).range, layout_of(name).total) == ((-1.0, 1.0), 0.0)


@pytest.fixture
def poker(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(install(tmp_path)["PYTHONPATH"])
    layout.cache_clear()
    yield layout_of("poker", bet=3)
    INSTALLED.pop("poker")


def test_a_game_of_another_package_is_explored_if_it_is_small(poker):
    extent = poker.extent
    assert (extent.actions, extent.outcomes, extent.longest) == (2, 3, 3)
    assert (extent.scores, extent.total) == ((-4.0, 4.0), 0.0)
    game = poker.first.copy()
    assert game.legal() == {0: "jack", 1: "queen", 2: "king"} and game.chances()[0] == (0, 1 / 3)
    for number in (2, 1):
        game.act(number)
    assert game.legal() == {0: "check", 1: "bet"}
    ends = Counter()
    for seed in range(30):
        *_, end = positions(poker.first.copy(), random.Random(seed))
        ends[tuple(poker.returns(end.match))] += 1
    assert ends.keys() == {(-4.0, 4.0), (4.0, -4.0), (-1.0, 1.0), (1.0, -1.0)}


def test_what_is_not_legal():
    game = layout_of("complots").first.copy()
    with pytest.raises(arena.LibraryError, match=r"the action 99 is not legal; legal: \{0: 'p1', 1: 'p2'\}"):
        game.act(99)
    assert set(GAMES) == {"complots", "local", "intrigue"}  # each has a table above
