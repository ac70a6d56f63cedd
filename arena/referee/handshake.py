"""The hello to fresh processes, before their first game; pure, driven like a `Referee`."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf

from arena.core.clock import Clock, TimeControl, TimeUsage
from arena.referee.protocol import MAX_IGNORED, BadLine, FaultKind, hello_line, instead_words, read_answer
from arena.referee.seat import Message, Send


@dataclass
class Guest:
    """One process that is greeted: what it said of itself, or why it did not start."""

    clock: Clock
    waiting: bool = True
    ignored: int = 0
    instead: str = ""  # words on the last line that was no `ok`
    said: str = ""
    fault: str = ""


class Greeting:
    """Asks each process `hello` at once and waits until all have said `ok` or failed to."""

    def __init__(self, guests: int, limit: float):
        self.guests: Sequence[Guest] = [Guest(Clock(TimeControl(limit))) for _ in range(guests)]
        self.limit = self.unmetered_below = limit
        self.deadline = inf

    @property
    def over(self) -> bool:
        return not any(guest.waiting for guest in self.guests)

    def waits_for(self, seat: int) -> bool:
        return self.guests[seat].waiting

    def begin(self, now: float) -> list[Message]:
        self.deadline = now + self.limit
        for guest in self.guests:
            guest.clock.start(now, self.limit)
        hello = hello_line(1, self.limit) + "\n"
        return [Send(seat, hello) for seat, guest in enumerate(self.guests) if guest.waiting]

    def hear(
        self, seat: int, line: str | BadLine, now: float, usage: TimeUsage | None = None
    ) -> list[Message]:
        """`ok`, with `name=` and `version=` behind it if the bot likes; other lines are thrown away."""
        guest = self.guests[seat]
        if isinstance(line, BadLine) and line.kind == "flood":
            self._fail(guest, f"{line.words}, but not 'ok' to hello")
        if not guest.waiting:
            return []
        text = "" if isinstance(line, BadLine) else read_answer(line).text
        if text.split(" ")[0] == "ok":
            guest.waiting, guest.said = False, text.removeprefix("ok").strip()
        else:
            guest.ignored += 1
            guest.instead = instead_words(line)
            if guest.ignored > MAX_IGNORED:
                self._fail(guest, f"wrote {MAX_IGNORED} lines, but not 'ok' to hello")
        return []

    def lose(self, seat: int, kind: FaultKind, words: str, now: float) -> list[Message]:
        self._fail(self.guests[seat], f"{words} before it answered hello")
        return []

    def expire(self, now: float, usage: Sequence[TimeUsage] = ()) -> list[Message]:
        for guest, used in zip(self.guests, usage or [None] * len(self.guests), strict=True):
            if guest.waiting and guest.clock.has_run_out(now, used):
                self._fail(guest, f"no 'ok' to hello within {self.limit:g} s{guest.instead}")
        self.deadline = min((guest.clock.deadline for guest in self.guests if guest.waiting), default=inf)
        return []

    @staticmethod
    def _fail(guest: Guest, words: str) -> None:
        if guest.waiting:
            guest.waiting, guest.fault = False, words
