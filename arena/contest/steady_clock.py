"""Notices when the clock of the machine is set, which could begin the final before the deadline.

The wall clock is compared with the time since the machine was started, which cannot be set. The difference is
kept in contest.db, because a process may be killed and started again after the clock was set. A new start of
the server trusts the clock.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass

from arena.contest.settings import KnownClock, change_settings, settings_of
from arena.web.database import Database

_MAX_S = 120.0  # a smaller correction, such as by NTP, is not a jump


def _since_boot() -> float:
    """Seconds since the machine was started, if possible with the time of its suspension."""
    clock = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)
    return time.clock_gettime(clock)


@dataclass(frozen=True)
class SteadyClock:
    """The clocks of one start of the server; `start` is a text unique to it."""

    start: str
    wall: Callable[[], float] = time.time
    steady: Callable[[], float] = _since_boot

    def jump(self, database: Database) -> float:
        """The seconds by which the wall clock was set since the server was started; 0 if at most `_MAX_S`.

        Less than 0: it was set back. The first call after a start notes the clocks, and returns 0.
        """
        offset = self.wall() - self.steady()
        known = settings_of(database).clock
        if not known or known.start != self.start:
            with change_settings(database) as settings:
                settings.clock = KnownClock(self.start, offset)
            return 0.0
        jump = offset - known.offset
        return jump if abs(jump) > _MAX_S else 0.0
