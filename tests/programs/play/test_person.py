"""A person at the table: what is shown, what may be typed, and what the referee gets of it."""

import os
import re
from contextlib import closing
from urllib.parse import quote

import pytest

from arena.games import GAMES
from arena.programs.play.person import Person
from arena.programs.sandbox.client import SupervisorClient
from arena.programs.sandbox.policy import LIMITS_ONLY
from arena.referee.conditions import TIMED, UNTIMED, Conditions, TimeControl
from arena.referee.fixture import Fixture
from arena.referee.referee import Referee
from arena.referee.seat import Send
from arena.rules.chance import Chance
from arena.tournament.single import person

CLOCK = TimeControl(move=2, bank=0, start=10)


class Seat:
    """p1 of a game at a keyboard that is a pipe. The others answer at once, by the first option."""

    def __init__(self, capsys, monkeypatch, supervisor, game, seats, timed, position, **options):
        keyboard, self.keys = os.pipe()
        self.stdin = os.fdopen(keyboard)
        monkeypatch.setattr("sys.stdin", self.stdin)
        self.capsys = capsys
        self.person = Person(person(timed), supervisor)
        rules = GAMES[game]
        fixture = Fixture(
            game=game,
            version=rules.version,
            options=rules.defaults() | {"starter": "p1"} | options,
            bots=("human", "ann", "bob", "kim")[:seats],
            fingerprints=(TIMED if timed else UNTIMED, *["0" * 16] * (seats - 1)),
            seed="1",
            bot_seeds=(1,) * seats,
            conditions=Conditions(clock=CLOCK),
            position=position,
        )
        self.referee = Referee(
            fixture.match(rules), Chance("1"), CLOCK, 3, [(0, 0)] * seats, fixture.bot_seeds
        )
        self.person.sit(self.referee, fixture, 0)
        self.now = 0.0
        self.deliver(self.referee.begin(self.now))

    def deliver(self, messages):
        for message in messages:
            if isinstance(message, Send) and message.seat == 0:
                self.person.write(message.text.encode())
        for seat, state in enumerate(self.referee.seats):
            if seat > 0 and state.choice and not self.referee.is_over:
                return self.deliver(self.referee.hear(seat, state.choice.default, self.now))
        for line in self.person.read() or ():
            self.deliver(self.referee.hear(0, line, self.now))

    def type(self, text: str) -> str:
        """Type a line; what is shown after it."""
        os.write(self.keys, f"{text}\n".encode())
        assert self.person.read_stderr()
        self.deliver([])
        return self.shown()

    def wait(self, seconds: float) -> str:
        self.now += seconds
        if self.now >= self.referee.deadline:
            self.deliver(self.referee.expire(self.now))
        return self.shown()

    def shown(self) -> str:
        return self.capsys.readouterr().out

    @property
    def answers(self) -> list[str]:
        """What p1 has answered so far, in windows that are over."""
        return [reply[0] for reply in self.referee.match.replies if isinstance(reply, dict) and 0 in reply]


@pytest.fixture(scope="module")
def supervisor():
    with closing(SupervisorClient(LIMITS_ONLY)) as client:
        yield client


@pytest.fixture
def sit(capsys, monkeypatch, supervisor):
    seats = []

    def make(game="complots", timed=False, position=None, **options) -> Seat:
        seats.append(Seat(capsys, monkeypatch, supervisor, game, 3, timed, position, **options))
        return seats[-1]

    yield make
    for seat in seats:
        seat.person.end()
        seat.stdin.close()
        os.close(seat.keys)


HANDS = {"p1": ["duchess", "captain"], "p2": ["contessa", "duchess"], "p3": ["ambassador", "assassin"]}


def test_the_table_the_news_and_the_options_are_shown(sit):
    shown = sit(position={"hands": HANDS}).shown()
    assert "p1 (you), p2 ann, p3 bob" in shown
    assert "Turn 1: p1 is to act." in shown
    assert "treasury 48" in shown
    assert "p1 you 2     [?] [?] duchess, captain" in shown
    assert "p2 ann 2     [?] [?]" in shown
    assert "  3  duchess     claim the duchess: take 3 coins" in shown
    assert shown.endswith("> ")


def test_no_card_of_the_others_is_shown_before_the_end(sit):
    seat = sit(position={"hands": HANDS})
    shown = seat.shown() + seat.type("?") + seat.type("1")
    for line in shown.splitlines():
        if line.strip().startswith(("p2", "p3")):
            assert not {"contessa", "assassin"} & set(line.replace(",", "").split()), line


@pytest.mark.parametrize("typed", ["3", "duchess", " Duchess "])
def test_a_number_or_the_word_answers(sit, typed):
    seat = sit(position={"hands": HANDS})
    assert "p1 claims the duchess." in seat.type(typed)
    assert seat.answers == ["duchess"]


@pytest.mark.parametrize(
    "slip, said",
    [
        ("0", "! '0' is none of the options: type a number from 1 to 6, or the word"),
        ("7", "! '7' is none of the options"),
        ("99999", "! '99999' is none of the options"),
        ("-1", "! '-1' is none of the options"),
        ("\x1b[31mred\x07", r"! '\x1b[31mred\x07' is none of the options"),
        ("naïve", "! 'naïve' is none of the options"),
        ("coup:p2", "! coup costs 7 coins, and you have 2"),
        ("coup p2", "! coup costs 7 coins, and you have 2"),
        ("captain", "! name a target, as in captain:p2"),
        ("pass", "! a turn cannot be passed"),
        ("", ""),
        ("   ", ""),
    ],
)
def test_a_slip_is_asked_again(sit, slip, said):
    """A3: and the referee does not even see it."""
    seat = sit(position={"hands": HANDS})
    seat.shown()
    assert said in seat.type(slip)
    assert not seat.answers and not seat.referee.faults
    seat.type("1")
    assert seat.answers == ["income"] and not seat.referee.faults


def test_a_set_may_be_typed_in_any_order(sit):
    seat = sit(position={"hands": HANDS})
    assert "Which cards do you keep?" in seat.type("ambassador")
    options = seat.referee.seats[0].choice.options
    seat.type("+".join(reversed(options[0].split("+"))))
    assert seat.answers[1] == options[0]


def test_a_question_mark_explains_the_ask_and_rules_are_those_of_the_moment(sit):
    seat = sit(position={"hands": HANDS})
    seat.shown()
    explained = seat.type("?")
    assert "It is your turn." in explained and "take 1 coin" in explained and explained.endswith("> ")
    rules = seat.type("RULES")
    assert "The player whose turn it is must act" in rules and "Exam" in rules
    assert "priority" not in rules and "C36" not in rules
    seat.type("ambassador")
    assert "Exchange" in seat.type("rules")


@pytest.mark.parametrize("typed", ["quit", " QUIT"])
def test_quit_leaves(sit, typed):
    with pytest.raises(KeyboardInterrupt):
        sit().type(typed)


def test_the_end_of_the_input_leaves_but_what_was_typed_before_counts(sit):
    seat = sit(position={"hands": HANDS})
    os.write(seat.keys, b"income\nincome")
    os.close(seat.keys)
    assert seat.person.read_stderr()
    seat.keys = os.open(os.devnull, os.O_RDONLY)
    with pytest.raises(KeyboardInterrupt):  # the turn after the next
        for _ in range(3):
            seat.person.read_stderr()
            seat.deliver([])
    assert seat.answers.count("income") >= 1


def test_what_is_typed_ahead_answers_the_next_asks(sit):
    seat = sit(position={"hands": HANDS}, max_turns=4)
    assert "The game is over." in seat.type("income\nincome\nincome")
    assert seat.answers == ["income", "income"]


def test_the_end_shows_all_cards_and_the_places(sit):
    seat = sit(position={"hands": HANDS}, max_turns=1)
    ended = seat.type("income")
    assert "p2 ann 2     [?] [?] duchess, contessa" in ended
    assert "1. p1 human (you)" in ended


def test_without_a_clock_an_answer_takes_as_long_as_it_takes(sit):
    seat = sit(position={"hands": HANDS})
    assert "You have" not in seat.shown()
    seat.wait(3600)
    seat.type("income")
    assert seat.answers == ["income"] and not seat.referee.faults


def test_with_a_clock_a_late_answer_is_a_fault_of_which_the_person_is_told(sit):
    seat = sit(position={"hands": HANDS}, timed=True)
    assert "You have 2 s." in seat.shown()
    shown = seat.wait(3)
    assert "! late strikes=1/3 no answer to action in time; played income" in shown
    assert [fault.kind for fault in seat.referee.faults] == ["late"]


# Intrigue

CONFLICT = {"turn": "p2", "castles": {"p2": {6000: "p3.priest"}}, "candidates": {"p2": ["p1.writer"]}}


def test_an_offer_may_be_typed_with_spaces_or_as_a_bot_writes_it(sit):
    for typed in ("offer 8000 writer@10000", "offer:8000:writer@10000", " offer  p2 8000 writer@10000 "):
        seat = sit("intrigue", position=CONFLICT)
        assert "You and p2 talk about the bribe for p1.writer (round 1/2)." in seat.shown()
        assert "Offer 1, p1 to p2: pays 8000; writer on zone 10000." in seat.type(typed)
        assert not seat.referee.faults


@pytest.mark.parametrize(
    "slip, said",
    [
        ("offer 8000 writer@2000", "! there is no zone '2000', only 1000, 3000, 6000 and 10000"),
        ("offer", "! it has no term"),
        ("offer p9 8000", "! there is no seat 'p9', only p1 to p3"),
        ("say p2 hello", "! 'say p2 hello' is none of the options"),
        ("accept 4", "! 'accept 4' is none of the options"),
    ],
)
def test_an_illegal_offer_is_asked_again_with_the_rule_that_it_breaks(sit, slip, said):
    seat = sit("intrigue", position=CONFLICT)
    assert said in seat.type(slip)
    assert not seat.answers and not seat.referee.faults
    seat.type("pass")
    assert seat.answers == ["pass"]


def test_free_text_is_typed_as_it_is(sit):
    seat = sit("intrigue", position=CONFLICT, press=3)
    assert "p1 to all: Güten Abend: 100 %!" in seat.type("say all Güten Abend: 100 %!")
    assert not seat.referee.faults


def test_free_text_cannot_pass_for_news(sit):
    """However it is wrapped, it does not begin where news begins."""
    seat = sit("intrigue", position=CONFLICT, press=3)
    for filler in range(30, 80):
        text = quote(f"{'x' * filler}  \u2003  p3 pays 9000 to p2.")
        seat.person.write(f"event say p2 all {text}\n".encode())
    shown = seat.shown()
    assert shown.count("p3 pays 9000") > 30 and not re.search("^ {0,3}p3 pays", shown, re.M)


def test_amounts_are_typed_as_they_are_and_not_by_their_number(sit):
    seat = sit("intrigue", position=CONFLICT, press=0)
    assert "1000, 2000, 3000, ..., 32000" in seat.shown()
    assert "! a bribe is at least 1000" in seat.type("1")
    assert "! 'all' is none of them: 1000, 2000, 3000, ..., 32000" in seat.type("all")
    assert "p1 pays 5000 to p2." in seat.type("5000")


FREE = {"turn": "p1", "castles": {"p1": {3000: "p3.priest"}}, "candidates": {"p1": ["p2.writer"]}}


def test_a_zone_may_be_chosen_by_its_number_in_the_list_or_by_its_value(sit):
    for typed in ("2", "6000"):
        seat = sit("intrigue", position=FREE, press=0)
        shown = seat.shown()
        assert "On which zone of your castle do you place p2.writer?" in shown
        assert "  2  6000   on zone 6000" in shown
        assert "p1 places p2.writer on zone 6000." in seat.type(typed)


def test_a_zone_that_is_taken_is_refused_with_those_that_are_left(sit):
    seat = sit("intrigue", position=FREE, press=0)
    assert "! zone 3000 is taken; possible: 1000, 6000, 10000" in seat.type("3000")


def test_the_money_of_the_others_is_not_shown(sit):
    shown = sit("intrigue", position=CONFLICT).shown()
    table = [line for line in shown.splitlines() if line.strip().startswith(("p1 you", "p2", "p3"))]
    assert ["32000" in line for line in table] == [True, False, False]
