"""Rebuilds the input of a bot in a recorded game, byte for byte.

The lines to each seat follow from the replies, faults and times of a record, except for the ids of asks and
the number of the game. Those continue from game to game of a process, so the trace has them (`Sent`).
"""

from collections.abc import Iterator
from dataclasses import replace

from arena.config.document import ConfigError
from arena.referee.clock import Clock, TimeUsage
from arena.referee.protocol import READY, hello_line
from arena.referee.record import Record
from arena.referee.rehearsal import RehearsedAnswer, SentPart
from arena.referee.seat import SeatKeeper, SeatState, Send, Sent
from arena.rules import Ask, Choice
from arena.tournament.runs.account import game_of, replay


def bot_input(record: Record, seat: int) -> str:
    """The text that this seat's bot read from stdin: the hello to its process, and the lines of the game.

    Raises:
        ConfigError: The record lacks the ids of its asks, or does not replay.
    """
    check_has_ids(record)
    hello = hello_line(1, record.fixture.conditions.clock.start)
    return "".join([hello, "\n", *(part.text for part in Sender(record, seat).parts())])


def check_has_ids(record: Record) -> None:
    """Raise ConfigError if the record lacks the ids of the asks, which are in its trace."""
    if "sent" not in record.trace:
        raise ConfigError(f"game {record.fixture.id}: its record does not have the ids of the asks")


class Sender(SeatKeeper):
    """Rebuilds the lines that one seat was sent in a recorded game.

    It uses the code of the referee, with the recorded answers, faults and times.
    """

    def __init__(self, record: Record, seat: int):
        self._record, fixture, game = record, record.fixture, game_of(record)
        self._sent = Sent(*record.trace["sent"][seat])
        in_order = replace(fixture, options=game.defaults() | dict(fixture.options))
        super().__init__(
            in_order.match(game),
            fixture.conditions.clock,
            fixture.conditions.strikes,
            [Sent(*each)[:2] for each in record.trace["sent"]],
            fixture.bot_seeds,
            fixture.more_words,
        )
        self._state = self.seats[seat]
        self._state.clock = Clock(fixture.control(seat))
        faults = [fault for fault in record.faults if fault.seat == seat]
        self._errors = list(zip(self._sent.errors, faults, strict=False))
        self._forfeits = faults[len(self._errors) :]  # The seat was not told about the fault.
        self._times: list[int] = record.trace["microseconds"][seat]

    def parts(self) -> Iterator[SentPart]:
        """Yield, for each ask, the lines that were sent with it and the recorded answer.

        The last part has no choice, only the lines after the last ask, if any.
        """
        match, state, sent = self.match, self._state, self._sent
        if sent.last_ask > state.last_ask:
            self._open_game(state, 0.0)
            yield self._part(READY, "ok")
            self._answer(state)
        for _, reply in replay(self._record, match):
            self._tell_news()
            choice = match.step.choices.get(state.seat) if isinstance(match.step, Ask) else None
            if choice and isinstance(reply, dict):
                self._tell_errors(state)
                if not state.forfeited and state.last_ask < sent.last_ask:
                    self._ask_with_view(state, choice, 0.0)
                    yield self._part(choice, reply[state.seat])
                    self._tell_errors(state)
                    self._answer(state)
        if not (state.forfeited or self._forfeits):
            self._send_end(state, self._record.result)
        yield SentPart(self._take_text(), 0, 0.0, None, RehearsedAnswer("", (), None))

    def why_not(self, choice: Choice, text: str) -> str:
        """The rule that the illegal answer `text` to the newest ask breaks; "" if it is not known."""
        return self.match.game.why_not(self.match.position, self._state.seat, choice, text)

    def _part(self, choice: Choice, word: str) -> SentPart:
        state = self._state
        faults = [fault for id, fault in self._errors if id == state.last_ask]
        time = self._times[len(state.spent)] if len(state.spent) < len(self._times) else None
        if time is None:
            faults += self._forfeits
        told = tuple((fault.kind, fault.detail) for fault in faults)
        answer = RehearsedAnswer(word, told, None if time is None else time / 1e6)
        return SentPart(self._take_text(), state.last_ask, state.clock.limit, choice, answer)

    def _take_text(self) -> str:
        outbox, self._outbox = self._outbox, []
        return "".join(each.text for each in outbox if isinstance(each, Send))

    def _tell_errors(self, state: SeatState) -> None:
        """Queue the `error` lines that the referee sent at this moment of the game.

        An `error` line before an ask has the id of the previous ask.
        """
        while self._errors and not state.forfeited:
            id, fault = self._errors[0]
            if (id, fault.reply) != (state.last_ask, len(self.match.replies)):
                return
            del self._errors[0]
            self._strike(state, fault.kind, fault.detail)

    def _answer(self, state: SeatState) -> None:
        spent = self._times[len(state.spent)] if len(state.spent) < len(self._times) else 0
        self._record_answer(state, "", 0.0, TimeUsage(spent / 1e6))
