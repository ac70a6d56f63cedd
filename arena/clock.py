"""Thinking time: a time per answer plus a bank for the whole game."""

from dataclasses import dataclass
from math import inf


@dataclass(frozen=True)
class TimeControl:
    """Limits in seconds: per answer, in the bank per game, and for a fresh process to get ready."""

    move: float = 1.0
    bank: float = 0.0
    start: float = 10.0


class Clock:
    """The clock of one seat in one game; `now` is any steady time in seconds.

    Only time beyond `move` is taken from the bank, and the bank never falls below 0.
    """

    def __init__(self, control: TimeControl):
        self.move = control.move
        self.bank = control.bank
        self.deadline = inf
        self._started = 0.0
        self._free = 0.0  # seconds of this answer that the bank does not pay for

    def start(self, now: float, limit: float | None = None) -> float:
        """Start for one answer; returns the hard limit in seconds. A `limit` is not at the bank's cost."""
        self._free = self.move if limit is None else inf
        limit = self.move + self.bank if limit is None else limit
        self._started, self.deadline = now, now + limit
        return limit

    def stop(self, now: float) -> float:
        """Stop with the answer, charge the bank, and return the time it took in seconds."""
        spent = now - self._started
        self.deadline = inf
        if spent > self._free:
            self.bank = max(0.0, self.bank - (spent - self._free))
        return spent
