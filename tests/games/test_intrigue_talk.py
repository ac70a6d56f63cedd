"""Intrigue: what may be said before a payment, which seats hear it, and the book of promises (I26, I28)."""

from itertools import product

import pytest
from intrigue_table import IntrigueCheck, Table, legal, play_talking, talk_at_random

from arena.games.intrigue.game import GAME
from arena.rules import ALL, SEAT_NAMES, Ask, Tell, seat_name, seat_number
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


@pytest.mark.parametrize("purse", [1000, 0])
def test_every_payment_has_its_talk(purse):
    """One talk a bribe, whichever unit it has; also where the bank pays (I17)."""
    given = {"candidates": {"p1": ["p2.writer", "p2.priest", "p3.doctor"]}, "money": {"p3": purse}}
    for unit, wanted in (("player", ["p2", "p3"]), ("advisor", ["p2", "p2", "p3"])):
        table = Table(3, given, press=1, bribe_unit=unit)
        talks = []
        while (asked := table.match.step.choices) and not any(c.kind == "place" for c in asked.values()):
            ((seat, choice),) = asked.items()
            if choice.kind == "talk" and seat != 0:
                talks.append(seat_name(seat))
            table.answer(seat_name(seat), choice.kind, choice.default)
        assert talks == wanted


# All players (press 2)


def test_all_others_speak_at_once_after_the_owner():
    """They hear what was said before, and are heard clockwise from the owner's left, whoever is faster."""
    table = Table(5, WRITER, talk_rounds=1).play("p4: talk offer:5000\np2: talk pass")
    choices = table.match.step.choices
    assert list(choices) == [2, 4, 0]
    assert {choice.tail for choice in choices.values()} == {
        "payer=p4 owner=p2 round=1/1 stage=free for=p4.writer zones=1000,3000,10000 "
        "open=offer,promise,request,threat : pass"
    }
    table.play("""
        p1: talk threat:p4:send=doctor@p4
        p5: talk request:p2:p4.writer@1000
        p3: talk promise:p2:send=p2
    """)
    assert talk_of(table) == [
        "offer 1 p4 p2 5000",
        "offer 3 p3 p2 send=p2",
        "request p5 p2 p4.writer@1000",
        "threat p1 p4 send=doctor@p4",
    ]
    assert table.choice("p4", "bribe")


def test_payer_and_owner_answer_the_others_in_the_next_round():
    table = Table(4, WRITER).play("""
        p4: talk offer:p1:p1/spare=p2:send=p1
        p2: talk pass
        offered p1 talk: pass accept:1 reject:1
        offered p3 talk: pass
        p1: talk offer:p4:spare=p2:p4/send=p1
        p3: talk offer:p2:next=p2@10000:p2/p4.writer@1000
    """)
    assert table.choice("p4", "talk").context["others"] == "4:p1:spare=p2:p4/send=p1"
    table.play("p4: talk accept:4")
    assert table.choice("p2", "talk").context["others"] == "3:p3:next=p2@10000:p2/p4.writer@1000"
    assert "offers" not in table.choice("p2", "talk").context
    table.play("""
        p2: talk reject:3
        p1: talk accept:1        (an offer of the last round can be answered in it)
        p3: talk pass
        p4: bribe 1000
    """)
    assert [text for text in talk_of(table) if not text.startswith("offer")] == [
        "accept 4 p4",
        "reject 3 p2",
        "accept 1 p1",
    ]
    booked = [(promise.offer, promise.by, promise.to, promise.word) for promise in table.position.book]
    assert booked == [
        (4, 0, 3, "spare=p2"),
        (4, 3, 0, "send=p1"),
        (1, 0, 3, "spare=p2"),
        (1, 3, 0, "send=p1"),
    ]


def test_the_talk_ends_when_all_pass():
    table = Table(4, WRITER, talk_rounds=5).play("p4: talk pass\np2: talk pass\np1: talk request:p4:send=p1")
    assert table.choice("p4", "talk").context["round"] == "2/5"
    table.play("p4: talk pass\np2: talk pass\np1: talk pass\np3: talk pass")
    assert table.match.step.choices[3].kind == "bribe"


def test_offers_of_the_last_round_are_answered():
    """After it, by all with open offers at once; they can only answer, one offer after the other (I38)."""
    table = Table(5, WRITER, talk_rounds=1).play("""
        p4: talk offer:p2:p4/send=p1:p1.writer@1000
        p2: talk offer:p3:p3/send=p2:spare=p3
        offered p3 talk: pass accept:2 reject:2
        p3: talk offer:p4:send=p4
        p5: talk offer:p2:spare=p2
        p1: talk offer:p2:spare=p2
    """)
    choices = table.match.step.choices
    about = "payer=p4 owner=p2 stage=free for=p4.writer zones=1000,3000,10000 others="
    assert [(seat, choice.tail) for seat, choice in choices.items()] == [
        (3, f"{about}3:p3:send=p4 : pass accept:3 reject:3"),
        (
            1,
            f"{about}1:p4:p4/send=p1:p1.writer@1000,4:p5:spare=p2,5:p1:spare=p2"
            " : pass accept:1 reject:1 accept:4 reject:4 accept:5 reject:5",
        ),
        (2, f"{about}2:p2:p3/send=p2:spare=p3 : pass accept:2 reject:2"),
    ]
    table.play("""
        p4: talk accept:3
        p2: talk accept:5
        p3: talk pass
        offered p2 talk: pass accept:1 reject:1 accept:4 reject:4
        p2: talk reject:4
        offered p2 talk: pass accept:1 reject:1
        p2: talk pass
    """)
    assert list(table.match.step.choices) == [3] and table.choice("p4", "bribe")
    assert [(promise.offer, promise.by, promise.to) for promise in table.position.book] == [
        (3, 2, 3),
        (5, 0, 1),
    ]


def test_an_answer_after_the_rounds_is_no_turn_to_speak():
    """So it has no number, and offers cannot be made in it."""
    given = WRITER | {"candidates": {"p2": ["p4.writer", "p1.doctor"]}}
    table = Table(4, given, press=1, talk_rounds=1).play("p4: talk pass\np2: talk offer:2000:writer@10000")
    choice = table.choice("p4", "talk")
    assert not choice.open and legal(choice, "offer:1000", "accept:2") == [False, True]
    table.play("p4: talk accept:2\np4: bribe 2000\np1: talk offer:1000")
    assert talk_of(table)[-3:] == ["accept 2 p4", "promise 2 p4 kept 2000", "offer 3 p1 p2 1000"]


def test_without_an_open_offer_the_payment_follows_the_rounds():
    table = Table(4, WRITER, talk_rounds=1).play(
        "p4: talk offer:5000\np2: talk reject:1\np1: talk threat:p4:send=p4"
    )
    assert table.match.step.choices[3].kind == "bribe"


def test_an_end_by_silence_leaves_time_for_answers():
    """A player that waits for what others say loses no offer by it."""
    table = Table(4, WRITER, talk_rounds=5).play(
        "p4: talk offer:5000\np2: talk pass\np1: talk pass\np3: talk pass"
    )
    table.play("p4: talk pass\np2: talk pass\np1: talk pass\np3: talk pass")
    assert list(table.match.step.choices) == [1]
    table.play("p2: talk accept:1\np4: bribe 5000\n~ promise 1 p4 kept 5000")


def test_threats_and_requests_are_not_judged():
    table = Table(4, WRITER).play("""
        p4: talk threat:send=p1
        p2: talk request:8000
        p1: talk threat:p2:spare=p2
        p3: talk request:p4:send=p3
        p4: bribe 1000
    """)
    assert table.match.position.book == []
    table.finish()
    assert not [text for text in table.news() if text.startswith("promise")]


def test_before_the_owner_decides_all_may_speak():
    """Once, also those who have paid; then open offers are answered (I38)."""
    table = Table(4, WRITER, press=2).play("p4: bribe 1000")
    choices = table.match.step.choices
    assert list(choices) == [2, 3, 0, 1], "the owner is heard last, and speaks at the same time"
    assert {choice.tail for choice in choices.values()} == {
        "owner=p2 stage=free zones=1000,3000,10000 open=offer,promise,request,threat : pass"
    }
    table.play("""
        p4: talk offer:p2:writer@10000:next=p2@10000
        p3: talk offer:p2:p4.writer@1000:send=p2
        p1: talk threat:p2:spare=p2
        p2: talk pass
        offered p2 talk: pass accept:5 reject:5 accept:6 reject:6
    """)
    tail = "owner=p2 stage=free zones=1000,3000,10000 others=5:p3:p4.writer@1000:send=p2,6:p4:writer@10000:"
    assert table.choice("p2", "talk").tail.startswith(tail)
    table.play("""
        p2: talk accept:5
        p2: talk accept:6
        p2: place 3000
        ~ promise 5 p2 broken p4.writer@1000
        ~ promise 6 p2 broken writer@10000
    """)
    assert [promise.word for promise in table.position.book] == ["send=p2", "next=p2@10000"]


def test_without_an_offer_the_owner_is_not_asked():
    table = Table(4, WRITER).play("p4: bribe 1000\np3: talk request:p2:p4.writer@1000")
    assert table.match.step.choices[1].kind == "place"


@pytest.mark.parametrize(
    ("castle", "candidates", "asked"),
    [
        ({6000: "p3.priest"}, ["p4.priest"], True),
        ({6000: "p3.priest"}, ["p3.priest"], False),  # equal, so there is nothing to decide
        ({}, ["p3.priest"], True),
        ({1000: "p3.priest", 3000: "p3.writer", 6000: "p3.doctor"}, ["p4.biologist"], False),
        ({1000: "p3.priest", 3000: "p3.writer", 6000: "p3.doctor"}, ["p4.biologist"] * 2, False),
        ({1000: "p3.priest", 3000: "p3.writer", 6000: "p3.doctor"}, ["p4.biologist", "p1.biologist"], True),
    ],
)
def test_there_is_talk_where_the_owner_can_choose(castle, candidates, asked):
    table = Table(4, {"turn": "p2", "castles": {"p2": castle}, "candidates": {"p2": candidates}})
    while (kind := table.match.step.choices[min(table.match.step.choices)].kind) in ("talk", "bribe"):
        if kind == "talk" and len(table.match.step.choices) == 4:
            break
        table.match.reply({seat: choice.default for seat, choice in table.match.step.choices.items()})
    choice = next(iter(table.match.step.choices.values()))
    assert (choice.kind, choice.context["stage"] != "sending") == ("talk", asked)


def test_before_advisors_are_sent_all_may_speak():
    table = Table(4, {"turn": "p2"})
    assert {choice.tail for choice in table.match.step.choices.values()} == {
        "owner=p2 stage=sending open=offer,promise,request,threat : pass"
    }
    table.play("""
        p4: talk offer:p2:p2/send=writer@p4:next=writer@10000
        p1: talk offer:p2:p2/spare=p1:spare=p2
        p2: talk reject:3
        p2: talk accept:2
        p2: send writer@p4
        p2: send priest@p1
        ~ send p2 writer@p4 priest@p1
        ~ promise 2 p2 kept send=writer@p4
        ~ turn 2 p3
        p3: send priest@p2
        p3: send priest@p2
        p2: bribe 1000
        p4: place 10000
        p4: send priest@p3
        p4: send priest@p3
        ~ promise 2 p4 kept next=writer@10000
    """)


def test_the_owner_may_begin_before_it_decides():
    """It can offer anything to any player, who answers when all have spoken (I38)."""
    given = {"castles": {"p1": {6000: "p3.priest"}}, "candidates": {"p1": ["p4.priest"]}}
    table = Table(4, given).play("""
        p3: bribe 1000
        p4: bribe 1000
        p3: talk pass
        p4: talk offer:p1:priest@6000:pay=9000@p1
        p1: talk offer:p3:priest@6000:p3/next=p1@10000
        offered p3 talk: pass accept:12 reject:12
        p3: talk accept:12
        p1: talk reject:11
        p1: decide p4.priest
        ~ promise 12 p1 broken priest@6000
    """)
    assert [promise.word for promise in table.position.book] == ["next=p1@10000"]


def test_the_owner_may_begin_before_it_sends():
    table = Table(3, {"turn": "p2"}).play("""
        p3: talk pass
        p1: talk pass
        p2: talk offer:p1:send=doctor@p1:p1/next=doctor@10000
        p1: talk accept:3
        p2: send doctor@p1
        p2: send priest@p1
        ~ send p2 doctor@p1 priest@p1
        ~ promise 3 p2 kept send=doctor@p1
    """)
    assert [promise.word for promise in table.position.book] == ["next=doctor@10000"]


def test_two_third_players_make_a_deal():
    """Before a payment, and before a decision: neither of them pays or owns the castle."""
    table = Table(5, WRITER).play("""
        p4: talk pass
        p2: talk pass
        p3: talk offer:p1:spare=p1:p1/spare=p3
        p5: talk pass
        p1: talk pass
        p4: talk pass
        p2: talk pass
        p1: talk accept:3
        p4: bribe 1000
        p5: talk promise:p3:next=p3@10000
        p3: talk accept:13
        p2: place 10000
        ~ lodge p2 p4.writer 10000
    """)
    assert [(promise.by, promise.to, promise.word) for promise in table.position.book] == [
        (2, 0, "spare=p1"),
        (0, 2, "spare=p3"),
        (4, 2, "next=p3@10000"),
    ]


def test_in_the_last_round_there_is_no_talk_of_sending():
    table = Table(4, {"turn": "p2", "round": 5, "starter": "p2"})
    table.finish()
    assert not table.asks
    assert not [step for step, _ in table.match.log if isinstance(step, Ask) and is_talk(step)]


def test_talk_is_as_free_where_the_bank_pays():
    """A payer without money can still promise places and advisors, and others can join in (I17)."""
    table = Table(4, WRITER | {"money": {"p4": 0}}).play("""
        p4: talk offer:writer@10000:next=p2@10000
        p2: talk accept:1
        p3: talk offer:p4:spare=p4:p4/spare=p3
        p4: talk accept:3
        ~ bribe p4 p2 1000 by=bank
        p2: place 10000
        ~ promise 1 p2 kept writer@10000
    """)
    assert [promise.word for promise in table.position.book] == ["next=p2@10000", "spare=p4", "spare=p3"]


@pytest.mark.parametrize(("amount", "verdict"), [(1000, "kept"), (2000, "broken")])
def test_an_amount_promised_without_money(amount, verdict):
    """The 1000 of the bank are its bribe; the owner cannot know that there is no more (I17)."""
    table = Table(4, WRITER | {"money": {"p4": 0}}, press=1)
    table.play(f"p4: talk offer:{amount}\np2: talk accept:1\n~ bribe p4 p2 1000 by=bank")
    assert table.last_news("promise") == f"promise 1 p4 {verdict} {amount}"


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
        p2: talk offer:3000      (the eighth turn to speak is the last of this payment)
        offered p4 talk: pass accept:8 reject:8
        p4: talk pass
        p4: bribe 2000
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


@pytest.mark.parametrize(
    ("promise", "verdict"),
    [
        ("8 p1 p2 send=p2", "kept"),  # the first option sends priest@p2 twice
        ("8 p1 p2 send=p3", "broken"),
        ("8 p1 p2 spare=p3", "kept"),
        ("8 p1 p2 spare=priest@p2", "broken"),
        ("8 p1 p2 send=biologist@p2", "void"),
        ("8 p1 p2 next=priest@1000", "kept"),
        ("8 p1 p2 next=p2.writer@1000", "void"),
    ],
)
def test_given_promises_are_due_at_the_next_turn(promise, verdict):
    given = {"castles": {"p1": {1000: "p2.priest"}}, "reserve": {"p1": ["priest", "priest", "writer"]}}
    table = Table(3, given | {"promises": [promise]})
    table.play("p1: send priest@p2\np1: send priest@p2")
    number, by, _, word = promise.split()
    assert table.last_news("promise") == f"promise {number} {by} {verdict} {word}"


def test_with_an_empty_reserve_nothing_is_sent():
    table = Table(3, {"reserve": {"p1": []}, "promises": ["8 p1 p2 send=p2"]})
    assert table.news() == ["turn 1 p1", "send p1", "promise 8 p1 void send=p2", "turn 2 p2"]


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


@pytest.mark.parametrize(
    ("word", "verdict"),
    [
        ("p4.writer@3000", "kept"),
        ("p4@3000", "kept"),
        ("p4.writer@1000", "broken"),
        ("p4@1000", "broken"),
        ("p3@6000", "void"),  # in another stage
        ("p3.writer@3000", "void"),
        ("turn=p4@3000", "kept"),
        ("turn=p4.writer@10000", "broken"),
        ("turn=p3@6000", "kept"),  # it stays there
        ("turn=p4@6000", "void"),  # no priest of p4 is there
        ("turn=p1.doctor@1000", "void"),
    ],
)
def test_promises_about_any_advisor(word, verdict):
    """By the owner to a third player; `turn=` is decided at the end of the turn, or void at once."""
    table = Table(4, WRITER).play(f"""
        p4: bribe 1000
        p1: talk offer:p2:p2/{word}
        p2: talk accept:7
    """)
    at_once = word.startswith("turn=") and verdict == "void"
    assert (table.position.book == []) == at_once
    table.play("p2: place 3000\np2: send priest@p1\np2: send priest@p1\n~ turn 2 p3")
    wanted = [f"promise 7 p2 {verdict} {word}"]
    assert [text for text in table.news() if text.startswith("promise")] == wanted
    news = table.news()
    end = "accept 7 p2" if at_once else "send p2 priest@p1 priest@p1"
    decided = end if word.startswith("turn=") else "lodge p2 p4.writer 3000"
    assert news[news.index(decided) + 1] == wanted[0]


@pytest.mark.parametrize(
    ("word", "place", "verdict"),
    [
        ("turn=p1.biologist@3000", "p1.biologist@3000", "kept"),
        ("turn=p1.biologist@3000", "p1.biologist@10000", "broken"),
        ("turn=biologist@3000", "p3.biologist@3000", "broken"),
        ("turn=p3@3000", "p3.biologist@3000", "kept"),
    ],
)
def test_a_promise_about_another_stage(word, place, verdict):
    """Given in the free stage, about the external one."""
    given = WRITER | {"candidates": {"p2": ["p4.writer", "p1.biologist", "p3.biologist"]}}
    table = Table(4, given).play(f"""
        p4: talk pass
        p2: talk promise:p1:{word}
        p1: talk accept:2
        p4: bribe 1000
        p2: place 1000
        p3: bribe 1000
        p1: bribe 1000
        p2: place {place}
        p2: send priest@p1
        p2: send priest@p1
        ~ promise 2 p2 {verdict} {word}
    """)
    assert not table.position.book


@pytest.mark.parametrize(
    ("word", "place", "verdict"),
    [
        ("!p3.biologist", "p1.biologist@3000", "kept"),  # it goes to the island
        ("!p3.biologist", "p3.biologist@3000", "broken"),
        ("!p3", "p1.biologist@10000", "kept"),
        ("!biologist@10000", "p1.biologist@3000", "kept"),  # p1's, as it is promised to p1
        ("!biologist@10000", "p1.biologist@10000", "broken"),
        ("!p3@6000", "p1.biologist@3000", "void"),  # the zone of the priest is not in this stage
        ("!p4", "p1.biologist@3000", "void"),  # no advisor of p4 takes part
        ("turn=!p3", "p1.biologist@3000", "broken"),  # its priest stays
        ("turn=!p3@3000", "p1.biologist@3000", "kept"),
        ("turn=!p3@3000", "p3.biologist@3000", "broken"),
        ("turn=!p4", "p1.biologist@3000", "void"),  # it could not be there anyway
    ],
)
def test_a_place_can_be_denied(word, place, verdict):
    """ "I throw you out": no such advisor in that zone; without one in any of the stage, or of the castle."""
    given = WRITER | {"candidates": {"p2": ["p1.biologist", "p3.biologist"]}}
    table = Table(4, given).play(f"""
        p3: bribe 1000
        p1: talk offer:{word}
        p2: talk accept:5
        p1: bribe 1000
        p2: place {place}
        p2: send priest@p1
        p2: send priest@p1
        ~ promise 5 p2 {verdict} {word}
    """)
    assert not table.position.book


@pytest.mark.parametrize(("kept", "verdict"), [("p3", "broken"), ("p4", "kept")])
def test_an_occupant_is_thrown_out(kept, verdict):
    """The threat is heard; as an offer to the rival it is a promise like others."""
    given = {"castles": {"p1": {3000: "p3.priest"}}, "candidates": {"p1": ["p4.priest"]}}
    table = Table(4, given).play("p3: talk pass\np1: talk threat:!p3.priest\np3: bribe 5000")
    assert "threat p1 p3 !p3.priest" in table.news()
    table.play(f"p4: talk offer:9000:!p3.priest\np1: talk accept:9\np4: bribe 9000\np1: decide {kept}.priest")
    assert table.last_news("promise") == f"promise 9 p1 {verdict} !p3.priest"


@pytest.mark.parametrize(
    ("castle", "candidates", "verdict"),
    [
        ({1000: "p2.priest"}, [], "broken"),  # it is there, and stays
        ({1000: "p3.priest"}, ["p2.priest"], "kept"),  # the first option keeps p3's
        ({1000: "p3.priest"}, [], "void"),
        ({}, ["p2.doctor"], "broken"),  # the first option is zone 1000
    ],
)
def test_a_place_can_be_denied_for_the_next_turn(castle, candidates, verdict):
    given = {"turn": "p1", "castles": {"p1": castle}, "candidates": {"p1": candidates}}
    table = Table(3, given | {"promises": ["7 p1 p3 next=!p2@1000"]})
    table.finish()
    assert table.last_news("promise") == f"promise 7 p1 {verdict} next=!p2@1000"


@pytest.mark.parametrize(("paid", "verdict"), [(4000, "kept"), (3000, "broken")])
def test_an_amount_for_a_later_payment(paid, verdict):
    """It is decided by the next bribe of the promiser to that owner, not by the one of this talk."""
    given = {"candidates": {"p1": ["p2.writer", "p2.priest", "p3.priest", "p3.doctor"]}}
    table = Table(3, given).play(f"""
        p2: talk offer:1000:pay=4000@p1
        p1: talk accept:1
        p2: bribe 1000
        ~ promise 1 p2 kept 1000
        p3: bribe 9000
        p1: place 1000
        p1: place 3000
        p2: bribe {paid}
        ~ promise 1 p2 {verdict} pay=4000@p1
    """)
    assert not table.position.book


def test_a_later_payment_may_come_in_another_turn_or_never():
    """A third player promises its own payment in the same stage; one that never comes is void."""
    last = {"round": 5, "starter": "p2", "candidates": {"p2": ["p4.writer", "p1.doctor"]}}
    table = Table(4, WRITER | last).play("""
        p4: talk pass
        p2: talk pass
        p3: talk promise:p2:pay=2000@p2
        p1: talk promise:p2:pay=5000@p2
        p4: talk pass
        p2: talk accept:3
        p2: talk accept:4
        p4: bribe 20000
        p1: bribe 5000
        ~ promise 4 p1 kept pay=5000@p2
    """)
    assert [promise.word for promise in table.position.book] == ["pay=2000@p2"]
    table.finish()
    assert "promise 3 p3 void pay=2000@p2" in table.news()


@pytest.mark.parametrize(
    ("word", "sent", "verdict"),
    [
        ("send=p1", "priest@p3 doctor@p1", "kept"),
        ("send=p1", "priest@p3 doctor@p3", "broken"),
        ("send=doctor@p1", "doctor@p1 doctor@p1", "kept"),
        ("send=doctor@p1", "doctor@p3 priest@p1", "broken"),
        ("send=writer@p1", "doctor@p1 priest@p1", "void"),  # it has no writer left
        ("spare=p1", "priest@p3 doctor@p3", "kept"),
        ("spare=p1", "priest@p3 doctor@p1", "broken"),
        ("spare=doctor@p1", "doctor@p3 priest@p1", "kept"),
        ("spare=doctor@p1", "doctor@p1 priest@p3", "broken"),
        ("spare=writer@p1", "priest@p3 doctor@p3", "void"),
    ],
)
def test_a_promise_about_the_next_sending(word, sent, verdict):
    """By an owner it is about this turn's, by another player about that of its next turn."""
    first, second = sent.split()
    reserve = {"p2": ["priest", "doctor", "doctor"]}
    table = Table(4, WRITER | {"reserve": reserve}).play(f"""
        p4: talk pass
        p2: talk promise:{word}
        p4: talk accept:2
        p4: bribe 1000
        p2: place 1000
        p2: send {first}
        p2: send {second}
        ~ send p2 {sent}
        ~ promise 2 p2 {verdict} {word}
        ~ turn 2 p3
    """)
    assert not table.position.book
    given = {"starter": "p1", "turn": "p1", "candidates": {"p1": ["p3.writer"]}, "reserve": reserve}
    table = Table(4, given).play(f"""
        p3: bribe 1000
        p2: talk promise:p1:{word.replace("p1", "p4")}
        p1: talk accept:5
        p1: place 1000
        p1: send priest@p3
        p1: send priest@p3
        p2: send {first.replace("p1", "p4")}
        p2: send {second.replace("p1", "p4")}
        ~ promise 5 p2 {verdict} {word.replace("p1", "p4")}
        ~ turn 3 p3
    """)
    assert not table.position.book


def test_what_is_never_sent_makes_it_void():
    given = {"round": 5, "turn": "p3", "starter": "p1", "candidates": {"p3": ["p1.priest", "p2.writer"]}}
    table = Table(3, given).play("""
        p1: talk offer:1000:send=p2
        p3: talk promise:p2:spare=p2
        p2: talk accept:2
        p1: talk pass
        p3: talk accept:1
        p1: bribe 1000
        p2: bribe 1000
        p3: place 10000
        p3: place 6000
    """)
    assert [text for text in table.news() if text.startswith("promise")] == [
        "promise 1 p1 kept 1000",
        "promise 2 p3 void spare=p2",
        "promise 1 p1 void send=p2",
    ]


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


@pytest.mark.parametrize("number", range(len(TALKING)))
def test_random_talk(number):
    """Games with talk end, replay, keep what they promise of themselves, and leave no promise undecided."""
    seats, changes = 3 + number % 3, TALKING[number]
    options = GAME.defaults() | changes
    match = play_talking(options, seats, f"talk {changes}", watch=IntrigueCheck())
    again = Match(GAME, options, seats, match.replies)
    assert (again.digest(), again.result) == (match.digest(), match.result)
    check_the_book(match)
    check_audience(match)
    check_answerable(match)


def test_random_talk_comes_to_every_verdict():
    """Of every kind of promise, but that amounts are never void: they are due at once."""
    verdicts = [check_the_book(play_talking(GAME.defaults(), 4, f"verdict {number}")) for number in range(20)]
    kinds = ("", "turn", "next", "send", "spare", "pay")
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


def check_answerable(match):
    """Every offer is among the options of a later ask to the player to whom it is made."""
    waiting = set()
    for step, _ in match.log:
        if isinstance(step, Tell) and step.text.startswith("offer "):
            _, number, _, to, _ = step.text.split()
            waiting.add((seat_number(to), f"accept:{number}"))
        elif isinstance(step, Ask):
            waiting -= {(seat, word) for seat, choice in step.choices.items() for word in choice.options}
    assert not waiting


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
    for private in (False, True):
        options = GAME.defaults() | {"press": press, "private": private}
        talked = play_talking(options, seats, f"bind {private}")
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
def test_private_talk_of_others_changes_nothing_for_a_seat(press):
    """Without the talk between others a seat hears, sees and is asked the same, also if it talks (I38).

    Each game is played again without it, once for each seat: 200 times in all.
    """
    options = GAME.defaults() | {"press": press, "private": True, "rounds": 2}
    for number, seats in enumerate((3, 4, 5) * 6):
        loud = play_talking(options, seats, f"around {press} {number}", talker=talk_much)
        for seat in range(seats):
            quiet = without_talk_of_others(loud, seat)
            assert seen_by(loud, seat) == seen_by(quiet, seat), (number, seat_name(seat))


def talk_much(match, seat, choice, dice):
    """Offers to any other seat, and answers to them: what several wait for at once."""
    if len(choice.options) > 1 and dice.random() < 0.6:
        return dice.choice(choice.options[1:])
    return talk_at_random(match, seat, choice, dice)


def without_talk_of_others(loud, seat):
    """The game in which other seats say nothing to each other; all that `seat` says and is told stays."""
    talks = list(spoken(loud, seat))
    others = iter([reply for step, reply in loud.log if not isinstance(step, Tell) and not is_talk(step)])
    quiet, turns, left = Match(GAME, loud.options, loud.seats), iter(talks), {}
    while quiet.step is not None:
        if not is_talk(quiet.step):
            quiet.reply(next(others))
            continue
        if any(choice.open for choice in quiet.step.choices.values()):
            left = next(turns)
        words = {}
        for each, choice in quiet.step.choices.items():
            said = left[each]
            words[each] = said.pop(0) if said and (choice.open or said[0] in choice.options) else "pass"
        quiet.reply(words)
    return quiet


def spoken(match, seat):
    """For each turn to speak, by seat: its word to or of `seat`, or a pass, and then its answers."""
    talk, between = None, {}
    for step, reply in match.log:
        if isinstance(step, Tell) and step.text.startswith("offer "):
            _, number, by, to, _ = step.text.split()
            between[number] = {by, to}
        if not isinstance(step, Ask) or not is_talk(step):
            continue
        is_turn = any(choice.open for choice in step.choices.values())
        if is_turn:
            if talk:
                yield talk
            talk = {each: [] for each in range(match.seats)}
        for each, word in reply.items():
            verb, _, rest = word.partition(":")
            if verb in ("accept", "reject"):
                concerned = between[rest]
            else:
                concerned = {seat_name(each), addressee(word, step.choices[each])}
            if seat_name(seat) in concerned and word != "pass":
                talk[each].append(word)
            elif is_turn:
                talk[each].append("pass")
    if talk:
        yield talk


def seen_by(match, seat):
    """All that a seat hears, every ask to it with its state, and what all see when it ends, in order."""
    again, entries = Match(GAME, match.options, match.seats), []
    for reply in match.replies:
        if isinstance(again.step, Ask) and seat in again.step.choices:
            entries += [again.step.choices[seat].tail, *GAME.view(again.position, seat)]
        heard = len(again.log)
        again.reply(reply)
        news = (step for step, _ in again.log[heard:] if isinstance(step, Tell))
        entries += [step.text for step in news if step.to in (ALL, seat)]
    return entries, again.result


def addressee(word, choice):
    """Whom a message is for."""
    parts = word.split(":")
    return parts[1] if parts[1:] and parts[1] in SEAT_NAMES else choice.context.get("with")


def is_talk(step):
    return isinstance(step, Ask) and any(choice.kind == "talk" for choice in step.choices.values())
