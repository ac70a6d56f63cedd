"""People at a table of the server: what they see, what they may answer, and what a kill costs: nothing."""

import json
import re
import select
from contextlib import closing, suppress
from random import Random
from time import monotonic

import pytest
from seats import WAIT_S, SmallGate, is_ask

from arena.games import GAMES
from arena.programs.play.journal import Journal
from arena.programs.play.link import PersonLink
from arena.programs.play.room import Room
from arena.programs.sandbox.client import SupervisorClient
from arena.programs.sandbox.policy import LIMITS_ONLY
from arena.referee.conditions import TIMED, UNTIMED, Conditions, TimeControl
from arena.referee.fixture import Fixture
from arena.referee.referee import Referee
from arena.referee.seat import Send
from arena.rules import Tell
from arena.rules.chance import Chance
from arena.tournament.single import person

CLOCK = TimeControl(move=2, bank=5, start=10)
HANDS = {"p1": ["duchess", "captain"], "p2": ["contessa", "duchess"], "p3": ["ambassador", "assassin"]}


class Seats:
    """A game whose first seats are people at a gate. The others answer at once, by the first option."""

    def __init__(self, supervisor, gate, path, people=1, game="complots", timed=False, position=None):
        self.journal = Journal(path)
        if not self.journal.first:
            self.journal.begin({"fixture": {}})
        self.room = Room("t1", self.journal, gate.path)
        rules = GAMES[game]
        kind = TIMED if timed else UNTIMED
        self.fixture = Fixture(
            game=game,
            version=rules.version,
            options=rules.defaults() | {"starter": "p1"},
            bots=("ann", "bob", "kim")[:3],
            fingerprints=(*[kind] * people, *["0" * 16] * (3 - people)),
            bot_seeds=(1,) * 3,
            conditions=Conditions(clock=CLOCK),
            position={"hands": HANDS} if position is None else position or None,
        )
        match = self.fixture.match(rules)
        self.referee = Referee(match, Chance("1"), CLOCK, 3, [(1, 0)] * 3, self.fixture.bot_seeds)
        self.links = [PersonLink(person(timed), supervisor, self.room) for _ in range(people)]
        self.lines = []
        for seat, link in enumerate(self.links):
            link.sit(self.referee, self.fixture, seat)
            self.lines.append(gate.accept())
        self.now = monotonic()
        for seat in range(people):
            self.hear(seat)
        self.deliver(self.referee.begin(self.now))

    def deliver(self, messages):
        for message in messages:
            if isinstance(message, Send) and message.seat < len(self.links):
                self.links[message.seat].write(message.text.encode())
                self.links[message.seat].meter.started = self.now
        for seat, link in enumerate(self.links):
            lines = link.read() if link.is_alive else []
            if lines is None:
                kind, detail = link.violation()
                link.end()
                return self.deliver(self.referee.lose(seat, kind, detail, self.now))
            for line in lines:
                self.deliver(self.referee.hear(seat, line, self.now))
        for seat, state in enumerate(self.referee.seats):
            if seat >= len(self.links) and state.choice and not self.referee.is_over:
                return self.deliver(self.referee.hear(seat, state.choice.default, self.now))

    def hear(self, seat=0):
        """Wait until the link hears of the gate."""
        assert select.select([self.links[seat].err], [], [], WAIT_S)[0], "the gate has said nothing"
        assert self.links[seat].read_stderr()
        self.deliver([])

    def answer(self, word, seat=0):
        self.lines[seat].answer(self.links[seat]._ask, word)
        self.hear(seat)

    def wait(self, seconds):
        self.now += seconds
        if self.now >= self.referee.deadline:
            self.deliver(self.referee.expire(self.now))

    @property
    def answers(self):
        replies = self.referee.match.replies
        return [reply for reply in replies if isinstance(reply, dict)]

    def close(self):
        for link in self.links:
            link.end()
            with suppress(AttributeError):
                link._gate.close()
        self.journal.close()


@pytest.fixture(scope="module")
def supervisor():
    with closing(SupervisorClient(LIMITS_ONLY)) as client:
        yield client


@pytest.fixture
def gate():
    with closing(SmallGate()) as gate:
        yield gate


@pytest.fixture
def sit(supervisor, gate, tmp_path):
    made = []

    def make(**keys) -> Seats:
        for seats in made:
            seats.close()
        made[:] = [Seats(supervisor, gate, tmp_path / "t1.jsonl", **keys)]
        return made[0]

    yield make
    for seats in made:
        seats.close()


def test_a_person_is_shown_the_game_and_asked(sit):
    seats = sit()
    line = seats.lines[0]
    assert line.first["kind"] == "person" and line.first["names"] == ["ann", "bob", "kim"]
    *before, view = line.until(is_ask)
    assert [each["n"] for each in [*before, view]] == list(range(len(before) + 1))
    news = [item for each in [*before, view] for item in each["news"]]
    assert ["event", "turn 1 p1", "Turn 1: p1 is to act."] in news
    assert "p1 coins=2 cards=2 hand=duchess,captain" in view["state"]
    ask = view["ask"]
    assert ask["kind"] == "action" and ask["text"] == "It is your turn. What do you do?"
    assert ["duchess", "claim the duchess: take 3 coins"] in ask["options"]
    assert ["coup:p2", "coup costs 7 coins, and you have 2"] in ask["absent"]
    assert ask["move"] is None and ask["bank"] is None


def test_a_slip_is_no_fault_and_the_person_is_asked_again(sit):
    seats = sit()
    line = seats.lines[0]
    ask = line.until(is_ask)[-1]["ask"]
    for word, reason in [
        ("coup:p2", "coup costs 7 coins, and you have 2"),
        ("captain", "name a target, as in captain:p2"),
        ("juggle\n\x1b[31m", "'juggle  [31m' is none of the options: choose one of them"),
    ]:
        seats.answer(word)
        view = line.view()
        assert reason in view["refused"]["reason"]
        assert view["ask"]["id"] == ask["id"]
    seats.answer("duchess")
    assert not seats.referee.faults
    assert seats.answers[0] == {0: "duchess"}


def test_no_text_of_a_person_ends_the_game(sit):
    seats = sit(game="intrigue", position={})
    while seats.referee.seats[0].choice.kind != "talk":
        seats.answer(seats.referee.seats[0].choice.options[0])
    for text in ("say all \ud800", "\ud800", "\x00", "", "say", "offer p2", "x" * 100_000):
        seats.answer(text)
        refused = seats.links[0]._views.all[-1]["refused"]
        assert refused["reason"] and not re.search("[\ud800-\udfff]", str(refused))


def test_an_answer_counts_once(sit):
    seats = sit()
    ask = seats.lines[0].until(is_ask)[-1]["ask"]["id"]
    for word in ("duchess", "income", "coup:p2"):
        seats.lines[0].answer(ask, word)
    seats.hear()
    assert seats.answers[0] == {0: "duchess"}
    assert not seats.referee.faults


def test_a_person_with_a_clock_loses_time_and_then_the_game(sit):
    seats = sit(timed=True)
    line = seats.lines[0]
    ask = line.until(is_ask)[-1]["ask"]
    assert (ask["move"], ask["bank"]) == (2, 5)
    seats.wait(6.9)
    assert not seats.referee.faults
    for seconds in (0.2, 2.1, 2.1):
        seats.wait(seconds)
        news = line.until(lambda view: any(item[0] == "error" for item in view["news"]))[-1]["news"]
        assert "no answer to action in time; played income" in [sentence for _, _, sentence in news]
    assert [fault.kind for fault in seats.referee.faults] == ["late"] * 3
    assert seats.referee.seats[0].forfeited


def test_who_leaves_forfeits_and_the_others_play_on(sit):
    seats = sit(people=2)
    for line in seats.lines:
        line.view()
    seats.lines[0].send(leave=True)
    seats.hear()
    assert seats.lines[0].until(lambda view: view["over"])[-1]["over"] == {"left": True}
    (fault,) = seats.referee.faults
    assert (fault.seat, fault.kind, fault.detail) == (0, "crashed", "left the game")
    assert seats.lines[1].until(is_ask), "the second person plays on"


def test_a_person_who_waits_sees_what_happens_and_who_is_asked(sit):
    seats = sit(people=2)
    seats.lines[0].until(is_ask)
    seats.lines[1].until(lambda view: view["turn"] == [0])
    seats.answer("duchess")
    assert seats.lines[1].until(is_ask)[-1]["ask"]["text"] == "p1 claims the duchess. Do you challenge it?"
    assert seats.lines[0].view()["ask"] is None, "the answer has arrived"
    seats.answer("pass", 1)
    shown = seats.lines[0].until(lambda view: view["turn"] == [1])
    news = [sentence for view in shown for _, _, sentence in view["news"]]
    assert news == ["p1 claims the duchess.", "p1 takes 3 coins.", "Turn 2: p2 is to act."]


def test_who_watches_bots_for_long_gets_the_rest_at_once(sit, monkeypatch):
    monkeypatch.setattr("arena.programs.play.link._MAX_WATCHED", 0)
    seats = sit()
    seats.answer("duchess")
    while not seats.links[0]._ask:
        seats.deliver([])
    *_, before, view = seats.links[0]._views.all
    assert before["news"] == [] and before["ask"] is None, "the answer has arrived"
    assert len(view["news"]) > 3 and view["ask"]


def test_a_new_web_process_gets_all_views_again(sit, gate):
    seats = sit()
    before = seats.lines[0].until(is_ask)
    gate.shut()
    seats.hear()  # the end of the connection
    gate.open()
    line = gate.accept()
    seats.lines[0] = line
    seats.hear()
    again = line.until(is_ask)
    assert [view["news"] for view in again] == [view["news"] for view in before]
    seats.answer("duchess")
    assert seats.answers[0] == {0: "duchess"}


def views_of(seats, number):
    """All views of a seat, as a page that is loaded now gets them."""
    return [{**view, "ask": view["ask"] and view["ask"]["id"]} for view in seats.links[number]._views.all]


def told_to(log, seat):
    """What the rules have told a seat."""
    return [step.text for step, _ in log if isinstance(step, Tell) and step.to in (None, seat)]


@pytest.mark.parametrize("game", GAMES)
def test_a_game_that_is_played_again_goes_on_with_the_next_view(sit, game):
    # p1 and p2 are people. At each kill one has maybe answered a window, and the other not.
    dice, seats = Random(game), sit(people=2, game=game, position={})
    kills = 0
    while not seats.referee.is_over and kills < 12:
        asked = [seat for seat in (0, 1) if seats.links[seat]._ask]
        seat = dice.choice(asked)
        options = seats.referee.seats[seat].choice.options
        seats.answer("juggle" if dice.random() < 0.1 else dice.choice(options), seat)
        if dice.random() < 0.3:
            kills += 1
            before, answers = [views_of(seats, seat) for seat in (0, 1)], seats.answers
            seats = sit(people=2, game=game, position={})
            assert seats.answers == answers
            assert [views_of(seats, seat) for seat in (0, 1)] == before
    assert kills > 3
    assert not seats.referee.faults
    for seat in (0, 1):
        shown = [text for view in seats.links[seat]._views.all for _, text, _ in view["news"]]
        assert shown == told_to(seats.referee.match.log, seat)


def test_what_ran_out_of_time_does_so_again(sit):
    seats = sit(timed=True, people=2)
    seats.wait(7.1)  # p1 is late, and the first option is played
    assert [fault.seat for fault in seats.referee.faults] == [0]
    seat = next(seat for seat in (1, 0) if seats.links[seat]._ask)
    seats.answer(seats.referee.seats[seat].choice.options[-1], seat)
    faults, answers = seats.referee.faults, seats.answers
    seats = sit(timed=True, people=2)
    seats.wait(0)
    assert (seats.referee.faults, seats.answers) == (faults, answers)


def test_no_view_has_the_cards_of_others(sit):
    seats = sit()
    seats.lines[0].until(is_ask)
    while not seats.referee.is_over:
        seats.answer(seats.referee.seats[0].choice.options[0])
    *shown, last = seats.links[0]._views.all
    assert "assassin" in json.dumps(last["state"]), "the table is opened at the end"
    for view in shown[:-1]:
        for line in view["state"]:
            assert not line.startswith(("p2", "p3")) or "hand=" not in line
