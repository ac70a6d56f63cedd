"""Thinking time: per answer, with a bank and a limit for the game, charged for what a bot has used."""

from dataclasses import asdict, dataclass
from math import inf
from typing import NamedTuple

from arena.core.values import KEYS, MoveTime, TimeOrNone

MORE = 0.001  # seconds, the least that a deadline moves on by
SLACK = 1.0  # seconds that an answer may take beyond its limit, however busy the machine is
START_FACTOR = 3  # to start or to get ready, when others may do so too, takes so many times the limit at most


@dataclass(frozen=True)
class TimeControl:
    """Times such as 500ms, 1s or 2m."""

    __pydantic_config__ = KEYS

    # Here in seconds.
    move: MoveTime = 1.0
    """Time for an answer; 1s by default."""
    bank: TimeOrNone = 0.0
    """Time for a whole game, taken when an answer needs more than `move`; none by default."""
    start: MoveTime = 10.0
    """Time for a process to start and say ready; 10s by default."""
    game: MoveTime | None = None
    """Time for all answers of a game together; no limit by default."""

    def plain(self) -> dict[str, float]:
        """The limits that there are, as JSON has them."""
        return {name: value for name, value in asdict(self).items() if value is not None}


class TimeUsage(NamedTuple):
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

    Only time beyond `move` is taken from the bank, and neither the bank nor what is left of the game falls
    below 0. Time is charged by `TimeUsage` where there are any, and else by `now` alone.
    """

    def __init__(self, control: TimeControl):
        self.move = control.move
        self.bank = control.bank
        self.left = inf if control.game is None else control.game
        self.limit = inf  # of this answer
        self.deadline = inf
        self._started = 0.0
        self._last = inf  # the answer ends here, whatever it has used
        self._free = 0.0  # seconds of this answer that the bank does not pay for

    def start(self, now: float, limit: float | None = None) -> float:
        """Start for one answer; returns the hard limit in seconds. A `limit` costs neither bank nor game."""
        self._free = self.move if limit is None else inf
        self.limit = limit = min(self.move + self.bank, self.left) if limit is None else limit
        self._started, self.deadline = now, now + limit
        self._last = now + (limit + SLACK if self._free < inf else START_FACTOR * limit)
        return limit

    def has_run_out(self, now: float, usage: TimeUsage | None = None) -> bool:
        """Whether time is up; if the deadline has passed but not all was used, it moves on by the rest."""
        if now < self.deadline:
            return False
        left = 0.0 if usage is None else self.limit - usage.charged
        if left <= 0 or now >= self._last:
            return True
        self.deadline = min(now + max(left, MORE), self._last)
        return False

    def stop(self, now: float, usage: TimeUsage | None = None) -> float:
        """Stop with the answer, charge bank and game, and return the seconds charged."""
        spent = now - self._started if usage is None else usage.charged
        self.deadline = inf
        if spent > self._free:
            self.bank = max(0.0, self.bank - (spent - self._free))
        if self._free < inf:
            self.left = max(0.0, self.left - spent)
        return spent
