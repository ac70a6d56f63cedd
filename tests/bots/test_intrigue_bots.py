"""The house bots of Intrigue: they know the protocol and the talk, and the same seed makes the same game."""

import pytest
from programs import play_leisurely
from samples import CHECKOUT

from arena.games import GAMES
from arena.programs.bot import bot_from_path
from arena.programs.play.build import build
from arena.programs.play.table import Table
from arena.programs.sandbox.policy import Sandbox
from arena.referee.record import Record
from arena.rules import Tell

BOTS = {
    "miser": "python/intrigue_miser.py",
    "buyer": "python/intrigue_buyer.py",
    "broker": "python/intrigue_broker.py",
    "partner": "python/intrigue_broker.py",  # a second broker, for the first to bargain with
    "random": "python/random_bot.py",
    "first": "shell/first.sh",
    "chatter": "python/intrigue_chatter.py",
    "gossip": "python/intrigue_chatter.py",
}
THINKING = ["miser", "buyer", "broker"]
OPTIONS = [{"private": True, "show_money": "all"}, {"bribe_unit": "advisor", "talk_rounds": 3}, {"rounds": 2}]
"""The options change what the bots are asked, so each of them is played with."""


@pytest.fixture(scope="module")
def table():
    folder = CHECKOUT / "bots"
    with Table({name: bot_from_path(name, folder / path) for name, path in BOTS.items()}) as table:
        yield table


def play(table: Table, *bots: str, seed: str, game: str = "intrigue", **options: object) -> Record:
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
    for number, others in enumerate((["broker"], ["first", "broker", "random"], ["miser", "buyer"])):
        bots = ["chatter", *others, "gossip"]
        record = play(table, *bots, seed=f"chat {number}", press=press, private=private)
        assert record.faults == ()
        spoken = {word for seat in (0, len(bots) - 1) for word in said(record, seat)}
        forms = [(), ("offer",), ("offer", "promise", "request", "threat")][min(press, 2)]
        assert spoken & {"offer", "promise", "request", "threat", "say"} == {*forms, *["say"][: press > 2]}


@pytest.mark.parametrize(("bot", "seats"), [("miser", 3), ("buyer", 4), ("broker", 5), ("chatter", 3)])
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


@pytest.mark.parametrize("bot", ["miser", "buyer"])
def test_these_never_talk(table, bot):
    record = play(table, bot, "broker", "random", seed="silence", press=3)
    assert not {"offer", "accept", "reject", "say"} & set(said(record, 0))


def test_the_broker_makes_offers_and_accepts_them(table):
    words = said(play(table, "broker", "partner", "buyer", seed="bargain"), 0)
    assert words.count("offer") >= 5
    assert words.count("accept") >= 1


def test_the_broker_invites_before_others_send(table):
    words = said(play(table, "broker", "partner", "buyer", seed="guest"), 0)
    assert words.count("promise") >= 3


def test_the_broker_keeps_its_word_to_players_that_pay(table):
    ended = []
    for number in range(10):
        found = verdicts(play(table, "broker", "random", "partner", "buyer", seed=f"word {number}"))
        unpaid = [offer for offer, _, verdict, word in found if verdict == "broken" and word.isdigit()]
        ended += [verdict for offer, seat, verdict, _ in found if seat == "p1" and offer not in unpaid]
    assert "kept" in ended
    assert "broken" not in ended


@pytest.mark.compiler
def test_the_hagglers_in_c_talk_without_a_fault():
    bot = bot_from_path(None, CHECKOUT / "bots" / "c" / "haggler")
    build([bot], Sandbox())
    names = [f"haggler {number}" for number in range(5)]
    with Table(dict.fromkeys(names, bot)) as table:
        for press, seats in ((0, 5), (1, 3), (2, 4), (3, 3)):
            record = play(table, *names[:seats], seed="haggle", press=press)
            assert record.faults == ()
            assert ("offer" in said(record, 2)) == (press > 0)
        again = [play(table, *names[:3], seed="haggle", press=1).digest for _ in range(2)]
        assert again[0] == again[1]
