"""Intrigue: which words may be said, by whom and when, and why others may not (I28, I38)."""

from urllib.parse import quote

import pytest
from intrigue_table import Table, legal

from arena.referee.judging import describe_illegal

GIVEN = {
    "turn": "p2",
    "castles": {"p2": {6000: "p3.priest"}},
    "candidates": {"p2": ["p4.writer", "p1.biologist", "p3.biologist", "p4.priest"]},
}
"""p2 is the owner. p4 pays for its writer in the free stage, which p1 and p3 have no part in."""

BEFORE = {
    "payer": "",
    "owner": "p4: talk pass",
    "others": "p4: talk pass\np2: talk pass",
    "decision": "p4: bribe 1000",
    "sending": "p4: bribe 1000\np2: place 1000\np3: bribe 1000\np1: bribe 1000\n"
    "p2: place p1.biologist@3000\np3: bribe 1000\np4: bribe 1000\np2: decide p3.priest",
}
"""What was said and done before each time at which somebody may speak."""


def asked(when, **options):
    """What p4 is asked before its payment, p2 after it, or p1 when others may speak."""
    table = Table(4, GIVEN, **options).play(BEFORE[when])
    return table.choice({"payer": "p4", "owner": "p2"}.get(when, "p1"), "talk")


# What may be said

LEGAL = {
    "payer": """
        offer:1000
        offer:999000
        offer:p2:8000
        offer:writer@10000
        offer:8000:writer@10000:next=p3@6000:next=p1@6000:priest@1000
        offer:5000:biologist@3000:biologist@1000
        offer:8000:p2/next=p4@1000:p4/next=p2@1000
        offer:8000:p1.biologist@3000:turn=p1.biologist@3000:turn=p3@6000
        offer:p1:p1/spare=p2:p4/send=doctor@p1
        offer:p1:next=writer@1000:p1/next=writer@1000
        offer:send=p1:send=writer@p1:spare=p3:spare=doctor@p3
        promise:8000
        promise:p3:send=p3
        request:writer@10000:turn=priest@6000:send=p4:next=p4.doctor@1000
        request:p1:spare=biologist@p2
        threat:1000:next=p1.priest@10000
        threat:p3:send=priest@p3
    """,
    "owner": """
        offer:8000:writer@10000
        offer:p4:8000:p4/next=p2@1000
        promise:writer@10000
        promise:p1:p1.biologist@3000:turn=biologist@3000
        request:8000
        request:p3:spare=p1
        threat:writer@1000
        threat:!p4.writer
        threat:!writer@1000
        promise:turn=!p3@6000:next=!p4
        offer:8000:pay=9000@p4:p4/pay=2000@p2
    """,
    "others": """
        offer:p2:p4.writer@1000:next=p2@6000
        offer:p2:writer@1000:p2/next=p1@6000
        offer:p4:next=p4@6000:p4/spare=p1
        promise:p4:send=p4
        request:p2:turn=p3.biologist@3000
        request:p2:!p4.writer@10000
        threat:p4:send=writer@p2
        offer:p3:spare=p3:p3/spare=p1
        promise:p3:pay=1000@p2
    """,
    "decision": """
        offer:p3:next=p3@1000:p3/next=p1@1000
        request:p2:!p4.writer
        offer:p2:p4.writer@1000:p2/send=p1
        promise:p2:next=p2@6000
        request:p2:turn=biologist@10000
        threat:p2:send=p2
    """,
    "sending": """
        offer:p2:p2/send=writer@p1:next=writer@10000
        promise:p2:spare=p2
        promise:p4:pay=4000@p4
        threat:p2:next=!p2
        request:p2:spare=biologist@p1
        threat:p2:send=doctor@p2
    """,
}


@pytest.mark.parametrize(("when", "word"), [(when, word) for when in LEGAL for word in LEGAL[when].split()])
def test_words_that_may_be_said(when, word):
    assert legal(asked(when), word) == [True]


def test_press_1_has_offers_with_the_same_terms():
    """But payer and owner speak only to each other."""
    choice = asked("payer", press=1)
    assert list(choice.open) == ["offer"]
    for word in LEGAL["payer"].split():
        assert legal(choice, word) == [word.startswith("offer:") and not word.startswith("offer:p1:")]
    assert choice.refusal("offer:p1:send=p1") == "it cannot be said to p1 now, only to p2"


# What may not be said, and why

ILLEGAL = {
    # The form of a message
    "offer": "it has no term",
    "offer:": "it has no term",
    "offer:p2": "it has no term",
    "offer:p2:": "it has no term",
    "offer:p4:8000": "it cannot be said to p4 now, only to p1 or p2 or p3",
    "offer:p5:8000": "there is no seat 'p5', only p1 to p4",
    "offer:p02:8000": "there is no seat 'p02', only p1 to p4",
    "offer:P2:8000": "'P2' is no term",
    "offer::writer@1000": "'' is no term",
    "offer:8000:": "'' is no term",
    "offer:8000::writer@1000": "'' is no term",
    "offer:writer@1000:8000": "an amount should be the first term, and the only amount",
    "offer:8000:9000": "an amount should be the first term, and the only amount",
    "offer:8000:send=p1:send=p2:send=p3:spare=p1:spare=p2": "it has 5 promises, and 4 is the most",
    "offer:8000:writer@1000:writer@1000": "it says 'writer@1000' twice",
    "offer:8000:writer@1000:p4.writer@1000": "it says 'p4.writer@1000' twice",
    "offer:8000:next=p2@1000:p4/next=p2@1000": "it says 'next=p2@1000' twice",
    # Amounts
    "offer:0": "'0' is no amount: a multiple of 1000 from 1000 to 999000",
    "offer:500": "'500' is no amount",
    "offer:1500": "'1500' is no amount",
    "offer:01000": "'01000' is no amount",
    "offer:1000000": "'1000000' is no amount: a multiple of 1000 from 1000 to 999000",
    "offer:\uff11000": "'\\uff11000' is no amount",
    "offer:" + "9" * 50: "'99999999999999999999...' is no amount",
    "offer:-1000": "'-1000' is no term",
    "offer:+1000": "'+1000' is no term",
    "offer:1000\n": "'1000\\n' is no term",
    "offer:p1:8000": "8000 is an amount, which only payer and owner can promise each other",
    "request:1000": "'1000' is for p4 to do; this request has terms of p2",
    "offer:p2/8000": "'8000' is for p4 to do, not for p2",
    # Advisors and zones
    "offer:8000:writer": "'writer' is no term",
    "offer:8000:writer@2000": "there is no zone '2000', only 1000, 3000, 6000 and 10000",
    "offer:8000:writer@": "there is no zone ''",
    "offer:8000:pope@1000": "'pope' is no advisor; write it like writer, p1 or p1.writer",
    "offer:8000:Writer@1000": "'Writer' is no advisor",
    "offer:8000:p4.pope@1000": "there is no type 'pope', only priest, writer, doctor and biologist",
    "offer:8000:p5.writer@1000": "there is no seat 'p5', only p1 to p4",
    "offer:8000:p2.writer@1000": "'p2.writer@1000' is about an advisor of p2 in its own castle (I34)",
    "offer:8000:turn=p2@1000": "'turn=p2@1000' is about an advisor of p2 in its own castle (I34)",
    "offer:8000:p4/writer@1000": "'writer@1000' is for p2 to do, not for p4",
    "offer:8000:stage=p1@1000": "'stage=p1@1000' is no term",
    "promise:writer@1000": "'writer@1000' is for p2 to do; this promise has terms of p4",
    "threat:turn=p1@1000": "'turn=p1@1000' is for p2 to do; this threat has terms of p4",
    # What is denied
    "offer:8000:!": "'' is no advisor; write it like writer, p1 or p1.writer",
    "offer:8000:!!p1": "'!p1' is no advisor",
    "offer:8000:!p1@": "there is no zone ''",
    "offer:8000:!p2.writer": "'!p2.writer' is about an advisor of p2 in its own castle (I34)",
    "offer:8000:!send=p1": "'!send=p1' is no term",
    "offer:8000:send=!p1": "there is no seat '!p1', only p1 to p4",
    "offer:8000:!writer:!p4.writer": "it says '!p4.writer' twice",
    # Later payments
    "offer:8000:pay=9000": "'pay=9000' is no term",
    "offer:8000:pay=@p2": "'' is no amount: a multiple of 1000 from 1000 to 999000",
    "offer:8000:pay=500@p2": "'500' is no amount",
    "offer:8000:pay=9000@6000": "there is no seat '6000', only p1 to p4",
    "offer:8000:pay=9000@p4": "'pay=9000@p4' is about a bribe of p4 to itself",
    # The next turn
    "offer:8000:next=p4@1000": "'next=p4@1000' is about an advisor of p4 in its own castle (I34)",
    "offer:8000:next=p5@1000": "there is no seat 'p5', only p1 to p4",
    "offer:8000:next=p0@1000": "'p0' is no advisor",
    "offer:8000:next=p1": "'next=p1' is no term",
    "offer:8000:next=p1@500": "there is no zone '500'",
    "offer:8000:next@1000": "'next' is no advisor",
    "offer:8000:p1/next=p2@1000": "'next=p2@1000' is for p1 to do; this offer has terms of p4 and p2",
    "offer:8000:p9/next=p2@1000": "there is no seat 'p9', only p1 to p4",
    "request:p4/next=p1@1000": "'next=p1@1000' is for p4 to do; this request has terms of p2",
    # Sending
    "offer:8000:send=": "there is no seat ''",
    "offer:8000:send=p4": "'send=p4' is about an advisor of p4 in its own castle (I34)",
    "offer:8000:p2/spare=writer@p2": "'spare=writer@p2' is about an advisor of p2 in its own castle",
    "offer:8000:send=pope@p1": "there is no type 'pope', only priest, writer, doctor and biologist",
    "offer:8000:send=@p1": "there is no type ''",
    "offer:8000:spare=p6": "there is no seat 'p6', only p1 to p4",
    "offer:8000:send=writer@6000": "there is no seat '6000', only p1 to p4",
    # Heads that are not open
    "Offer:8000": "",
    "accept:1": "",
    "reject:1": "",
    "say:p2:hello": "",  # not with press 2
    "talk": "",
}


@pytest.mark.parametrize(("word", "reason"), ILLEGAL.items())
def test_words_that_may_not_be_said(word, reason):
    table = Table(4, GIVEN)
    choice = table.choice("p4", "talk")
    assert legal(choice, word) == [False]
    assert choice.refusal(word).startswith(reason)
    assert bool(choice.refusal(word)) == bool(reason)
    with pytest.raises(ValueError):
        table.match.reply({3: word})


@pytest.mark.parametrize(
    ("when", "word", "reason"),
    [
        ("owner", "offer:p2:writer@1000", "it cannot be said to p2 now, only to p1 or p3 or p4"),
        ("others", "offer:next=p2@6000", "behind offer: it should name the seat addressed, p2 or p3"),
        ("others", "offer:p1:send=p3", "it cannot be said to p1 now, only to p2 or p3 or p4"),
        ("others", "offer:p3:!p4.writer", "'!p4.writer' is for p2 to do; this offer has terms of p1 and p3"),
        (
            "others",
            "offer:p4:writer@1000",
            "'writer@1000' is for p2 to do; this offer has terms of p1 and p4",
        ),
        ("others", "offer:p2:2000", "2000 is an amount, which only payer and owner can promise each other"),
        ("others", "request:p4:2000", "2000 is an amount, which only payer and owner can promise each other"),
        ("decision", "promise:p1:send=p4", "it cannot be said to p1 now, only to p2 or p3 or p4"),
        ("decision", "promise:send=p2", "behind promise: it should name the seat addressed, p2 or p3"),
        ("decision", "offer:p2:1000", "1000 is an amount, which only payer and owner can promise each other"),
        ("sending", "request:p2:writer@1000", "'writer@1000' cannot be promised: nothing more is placed"),
        ("sending", "request:p2:turn=p1@1000", "'turn=p1@1000' cannot be promised: nothing more is placed"),
    ],
)
def test_words_that_may_not_be_said_by_others_or_then(when, word, reason):
    choice = asked(when)
    assert legal(choice, word) == [False]
    assert choice.refusal(word).startswith(reason)


def test_the_error_line_says_what_is_wrong_with_the_word():
    assert describe_illegal(asked("payer"), "offer:8000:writer@2000") == (
        "answered 'offer:8000:writer@2000' to talk; there is no zone '2000', only 1000, 3000, 6000 and "
        "10000; legal: pass offer:... promise:... request:... threat:...; played pass"
    )


# Free text

TEXTS = ["hello", quote("Nein, danke! 10% für dich?"), quote("我给你五千"), quote("لا"), "a:b:c"]
TEXTS += ["x" * 280, quote("你" * 280), quote("\u3000\u00a0\u200d")]


@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize("to", ["p1", "p2", "p3", "all"])
def test_free_text(to, text):
    table = Table(4, GIVEN, press=3)
    assert table.choice("p4", "talk").tail.endswith("open=offer,promise,request,threat,say : pass")
    table.play(f"p4: talk say:{to}:{text}\np2: talk say:all:No.")
    assert table.news()[-2:] == [f"say p4 {to} {text}", "say p2 all No."]


@pytest.mark.parametrize(
    ("word", "reason"),
    {
        "say": "'' cannot be told anything, only p1, p2, p3 and all",
        "say:": "'' cannot be told anything, only p1, p2, p3 and all",
        "say:p4:to-myself": "'p4' cannot be told anything, only p1, p2, p3 and all",
        "say:p5:hello": "'p5' cannot be told anything",
        "say:everybody:hello": "'everybody' cannot be told anything",
        "say:p2": "the text is empty",
        "say:p2:": "the text is empty",
        "say:p2:two words": "the text should be ASCII, and everything else percent-encoded, such as %20",
        "say:p2:100%": "the text should be ASCII",
        "say:p2:%zz": "the text should be ASCII",
        "say:p2:naïve": "the text should be ASCII",
        "say:p2:%ff": "the text is not UTF-8",
        "say:p2:%0A": "the text has a control character",
        "say:p2:%1b[31m": "the text has a control character",
        "say:p2:%C2%85": "the text has a control character",
        "say:p2:" + "x" * 281: "the text has 281 characters, and 280 is the most",
        "say:p2:" + quote("你" * 281): "the text has 281 characters, and 280 is the most",
        "say:p2:" + "%41" * 2000: "the text has 2000 characters, and 280 is the most",
    }.items(),
)
def test_free_text_that_may_not_be_said(word, reason):
    choice = asked("payer", press=3)
    assert legal(choice, word) == [False]
    assert choice.refusal(word).startswith(reason)


def test_private_text_is_not_for_all():
    choice = asked("payer", press=3, private=True)
    assert legal(choice, "say:p2:hello") == [True]
    assert choice.refusal("say:all:hello") == "'all' cannot be told anything, only p1, p2 and p3"
