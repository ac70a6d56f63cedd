"""What a bot uses of the machine for an answer: CPU time, and time that it waited for a core.

What it is charged follows from three figures (`TimeUsage`), each read from outside in about a microsecond:

- wall time, by the referee's own clock;
- CPU time of the whole process, all threads, by its CPU clock, which another process may read. Where the bot
  has a control group, that of the group: it includes all children, whatever becomes of them;
- the time that one thread was runnable but waited for a core, by its `schedstat`. It is the thread that has
  computed most, so one that sleeps, or that the bot starves on purpose, is no excuse.

Without a control group the CPU time of children cannot be known: a bot may leave them to init, and then their
time is not charged to any process. So a bot with children is charged wall time. The supervisor usually sees
children that live for 20 ms.
"""

import os
from collections.abc import Callable
from contextlib import suppress
from os import pread
from time import clock_gettime

from arena.core.clock import TimeUsage
from arena.sandbox.linux import cgroup, procfs

CORES = os.cpu_count() or 1
NANO = 1e-9


class Meter:
    """Measures a process from one ask to the answer; where the system does not tell, by wall time alone.

    `group` is the control group that is all the bot's own, empty where it has none; `has_had_children` says
    whether there is CPU time that the clock of the process does not count.
    """

    def __init__(self, pid: int, group: str = "", has_had_children: Callable[[], bool] = lambda: False):
        self.pid = pid
        self.started = 0.0
        self._has_had_children = has_had_children
        self._clock = procfs.cpu_clock(pid)
        self._cpu = 0.0
        self._run_delay = 0
        self._marked = False
        self._thread = pid
        self._schedstat = open_or_none(f"/proc/{pid}/schedstat")
        self._cpu_stat = open_or_none(f"{group}/cpu.stat") if group else -1

    def close(self) -> None:
        for descriptor in (self._schedstat, self._cpu_stat):
            if descriptor >= 0:
                os.close(descriptor)
        self._schedstat = self._cpu_stat = -1

    def choose_thread(self) -> None:
        """Measure the waiting of the thread that has computed most so far. Too slow for each ask."""
        if self._schedstat < 0 or (procfs.threads(self.pid) < 2 and self._thread == self.pid):
            return
        computed = {}
        with suppress(OSError):
            for task in os.listdir(f"/proc/{self.pid}/task"):
                with suppress(OSError, IndexError):
                    computed[task] = int(procfs.read(f"/proc/{self.pid}/task/{task}/schedstat").split()[0])
        busiest = max(computed, key=computed.__getitem__, default="")
        if busiest and (descriptor := open_or_none(f"/proc/{self.pid}/task/{busiest}/schedstat")) >= 0:
            os.close(self._schedstat)
            self._schedstat, self._thread = descriptor, int(busiest)
            with suppress(OSError, IndexError):
                self._run_delay = self._delay()

    def start(self) -> None:
        """An ask is about to be written. When it is, the driver sets `started`."""
        if self._marked:
            self._marked = False
        else:
            self._measure()

    def mark(self) -> None:
        """What is used from now on counts as used for the next answer: the process should be stopped."""
        self._marked = True
        self._measure()

    def _measure(self) -> None:
        if self._schedstat >= 0:
            with suppress(OSError, IndexError):  # it has exited
                self._cpu = self._cpu_seconds()
                self._run_delay = self._delay()

    def _cpu_seconds(self) -> float:
        return clock_gettime(self._clock) if self._cpu_stat < 0 else cgroup.cpu_seconds(self._cpu_stat)

    def _delay(self) -> int:
        return int(pread(self._schedstat, 64, 0).split()[1])

    def read(self, now: float, waiting: bool = False) -> TimeUsage:
        """What was used since the start, up to the moment `now`.

        The system adds the time in the run queue when it is over. So while the referee is still `waiting` for
        an answer, a runnable thread may have waited for a core all the time.
        """
        wall = max(0.0, now - self.started)
        if self._schedstat < 0 or (self._cpu_stat < 0 and self._has_had_children()):
            return TimeUsage(wall)
        try:
            cpu = self._cpu_seconds() - self._cpu
        except OSError:  # it has exited
            return TimeUsage(wall)
        try:
            wait = (self._delay() - self._run_delay) * NANO
        except (OSError, IndexError):  # the thread has exited
            wait = 0.0
            self.choose_thread()
        if waiting and procfs.state(self.pid, self._thread) == b"R":
            wait = max(wait, wall - cpu)
        return TimeUsage(
            wall, cpu, min(wait, wall)
        )  # a wait that began before the ask is added when it is over


def open_or_none(path: str) -> int:
    """A descriptor, -1 where there is no such file."""
    try:
        return os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return -1


def has_figures() -> bool:
    """Whether this system tells how long a process has waited for a core."""
    return os.path.exists("/proc/self/schedstat")


def shortcoming() -> str:
    """What the user of a run should know about the clocks on this system."""
    return "" if has_figures() else "no /proc/PID/schedstat: clocks count wall time, also on a busy machine"
