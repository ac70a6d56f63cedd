"""People at a table of the server: what they see, what they may answer, and what a kill costs: nothing."""

import select
from contextlib import closing, suppress

import pytest

from arena.games import GAMES
from arena.programs.play.journal import Journal
from arena.programs.play.link import PersonLink, Room
from arena.programs.sandbox.client import SupervisorClient
from arena.programs.sandbox.policy import LIMITS_ONLY
from arena.referee.conditions import TIMED, UNTIMED, Conditions, TimeControl
from arena.referee.fixture import Fixture
from arena.referee.referee import Referee
from arena.referee.seat import Send
from arena.rules.chance import Chance
from arena.tournament.single import person
from tests.helpers.seats import WAIT_S, SmallGate, is_ask

CLOCK = TimeControl(move=2, bank=5, start=10)
HANDS = {"p1": ["duchess", "captain"], "p2": ["contessa", "duchess"], "p3": ["ambassador", "assassin"]}


class Seats:
    """A game whose first seats are people at a gate. The others answer at once, by the first option."""

    def __init__(self, supervisor, gate, path, people=1, game="complots", timed=False, position=None):
        self.journal = Journal(path)
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
            position=position or {"hands": HANDS},
        )
        match = self.fixture.match(rules)
        self.referee = Referee(match, Chance("1"), CLOCK, 3, [(0, 0)] * 3, self.fixture.bot_seeds)
        self.links = [PersonLink(person(timed), supervisor, self.room) for _ in range(people)]
        self.lines = []
        for seat, link in enumerate(self.links):
            link.sit(self.referee, self.fixture, seat)
            self.lines.append(gate.accept())
        self.now = 0.0
        for seat in range(people):
            self.hear(seat)
        self.deliver(self.referee.begin(self.now))

    def deliver(self, messages):
        for message in messages:
            if isinstance(message, Send) and message.seat < len(self.links):
                self.links[message.seat].write(message.text.encode())
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
