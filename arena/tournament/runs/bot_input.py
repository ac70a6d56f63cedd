"""What a bot was sent in a recorded game, byte for byte.

The lines to each seat follow from the replies, faults and times of a record, except for the ids of asks and
the number of the game, which count all games of a process: the trace has them (`Sent`).
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
    """The hello to the process of this seat, and all lines that it was sent; see `check_has_ids`."""
    check_has_ids(record)
    hello = hello_line(1, record.fixture.conditions.clock.start)
    return "".join([hello, "\n", *(part.text for part in Sender(record, seat).parts())])


def check_has_ids(record: Record) -> None:
    """ConfigError: the record does not have the ids of the asks."""
    if "sent" not in record.trace:
        raise ConfigError(f"game {record.fixture.id}: its record does not have the ids of the asks")


class Sender(SeatKeeper):
    """Sends one seat what it was sent in a recorded game: a referee that knows all answers and faults."""

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
        self._forfeits = faults[len(self._errors) :]  # by a fault that it was not told of
        self._times: list[int] = record.trace["microseconds"][seat]

    def parts(self) -> Iterator[SentPart]:
        """What was sent together, to each ask and after the last one, with the recorded answers."""
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
        """Which rule an answer to the newest ask breaks."""
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
        """The strikes at this moment: before an ask they have the id of the one before."""
        while self._errors and not state.forfeited:
            id, fault = self._errors[0]
            if (id, fault.reply) != (state.last_ask, len(self.match.replies)):
                return
            del self._errors[0]
            self._strike(state, fault.kind, fault.detail)

    def _answer(self, state: SeatState) -> None:
        spent = self._times[len(state.spent)] if len(state.spent) < len(self._times) else 0
        self._record_answer(state, "", 0.0, TimeUsage(spent / 1e6))
