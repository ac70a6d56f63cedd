"""Thinking time: per answer, with a bank and a limit per game. A bot is charged for the time that it used."""

from math import inf
from typing import final

from arena.referee.conditions import TimeControl

_MIN_EXTENSION_S = 0.001
# However busy the machine is, an answer may exceed its limit in wall time only by so much.
_SLACK_S = 1.0
# The same for `hello` and `ready`, or twice their limit if that is more: many bots may start at once, and a
# late bot loses the game, not a strike.
_READY_SLACK_S = 5.0


@final
class TimeUsage:
    """What an answer took, in seconds; `cpu` and `wait` are 0 where the system does not report them.

    For a bot on another machine, `wait` is the time allowed for the network plus the `outage`, which is how
    long a failure of the arena cut the bot off. For a language model both are time that is not charged: its
    server failed, or a call is still running.
    """

    __slots__ = ("cpu", "outage", "wait", "wall")

    def __init__(self, wall: float, cpu: float = 0.0, wait: float = 0.0, outage: float = 0.0) -> None:
        self.wall = wall
        self.cpu = cpu
        self.wait = wait
        self.outage = outage  # a part of `wait`

    def microseconds(self) -> list[int]:
        """Wall, CPU and waiting time in whole microseconds."""
        return [int(seconds * 1e6) for seconds in (self.wall, self.cpu, self.wait)]

    @property
    def is_measured(self) -> bool:
        """Whether CPU or waiting time was measured; if not, both are 0."""
        return self.cpu > 0 or self.wait > 0

    @property
    def charged(self) -> float:
        """The seconds to charge: computing and sleeping count; waiting for a core or the network does not."""
        return max(self.cpu, self.wall - self.wait)


class Clock:
    """The clock of one seat in one game; `now` is any monotonic time in seconds."""

    # Only time beyond `move` is taken from the bank, and neither the bank nor the rest of the game falls
    # below 0. An answer is charged by its `TimeUsage` if it was measured, else by `now` alone: a bot should
    # not lose because the machine had no core for it.

    def __init__(self, control: TimeControl):
        self.move = control.move
        self.bank = control.bank
        self.game_left = inf if control.game is None else control.game
        self.limit = inf  # seconds for this answer
        self.deadline = inf
        self._started = 0.0
        self._hard_deadline = inf  # in wall time, however much of it the answer used
        self._unbanked = 0.0  # seconds of this answer that are not taken from the bank

    def start(self, now: float, limit: float | None = None) -> float:
        """Start for one answer, and return its limit in seconds: the clock's, or the given `limit`.

        An answer with a given limit, such as the one to `hello`, costs neither bank nor game time.
        """
        self._unbanked = self.move if limit is None else inf
        self.limit = limit = min(self.move + self.bank, self.game_left) if limit is None else limit
        self._started, self.deadline = now, now + limit
        # A machine that is too busy must not hold up the game for ever.
        slack = _SLACK_S if self._unbanked < inf else max(_READY_SLACK_S, 2 * limit)
        self._hard_deadline = now + limit + slack
        return limit

    def postpone(self, seconds: float) -> None:
        """Move start and deadlines of this answer by these seconds, because its bot was asked later."""
        self._started += seconds
        self.deadline += seconds
        self._hard_deadline += seconds

    def has_run_out(self, now: float, usage: TimeUsage | None = None) -> bool:
        """Whether time is up. If the bot has time left by `usage`, a deadline that has passed moves on."""
        if now < self.deadline:
            return False
        left = 0.0 if usage is None else self.limit - usage.charged
        hard_deadline = self._hard_deadline + (0.0 if usage is None else usage.outage)
        if left <= 0 or now >= hard_deadline:
            return True
        # Steps below a millisecond would wake the loop all the time on a busy machine.
        self.deadline = min(now + max(left, _MIN_EXTENSION_S), hard_deadline)
        return False

    def stop(self, now: float, usage: TimeUsage | None = None) -> float:
        """Stop at the answer, charge bank and game, and return the seconds charged for it."""
        # Whole microseconds, as in the record: so the bank follows from the record exactly.
        spent = int((now - self._started if usage is None else usage.charged) * 1e6 + 0.5) / 1e6
        self.deadline = inf
        if spent > self._unbanked:
            self.bank = max(0.0, self.bank - (spent - self._unbanked))
        if self._unbanked < inf:
            self.game_left = max(0.0, self.game_left - spent)
        return spent
