"""Intrigue: the golden scenarios GI-01 to GI-16, named by their numbers.

Pages in brackets are those of the illustrations in the rule book. Seats: p1 Rouge, p2 Jaune, p3 Vert,
p4 Bleu, p5 Violet. Where an illustration is missing, a scenario is played from every position that the
text allows (XI7).
"""

from collections import Counter
from itertools import combinations_with_replacement, product, zip_longest
from random import Random

import pytest
from intrigue_table import IntrigueCheck, Table, legal, play_talking

from arena.games.intrigue.game import GAME
from arena.rules import Ask, PositionError, RollCall, Tell
from arena.rules.match import Match

SEATS = (3, 4, 5)
ALL_ZONES = ("1000", "3000", "6000", "10000")
UNITS = ("player", "advisor")


@pytest.mark.parametrize("seats", SEATS)
def test_gi_01_set_up_and_length(seats):
    """[Préparation] 32000 ducats, 8 advisors, empty castles; 5n turns; no candidates at the end."""
    table = Table(seats, starter="p1")
    p = table.position
    assert p.money == [32000] * seats
    assert [Counter(reserve) for reserve in p.reserves] == [
        dict.fromkeys(("priest", "writer", "doctor", "biologist"), 2)
    ] * seats
    assert (p.castles, p.candidates, p.island) == ([{}] * seats, [[]] * seats, [])
    for number in range(6):
        match = play_talking(GAME.defaults(), seats, f"GI-01 {number}", watch=IntrigueCheck())
        news = [step.text.split() for step, _ in match.log if hasattr(step, "text")]
        assert [int(words[1]) for words in news if words[0] == "turn"] == list(range(1, 5 * seats + 1))
        assert sum(len(words) - 2 for words in news if words[0] == "send") == 8 * seats
        p = match.position
        assert p.candidates == [[]] * seats and p.reserves == [[]] * seats
        assert len(p.island) + sum(map(len, p.castles)) == 8 * seats


def test_gi_02_free_placement():
    """[p. 4] the blue biologist may go to any of the three free zones."""
    given = {"turn": "p3", "castles": {"p3": {3000: "p1.priest"}}, "candidates": {"p3": ["p4.biologist"]}}
    table = Table(4, given).play("""
        ~ stage p3 free candidates=p4.biologist zones=1000,6000,10000
        p4: bribe 1000
        offered p3 place: 1000 6000 10000
        p3: place 6000
        ~ lodge p3 p4.biologist 6000
    """)
    assert table.castle("p3") == {3000: "p1.priest", 6000: "p4.biologist"}


@pytest.mark.parametrize(("chosen", "loser"), [("p3", "p2"), ("p2", "p3")])
def test_gi_03_internal_conflict(chosen, loser):
    """[p. 4] Rouge keeps the green biologist or takes the yellow one; the other goes to the island."""
    given = {"castles": {"p1": {10000: "p3.biologist"}}, "candidates": {"p1": ["p2.biologist"]}}
    table = Table(4, given).play(f"""
        ~ stage p1 internal occupant=p3.biologist candidates=p2.biologist zones=10000
        p3: bribe 1000           (the occupant first)
        p2: bribe 2000
        offered p1 decide: p3.biologist p2.biologist
        p1: decide {chosen}.biologist
        ~ {"keep" if chosen == "p3" else "take"} p1 {chosen}.biologist 10000
        ~ banish p1 {loser}.biologist
    """)
    assert table.castle("p1") == {10000: f"{chosen}.biologist"}
    assert table.island == [f"{loser}.biologist"]


@pytest.mark.parametrize("zone", (1000, 3000, 6000, 10000))
@pytest.mark.parametrize("kind", ("writer", "doctor", "biologist"))
@pytest.mark.parametrize("occupant", ("p1", "p2", "p3"))
def test_gi_04_external_conflict(kind, zone, occupant):
    """[p. 5] three priests, three free zones: nine ways to place one; two go to the island."""
    given = {
        "turn": "p4",
        "castles": {"p4": {zone: f"{occupant}.{kind}"}},
        "candidates": {"p4": ["p2.priest", "p3.priest", "p1.priest"]},
    }
    free = [other for other in ALL_ZONES if other != str(zone)]
    offers = [f"{name}.priest@{place}" for name in ("p1", "p2", "p3") for place in free]
    for offer in offers:
        table = Table(4, given).play(f"""
            ~ stage p4 external candidates=p1.priest,p2.priest,p3.priest zones={",".join(free)}
            p1: bribe 1000
            p2: bribe 1000
            p3: bribe 1000
            offered p4 place: {" ".join(offers)}
            p4: place {offer}
        """)
        winner, place = offer.split("@")
        assert table.castle("p4")[int(place)] == winner
        assert table.island == sorted({"p1.priest", "p2.priest", "p3.priest"} - {winner})


def test_gi_05_income():
    """[p. 5] two biologists and a doctor earn Jaune 10000, 3000 and 6000 from the bank."""
    given = {
        "round": 2,
        "turn": "p2",
        "starter": "p1",
        "castles": {"p1": {10000: "p2.biologist"}, "p3": {3000: "p2.biologist", 6000: "p2.doctor"}},
    }
    table = Table(4, given).play("~ turn 6 p2\n~ income p2 19000")
    assert table.money == [32000, 51000, 32000, 32000]


GI_06 = {
    "turn": "p2",
    "castles": {"p2": {6000: "p3.priest"}},
    "candidates": {"p2": ["p4.writer", "p1.biologist", "p3.biologist", "p4.priest"]},
}


@pytest.mark.parametrize("unit", UNITS)
def test_gi_06_the_composite_turn(unit):
    """[pp. 7-8] a free writer, an external and an internal conflict, and a promise broken."""
    table = Table(4, GI_06, bribe_unit=unit).play("""
        ~ turn 1 p2
        ~ stage p2 free candidates=p4.writer zones=1000,3000,10000
        p4: talk offer:5000:writer@10000:next=p2@10000
        ~ offer 1 p4 p2 5000:writer@10000:next=p2@10000
        p2: talk offer:8000:writer@10000    ("Si tu me donnes 8000, l'accord est conclu !")
        ~ offer 2 p2 p4 8000:writer@10000
        offered p4 talk: pass accept:2 reject:2
        p4: talk accept:2
        ~ accept 2 p4
        offered p2 talk: pass accept:1 reject:1
        p2: talk pass
    """)
    bribe = "~ bribe p4 p2 8000" + (" for=p4.writer" if unit == "advisor" else "")
    table.play(f"""
        p4: bribe 8000
        {bribe}
        ~ promise 2 p4 kept 8000
        offered p2 place: 1000 3000 10000
        p2: place 1000
        ~ lodge p2 p4.writer 1000
        ~ promise 2 p2 broken writer@10000  (legal all the same)
        ~ stage p2 external candidates=p3.biologist,p1.biologist zones=3000,10000
        p3: bribe 4000
        p1: bribe 12000
        offered p2 place: p3.biologist@3000 p3.biologist@10000 p1.biologist@3000 p1.biologist@10000
        p2: place p1.biologist@3000
        ~ lodge p2 p1.biologist 3000
        ~ banish p2 p3.biologist
        ~ stage p2 internal occupant=p3.priest candidates=p4.priest zones=6000
        p3: bribe 1000
        p4: bribe 4000
        offered p2 decide: p3.priest p4.priest
        p2: decide p3.priest
        ~ keep p2 p3.priest 6000
        ~ banish p2 p4.priest
    """)
    assert table.asked("bribe") == ["p4", "p3", "p1", "p3", "p4"]
    assert table.money == [20000, 61000, 27000, 20000]
    assert table.castle("p2") == {1000: "p4.writer", 3000: "p1.biologist", 6000: "p3.priest"}
    assert table.island == ["p3.biologist", "p4.priest"]
    assert table.next_asked() == ("p2", "send")


PAIRS = list(combinations_with_replacement(("p2", "p3", "p4"), 2))
GI_07 = [
    (biologists, writers)
    for biologists, writers in product(PAIRS, PAIRS)
    if {*biologists, *writers} == {"p2", "p3", "p4"}
]


@pytest.mark.parametrize(("biologists", "writers"), GI_07, ids=str)
@pytest.mark.parametrize("unit", UNITS)
def test_gi_07_two_external_conflicts(biologists, writers, unit):
    """[p. 9] one bribe each, though some have two advisors in the conflicts (I15); the doctor stays."""
    rivals = [f"{name}.biologist" for name in biologists] + [f"{name}.writer" for name in writers]
    given = {"round": 2, "castles": {"p1": {3000: "p3.doctor"}}, "candidates": {"p1": [*rivals, "p5.priest"]}}
    table = Table(5, given, bribe_unit=unit).play("""
        p5: bribe 3000
        offered p1 place: 1000 6000 10000
        p1: place 6000
        ~ lodge p1 p5.priest 6000
    """)
    payers = ["p2", "p3", "p4"] if unit == "player" else sorted(word[:2] for word in rivals)
    for name in payers:
        table.play(f"{name}: bribe 1000")
    both = [f"{name}.writer@{zone}" for name in dict.fromkeys(writers) for zone in (1000, 10000)]
    table.play(f"""
        offered p1 place: {" ".join(both)}
        p1: place {both[-1]}
    """)
    rest = [f"{name}.biologist@1000" for name in dict.fromkeys(biologists)]
    if len(rest) > 1:  # one zone is left: with one owner there is nothing to choose (A10)
        table.play(f"offered p1 place: {' '.join(rest)}\np1: place {rest[0]}")
    assert table.asked("bribe") == ["p5", *payers]
    assert table.castle("p1") == {
        1000: rest[0].partition("@")[0],
        3000: "p3.doctor",
        6000: "p5.priest",
        10000: both[-1].partition("@")[0],
    }
    assert table.island == sorted([f"{writers[0]}.writer", f"{biologists[-1]}.biologist"])
    assert table.next_asked() == ("p1", "send")
    assert not [text for text in table.news() if text.startswith("stage p1 internal")]


def test_gi_08_two_internal_conflicts():
    """[p. 10] by value of the zone; the occupant pays first, then clockwise from the occupant (I20, XI2)."""
    given = {
        "turn": "p2",
        "castles": {"p2": {10000: "p5.priest", 3000: "p1.biologist", 6000: "p1.writer"}},
        "candidates": {"p2": ["p3.biologist", "p1.priest", "p3.priest", "p4.priest"]},
    }
    table = Table(5, given).play("""
        ~ stage p2 internal occupant=p1.biologist candidates=p3.biologist zones=3000
        p1: bribe 1000
        p3: bribe 2000
        offered p2 decide: p1.biologist p3.biologist
        p2: decide p3.biologist
        ~ take p2 p3.biologist 3000
        ~ banish p2 p1.biologist
        ~ stage p2 internal occupant=p5.priest candidates=p3.priest,p4.priest,p1.priest zones=10000
        p5: bribe 1000
        p1: bribe 1000
        p3: bribe 1000
        p4: bribe 1000
        offered p2 decide: p5.priest p3.priest p4.priest p1.priest
        p2: decide p4.priest
    """)
    assert table.castle("p2") == {3000: "p3.biologist", 6000: "p1.writer", 10000: "p4.priest"}
    assert table.island == ["p1.biologist", "p1.priest", "p3.priest", "p5.priest"]


def test_gi_09_no_money():
    """[Conseils, Cas particulier] the bank pays 1000 for a player without money, as often as needed (I17)."""
    given = {
        "money": {"p3": 1000},
        "castles": {"p1": {3000: "p3.priest", 6000: "p3.writer", 10000: "p3.doctor"}},
        "candidates": {"p1": ["p2.priest", "p2.writer", "p2.doctor"]},
    }
    table = Table(4, given, press=0)
    assert table.choice("p3", "bribe").options == ("1000",)  # A7: asked, because the others do not know
    table.play("""
        p3: bribe 1000
        ~ bribe p3 p1 1000
        p2: bribe 1000
        p1: decide p3.priest
        ~ bribe p3 p1 1000 by=bank
        p2: bribe 1000
        p1: decide p3.writer
        ~ bribe p3 p1 1000 by=bank
        p2: bribe 1000
        p1: decide p3.doctor
    """)
    assert table.money == [38000, 29000, 0, 32000]
    assert sum(table.money) == 97000 + 2000
    given = {"money": {"p3": 0}, "candidates": {"p1": ["p3.priest"]}}
    table = Table(4, given).play("~ bribe p3 p1 1000 by=bank\np1: place 10000")
    assert (table.asked("bribe"), table.money) == ([], [33000, 32000, 0, 32000])


def test_gi_09_talk_without_money():
    """[Conseils, Cas particulier] the rule limits the sum alone: all bargain before the bank pays (I17)."""
    given = {"money": {"p3": 0}, "candidates": {"p1": ["p3.priest"]}}
    table = Table(4, given).play("""
        p3: talk offer:priest@10000:next=p1@10000:send=writer@p1
        p1: talk accept:1
        p2: talk request:p1:!p3.priest@10000
        p4: talk promise:p3:spare=p3
        p3: talk accept:4
        ~ bribe p3 p1 1000 by=bank
        p1: place 1000
        ~ promise 1 p1 broken priest@10000
    """)
    assert table.money == [33000, 32000, 0, 32000]
    assert [promise.word for promise in table.position.book] == [
        "next=p1@10000",
        "send=writer@p1",
        "spare=p3",
    ]


@pytest.mark.parametrize("unit", UNITS)
def test_gi_10_two_equal_candidates(unit):
    """Two equal candidates of one player are an external conflict with one payer (I21)."""
    table = Table(4, {"candidates": {"p1": ["p4.priest", "p4.priest"]}}, bribe_unit=unit)
    table.play("p4: bribe 2000" if unit == "player" else "p4: bribe 1000\np4: bribe 1000")
    table.play("""
        ~ stage p1 external candidates=p4.priest,p4.priest zones=1000,3000,6000,10000
        offered p1 place: p4.priest@1000 p4.priest@3000 p4.priest@6000 p4.priest@10000
        p1: place p4.priest@3000
        ~ banish p1 p4.priest
    """)
    assert (table.castle("p1"), table.island) == ({3000: "p4.priest"}, ["p4.priest"])
    assert table.money == [34000, 32000, 32000, 30000]


@pytest.mark.parametrize("unit", UNITS)
def test_gi_11_occupant_and_candidate_are_equal(unit):
    """The attacker of an own advisor pays once, first; alone, there is nothing to decide (I22, A10)."""
    given = {"castles": {"p1": {6000: "p3.priest"}}, "candidates": {"p1": ["p3.priest"]}}
    table = Table(4, given, bribe_unit=unit).play("p3: bribe 1000" + "\np3: bribe 1000" * (unit == "advisor"))
    table.play("~ keep p1 p3.priest 6000\n~ banish p1 p3.priest")
    assert table.next_asked() == ("p1", "send")  # the owner was not asked
    given["candidates"]["p1"].append("p2.priest")
    table = Table(4, given).play("""
        p3: bribe 1000
        p2: bribe 1000
        offered p1 decide: p3.priest p2.priest
        p1: decide p2.priest
    """)
    assert (table.castle("p1"), table.island) == ({6000: "p2.priest"}, ["p3.priest", "p3.priest"])


@pytest.mark.parametrize("unit", UNITS)
def test_gi_12_one_player_in_every_stage(unit):
    """A bribe in each stage and each internal conflict, however many advisors are in it (I15, I23)."""
    given = {
        "castles": {"p1": {1000: "p4.priest"}},
        "candidates": {"p1": ["p2.writer", "p2.doctor", "p2.biologist", "p3.biologist", "p2.priest"]},
    }
    table = Table(4, given, bribe_unit=unit)
    free = "p2: bribe 1000\n" * (1 if unit == "player" else 2)
    table.play(f"""
        ~ stage p1 free candidates=p2.writer,p2.doctor zones=3000,6000,10000
        {free}
        offered p1 place: 3000 6000 10000
        p1: place 6000           (the writer)
        offered p1 place: 3000 10000
        p1: place 3000           (the doctor)
        ~ stage p1 external candidates=p2.biologist,p3.biologist zones=10000
        p2: bribe 1000
        p3: bribe 1000
        offered p1 place: p2.biologist@10000 p3.biologist@10000
        p1: place p3.biologist@10000
        p4: bribe 1000
        p2: bribe 1000
        p1: decide p4.priest
    """)
    assert table.money[1] == 32000 - (3000 if unit == "player" else 4000)
    assert table.castle("p1") == {
        1000: "p4.priest",
        3000: "p2.doctor",
        6000: "p2.writer",
        10000: "p3.biologist",
    }


def test_gi_13_amounts():
    """[Attention, p. 6] a multiple of 1000, from 1000 to all one has; it cannot be changed (I16, XI1)."""
    table = Table(4, {"candidates": {"p1": ["p3.priest"]}, "money": {"p3": 7000}}, press=0)
    choice = table.choice("p3", "bribe")
    assert choice.options == tuple(f"{number}000" for number in range(1, 8))
    assert not any(
        legal(choice, "0", "500", "1500", "8000", "5.000", "05000", "-1000", "", "pass", "\uff15000")
    )
    for word in ("0", "8000"):
        with pytest.raises(ValueError):
            table.match.reply({2: word})
    table.play("p3: bribe 7000\n~ bribe p3 p1 7000\np1: place 1000")
    assert table.money == [39000, 32000, 0, 32000]
    assert table.next_asked() == ("p1", "send")


def test_gi_14_sending():
    """[3ème action] exactly two in rounds 1 to 4, anywhere but to oneself; none in the last (I29, I34)."""
    table = Table(4, {"turn": "p3"}, press=0)
    kinds = ("priest", "writer", "doctor", "biologist")
    everywhere = [f"{kind}@{name}" for kind in kinds for name in ("p4", "p1", "p2")]
    table.play(f"""
        offered p3 send: {" ".join(everywhere)}
        p3: send doctor@p1
        offered p3 send: {" ".join(everywhere)}
        p3: send doctor@p1       (the same type to the same castle)
        ~ send p3 doctor@p1 doctor@p1
        ~ turn 2 p4
    """)
    assert table.candidates("p1") == ["p3.doctor", "p3.doctor"]
    assert table.position.reserves[2] == ["priest", "priest", "writer", "writer", "biologist", "biologist"]
    reserve = {"p3": ["writer", "writer"]}
    table = Table(4, {"round": 4, "turn": "p3", "starter": "p3", "reserve": reserve}, press=0)
    table.play("""
        offered p3 send: writer@p4 writer@p1 writer@p2
        p3: send writer@p2
        p3: send writer@p4
        ~ send p3 writer@p2 writer@p4
    """)
    table = Table(3, {"round": 5, "turn": "p1", "candidates": {"p1": ["p2.priest"]}}, press=0)
    table.play("p2: bribe 1000\np1: place 10000\n~ turn 14 p2\n~ turn 15 p3\n~ final")


@pytest.mark.parametrize("rounds", (2, 3, 4))
def test_gi_14_shorter_games(rounds):
    """Nobody sends in the last round, whichever it is (I5)."""
    table = Table(3, starter="p2", rounds=rounds)
    table.finish()
    heads = [text.split()[0] for text in table.news()]
    assert (heads.count("turn"), heads.count("send")) == (3 * rounds, 3 * (rounds - 1))
    assert not any(table.position.candidates)


@pytest.mark.parametrize("seats", SEATS)
def test_gi_15_schedule(seats):
    """[Déroulement] the very first player has nothing to place; no income in round 1 (I6, I32)."""
    table = Table(seats, script={"starter": ["p3"]})
    assert table.news() == ["starter p3", "turn 1 p3"]
    assert table.next_asked() == ("p3", "send")
    table.finish()
    news = [text.split() for text in table.news()]
    turns = [number for number, words in enumerate(news) if words[0] == "turn"]
    for k, number in enumerate(turns):
        name = f"p{(2 + k) % seats + 1}"
        assert news[number][2] == name
        assert (news[number + 1][:2] == ["income", name]) == (k >= seats)
    assert [words[0] for words in news].count("income") == 4 * seats + seats


def test_gi_16_final_income_and_shared_victory():
    """[Revenus finaux] once more for all players; the richest share the first place (I8, I9)."""
    given = {
        "round": 5,
        "turn": "p4",
        "starter": "p1",
        "money": {"p1": 30000, "p2": 26000, "p3": 40000, "p4": 1000},
        "castles": {
            "p2": {10000: "p1.priest"},
            "p1": {10000: "p2.priest", 3000: "p2.doctor"},
            "p4": {1000: "p2.writer"},
        },
    }
    table = Table(4, given)
    assert table.news() == [
        "turn 20 p4",
        "income p4 0",
        "final",
        "income p1 10000",
        "income p2 14000",
        "income p3 0",
        "income p4 0",
    ]
    assert table.match.result == ((1, 1, 1, 4), (40000, 40000, 40000, 1000))


@pytest.mark.parametrize(
    ("missing", "places"),
    [((), (4, 2, 1, 3)), ((2,), (3, 1, 4, 2)), ((0, 2), (3, 1, 3, 2)), ((0, 1, 2, 3), (1, 1, 1, 1))],
)
def test_forfeits_are_found_before_the_scoring(missing, places):
    """A forfeited seat plays on to the end, and is placed below all others in any case (A4, A5, A6, I37)."""
    options = GAME.defaults()
    money = {"p1": 1000, "p2": 3000, "p3": 4000, "p4": 2000}
    given = {"round": 5, "turn": "p4", "starter": "p1", "money": money}
    match = Match(GAME, options, 4, given=given)
    assert isinstance(match.step, RollCall)
    match.reply(missing)
    assert match.result == (places, (1000, 3000, 4000, 2000))


# Given positions


@pytest.mark.parametrize(
    ("given", "path"),
    [
        ({"nonsense": 1}, ("nonsense",)),
        ({"money": [1]}, ("money",)),
        ({"money": {"p9": 1000}}, ("money", "p9")),
        ({"money": {"p1": 500}}, ("money", "p1")),
        ({"money": {"p1": -1000}}, ("money", "p1")),
        ({"money": {"p1": True}}, ("money", "p1")),
        ({"castles": {"p1": ["p2.priest"]}}, ("castles", "p1")),
        ({"castles": {"p1": {2000: "p2.priest"}}}, ("castles", "p1", "2000")),
        ({"castles": {"p1": {1000: "p1.priest"}}}, ("castles", "p1", "1000")),
        ({"castles": {"p1": {1000: "p2.priest", 3000: "p3.priest"}}}, ("castles", "p1", "3000")),
        ({"castles": {"p1": {1000: "p2.pope"}}}, ("castles", "p1", "1000")),
        ({"castles": {"p1": {1000: None}}}, ("castles", "p1", "1000")),
        ({"candidates": {"p1": ["p2.priest"] * 3}}, ("candidates", "p1")),
        ({"candidates": {"p1": ["p1.priest"]}}, ("candidates", "p1")),
        ({"candidates": {"p1": "p2.priest"}}, ("candidates", "p1")),
        ({"candidates": {"p1": ["p2.priest", "p2.priest"]}, "island": {"p2": ["priest"]}}, ("island", "p2")),
        ({"reserve": {"p2": ["priest"] * 3}}, ("reserve", "p2")),
        ({"reserve": {"p2": 5}}, ("reserve", "p2")),
        ({"round": 6}, ("round",)),
        ({"round": "1"}, ("round",)),
        ({"turn": "p4"}, ("turn",)),
        ({"starter": ["p1"]}, ("starter",)),
        ({"promises": "7 p1 p2 next=p2@1000"}, ("promises",)),
        ({"promises": ["7 p1 p2 next=p1@1000"]}, ("promises",)),
        ({"promises": ["7 p1 p1 next=p2@1000"]}, ("promises",)),
        ({"promises": ["7 p1 p2 priest@1000"]}, ("promises",)),
        ({"promises": ["7 p1 next=p2@1000"]}, ("promises",)),
        ({"promises": ["x p1 p2 next=p2@1000"]}, ("promises",)),
        ({"promises": ["-7 p1 p2 next=p2@1000"]}, ("promises",)),
        ({"promises": ["7 p1 p2 send=p1"]}, ("promises",)),
        ({"promises": ["7 p1 p2 p1/spare=p2"]}, ("promises",)),
        ({"promises": ["7 p1 p2 next=p9@1000"]}, ("promises",)),
    ],
    ids=str,
)
def test_impossible_positions_are_refused(given, path):
    with pytest.raises(PositionError) as error:
        GAME.position_from_setup(3, GAME.defaults(), given)
    assert error.value.path == path


def test_a_position_as_a_file_gives_it():
    """Keys are words; what is named nowhere is in the reserve, or on the island if the reserve is given."""
    given = {
        "castles": {"p1": {"10000": "p2.priest"}},
        "candidates": {"p3": ["p2.writer", "p1.doctor"]},
        "island": {"p1": ["doctor"]},
        "reserve": {"p2": ["doctor", "biologist"]},
        "money": {"p2": 0},
        "round": 3,
        "turn": "p3",
        "starter": "p2",
        "promises": ["7 p3 p1 next=p1@6000", "9 p2 p1 next=p1@1000"],
    }
    p = GAME.position_from_setup(3, GAME.defaults(), given)
    assert p.reserves[0] == ["priest", "priest", "writer", "writer", "biologist", "biologist"]
    assert p.reserves[1] == ["doctor", "biologist"]
    assert Counter(map(str, p.island)) == Counter(
        ["p1.doctor", "p2.priest", "p2.writer", "p2.doctor", "p2.biologist"]
    )
    assert (p.turn, [promise.due for promise in p.book], p.offers) == (7, [8, 10], 9)
    table = Table(3, given)
    assert table.news("p2")[:2] == ["money p2 0", "turn 8 p3"]
    assert table.news("p3")[:2] == ["money p3 32000", "turn 8 p3"]
    assert GAME.view(table.position, 1) == [
        "table round=3 turn=8 owner=p3",
        "p1 castle=10000:p2.priest reserve=priest:2,writer:2,biologist:2 island=doctor:1",
        "p2 reserve=doctor:1,biologist:1 island=priest:1,writer:1,doctor:1,biologist:1 money=0",
        "p3 candidates=p1.doctor,p2.writer reserve=priest:2,writer:2,doctor:2,biologist:2",
    ]


# What a seat may know of the others' money (I27)


def money_shown(match, seat):
    return [line for line in GAME.view(match.position, seat) if "money=" in line]


@pytest.mark.parametrize("show", ("own", "all"))
def test_money_is_shown_to_its_owner(show):
    table = Table(4, GI_06, show_money=show)
    assert len(money_shown(table.match, 1)) == (1 if show == "own" else 4)
    assert len(money_shown(table.match, None)) == 4


@pytest.mark.parametrize("press", (0, 1, 2))
@pytest.mark.parametrize(("poor", "rich"), [(1000, 2000), (3000, 90000), (20000, 40000)])
def test_hidden_money_changes_nothing_for_the_others(press, poor, rich):
    """Two worlds that differ in the purse of p3 alone look alike to all other seats, until it is empty."""
    options = GAME.defaults() | {"press": press}
    for number in range(4):
        dice = Random(f"purse {number}")
        positions = [GI_06 | {"money": {"p3": money}} for money in (poor, rich)]
        here, there = (Match(GAME, options, 4, given=given) for given in positions)
        while isinstance(here.step, Ask):
            for seat in (0, 1, 3):
                assert what_is_seen(here, seat) == what_is_seen(there, seat)
            reply = {}
            for seat, choice in here.step.choices.items():
                both = [word for word in choice.options if word in there.step.choices[seat].options]
                reply[seat] = dice.choice(both[:8])
            here.reply(reply)
            there.reply(reply)
            if what_is_seen(here, 0)[0] != what_is_seen(there, 0)[0]:
                break
        assert "bribe p3 p" in " ".join(what_is_seen(here, 0)[0])
        if isinstance(here.step, Ask):  # the worlds differ: the bank has paid in one of them (I17)
            pairs = zip_longest(*(what_is_seen(match, 0)[0] for match in (here, there)))
            assert "by=bank" in next(one for one, other in pairs if one != other)


def what_is_seen(match, seat):
    """What a seat has heard, the kinds of all asks, and its own ask and state if it is asked."""
    news = [step.text for step, _ in match.log if isinstance(step, Tell) and step.to in (None, seat)]
    asked = match.step.choices if isinstance(match.step, Ask) else {}
    kinds = {each: choice.kind for each, choice in asked.items()}
    return news, kinds, asked[seat].tail if seat in asked else None, GAME.view(match.position, seat)


# The words of the examples (I28, I38)


def test_gi_17_i_swear_revenge():
    """[pp. 7-8] Bleu pays for 10000, gets 1000, and threatens Jaune for its next turn, before Jaune sends."""
    given = {"turn": "p2", "castles": {"p2": {6000: "p3.priest"}}, "candidates": {"p2": ["p4.writer"]}}
    table = Table(4, given).play("""
        p4: talk offer:5000:writer@10000:next=p2@10000
        p2: talk offer:8000:writer@10000
        p4: talk accept:2
        p4: bribe 8000
        p2: place 1000
        ~ promise 2 p2 broken writer@10000
        p4: talk threat:p2:next=!p2
    """)
    table.play("p2: send priest@p3\np2: send priest@p3")
    assert "threat p4 p2 next=!p2" in table.news() and not table.position.book


def test_gi_18_i_throw_you_out():
    """[p. 4, p. 8] the owner "vire" an occupant: says so before it decides, and sells it to the rival."""
    given = {"turn": "p2", "castles": {"p2": {6000: "p3.priest"}}, "candidates": {"p2": ["p4.priest"]}}
    table = Table(4, given).play("""
        p3: talk pass
        p2: talk threat:!p3.priest
        p3: bribe 1000
        p4: talk offer:4000:!p3.priest:priest@6000
        p2: talk accept:9
        p4: bribe 4000
        ~ promise 9 p4 kept 4000
        p2: decide p4.priest
        ~ take p2 p4.priest 6000
        ~ banish p2 p3.priest
        ~ promise 9 p2 kept !p3.priest
        ~ promise 9 p2 kept priest@6000
    """)
    assert "threat p2 p3 !p3.priest" in table.news()


def test_gi_19_as_long_as_i_keep_mine_you_keep_yours():
    """[Conseils] two players with a place at 10000 at each other; the owner begins before it decides."""
    given = {
        "castles": {"p1": {10000: "p2.doctor"}, "p2": {10000: "p1.writer"}},
        "candidates": {"p1": ["p3.doctor"], "p2": ["p3.writer"]},
        "starter": "p1",
    }
    table = Table(3, given).play("""
        p2: bribe 1000
        p3: bribe 9000
        p1: talk offer:p2:doctor@10000:p2/next=writer@10000
        p2: talk accept:9
        p1: decide p2.doctor
        ~ promise 9 p1 kept doctor@10000
        p1: send priest@p3
        p1: send priest@p3
        p1: bribe 1000
        p3: bribe 1000
        p2: decide p1.writer
        p2: send priest@p3
        p2: send priest@p3
        ~ promise 9 p2 kept next=writer@10000
    """)
    assert not table.position.book
