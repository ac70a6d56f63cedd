"""A rehearsal: a bot reads a recorded game again, and each of its answers is noted as it would be judged."""

from collections.abc import Iterator

from arena.referee.clock import TimeUsage
from arena.referee.conditions import TimeControl
from arena.referee.protocol import READY, BadLine
from arena.referee.rehearsal import Rehearsal, RehearsedAnswer, SentPart
from arena.referee.seat import Send, Stop
from arena.rules import Choice

MOVE = Choice("move", ("stay", "go", "gone"))
PAIR = Choice.of_sets("keep", ("a+b", "a+c"))
NOTHING = RehearsedAnswer("", (), None)


def parts() -> Iterator[SentPart]:
    yield SentPart("game 1\nask 2 ready\n", 2, 10.0, READY, NOTHING)
    yield SentPart("ask 3 move\n", 3, 1.0, MOVE, NOTHING)
    yield SentPart("ask 4 move\n", 4, 1.0, MOVE, NOTHING)
    yield SentPart("ask 5 keep\n", 5, 1.0, PAIR, NOTHING)
    yield SentPart("end 1\n", 0, 0.0, None, NOTHING)


class Driven:
    """A rehearsal with a clock that is moved by hand; `sent` is what the bot has been sent so far."""

    def __init__(self, ready: bool = True):
        self.rehearsal = Rehearsal(parts(), lambda choice, text: f"{text} is wrong", TimeControl(move=1))
        self.now, self.sent, self.stopped = 100.0, "", False
        self._take(self.rehearsal.begin(self.now))
        if ready:
            self.say("2 ok")

    def _take(self, messages: list) -> None:
        self.sent += "".join(each.text for each in messages if isinstance(each, Send))
        self.stopped |= any(isinstance(each, Stop) for each in messages)

    def say(self, *lines: str | BadLine, after: float = 0.1) -> None:
        """The bot writes these lines at once."""
        self.now += after
        for line in lines:
            if not self.rehearsal.is_over:
                self._take(self.rehearsal.hear(0, line, self.now, TimeUsage(after)))

    def wait(self, seconds: float) -> None:
        self.now += seconds
        if self.now >= self.rehearsal.deadline:
            self._take(self.rehearsal.expire(self.now, [TimeUsage(seconds)]))

    def die(self) -> None:
        self._take(self.rehearsal.lose(0, "crashed", "exited with status 1", self.now))

    @property
    def answers(self) -> list[tuple[str, list[str]]]:
        """The answers after `ready`, with the kinds of their faults."""
        return [(word, [kind for kind, _ in faults]) for word, faults, _ in self.rehearsal.answers[1:]]


def test_the_next_ask_is_sent_when_one_is_answered_and_the_end_after_the_last():
    driven = Driven(ready=False)
    assert driven.sent == "game 1\nask 2 ready\n" and driven.rehearsal.waits_for(0)
    driven.say("2 ok")
    assert driven.sent.endswith("ready\nask 3 move\n")
    driven.say("3 go", after=0.25)
    driven.say("stay")
    driven.say("5 c+a")
    assert driven.sent.endswith("ask 5 keep\nend 1\n") and driven.rehearsal.is_over
    assert driven.answers == [("go", []), ("stay", []), ("a+c", [])]
    assert driven.rehearsal.answers[1].seconds == 0.25
    assert [part.id for part in driven.rehearsal.parts] == [2, 3, 4, 5]


def test_an_illegal_answer_has_its_reason_and_the_next_ask_follows():
    driven = Driven()
    driven.say("3 run")
    ((_, faults, _),) = driven.rehearsal.answers[1:]
    ((kind, detail),) = faults
    assert kind == "illegal"
    assert detail == "answered 'run' to move; run is wrong; legal: stay go gone; played stay"
    driven.say("4 go")
    assert driven.answers == [("stay", ["illegal"]), ("go", [])]


def test_a_late_line_is_not_taken_for_the_next_answer():
    driven = Driven()
    driven.wait(1.1)
    driven.say("go")
    driven.say("4 gone")
    assert driven.answers == [("stay", ["late"]), ("gone", [])]


def test_a_bot_that_waited_for_a_core_has_more_time():
    driven = Driven()
    driven.now += 1.1
    driven._take(driven.rehearsal.expire(driven.now, [TimeUsage(1.1, 0.1, 0.9)]))
    assert driven.answers == [] and driven.rehearsal.deadline > driven.now


def test_a_line_too_much_is_a_fault_of_the_answer_before_it():
    driven = Driven()
    driven.say("3 go", "3 stay", "gone")  # without an id it cannot be for an ask that was just sent
    driven.say(BadLine("garbled", "no text"), after=0)  # what it is, as in a game
    driven.say("9 go", "4 stay")
    assert driven.answers == [("go", ["early", "early", "garbled"]), ("stay", [])], "three are enough"
    assert driven.rehearsal.answers[1].faults[0][1].startswith("said 'stay', which nothing asked for")


def test_what_comes_before_ok_is_ignored():
    driven = Driven(ready=False)
    driven.say("hello", BadLine("garbled", "x"), "2 ok")
    driven.say("3 go")
    assert driven.answers == [("go", [])]


def test_a_bot_that_is_not_ready_has_not_started():
    for how in ("die", "wait"):
        driven = Driven(ready=False)
        driven.say("hello")
        driven.die() if how == "die" else driven.wait(30.0)
        ((_, ((kind, detail),), seconds),) = driven.rehearsal.answers
        assert (kind, seconds) == ("unstarted", None) and driven.rehearsal.is_over
        assert detail == (
            "exited with status 1 before it was ready"
            if how == "die"
            else "no 'ok' to ready in time; the last line was 'hello'"
        )


def test_a_crash_or_a_flood_ends_it():
    driven = Driven()
    driven.say("3 go")
    driven.die()
    driven.die()
    assert driven.answers == [("go", []), ("stay", ["crashed"])] and driven.rehearsal.is_over
    driven = Driven()
    driven.say(BadLine("flood", "more than 200 bytes in one game"))
    assert driven.answers == [("stay", ["flood"])] and driven.stopped and driven.rehearsal.is_over
