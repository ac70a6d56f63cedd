"""A refused word names the rule that it breaks: tables of positions, words and reasons."""

import pytest
from complots_table import Table
from driving import Scene
from intrigue_table import Table as IntrigueTable
from local_table import LocalTable

from arena.games import GAMES
from arena.rules import Ask, seat_number


def reason(table: Table | IntrigueTable, name: str, word: str) -> str:
    match, seat = table.match, seat_number(name)
    assert isinstance(match.step, Ask) and not match.step.choices[seat].accepts(word)
    return match.game.why_not(match.position, seat, match.step.choices[seat], word)


ACTIONS = {
    "pass": "a turn cannot be passed",
    "contessa": "the contessa only blocks",
    "inquisitor:draw": "there is no inquisitor in this game",
    "coup:p2": "coup costs 7 coins, and you have 2",
    "assassin:p2": "assassin costs 3 coins, and you have 2",
    "captain:p2": "p2 has no coins to take",
    "captain:p3": "p3 is out",
    "captain:p1": "you cannot be your own target",
    "captain:p5": "there is no p5 in this game",
    "captain": "name a target, as in captain:p2",
    "duchess:p2": "duchess has no target",
    "captain:": "name a target, as in captain:p2",
    "captain:everybody": "",
    "Income": "",
    "block:duchess": "",
}


@pytest.mark.parametrize(("word", "why"), ACTIONS.items())
def test_an_action_of_complots(word, why):
    table = Table(
        "p1[duchess,captain] 2  p2[contessa,captain] 0  p3(assassin,assassin) 0  p4[duchess,duchess] 2"
    )
    assert reason(table.play("asked action: p1"), "p1", word) == why


@pytest.mark.parametrize("word", ["income", "captain:p3", "captain:p2"])
def test_ten_coins_come_before_all_other_rules(word):
    table = Table(
        "p1[duchess,captain] 10  p2[contessa,captain] 0  p3[assassin,assassin] 2  p4[duchess,duchess] 2"
    )
    assert reason(table.play("asked action: p1"), "p1", word) == "with 10 coins or more you must coup"


@pytest.mark.parametrize(
    ("transcript", "name", "word", "why"),
    [
        ("p1: inquisitor:draw / asked keep: p1", "p1", "duchess", "keep 2 of the cards, not 1"),
        ("p1: inquisitor:draw / asked keep: p1", "p1", "captain+captain", "you do not hold these cards"),
        ("p1: inquisitor:draw / asked keep: p1", "p1", "all", ""),
        ("p1: inquisitor:p2 / asked show: p2", "p2", "assassin", "you have no hidden assassin"),
        ("p1: captain:p2 / asked block: p2", "p2", "block:ambassador", "there is no ambassador in this game"),
        ("p1: captain:p2 / asked block: p2", "p2", "block:contessa", "contessa does not block captain"),
        ("p1: captain:p2 / asked block: p2", "p2", "contessa", "contessa does not block captain"),
        ("p1: captain:p2 / asked challenge: p2 p3", "p2", "block:captain", ""),
        ("p1: coup:p2 / asked lose: p2", "p2", "duchess", "you have no hidden duchess"),
        ("asked action: p1", "p1", "inquisitor:p1", "you cannot be your own target"),
        ("asked action: p1", "p1", "inquisitor", "name a target, as in inquisitor:p2"),
        ("asked action: p1", "p1", "ambassador", "there is no ambassador in this game"),
    ],
)
def test_other_answers_of_complots(transcript, name, word, why):
    seats = "p1[duchess,captain] 7  p2[contessa,captain] 2  p3[assassin,duchess] 2"
    table = Table(seats, {"court": ["duchess"]}, cast="inquisitor").play(transcript.replace("/", "\n"))
    assert reason(table, name, word) == why


@pytest.mark.parametrize(
    ("transcript", "name", "word", "why"),
    [
        ("asked action: p1", "p1", "duchess", "name the card to place, as in duchess@assassin"),
        ("asked action: p1", "p1", "duchess@duchess", "you have no duchess in hand"),
        ("asked action: p1", "p1", "income@captain", "income places no card"),
        ("asked action: p1", "p1", "captain:p3@captain", "p3 has no coins to take"),
        ("p1: aid / asked block: p2 p3", "p2", "block:captain@captain", "captain does not block aid"),
        (
            "p1: aid / asked block: p2 p3",
            "p2",
            "duchess",
            "name the card to place, as in block:duchess@duchess",
        ),
        (
            "p1: aid / asked block: p2 p3",
            "p2",
            "block:duchess",
            "name the card to place, as in block:duchess@duchess",
        ),
        (
            "p1: coup:p2 / asked lose: p2",
            "p2",
            "captain",
            "a card of the discard is lost only with an empty hand",
        ),
        ("p1: coup:p2 / asked lose: p2", "p2", "ambassador", "you have no ambassador to lose"),
        (
            "p1: ambassador@assassin / asked return: p1",
            "p1",
            "captain+duchess",
            "return 1 of the cards, not 2",
        ),
        ("p1: ambassador@assassin / asked return: p1", "p1", "assassin", "you have no assassin in hand"),
    ],
)
def test_an_answer_of_the_local_variant(transcript, name, word, why):
    table = LocalTable("p1{duchess} 7  p2{captain}(ambassador) 2  p3 0")
    assert reason(table.play(transcript.replace("/", "\n")), name, word) == why


def test_local_claims_need_a_hand_and_the_ambassador_a_discard():
    table = LocalTable("p1[]{duchess}(captain,assassin,contessa,ambassador) 2  p2 2").play("asked action: p1")
    assert reason(table, "p1", "duchess@duchess") == "your hand is empty, so you can claim nothing"
    table = LocalTable("p1 2  p2 2").play("asked action: p1")
    why = "your discard is empty, so the ambassador has no card to take"
    assert reason(table, "p1", "ambassador@ambassador") == why


PLACED = "p3: bribe 1000 / p2: place 1000"
DECIDED = f"{PLACED} / p3: bribe 1000 / p1: bribe 1000 / p2: decide p3.priest"


@pytest.mark.parametrize(
    ("transcript", "name", "word", "why"),
    [
        ("", "p3", "0", "a bribe is at least 1000"),
        ("", "p3", "1500", "a bribe is a multiple of 1000"),
        ("", "p3", "33000", "you have 32000"),
        ("", "p3", "1e3", ""),
        ("p3: bribe 1000", "p2", "6000", "zone 6000 is taken"),
        ("p3: bribe 1000", "p2", "5000", ""),
        (f"{PLACED} / p3: bribe 1000 / p1: bribe 1000", "p2", "p4.priest", "p4.priest does not compete here"),
        (DECIDED, "p2", "priest@p2", "advisors go to the castles of others"),
        (DECIDED, "p2", "priest@p9", "there is no p9 in this game"),
        (DECIDED, "p2", "doctor@p1", "no doctor is left in your reserve"),
    ],
)
def test_an_answer_of_intrigue(transcript, name, word, why):
    given = {
        "turn": "p2",
        "castles": {"p2": {6000: "p3.priest"}},
        "candidates": {"p2": ["p3.writer", "p1.priest"]},
        "reserve": {"p2": ["priest", "writer"]},
    }
    table = IntrigueTable(4, given, press=0)
    for line in filter(None, transcript.split(" / ")):
        table.play(line)
    assert reason(table, name, word) == why


def test_the_error_line_has_the_reason_instead_of_a_near_word():
    hands = {"p1": ["duchess", "captain"], "p2": ["contessa"] * 2, "p3": ["assassin"] * 2}
    position = {"hands": hands, "coins": {"p1": 2, "p2": 0, "p3": 2}}
    scene = Scene(GAMES["complots"], seats=3, position=position, starter="p1")
    scene.say(0, "captain:p2")
    ((_, kind, _, detail),) = scene.referee.faults
    assert kind == "illegal"
    assert detail == (
        "answered 'captain:p2' to action; p2 has no coins to take; legal: income aid duchess captain:p3 "
        "ambassador; played income"
    )


# Sets


@pytest.mark.parametrize("word", ["contessa+duchess", "duchess+contessa"])
def test_the_cards_to_keep_may_be_named_in_any_order_and_the_record_has_one(word):
    hands = {"p1": ["duchess", "captain"], "p2": ["contessa"] * 2, "p3": ["assassin"] * 2}
    draws = {"court": ["contessa", "assassin"]}
    scene = Scene(GAMES["complots"], 3, position={"hands": hands}, draws=draws, starter="p1")
    for seat, text in ((0, "ambassador"), (1, "pass"), (2, "pass"), (0, word)):
        scene.say(seat, text)
    assert scene.faults == []
    assert {0: "duchess+contessa"} in scene.match.replies
    assert scene.match.position.hands[0] == ["duchess", "contessa"]


@pytest.mark.parametrize(
    "word", ["duchess", "duchess+duchess", "duchess+contessa+captain", "contessa,duchess", "+"]
)
def test_another_set_is_refused(word):
    hands = {"p1": ["duchess", "captain"], "p2": ["contessa"] * 2, "p3": ["assassin"] * 2}
    draws = {"court": ["contessa", "assassin"]}
    scene = Scene(GAMES["complots"], 3, position={"hands": hands}, draws=draws, starter="p1")
    for seat, text in ((0, "ambassador"), (1, "pass"), (2, "pass"), (0, word)):
        scene.say(seat, text)
    ((_, kind, _, detail),) = scene.referee.faults
    assert kind == "illegal" and detail.startswith(f"answered '{word}' to keep; ")


def test_the_order_of_cards_to_return_counts():
    """The last one lies on top of the discard (L22)."""
    table = LocalTable("p1{duchess,captain} 2  p2 2").play("p1: ambassador@assassin\nasked return: p1")
    choice = table.match.step.choices[0]
    assert {"duchess+captain", "captain+duchess"} <= set(choice.options) and not choice.sets
