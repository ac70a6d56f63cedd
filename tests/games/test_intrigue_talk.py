"""Intrigue: what may be said before a payment, which seats hear it, and the book of promises (I26, I28)."""

from itertools import product
from urllib.parse import quote

import pytest
from intrigue_table import IntrigueCheck, Table, legal, play_talking, talk_at_random

from arena.games.intrigue.game import GAME
from arena.rules import ALL, SEAT_NAMES, Ask, Tell, seat_name
from arena.rules.match import Match

WRITER = {"turn": "p2", "castles": {"p2": {6000: "p3.priest"}}, "candidates": {"p2": ["p4.writer"]}}
TALKS = ("offer", "accept", "reject", "request", "threat", "say", "promise")
"""The news that there is only with talk."""


def talk_of(table, name=None):
    return [text for text in table.news(name) if text.split()[0] in TALKS]


# Who is asked


def test_the_payer_then_the_owner_so_many_times():
    table = Table(4, WRITER, press=1, talk_rounds=3)
    for number in (1, 2, 3):
        for name, other in (("p4", "p2"), ("p2", "p4")):
            choice = table.choice(name, "talk")
            context = {key: value for key, value in choice.context.items() if key != "offers"}
            assert list(choice.open) == ["offer"]
            assert context == {
                "with": other,
                "round": f"{number}/3",
                "stage": "free",
                "for": "p4.writer",
                "zones": "1000,3000,10000",
            }
            table.answer(name, "talk", "offer:1000")
    assert table.choice("p4", "bribe").options[0] == "1000"
    assert table.asked("talk") == ["p4", "p2"] * 3


def test_two_passes_end_the_talk():
    """Only of one round: a pass, and another after the next word, do not."""
    table = Table(4, WRITER, press=1, talk_rounds=3)
    table.play("""
        p4: talk pass
        p2: talk offer:9000
        p4: talk reject:2
        p2: talk pass
        p4: talk pass
        p2: talk pass
        p4: bribe 1000
    """)
    table = Table(4, WRITER, press=1, talk_rounds=3).play("p4: talk pass\np2: talk pass")
    assert table.next_asked() == ("p4", "bribe")
    assert table.asked("talk") == ["p4", "p2"]


def test_no_press_no_talk():
    table = Table(4, WRITER, press=0)
    assert table.choice("p4", "bribe").context["to"] == "p2"
    assert talk_of(table.play("p4: bribe 1000\np2: place 1000")) == []


@pytest.mark.parametrize(("purse", "last"), [(1000, ["p3"]), (0, [])])
def test_every_payment_has_its_talk(purse, last):
    """One talk a bribe, whichever unit it has; none where the bank pays (I17)."""
    given = {"candidates": {"p1": ["p2.writer", "p2.priest", "p3.doctor"]}, "money": {"p3": purse}}
    for unit, wanted in (("player", ["p2", *last]), ("advisor", ["p2", "p2", *last])):
        table = Table(3, given, press=1, bribe_unit=unit)
        talks = []
        while (asked := table.match.step.choices) and not any(c.kind == "place" for c in asked.values()):
            ((seat, choice),) = asked.items()
            if choice.kind == "talk" and seat != 0:
                talks.append(seat_name(seat))
            table.answer(seat_name(seat), choice.kind, choice.default)
        assert talks == wanted


# Offers


def test_offers_are_numbered_and_answered():
    """Every open offer of the other party can be accepted or rejected, once, in this payment alone."""
    given = WRITER | {"candidates": {"p2": ["p4.writer", "p1.doctor"]}}
    table = Table(4, given, press=1, talk_rounds=4)
    table.play("""
        p4: talk offer:1000
        p2: talk offer:9000:writer@10000
        p4: talk offer:2000:writer@10000
        offered p2 talk: pass accept:1 reject:1 accept:3 reject:3
        p2: talk reject:1
        offered p4 talk: pass accept:2 reject:2
        p4: talk pass
        offered p2 talk: pass accept:3 reject:3
    """)
    assert table.choice("p2", "talk").context["offers"] == "3:2000:writer@10000"
    table.play("""
        p2: talk accept:3
        offered p4 talk: pass accept:2 reject:2
        p4: talk accept:2        (one may promise more than once)
        offered p2 talk: pass
        p2: talk offer:3000
        p4: bribe 2000           (the eighth turn to speak was the last of this payment)
        offered p1 talk: pass    (an offer lapses with its payment)
        p1: talk offer:1000
    """)
    assert talk_of(table) == [
        "offer 1 p4 p2 1000",
        "offer 2 p2 p4 9000:writer@10000",
        "offer 3 p4 p2 2000:writer@10000",
        "reject 1 p2",
        "accept 3 p2",
        "accept 2 p4",
        "offer 8 p2 p4 3000",
        "promise 3 p4 kept 2000",
        "promise 2 p4 broken 9000",
        "offer 9 p1 p2 1000",
    ]


@pytest.mark.parametrize("answer", ["pass", "reject:1"])
def test_only_an_acceptance_makes_promises(answer):
    table = Table(4, WRITER).play(f"""
        p4: talk offer:5000:writer@10000:next=p2@6000
        p2: talk {answer}
        p4: bribe 5000
        p2: place 10000
    """)
    assert not table.position.book
    table.finish()
    assert not [text for text in table.news() if text.startswith("promise")]


# Verdicts


@pytest.mark.parametrize(
    ("paid", "verdict"), [(1000, "broken"), (4000, "broken"), (5000, "kept"), (32000, "kept")]
)
def test_the_amount_is_decided_when_it_is_paid(paid, verdict):
    """By the payer, also if the owner has made the offer; more than promised keeps the promise."""
    for offer in (
        "p4: talk offer:5000\np2: talk accept:1",
        "p4: talk pass\np2: talk offer:5000\np4: talk accept:2",
    ):
        table = Table(4, WRITER).play(f"{offer}\np4: bribe {paid}")
        assert table.last_news("promise") == f"promise {offer[-1]} p4 {verdict} 5000"
        assert table.choice("p2", "place")


@pytest.mark.parametrize(
    ("promise", "zone", "verdict"),
    [
        ("writer@10000", 10000, "kept"),
        ("writer@10000", 1000, "broken"),
        ("writer@6000", 1000, "void"),  # the priest sits there
        ("priest@6000", 1000, "void"),  # not in this stage, and not p4's
        ("doctor@10000", 10000, "void"),
    ],
)
def test_the_placement_is_decided_in_its_stage(promise, zone, verdict):
    """By the owner, for the advisor of the payer, also if the payer has made the offer."""
    for offer in (
        "p4: talk offer:1000:{}\np2: talk accept:1",
        "p4: talk pass\np2: talk offer:1000:{}\np4: talk accept:2",
    ):
        table = Table(4, WRITER).play(f"{offer.format(promise)}\np4: bribe 1000\np2: place {zone}")
        table.play(f"~ lodge p2 p4.writer {zone}\n~ promise {offer[-1]} p2 {verdict} {promise}")


@pytest.mark.parametrize(
    ("place", "verdict"),
    [("p3.priest@3000", "kept"), ("p3.priest@1000", "broken"), ("p4.priest@3000", "broken")],
)
def test_a_promise_in_an_external_conflict(place, verdict):
    given = {"candidates": {"p1": ["p3.priest", "p4.priest"]}}
    table = Table(4, given).play("p3: talk offer:2000:priest@3000\np1: talk accept:1\np3: bribe 2000")
    table.play(f"p4: bribe 3000\np1: place {place}\n~ promise 1 p1 {verdict} priest@3000")


@pytest.mark.parametrize(("kept", "verdict"), [("p3", "kept"), ("p4", "broken")])
def test_a_promise_to_an_occupant(kept, verdict):
    """To keep the occupant is the same promise: its type on its zone."""
    given = {"castles": {"p1": {3000: "p3.priest"}}, "candidates": {"p1": ["p4.priest"]}}
    table = Table(4, given).play("p3: talk offer:2000:priest@3000\np1: talk accept:1\np3: bribe 2000")
    table.play(f"p4: bribe 3000\np1: decide {kept}.priest\n~ promise 1 p1 {verdict} priest@3000")


NEXT = {"starter": "p2", "turn": "p2", "candidates": {"p2": ["p4.writer"]}}


@pytest.mark.parametrize(
    ("sent", "answers", "verdict"),
    [
        ("doctor@p4", "p2: bribe 1000\np4: place 10000", "kept"),
        ("doctor@p4", "p2: bribe 1000\np4: place 3000", "broken"),
        ("doctor@p3", "", "void"),  # p2 sent no advisor to p4
    ],
)
def test_the_payers_next_turn_decides(sent, answers, verdict):
    """`next=` of the proposer is about its own castle, and decided at the end of its next turn."""
    table = Table(4, NEXT).play(f"""
        p4: talk offer:5000:next=p2@10000
        p2: talk accept:1
        p4: bribe 5000
        p2: place 1000
        p2: send {sent}
        p2: send priest@p1
        ~ turn 2 p3
        {"p2: bribe 1000" if sent == "doctor@p3" else ""}
        {"p3: place 1000" if sent == "doctor@p3" else ""}
        p3: send priest@p2
        p3: send priest@p2
        ~ turn 3 p4
        {answers}
    """)
    assert not [text for text in table.news() if text.endswith("next=p2@10000") and "promise" in text]
    table.play(f"""
        p4: send priest@p1
        p4: send priest@p1
        ~ send p4 priest@p1 priest@p1
        ~ promise 1 p4 {verdict} next=p2@10000
        ~ turn 4 p1
    """)


def test_the_owners_next_turn_is_a_round_away():
    table = Table(3, NEXT | {"candidates": {"p2": ["p1.writer"]}}, press=1).play("""
        p1: talk pass
        p2: talk offer:5000:next=p1@10000
        p1: talk accept:2
        p2: talk pass
        p1: bribe 5000
        p2: place 1000
    """)
    assert [promise.due for promise in table.position.book] == [4]
    table.finish()
    news = table.news()
    decided = next(number for number, text in enumerate(news) if text.startswith("promise 2 p2"))
    assert news.index("turn 4 p2") < decided and news[decided + 1] == "turn 5 p3"


@pytest.mark.parametrize(
    ("castle", "candidates", "verdict"),
    [
        ({1000: "p2.priest"}, [], "kept"),  # it is there already, and stays
        ({1000: "p3.priest"}, [], "void"),
        ({1000: "p3.priest"}, ["p2.doctor"], "void"),  # the zone belongs to priests
        ({1000: "p3.priest"}, ["p2.priest"], "broken"),  # the first option keeps p3's
        ({1000: "p2.priest"}, ["p3.priest"], "kept"),
        ({3000: "p3.priest"}, ["p2.priest"], "void"),  # priests have their zone
        ({3000: "p3.priest"}, ["p2.doctor"], "kept"),  # the first option is zone 1000
        ({}, ["p3.doctor"], "void"),
    ],
)
def test_kept_broken_or_void(castle, candidates, verdict):
    given = {"turn": "p1", "castles": {"p1": castle}, "candidates": {"p1": candidates}}
    table = Table(3, given | {"promises": ["7 p1 p2 next=p2@1000"]})
    table.finish()
    assert [text for text in table.news() if text.startswith("promise")] == [
        f"promise 7 p1 {verdict} next=p2@1000"
    ]


def test_an_advisor_that_could_have_stayed_makes_it_broken():
    given = {"castles": {"p1": {1000: "p2.priest"}}, "candidates": {"p1": ["p3.priest"]}}
    table = Table(3, given | {"promises": ["7 p1 p2 next=p2@1000"]}).play("""
        p2: bribe 1000
        p3: bribe 1000
        p1: decide p3.priest
        p1: send priest@p2
        p1: send priest@p2
        ~ promise 7 p1 broken next=p2@1000
    """)
    assert not table.position.book


def test_a_turn_that_does_not_come_makes_it_void():
    given = {"round": 5, "turn": "p3", "starter": "p1", "candidates": {"p3": ["p1.priest"]}}
    table = Table(3, given).play("""
        p1: talk offer:1000:next=p2@1000
        p3: talk accept:1
        p1: bribe 1000
        p3: place 10000
        ~ promise 1 p1 void next=p2@1000
        ~ final
    """)
    assert table.match.result is not None


# Private talk


def test_private_talk_is_heard_by_two():
    table = Table(4, WRITER, press=1, private=True).play("""
        p4: talk offer:5000:writer@10000:next=p2@6000
        p2: talk offer:8000:writer@10000
        p4: talk accept:2
        p2: talk accept:1
        p4: bribe 8000
        p2: place 1000
    """)
    table.finish()
    for name in ("p2", "p4"):
        assert talk_of(table, name)[:8] == [
            "offer 1 p4 p2 5000:writer@10000:next=p2@6000",
            "offer 2 p2 p4 8000:writer@10000",
            "accept 2 p4",
            "accept 1 p2",
            "promise 2 p4 kept 8000",
            "promise 1 p4 kept 5000",
            "promise 2 p2 broken writer@10000",
            "promise 1 p2 broken writer@10000",
        ]
        assert [text.split()[:3] for text in talk_of(table, name)[8:]] == [["promise", "1", "p4"]]
    assert talk_of(table, "p1") == talk_of(table, "p3") == talk_of(table) == []


@pytest.mark.parametrize(("press", "number"), [(1, 5), (2, 9), (3, 9)])
def test_private_numbers_do_not_tell_how_much_was_said(press, number):
    given = WRITER | {"candidates": {"p2": ["p4.writer", "p1.doctor"]}}
    options = {"press": press, "private": True}
    quiet = Table(4, given, **options).play("p4: bribe 1000\np1: talk offer:1000")
    loud = Table(4, given, **options).play("p4: talk offer:1000\np2: talk offer:1000\np4: bribe 1000")
    loud.play("p1: talk offer:1000")
    assert quiet.news("p1") == loud.news("p1")
    assert quiet.news("p1")[-1] == f"offer {number} p1 p2 1000"


def test_private_text_is_heard_by_two():
    table = Table(4, WRITER, press=3, private=True)
    assert legal(table.choice("p4", "talk"), "say:all:hello", "say:p2:hello") == [False, True]
    table.play("p4: talk say:p1:Help?\np2: talk pass\np1: talk say:p4:Yes.\np3: talk pass")
    assert [talk_of(table, f"p{number}") for number in (1, 2, 3, 4)] == [
        ["say p4 p1 Help?", "say p1 p4 Yes."],
        [],
        [],
        ["say p4 p1 Help?", "say p1 p4 Yes."],
    ]


# Random talk


TALKING = [
    {"press": press, "private": private, "bribe_unit": unit, "talk_rounds": rounds}
    for press, private, unit, rounds in product((1, 2, 3), (False, True), ("player", "advisor"), (1, 2))
]


@pytest.mark.parametrize("changes", TALKING, ids=lambda changes: "-".join(map(str, changes.values())))
@pytest.mark.parametrize("seats", (3, 4, 5))
def test_random_talk(seats, changes):
    """Games with talk end, replay, keep what they promise of themselves, and leave no promise undecided."""
    options = GAME.defaults() | changes
    match = play_talking(options, seats, f"talk {changes}", watch=IntrigueCheck())
    again = Match(GAME, options, seats, match.replies)
    assert (again.digest(), again.result) == (match.digest(), match.result)
    check_the_book(match)
    check_audience(match)


def test_random_talk_comes_to_every_verdict():
    """Of every kind of promise, but that amounts are never void: they are due at once."""
    verdicts = [check_the_book(play_talking(GAME.defaults(), 4, f"verdict {number}")) for number in range(20)]
    kinds = ("", "turn", "next", "send", "spare")
    expected = {(kind, verdict) for kind in kinds for verdict in ("kept", "broken", "void")}
    assert set().union(*verdicts) == expected | {("amount", "kept"), ("amount", "broken")}


def check_the_book(match):
    """Every promise of every accepted offer, and nothing else, gets one verdict."""
    offers, expected, decided = {}, [], []
    told = [step for step, _ in match.log if isinstance(step, Tell)]
    if match.options["private"]:  # each thing is told twice
        told = [step for step in told if step.to is not ALL]
        assert [step.text for step in told[::2]] == [step.text for step in told[1::2]]
        told = told[::2]
    for step in told:
        head, *words = step.text.split()
        if head == "offer":
            offers[words[0]] = [term.rpartition("/")[2] for term in words[3].split(":")]
        elif head == "accept":
            expected += [(words[0], promise) for promise in offers[words[0]]]
        elif head == "promise":
            decided.append((words[0], words[3], words[2]))
    assert sorted((number, promise) for number, promise, _ in decided) == sorted(expected)
    return {
        ("amount" if word.isdigit() else word.partition("=")[0] if "=" in word else "", verdict)
        for _, word, verdict in decided
    }


def check_audience(match):
    """Talk is public, or for the two that it is between."""
    for step, _ in match.log:
        if isinstance(step, Tell) and step.text.split()[0] in TALKS:
            assert (step.to is ALL) != match.options["private"]
            words = step.text.split()
            if match.options["private"] and words[0] in ("offer", "request", "threat", "say"):
                names = words[2:4] if words[0] == "offer" else words[1:3]
                assert seat_name(step.to) in names


@pytest.mark.parametrize("seats", (3, 4, 5))
@pytest.mark.parametrize("press", (1, 2, 3))
def test_nothing_binds(seats, press):
    """The same bribes and placements without any talk lead to the same end: talk moves nothing."""
    for number, private in product(range(5), (False, True)):
        options = GAME.defaults() | {"press": press, "private": private}
        talked = play_talking(options, seats, f"bind {number}")
        silent = Match(GAME, options | {"press": 0}, seats)
        for step, reply in talked.log:
            is_talk = isinstance(step, Ask) and any(c.kind == "talk" for c in step.choices.values())
            if not isinstance(step, Tell) and not is_talk:
                silent.reply(reply)
        assert silent.result == talked.result
        others = [text for text in all_news(talked) if text.split()[0] not in TALKS]
        assert others == all_news(silent)


def all_news(match):
    return [step.text for step, _ in match.log if isinstance(step, Tell)]


@pytest.mark.parametrize("press", (1, 2, 3))
def test_private_talk_changes_nothing_for_the_others(press):
    """A seat that is never addressed hears and is asked the same as if there were no talk at all."""
    options = GAME.defaults() | {"press": press, "private": True}

    def quiet_with(outsider):
        def talk(match, seat, choice, dice):
            word = talk_at_random(match, seat, choice, dice)
            return "pass" if seat == outsider or addressee(word, choice) == seat_name(outsider) else word

        return talk

    for seats, outsider, number in product((3, 4, 5), (0, 2), range(3)):
        seed = f"around {number}"
        loud = play_talking(options, seats, seed, talker=quiet_with(outsider))
        quiet = Match(GAME, options, seats)
        seen = [heard_and_asked(loud, outsider)]
        words = iter([reply for step, reply in loud.log if isinstance(step, Ask) and not is_talk(step)])
        draws = iter([reply for step, reply in loud.log if not isinstance(step, Tell | Ask)])
        while quiet.step is not None:
            if isinstance(quiet.step, Ask):
                talk = is_talk(quiet.step)
                quiet.reply(dict.fromkeys(quiet.step.choices, "pass") if talk else next(words))
            else:
                quiet.reply(next(draws))
        seen.append(heard_and_asked(quiet, outsider))
        assert seen[0] == seen[1]


def addressee(word, choice):
    """Whom a message is for; answers go to players that have said something."""
    parts = word.split(":")
    return parts[1] if parts[1:] and parts[1] in SEAT_NAMES else choice.context.get("with")


def is_talk(step):
    return any(choice.kind == "talk" for choice in step.choices.values())


def heard_and_asked(match, seat):
    """All that a seat hears, and every ask to it, in order."""
    entries = []
    for step, _ in match.log:
        if isinstance(step, Tell) and step.to in (ALL, seat):
            entries.append(step.text)
        elif isinstance(step, Ask) and seat in step.choices:
            entries.append(step.choices[seat].tail)
    return entries
