"""CPU metering: how much time a bot has used for an answer.

Theory of operation
-------------------
A bot should be charged for what it computes and for what it sleeps, but not for waiting while other
processes use the cores. This follows from three measurements (`TimeUsage`), each read from outside in about
a microsecond:

- *wall time*, by the referee's own clock;
- *CPU time* of all threads of the process, by its CPU clock, which other processes may read
  (clock_getcpuclockid(3)). If the bot has a control group, the `cpu.stat` of the group is read instead: it
  includes all descendants, also those that have exited;
- *waiting time*: how long one thread was runnable but waited for a core, by its `schedstat`. This is the
  thread that has computed most, chosen before an ask of each game once an answer was measured. A bot could
  otherwise keep a second thread waiting on purpose.

A `Meter` reads CPU and waiting time before an ask is written (`start`), and again when the answer has come
or a deadline has passed (`read`). If asks follow each other within a thousandth of the time per move, the
reading before the first of them serves them all: it is wrong by no more than that. A bot that is paused
between asks is measured just before (`measure_before_pause`), so that what it uses until it stops is charged
to its next answer.

Without a control group the CPU time of children is unknown: the kernel adds the time of a child to its parent
only if the parent waits for it, and an orphan's time is not charged to any process. So a bot with children is
charged wall time. The supervisor usually sees children that live for 50 ms, or longer if it has many
bots to check.
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
    """Measures what a process, or its control group, uses from an ask to the answer."""

    def __init__(self, pid: int, group: str = "", has_had_children: Callable[[], bool] = lambda: False):
        self.pid = pid
        self.is_exact = False  # read for each answer, also for those that are far from every limit
        self.asked = self.started = 0.0  # before an ask is written; the loop sets the second when it was
        self._has_had_children = has_had_children  # then the clock of the process does not count all
        self._clock = procfs.cpu_clock(pid)
        self._cpu = 0.0  # seconds, at the last reading
        self._run_delay = 0  # nanoseconds, at the last reading
        self._measured = -inf  # when CPU and waiting time were read
        self._marked = False  # the last reading was made for the next ask, before a pause
        self._busiest = pid  # the thread whose waiting time counts; the id of the main thread is the PID
        self.has_chosen = False  # this thread, in this game
        self._has_read = False  # so that the thread matters: most answers are not near any limit
        # Both files stay open, because to open one takes longer than to read it. Where the system has no
        # `schedstat`, wall time alone is measured.
        self._schedstat = _open_or_none(f"/proc/{pid}/schedstat")
        self._cpu_stat = _open_or_none(f"{group}/cpu.stat") if group else -1

    def close(self) -> None:
        for descriptor in (self._schedstat, self._cpu_stat):
            if descriptor >= 0:
                os.close(descriptor)
        self._schedstat = self._cpu_stat = -1

    def choose_thread(self) -> None:
        """Choose the busiest thread so far: its waiting time counts from now on. Too slow for every ask."""
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
            with suppress(OSError, IndexError):  # what the new thread waited before now does not count
                self._run_delay = self._delay()

    def start(self, tolerance: float = 0.0) -> None:
        """Begin to measure, before an ask is written; a reading of the last `tolerance` seconds is reused."""
        if self._has_read and not self.has_chosen:
            self.choose_thread()
        self.asked = monotonic()
        if self._marked:  # paused since: the reading from before the pause is the one to start from
            self._marked = False
        elif self.asked - self._measured >= tolerance:
            self._measure()

    def measure_before_pause(self) -> None:
        """Charge what is used from now on to the next answer: the process is about to be paused."""
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
        """CPU time so far: of the control group if there is one, else of the process with its threads."""
        return clock_gettime(self._clock) if self._cpu_stat < 0 else cgroup.cpu_seconds(self._cpu_stat)

    def _delay(self) -> int:
        return int(pread(self._schedstat, 64, 0).split()[1])

    def read(self, now: float, waiting: bool = False) -> TimeUsage:
        """What was used for an ask up to the moment `now`: wall time alone if no more can be known.

        `waiting`: no answer has come yet.
        """
        # The kernel adds a wait to `schedstat` only when it is over. So while the referee is still `waiting`
        # for an answer, a runnable thread is assumed to have waited for a core whenever it did not compute.
        wall = max(0.0, now - self.started)
        self._has_read = True
        # The CPU time of children is not known (see above), so there is nothing to take off the wall time.
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
        # R is a thread that runs or waits for a core. It did one or the other all the time, so what it did
        # not compute it waited; the kernel has not added this wait yet.
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
    return "" if has_schedstat() else "no /proc/PID/schedstat: clocks count wall time, also on a busy machine"
