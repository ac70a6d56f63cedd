"""What `adaptive` remembers from game to game: in which style each name plays, and how often it does what."""

import sys
from typing import Any

import pytest
from samples import CHECKOUT

sys.path.insert(0, str(CHECKOUT / "bots" / "python" / "searching"))
from main import FEW, REMEMBERED, Memory, Player
from rates import MOST
from rules import ASSASSIN, CAPTAIN, DUCHESS

STYLES = ["honest", "liar", "random"]
HONEST, LIAR = ({style: float(style == each) for style in STYLES} for each in ("honest", "liar"))
LIES = ["secret hand contessa assassin", "event turn 1 p2", "event claim p2 duchess", "event take p2 3"]


def player(memory: Memory | None, names: str = "", seats: int = 3, game: str = "complots") -> Player:
    words = ["1", game, f"seats={seats}", "you=p1", "seed=1", *([f"names={names}"] if names else [])]
    return Player(words, FEW, memory)


def hear(new: Player, lines: list[str]) -> Player:
    for line in lines:
        verb, *words = line.split()
        new.hear(verb, words)
    return new


def prior(new: Player, seat: int) -> dict[str, float]:
    """What the beliefs of a new game begin with: how probable each style of a seat is."""
    return new.table.style_shares()[seat]


def test_a_name_that_is_unknown_may_play_in_any_style():
    assert Memory().prior("ann", STYLES) == dict.fromkeys(STYLES, pytest.approx(1 / 3))


def test_the_styles_of_a_name_are_averaged_and_none_is_excluded():
    memory = Memory()
    for shares in (HONEST, HONEST, LIAR, HONEST):
        memory.learn("ann", shares, {})
    odds = memory.prior("ann", STYLES)
    assert odds["honest"] > 2 * odds["liar"] > 2 * odds["random"] > 0
    assert sum(odds.values()) == pytest.approx(1)
    assert memory.prior("bob", STYLES) == dict.fromkeys(STYLES, pytest.approx(1 / 3))


def test_the_oldest_games_are_forgotten():
    memory = Memory()
    for shares in [HONEST] * 20 + [LIAR] * REMEMBERED:
        memory.learn("ann", shares, {})
    odds = memory.prior("ann", STYLES)
    assert odds["honest"] == odds["random"] < 0.02
    memory.learn("ann", HONEST, {})
    assert memory.prior("ann", STYLES)["honest"] > 0.02


@pytest.mark.parametrize("game", ["complots", "local"])
def test_each_seat_is_remembered_by_its_name_and_the_next_game_begins_with_it(game):
    memory = Memory()
    first = hear(player(memory, "me,ann,bob", game=game), ["event turn 1 p2", "event action p2 income"])
    some = {1: first.table.style_shares()[1], 2: first.table.style_shares()[2]}
    first.end()
    assert len(set(some[1].values())) > 1 and some[1] != some[2]  # ann has done something, bob has not
    second = player(memory, "bob,me,ann", game=game)
    weight = 2 / len(some[1])  # of each style, in two games that are made up
    assert prior(second, 2) == pytest.approx({name: (weight + share) / 3 for name, share in some[1].items()})
    assert prior(second, 1) == pytest.approx(dict.fromkeys(some[1], 1 / len(some[1])))  # "me" is not watched


def test_two_seats_of_one_name_are_two_games_of_it():
    memory = Memory()
    player(memory, "me,ann,ann").end()
    assert [len(games) for games in memory.games.values()] == [2]


def test_a_name_is_another_one_in_another_game():
    memory = Memory()
    player(memory, "me,ann", 2, "local").end()
    player(memory, "me,ann,bob").end()
    assert sorted(memory.games) == [("complots", "ann"), ("complots", "bob"), ("local", "ann")]


def test_nothing_is_remembered_without_names():
    memory = Memory()
    player(memory).end()
    assert not memory.games


def test_what_a_seat_did_still_counts_when_it_has_lost_its_last_card():
    """Else its cards, which lie open by then, would fit no style."""
    lines = [*LIES, "event turn 2 p3", "event action p3 income", "event take p3 1"]
    lines += ["event coup p1 p2", "event lose p2 contessa cause=coup"]
    alive = hear(player(Memory(), "me,ann,bob"), lines)
    before = alive.table.style_shares()[1]
    after = hear(alive, ["event lose p2 contessa cause=coup", "event out p2"]).table.style_shares()[1]
    assert after["liar"] > before["liar"] > before["honest"] > after["honest"]


# Rates of its own

CLAIMS = {"duchess": "event claim p3 duchess", "assassin": "event claim p3 assassin:p2"}


def own(new: Player, seat: int = 1) -> Any:
    return new.table.styles[seat]["own"]


def of_the_field(game: str) -> Any:
    """The rates of a player of whom nothing was seen."""
    return own(player(Memory(), game=game))


@pytest.mark.parametrize("game", ["complots", "local"])
def test_who_is_not_known_plays_as_the_mean_of_all_styles(game):
    new = player(Memory(), game=game)
    others = [style for name, style in new.table.styles[1].items() if name != "own"]
    for card in range(5):
        for row, rate in enumerate(own(new).by_card[card]):
            assert rate == pytest.approx(
                min(MOST, sum(style.challenges[row] for style in others) / len(others))
            )


@pytest.mark.parametrize("game", ["complots", "local"])
def test_the_rate_of_challenges_of_a_card_moves_from_the_field_to_what_was_seen(game):
    memory = Memory()
    rates = []
    for _ in range(12):  # p2 challenges each assassin, and no duchess
        new = player(memory, "me,ann,bob", game=game)
        lines = ["secret hand contessa contessa", "event turn 1 p3", CLAIMS["duchess"], "event take p3 3"]
        lines += ["event turn 2 p3", CLAIMS["assassin"], "event challenge p2 p3 assassin"]
        hear(new, lines)
        rates.append([own(new).factor("challenge", card) for card in (DUCHESS, ASSASSIN, CAPTAIN)])
        new.end()
    duchess, assassin, captain = zip(*rates, strict=True)
    assert list(duchess) == sorted(duchess, reverse=True) and list(assassin) == sorted(assassin)
    assert duchess[-1] < 0.8 and assassin[-1] > 2 and set(captain) == {1.0}
    assert own(player(memory, "me,bob,ann", game=game)).factor("challenge", ASSASSIN) == 1  # p2 is bob
    assert own(player(memory, game=game)).factor("challenge", ASSASSIN) == 1  # without a name


def test_an_action_without_its_card_is_a_bluff_of_its_own():
    """p2 claims the duchess in every turn: of the hands that have one, and of those that have none."""
    new = player(Memory(), "me,ann,bob")
    for turn in range(1, 9):
        hear(new, [f"event turn {turn} p2", "event claim p2 duchess", "event take p2 3", "event pay p2 3"])
    true, bluff = own(new).factor("action", DUCHESS), own(new).factor("action", DUCHESS + 10)
    assert true > 1.2 and bluff > 1.2 > 0.9 > own(new).factor("action", CAPTAIN)


@pytest.mark.parametrize("game", ["complots", "local"])
def test_blocks_are_counted_by_what_they_stop_and_whether_they_are_true(game):
    new = player(Memory(), "me,ann,bob", game=game)
    hear(new, ["event turn 1 p3", "event claim p3 assassin:p2", "event block p2 block:contessa"])
    hear(new, ["event turn 2 p2"])
    counts = {kind: seen for kind, (seen, _) in own(new).news.items() if kind[0] == "block"}
    assert set(counts) == {("block", ASSASSIN, False), ("block", ASSASSIN, True)}
    assert sum(counts.values()) == pytest.approx(1) and min(counts.values()) > 0


@pytest.mark.parametrize("game", ["complots", "local"])
def test_the_shares_of_actions_add_up(game):
    new = hear(player(Memory(), game=game), ["event turn 1 p2", "event claim p2 duchess", "event take p2 3"])
    for row, usual in enumerate(own(new).usual_rows):
        assert sum(own(new).rows[row].values()) == pytest.approx(1 if sum(usual.values()) else 0)


def test_what_is_older_counts_less():
    memory = Memory()
    memory.learn("ann", HONEST, {("challenge", DUCHESS): (1.0, 0.5)})
    for _ in range(REMEMBERED):
        memory.learn("ann", HONEST, {})
    seen, expected = memory.seen["ann"]["challenge", DUCHESS]
    assert 0.3 < seen < 0.4 and seen == 2 * expected
