"""A language model at the table: a player without a process, which asks a server.

Theory of operation
-------------------
The loop writes lines to the player as to a bot. From these the player makes a conversation (`Conversation`),
and each ask becomes a call. If the ledger has no answer, an `Errand` asks the server in a thread, and rings
at the pipe that the loop polls. All other work happens in the thread of the loop, without locks.

*Three kinds of failures* are never mixed. If the server fails, the thread waits and calls again; its time is
`TimeUsage.wait`, which no clock counts. After `patience_s` seconds of that, `EndpointLost` ends the game,
which is void. If the reply takes longer than the clock allows, from the end of the sent request, the model is
`late`. If its reply is not a legal answer, the model is asked again with the reason, `_MAX_ATTEMPTS` times in
all; then it commits a fault, `unread` or `illegal`.

*Time* is the server's time for complete replies, as recorded in the calls, not the loop's measurement. So a
game replayed from the ledger has the same faults. During a call the meter reports that all time was waiting:
only the thread decides that a model is late.

*Money.* The greatest cost of a request is reserved before it is sent, and a reply is stored before it is
used: a kill at any moment loses no paid answers. A request without a reply keeps its reservation if it may be
billed, and the next one gets another.
"""

import os
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass

from arena.models.asking import Caller, MayBeBilled, OnWait, Reading, Timing
from arena.models.calls import CallId, Ledger, ModelCall, ModelReply
from arena.models.secret import Secret
from arena.models.spec import ModelSpec
from arena.programs.bot import Bot
from arena.programs.play.dialogue import Dialogue
from arena.programs.play.errand import Errand
from arena.programs.play.meter import Meter
from arena.programs.play.player import GRACE
from arena.programs.play.processless import ProcesslessPlayer
from arena.programs.play.prompt import Conversation
from arena.programs.sandbox.client import SupervisorClient
from arena.referee.clock import Clock, TimeUsage
from arena.referee.fixture import Fixture
from arena.referee.protocol import BadLine
from arena.referee.referee import Referee

_MAX_ATTEMPTS = 4
_LATE_S = 0.001  # above the limit


class _ModelMeter(Meter):
    """Reports the time of an ask's calls. CPU time is unknown, and none is used here."""

    def __init__(self) -> None:
        super().__init__(os.getpid())
        self.close()
        self.is_exact = True
        self.is_calling = False
        self.used = self.waited = 0.0

    def read(self, now: float, waiting: bool = False) -> TimeUsage:
        if self.is_calling:
            wall = max(0.0, now - self.started)
            return TimeUsage(wall, 0.0, wall, wall)
        return TimeUsage(self.used + self.waited, 0.0, self.waited, self.waited)


@dataclass
class _Turn:
    """The pending ask, its limit in seconds, and the call that is under way."""

    ask: int
    limit: float
    attempt: int = 1
    again: str = ""  # the reason for asking again
    call: CallId | None = None
    reservation: int = 0
    known: ModelReply | None = None  # the reply from the ledger
    errand: Errand | None = None


class ModelPlayer(ProcesslessPlayer):
    """A language model. `ledger` keeps its calls, `secret` is the key of its server.

    `on_wait` is called when a call waits for a failing server, in the thread of the call.
    """

    def __init__(
        self,
        bot: Bot,
        supervisor: SupervisorClient,
        spec: ModelSpec,
        ledger: Ledger,
        secret: Secret,
        timing: Timing | None = None,
        on_wait: OnWait | None = None,
    ):
        super().__init__(bot, supervisor)
        self._spec, self._ledger, self._secret, self._timing = spec, ledger, secret, timing
        self._on_wait = on_wait
        self._model_meter = _ModelMeter()
        self.meter = self._model_meter
        self._lines_said: list[str | BadLine] = []
        self._seat = 0
        self._game = ""
        self._referee: Referee | None = None
        self._talk: Conversation | None = None
        self._recorded = 0  # the number of messages in recorded calls
        self._counted = 0  # the server's count of their tokens; 0 if unknown
        self._uses: Counter[str] = Counter()
        self._turn: _Turn | None = None

    def sit(self, referee: Referee, fixture: Fixture, seat: int) -> None:
        """Take a seat of a game that is about to begin, and forget the previous game."""
        self._referee, self._seat, self._game = referee, seat, fixture.id
        self._talk, self._turn = None, None
        self._recorded = self._counted = 0
        self._uses.clear()
        referee.seats[seat].clock = Clock(fixture.control(seat))

    # What the seat hears

    def write(self, data: bytes = b"") -> None:
        """Hear lines; an ask begins a call.

        Raises:
            BudgetSpent: The ledger does not allow it.
            CassetteMiss: The ledger does not allow it.
        """
        self._model_meter.used = self._model_meter.waited = 0.0
        for line in data.decode().split("\n"):
            verb, _, rest = line.partition(" ")
            if verb == "ask":
                self._hear_ask(rest)
            elif verb == "game":
                self._begin_talk(rest)
            elif self._talk:
                self._talk.hear(verb, rest)

    def _begin_talk(self, rest: str) -> None:
        assert self._referee, "a game begins at a table"
        # number, name, seats=, you=, seed=; a model cannot use the last
        words = " ".join(rest.split(" ")[5:])
        self._talk = Conversation(self._spec, Dialogue(self._referee, self._seat), words)

    def _hear_ask(self, rest: str) -> None:
        number, kind, _ = rest.split(" ", 2)
        if kind in ("hello", "ready"):
            return self._say(f"{number} ok")
        self._turn = _Turn(int(number), self._limit)
        self._conversation.ask()
        self._call()

    @property
    def _limit(self) -> float:
        assert self._referee
        return self._referee.seats[self._seat].clock.limit

    @property
    def _conversation(self) -> Conversation:
        assert self._talk, "its game has begun"
        return self._talk

    # Calls

    def _call(self) -> None:
        """Begin the next call of the turn."""
        turn, messages = self._pending, self._conversation.messages
        key = self._spec.content_key(messages)
        turn.call = CallId(self._game, self._seat, key, self._uses[key])
        self._uses[key] += 1
        self._model_meter.is_calling = True
        if known := self._ledger.find(turn.call):
            turn.known = known.reply
            return self._ring()
        left = turn.limit - self._model_meter.used
        self._send(turn, Caller(self._spec, self._secret, left, self._timing, self._on_wait))

    def _send(self, turn: _Turn, caller: Caller) -> None:
        """Reserve the greatest cost of a call's next request, and make the caller send it."""
        assert turn.call
        talk = self._conversation
        turn.reservation = self._ledger.reserve(turn.call, self._max_cost())
        turn.errand = Errand(caller, talk.messages, talk.offered, self._mouth)

    @property
    def _pending(self) -> _Turn:
        assert self._turn, "it was asked"
        return self._turn

    def _max_cost(self) -> float:
        """The greatest cost of the call: the server has counted the tokens of earlier messages."""
        messages, first = self._conversation.messages, self._first_new
        counted = self._counted if first else 0
        return self._spec.max_cost(messages[first:] if counted else messages, counted)

    @property
    def _first_new(self) -> int:
        """The index of the first message that no call contains yet; 0 if the conversation restarted."""
        return self._recorded if self._recorded < len(self._conversation.messages) else 0

    # What the seat says

    def read(self) -> list[str | BadLine] | None:
        """The lines that the player said, maybe []; never None.

        Raises:
            EndpointLost: Its server failed for good.
            BudgetSpent: The model must be asked again, and the ledger does not allow it.
            CassetteMiss: The model must be asked again, and the ledger does not allow it.
        """
        with suppress(BlockingIOError):
            self._take_from(self.out)
        if turn := self._turn:
            if turn.known:
                reply, turn.known = turn.known, None
                self._hear_reply(turn, reply, is_new=False)
            elif turn.errand and turn.errand.outcome:
                self._end_errand(turn, turn.errand)
        lines, self._lines_said = self._lines_said, []
        return lines

    def _end_errand(self, turn: _Turn, errand: Errand) -> None:
        outcome, turn.errand = errand.outcome, None
        if isinstance(outcome, ModelReply):
            return self._hear_reply(turn, outcome, is_new=True)
        self._ledger.release(turn.reservation, errand.caller.may_be_billed)
        if isinstance(outcome, MayBeBilled):
            return self._send(turn, errand.caller)
        assert outcome
        raise outcome

    def _hear_reply(self, turn: _Turn, reply: ModelReply, is_new: bool) -> None:
        meter, talk = self._model_meter, self._conversation
        meter.is_calling = False
        meter.used += reply.latency_s
        meter.waited += reply.waited_s
        reading = self._reading(turn, reply)
        if is_new:
            self._ledger.store(turn.reservation, self._record(turn, reply, reading))
        self._recorded, self._counted = len(talk.messages), reply.usage.tokens_in if reply.usage else 0
        talk.note_reply(reply.text)
        if self._is_late(turn, reply):
            meter.used = max(meter.used, turn.limit + _LATE_S)
            self._answer(turn, "")
        elif reading.word:
            self._answer(turn, reading.word)
        elif turn.attempt < _MAX_ATTEMPTS:
            turn.attempt, turn.again = turn.attempt + 1, reading.problem
            talk.again(reading.problem)
            self._call()
        else:
            self._turn = None
            self._say(_fault(reading))

    def _is_late(self, turn: _Turn, reply: ModelReply) -> bool:
        return reply.is_late or self._model_meter.used > turn.limit

    def _reading(self, turn: _Turn, reply: ModelReply) -> Reading:
        talk = self._conversation
        return Reading.of(reply, self._is_late(turn, reply), talk.legal_word, talk.reason)

    def _record(self, turn: _Turn, reply: ModelReply, reading: Reading) -> ModelCall:
        assert turn.call and self._referee
        talk = self._conversation
        first = self._first_new
        return ModelCall(
            id=turn.call,
            ask=turn.ask,
            at=len(self._referee.match.replies),
            attempt=turn.attempt,
            again=turn.again,
            first=first,
            messages=tuple(talk.messages[first:]),
            version=talk.version,
            reply=reply,
            answer=reading.word,
            problem=reading.problem,
        )

    def _answer(self, turn: _Turn, word: str) -> None:
        self._turn = None
        self._say(f"{turn.ask} {word}")

    def _say(self, line: str | BadLine) -> None:
        self._lines_said.append(line)
        self._ring()

    def _ring(self) -> None:
        os.write(self._mouth, b"\n")

    def end(self, grace: float = GRACE) -> None:
        turn, self._turn = self._turn, None
        if turn and turn.errand:
            self._abandon(turn, turn.errand)
        super().end(grace)

    def _abandon(self, turn: _Turn, errand: Errand) -> None:
        """Cancel a call of a game that is given up; if it was just answered, store the reply."""
        errand.cancel()
        if isinstance(reply := errand.outcome, ModelReply):
            self._ledger.store(turn.reservation, self._record(turn, reply, self._reading(turn, reply)))
        else:
            self._ledger.release(turn.reservation, billed=True)  # the server may be answering now


def _fault(reading: Reading) -> BadLine:
    """The fault for the last permitted reply."""
    problem = reading.problem.rstrip(".")
    if reading.is_illegal:
        return BadLine("illegal", f"no legal answer in {_MAX_ATTEMPTS} replies: {problem}")
    return BadLine("unread", f"no answer in {_MAX_ATTEMPTS} replies: {problem}")
