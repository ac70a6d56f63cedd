"""Thinking time: a time per answer plus a bank for the whole game, charged for what a bot has used."""

from dataclasses import dataclass
from math import inf
from typing import NamedTuple

MORE = 0.001  # seconds, the least that a deadline moves on by
MAX_FACTOR, MAX_SLACK = 3, 1.0  # whatever the figures say, an answer has 3 times its limit, or 1 s more


@dataclass(frozen=True)
class TimeControl:
    """Limits in seconds: per answer, in the bank per game, and for a fresh process to get ready."""

    move: float = 1.0
    bank: float = 0.0
    start: float = 10.0


class Figures(NamedTuple):
    """What an answer took, in seconds: by the clock on the wall, of the processor, waiting for a core.

    Where the system does not tell `cpu` and `wait`, they are 0.
    """

    wall: float
    cpu: float = 0.0
    wait: float = 0.0

    @property
    def charged(self) -> float:
        """Sleeping counts, and all that was computed; waiting while others had the processor does not."""
        return max(self.cpu, self.wall - self.wait)


class Clock:
    """The clock of one seat in one game; `now` is any steady time in seconds.

    Only time beyond `move` is taken from the bank, and the bank never falls below 0. Time is charged
    by `Figures` where there are any, and else by `now` alone.
    """

    def __init__(self, control: TimeControl):
        self.move = control.move
        self.bank = control.bank
        self.limit = inf  # of this answer
        self.deadline = inf
        self._started = 0.0
        self._free = 0.0  # seconds of this answer that the bank does not pay for

    def start(self, now: float, limit: float | None = None) -> float:
        """Start for one answer; returns the hard limit in seconds. A `limit` is not at the bank's cost."""
        self._free = self.move if limit is None else inf
        self.limit = limit = self.move + self.bank if limit is None else limit
        self._started, self.deadline = now, now + limit
        return limit

    def has_run_out(self, now: float, figures: Figures | None = None) -> bool:
        """Whether time is up; if the deadline has passed but not all was used, it moves on by the rest."""
        if now < self.deadline:
            return False
        left = 0.0 if figures is None else self.limit - figures.charged
        last = self._started + max(MAX_FACTOR * self.limit, self.limit + MAX_SLACK)
        if left <= 0 or now >= last:
            return True
        self.deadline = min(now + max(left, MORE), last)
        return False

    def stop(self, now: float, figures: Figures | None = None) -> float:
        """Stop with the answer, charge the bank, and return the seconds charged."""
        spent = now - self._started if figures is None else figures.charged
        self.deadline = inf
        if spent > self._free:
            self.bank = max(0.0, self.bank - (spent - self._free))
        return spent
