"""The hello to new processes, before their first game: without I/O, and driven like a `Referee`."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import inf

from arena.referee.clock import Clock, TimeUsage
from arena.referee.conditions import TimeControl
from arena.referee.judging import Noise, judge, too_much_noise
from arena.referee.protocol import HELLO, BadLine, FaultKind, Line, hello_line
from arena.referee.seat import Message, Send

NO_ANSWER = "no 'ok' to hello within"


@dataclass
class Candidate:
    """A new process that is asked `hello`, with its answer or the reason why it did not start."""

    clock: Clock
    waiting: bool = True
    noise: Noise = field(default_factory=Noise)  # lines before the `ok`
    said: str = ""  # after the `ok`
    fault: str = ""  # why it did not start


class Handshake:
    """Asks all processes `hello` at once; it is over when each has answered `ok` or failed."""

    def __init__(self, candidates: int, limit: float):
        self.candidates: Sequence[Candidate] = [
            Candidate(Clock(TimeControl(limit))) for _ in range(candidates)
        ]
        # CPU time is read only of processes that take longer than the limit in wall time: then it decides
        # whether they were slow or had no core.
        self.limit = self.unmetered_below = limit
        self.deadline = inf

    @property
    def is_over(self) -> bool:
        return not any(candidate.waiting for candidate in self.candidates)

    def waits_for(self, seat: int) -> bool:
        return self.candidates[seat].waiting

    def begin(self, now: float) -> list[Message]:
        # All have the same limit from the same moment, and compete for the cores: `Clock` allows for that.
        self.deadline = now + self.limit
        for candidate in self.candidates:
            candidate.clock.start(now, self.limit)
        hello = hello_line(1, self.limit) + "\n"
        return [Send(seat, hello) for seat, candidate in enumerate(self.candidates) if candidate.waiting]

    def hear(self, seat: int, line: Line, now: float, usage: TimeUsage | None = None) -> list[Message]:
        candidate = self.candidates[seat]
        if isinstance(line, BadLine) and line.kind == "flood":
            self._fail(candidate, f"{line.detail}, but not 'ok' to hello")
        # Lines after the `ok` are ignored: nothing else was asked yet.
        if not candidate.waiting:
            return []
        heard = judge(line, 1, HELLO)
        if heard.word is not None:
            # After the `ok` the bot may say `name=` and `version=`.
            candidate.waiting, candidate.said = False, heard.word.removeprefix("ok").strip()
        elif candidate.noise.add(line):
            self._fail(candidate, too_much_noise(HELLO))
        return []

    def lose(self, seat: int, kind: FaultKind, detail: str, now: float) -> list[Message]:
        self._fail(self.candidates[seat], f"{detail} before it answered hello")
        return []

    def expire(self, now: float, usage: Sequence[TimeUsage] = ()) -> list[Message]:
        for seat, candidate in enumerate(self.candidates):
            used = usage[seat] if usage else None
            if candidate.waiting and candidate.clock.has_run_out(now, used):
                self._fail(candidate, f"{NO_ANSWER} {self.limit:g} s{candidate.noise.last}")
        self.deadline = min(
            (candidate.clock.deadline for candidate in self.candidates if candidate.waiting), default=inf
        )
        return []

    @staticmethod
    def _fail(candidate: Candidate, fault: str) -> None:
        if candidate.waiting:  # the first reason counts: a process that is killed for it is lost as well
            candidate.waiting, candidate.fault = False, fault
