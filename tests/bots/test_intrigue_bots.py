"""The house bots of Intrigue: they know the protocol and the talk, and the same seed makes the same game."""

import subprocess
import sys
from pathlib import Path

import pytest
from programs import play_leisurely
from samples import CHECKOUT

from arena.games import GAMES
from arena.programs.play.table import ProgramTable
from arena.programs.reading import read_bot
from arena.referee.record import Record
from arena.rules import Tell

NAMES = {"miser": "intrigue_miser", "buyer": "intrigue_buyer"}
TALKING = ["buyer", "negotiator", "deviator", "sanctioner"]
THINKING = ["miser", *TALKING]
BOTS = {
    **{bot: f"house:{NAMES.get(bot, bot)}" for bot in THINKING},
    "random": "house:random",
    "first": "house:first",
    "chatter": "house:intrigue_chatter",
    "gossip": "house:intrigue_chatter",
}
OPTIONS = [{"private": True, "show_money": "all"}, {"bribe_unit": "advisor", "talk_rounds": 3}, {"rounds": 2}]
"""The options change what the bots are asked, so each of them is played with."""


@pytest.fixture(scope="module")
def table():
    with ProgramTable({name: read_bot(Path(house), name=name) for name, house in BOTS.items()}) as table:
        yield table


def play(table: ProgramTable, *bots: str, seed: str, game: str = "intrigue", **options: object) -> Record:
    return play_leisurely(table, bots, game, seed, options)


def fill(bot: str, seats: int, first: int) -> list[str]:
    """The bot and as many others as the table needs, beginning with the `first` of them."""
    others = [name for name in BOTS if name != bot]
    return [bot, *(others[(first + seat) % len(others)] for seat in range(seats - 1))]


def said(record: Record, seat: int) -> list[str]:
    """The first word, up to its colon, of all that a seat answered."""
    answers = [reply for reply in record.replies if isinstance(reply, dict)]
    return [reply[seat].partition(":")[0] for reply in answers if seat in reply]


def verdicts(record: Record) -> list[list[str]]:
    """How all promises of the game ended: `["7", "p2", "broken", "writer@10000"]`."""
    match = record.fixture.match(GAMES["intrigue"], record.replies)
    news = [step.text.split() for step, _ in match.log if isinstance(step, Tell)]
    return [words[1:] for words in news if words[0] == "promise"]


@pytest.mark.parametrize("press", [0, 1, 2, 3])
@pytest.mark.parametrize("bot", THINKING)
def test_plays_without_a_fault(table, bot, press):
    for number, options in enumerate(OPTIONS):
        bots = fill(bot, 3 + (number + press) % 3, first=number)
        record = play(table, *bots[number:], *bots[:number], seed=f"game {number}", press=press, **options)
        assert record.faults == ()
        assert 1 in record.result[0]


@pytest.mark.parametrize("private", [False, True])
@pytest.mark.parametrize("press", [0, 1, 2, 3])
def test_whatever_is_said_they_play_on(table, press, private):
    """The chatters say anything that the page allows; the others need not understand it."""
    for number, others in enumerate(
        (["negotiator"], ["first", "sanctioner", "deviator"], ["miser", "buyer"])
    ):
        bots = ["chatter", *others, "gossip"]
        record = play(table, *bots, seed=f"chat {number}", press=press, private=private)
        assert record.faults == ()
        spoken = {word for seat in (0, len(bots) - 1) for word in said(record, seat)}
        forms = [(), ("offer",), ("offer", "promise", "request", "threat")][min(press, 2)]
        assert spoken & {"offer", "promise", "request", "threat", "say"} == {*forms, *["say"][: press > 2]}


@pytest.mark.parametrize(("bot", "seats"), [("miser", 3), ("buyer", 4), ("deviator", 5), ("chatter", 3)])
def test_the_same_seed_gives_the_same_game(table, bot, seats):
    bots = fill(bot, seats, first=1)
    record = play(table, *bots, seed="again")
    play(table, *bots, seed="something else")  # nothing is remembered from it
    again = play(table, *bots, seed="again")
    assert (again.digest, again.replies) == (record.digest, record.replies)


@pytest.mark.parametrize("bot", [*THINKING, "chatter"])
def test_answers_in_a_game_that_it_does_not_know(table, bot):
    assert play(table, bot, "random", seed="classic", game="complots").faults == ()


@pytest.mark.parametrize("bot", THINKING)
def test_beats_random(table, bot):
    places = [play(table, bot, "random", "first", seed=str(number)).result[0] for number in range(6)]
    assert sum(place[0] < place[1] for place in places) >= 5


def test_the_miser_never_talks(table):
    record = play(table, "miser", "negotiator", "random", seed="silence", press=3)
    assert set(said(record, 0)) & {"offer", "accept", "reject", "say"} == set()


def test_the_buyer_takes_offers_and_makes_none(table):
    words = said(play(table, "buyer", "negotiator", "sanctioner", seed="bargain"), 0)
    assert words.count("accept") >= 3
    assert "offer" not in words


@pytest.mark.parametrize("bot", ["negotiator", "deviator", "sanctioner"])
def test_these_make_offers_and_accept_them(table, bot):
    other = "negotiator" if bot != "negotiator" else "sanctioner"
    words = said(play(table, bot, other, "miser", seed="deal"), 0)
    assert words.count("offer") >= 3
    assert words.count("accept") >= 1


def ended(table: ProgramTable, *bots: str) -> list[list[str]]:
    """How the promises of p1 ended in ten games, those to players left out that broke their own part."""
    found = []
    for number in range(10):
        of_game = verdicts(play(table, *bots, seed=f"word {number}"))
        unpaid = [offer for offer, _, verdict, word in of_game if verdict == "broken" and word.isdigit()]
        found += [verdict for offer, seat, verdict, _ in of_game if seat == "p1" and offer not in unpaid]
    return found


@pytest.mark.parametrize("bot", ["buyer", "negotiator", "sanctioner"])
def test_these_keep_their_word_to_players_that_pay(table, bot):
    found = ended(table, bot, "random", "negotiator" if bot == "buyer" else "buyer", "deviator")
    assert found.count("kept") >= 20
    assert "broken" not in found


def test_the_deviator_pays_what_it_agreed_and_sells_one_zone_twice(table):
    found = ended(table, "deviator", "negotiator", "buyer", "miser")
    assert found.count("broken") >= 10
    assert found.count("kept") >= 10


# Cases: what is told, and what each answers

PROGRAM = CHECKOUT / "bots" / "python" / "intrigue" / "intrigue.py"
PAYER = """
game 1 intrigue seats=3 you=p2 seed=1
event turn 4 p1
{news}
event turn {turn} p1
event stage p1 free candidates=p2.writer zones=1000,3000,6000,10000
state table round=2 turn={turn} owner=p1
state p1 candidates=p2.writer
state p2 money=32000
state p3
ask 3 talk 1000 with=p1 stage=free for=p2.writer zones=1000,3000,6000,10000 offers=7:{terms} : pass accept:7
"""
OWNER = """
game 1 intrigue seats=3 you=p1 seed=1
event turn 4 p1
event stage p1 free candidates=p2.writer,p3.priest zones=1000,3000,6000,10000
event offer 5 p3 p1 15000:priest@10000
event accept 5 p1
event bribe p3 p1 {paid}
event promise 5 p3 {verdict} 15000
state table round=2 turn=4 owner=p1
state p1 candidates=p2.writer,p3.priest money=47000
state p2
state p3
ask 3 talk 1000 with=p2 stage=free for=p2.writer zones=1000,3000,6000,10000 offers=7:{terms} : pass accept:7
"""
PLACING = """event bribe p2 p1 20000
ask 4 place 1000 stage=free advisor=p3.priest : 1000 3000 6000 10000
"""


def answers(role: str, lines: str) -> list[str]:
    command = [sys.executable, PROGRAM, role]
    done = subprocess.run(command, input=lines.strip(), capture_output=True, text=True, check=True)
    return [line.partition(" ")[2] for line in done.stdout.splitlines()]


def who_accepts(lines: str) -> str:
    return " ".join(role for role in THINKING if "accept:7" in answers(role, lines))


@pytest.mark.parametrize(
    ("terms", "accepted"),
    [  # the zone 10000 earns 9000 more than the least in each of five incomes; two thirds of that are 30000
        ("15000:writer@10000", "buyer negotiator deviator sanctioner"),
        ("16000:writer@10000", "buyer negotiator deviator"),  # the sanctioner believes a stranger by half
        ("17000:writer@10000", ""),  # more than half of its money
        ("12000:writer@3000", ""),  # more than the zone is worth
        ("1000:writer@10000:p2/send=writer@p3", ""),  # a term that they cannot read
        ("writer@10000", "buyer negotiator deviator sanctioner"),  # a gift
    ],
)
def test_a_payer_accepts_what_is_worth_its_money(terms, accepted):
    assert who_accepts(PAYER.format(news="event starter p1", turn=4, terms=terms)) == accepted


@pytest.mark.parametrize(
    ("verdicts", "amount", "accepted"),
    [  # four incomes of 9000 more than the least: two thirds of them are 24000
        ("void", 12000, True),
        ("void", 13000, False),  # says nothing of the word of p1
        ("kept", 16000, True),  # 24000 * (1 + 1) / (1 + 2)
        ("broken", 1000, False),  # no deal
        ("broken kept kept", 1000, False),
        ("broken kept kept kept", 8000, True),  # half of 24000 * (3 + 1) / (4 + 2)
        ("broken kept kept kept", 9000, False),
        ("kept kept kept broken", 8000, True),
    ],
)
def test_the_sanctioner_trusts_by_what_was_kept_and_broken(verdicts, amount, accepted):
    """Also by what was promised to others."""
    news = "\n".join(f"event promise 1 p1 {verdict} p3.priest@6000" for verdict in verdicts.split())
    lines = PAYER.format(news=news, turn=7, terms=f"{amount}:writer@10000")
    assert (answers("sanctioner", lines) == ["accept:7"]) == accepted


@pytest.mark.parametrize(
    ("terms", "accepted"),
    [
        ("7000:writer@6000", ""),  # less than a third of the 5000 in five incomes
        ("8000:writer@6000", "buyer negotiator deviator sanctioner"),
        ("20000:writer@10000", "deviator"),  # it was sold to p3
    ],
)
def test_an_owner_sells_what_it_can_give_and_the_deviator_more(terms, accepted):
    assert who_accepts(OWNER.format(paid=15000, verdict="kept", terms=terms)) == accepted


@pytest.mark.parametrize(
    ("paid", "verdict", "expected"),
    [
        (15000, "kept", {"negotiator": "10000", "sanctioner": "10000", "deviator": "1000"}),
        (1000, "broken", {"negotiator": "1000", "sanctioner": "1000", "deviator": "1000"}),
    ],
)
def test_an_owner_keeps_its_word_to_a_seat_that_paid_unless_it_is_the_deviator(paid, verdict, expected):
    lines = OWNER.format(paid=paid, verdict=verdict, terms="1000:writer@1000") + PLACING
    assert {role: answers(role, lines)[-1] for role in expected} == expected


def test_betrayal_pays_unless_it_is_punished(table):
    def ahead(*bots: str) -> int:
        """In how many of eight games the negotiator is before the deviator."""
        found = [play(table, *bots, seed=f"contrast {number}") for number in range(8)]
        seats = [bots.index(bot) for bot in ("negotiator", "deviator")]
        return sum(record.result[0][seats[0]] < record.result[0][seats[1]] for record in found)

    assert ahead("deviator", "negotiator", "sanctioner") >= 6
    assert ahead("deviator", "negotiator", "buyer") < 4
