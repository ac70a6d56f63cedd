"""CPU metering: the time that a bot used for an answer.

Theory of operation
-------------------
A bot should be charged for computing and for sleeping, but not for waiting while other processes use the
cores. Three measurements (`TimeUsage`) show this, each read from outside in about a microsecond:

- *wall time*, by the referee's own clock;
- *CPU time* of all threads of the process, by its CPU clock, which other processes may read
  (clock_getcpuclockid(3)). If the bot has a control group, the group's `cpu.stat` is read instead: it
  includes all descendants, even exited ones;
- *waiting time*: how long one thread was runnable but waited for a core, by its `schedstat`. This is the
  thread that has computed most, because a bot could keep a second thread waiting on purpose. It is chosen
  before an ask of each game once an answer was measured.

A `Meter` reads CPU and waiting time before an ask is written (`start`), and again after the answer or a
deadline (`read`). If asks follow each other within a thousandth of the time per move, they share the reading
before the first: its error is no larger than that. A bot that is paused between asks is measured just before
(`measure_before_pause`): its usage until it stops is charged to its next answer.

Without a control group the CPU time of children is unknown: the kernel adds a child's time to its parent only
if the parent waits for it, and charges an orphan's time to no process. So a bot with children is charged wall
time. The supervisor usually sees children that live for 50 ms, or longer if it checks many bots.
"""

import os
from collections.abc import Callable
from contextlib import suppress
from math import inf
from os import pread
from time import clock_gettime, monotonic

from arena.programs.sandbox.linux import cgroup, procfs
from arena.referee.clock import TimeUsage

CORES = os.cpu_count() or 1
_NANO = 1e-9


class Meter:
    """Measures the usage of a process, or its control group, from an ask to the answer."""

    def __init__(self, pid: int, group: str = "", has_had_children: Callable[[], bool] = lambda: False):
        self.pid = pid
        self.is_exact = False  # read for every answer, even far from every limit
        self.asked = self.started = 0.0  # before the write of an ask; the loop sets the second after it
        self._has_had_children = has_had_children  # then the clock of the process is incomplete
        self._clock = procfs.cpu_clock(pid)
        self._cpu = 0.0  # seconds, at the last reading
        self._run_delay = 0  # nanoseconds, at the last reading
        self._measured = -inf  # when CPU and waiting time were last read
        self._marked = False  # whether the last reading, before a pause, is for the next ask
        self._busiest = pid  # the thread for waiting time; at first the main thread
        self.has_chosen = False  # whether the thread was chosen in this game
        self._has_read = False  # whether any answer was near a limit, so the thread matters
        # Both files stay open, because opening one takes longer than reading it. Without `schedstat`, only
        # wall time is measured.
        self._schedstat = _open_or_none(f"/proc/{pid}/schedstat")
        self._cpu_stat = _open_or_none(f"{group}/cpu.stat") if group else -1

    def close(self) -> None:
        for descriptor in (self._schedstat, self._cpu_stat):
            if descriptor >= 0:
                os.close(descriptor)
        self._schedstat = self._cpu_stat = -1

    def choose_thread(self) -> None:
        """Choose the busiest thread so far, whose waiting time then counts. Too slow for every ask."""
        self.has_chosen = True
        if self._schedstat < 0 or (procfs.threads(self.pid) < 2 and self._busiest == self.pid):
            return
        # `schedstat` has three numbers: nanoseconds on a core, nanoseconds of waiting for one, time slices.
        computed = {}
        with suppress(OSError):
            for task in os.listdir(f"/proc/{self.pid}/task"):
                with suppress(OSError, IndexError):
                    computed[task] = int(procfs.read(f"/proc/{self.pid}/task/{task}/schedstat").split()[0])
        busiest = max(computed, key=computed.__getitem__, default="")
        if busiest and (descriptor := _open_or_none(f"/proc/{self.pid}/task/{busiest}/schedstat")) >= 0:
            os.close(self._schedstat)
            self._schedstat, self._busiest = descriptor, int(busiest)
            with suppress(OSError, IndexError):  # earlier waiting of the new thread does not count
                self._run_delay = self._delay()

    def start(self, tolerance: float = 0.0) -> None:
        """Begin to measure before an ask is written; a reading of the last `tolerance` seconds is reused."""
        if self._has_read and not self.has_chosen:
            self.choose_thread()
        self.asked = monotonic()
        if self._marked:  # start from the reading before the pause
            self._marked = False
        elif self.asked - self._measured >= tolerance:
            self._measure()

    def measure_before_pause(self) -> None:
        """Charge the usage from now on to the next answer: the process is about to be paused."""
        self._marked = True
        self._measure()

    def _measure(self) -> None:
        self._measured = monotonic()
        if self._schedstat >= 0:
            try:
                self._cpu = self._cpu_seconds()
                self._run_delay = self._delay()
            except (OSError, IndexError):  # it has exited
                return

    def _cpu_seconds(self) -> float:
        """The CPU time so far of the control group, or without one, of the process with its threads."""
        return clock_gettime(self._clock) if self._cpu_stat < 0 else cgroup.cpu_seconds(self._cpu_stat)

    def _delay(self) -> int:
        return int(pread(self._schedstat, 64, 0).split()[1])

    def read(self, now: float, waiting: bool = False) -> TimeUsage:
        """The usage for an ask up to the moment `now`: only wall time if no more can be known.

        `waiting` means that no answer has arrived yet.
        """
        # The kernel adds a wait to `schedstat` only when it is over. So while the referee is still `waiting`,
        # a runnable thread is assumed to have waited for a core whenever it did not compute.
        wall = max(0.0, now - self.started)
        self._has_read = True
        # The CPU time of children is unknown (see above), so the whole wall time counts.
        if self._schedstat < 0 or (self._cpu_stat < 0 and self._has_had_children()):
            return TimeUsage(wall)
        try:
            cpu = self._cpu_seconds() - self._cpu
        except OSError:  # it has exited
            return TimeUsage(wall)
        try:
            wait = (self._delay() - self._run_delay) * _NANO
        except (OSError, IndexError):  # the thread has exited
            wait = 0.0
            self.choose_thread()
        # R is a thread that runs or waits for a core. It did one or the other all the time, so it waited
        # whenever it did not compute; the kernel has not added this wait yet.
        if waiting and procfs.state(self.pid, self._busiest) == b"R":
            wait = max(wait, wall - cpu)
        return TimeUsage(wall, cpu, min(wait, wall))  # a wait that is over may have begun before the ask


def _open_or_none(path: str) -> int:
    try:
        return os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return -1


def has_schedstat() -> bool:
    """Whether this system reports how long a thread has waited for a core."""
    return os.path.exists("/proc/self/schedstat")


def warning() -> str:
    """A warning about the clocks on this system; else ""."""
    return "" if has_schedstat() else "no /proc/PID/schedstat: clocks count wall time, even on a busy machine"
