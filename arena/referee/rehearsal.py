"""Rehearsals: one bot is sent the lines of a recorded game, and its answers are collected.

A rehearsal is driven like a `Referee`, and without I/O as well. No answer changes the next lines, which are
recorded. So a rehearsal ends early only if the process is gone, is not ready in time, or is stopped for a
flood.
"""

from collections import deque
from collections.abc import Iterator, Sequence
from math import inf
from typing import NamedTuple

from arena.referee.clock import Clock, TimeUsage
from arena.referee.conditions import TimeControl
from arena.referee.judging import Noise, Reason, judge, too_late
from arena.referee.protocol import READY, BadLine, FaultKind, Line
from arena.referee.seat import Message, Send, Stop
from arena.rules import Choice

_MAX_NOTED = 3  # faults of one answer

Faults = tuple[tuple[FaultKind, str], ...]
"""The faults of one answer: a kind and a detail each."""


class RehearsedAnswer(NamedTuple):
    """The answer to an ask, or the default played instead, and its faults."""

    word: str
    faults: Faults
    seconds: float | None  # charged, even without an answer in time; None if the bot was out before


class SentPart(NamedTuple):
    """The lines that a seat was sent together; and the ask at their end: its id, its limit in seconds, its
    choice and the recorded answer. The `choice` is None if they do not end with an ask."""

    text: str
    id: int
    limit: float
    choice: Choice | None
    answer: RehearsedAnswer


class Rehearsal:
    """One rehearsal. `why_not` returns the rule that an illegal answer to the newest ask breaks."""

    def __init__(self, parts: Iterator[SentPart], why_not: Reason, control: TimeControl) -> None:
        self.parts: list[SentPart] = []  # the parts whose asks were sent
        self.answers: list[RehearsedAnswer] = []  # the answers to these asks; the last may be missing
        self.is_over = False
        self.deadline = inf
        self.unmetered_below = control.move
        self._coming, self._why_not = parts, why_not
        self._clock = Clock(control)
        self._asked = -inf  # when the newest ask was sent
        self._overdue: deque[int] = deque()  # asks that ran out of time and may still be answered
        self._noise = Noise()

    def waits_for(self, seat: int) -> bool:
        return not self.is_over

    def begin(self, now: float) -> list[Message]:
        return self._send_next(now)

    def _send_next(self, now: float) -> list[Message]:
        part = next(self._coming, None)
        if part is None or part.choice is None:
            self.is_over, self.deadline = True, inf
            return [Send(0, part.text)] if part else []
        self.parts.append(part)
        self._asked = now
        self._clock.start(now, part.limit)
        self.deadline = self._clock.deadline
        return [Send(0, part.text)]

    def hear(self, seat: int, line: Line, now: float, usage: TimeUsage | None = None) -> list[Message]:
        """Judge a line that the bot has written, by the rules of a game (`Referee.hear`)."""
        part, choice = self._pending
        if isinstance(line, BadLine) and line.kind == "flood":
            return [Stop(seat), *self.lose(seat, line.kind, line.detail, now)]
        # A line that arrived together with an answer cannot be for the ask that followed this answer.
        pending = choice if now > self._asked or choice is READY else None
        is_late = usage is not None and usage.charged > self._clock.limit
        heard = judge(line, part.id, pending, self._overdue, is_late, self._why_not)
        if heard.overdue:
            self._overdue.remove(heard.overdue)
        elif heard.word is not None:
            return self._answer(heard.word, heard.fault, now, usage)
        elif heard.fault is not None:
            self._note(heard.fault)
        else:
            self._noise.add(line)
        return []

    def lose(self, seat: int, kind: FaultKind, detail: str, now: float) -> list[Message]:
        if not self.is_over:
            if self._pending[1] is READY and kind != "flood":
                kind, detail = "unstarted", f"{detail} before it was ready"
            self._end(kind, detail)
        return []

    def _end(self, kind: FaultKind, detail: str) -> None:
        """End the rehearsal: the pending ask gets its default with this fault, and no other ask is sent."""
        self.answers.append(RehearsedAnswer(self._pending[1].default, ((kind, detail),), None))
        self.is_over, self.deadline = True, inf

    def expire(self, now: float, usage: Sequence[TimeUsage] = ()) -> list[Message]:
        part, choice = self._pending
        used = usage[0] if usage else None
        if not self._clock.has_run_out(now, used):
            self.deadline = self._clock.deadline
            return []
        if choice is READY:
            self._end("unstarted", f"no 'ok' to ready in time{self._noise.last}")
            return [Stop(0)]
        self._overdue.append(part.id)
        return self._answer(choice.default, too_late(choice), now, used)

    @property
    def _pending(self) -> tuple[SentPart, Choice]:
        part = self.parts[-1]
        assert part.choice, "an ask is pending until the rehearsal is over"
        return part, part.choice

    def _answer(self, word: str, fault: BadLine | None, now: float, usage: TimeUsage | None) -> list[Message]:
        faults: Faults = (fault,) if fault else ()
        self.answers.append(RehearsedAnswer(word, faults, self._clock.stop(now, usage)))
        return self._send_next(now)

    def _note(self, fault: BadLine) -> None:
        # An extra line is noted with the newest answer. The first few are enough.
        answer = self.answers[-1]
        if len(answer.faults) < _MAX_NOTED:
            self.answers[-1] = answer._replace(faults=(*answer.faults, fault))
