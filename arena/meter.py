"""What the processes of a bot use of the machine: processor time, and time spent waiting for a core.

A process by itself is cheap to measure: its processor clock (all its threads), and how long its first
thread has waited in the run queue. A bot with more threads or with children is measured as a *family*:
the sum of all processor time, and the longest wait of any thread. Children that came and went between
two looks count from the system's own sum, which is rounded down to 10 ms; one that has left its session
does not count at all, until it is found and ended. Where the bot has a control group, that knows it all.
"""

import os
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from os import pread
from time import clock_gettime
from typing import NamedTuple

from arena.clock import TimeUsage
from arena.sandbox.linux import cgroup, procfs

CORES = os.cpu_count() or 1
TICK = 1 / os.sysconf("SC_CLK_TCK")
NANO = 1e-9


class Family(NamedTuple):
    """Seconds at one moment: `cpu` by process, `wait` by thread, `reaped` of children that have ended.

    `total` is the processor time of the whole control group, 0 where there is none.
    """

    cpu: dict[int, float]
    wait: dict[int, float]
    reaped: float
    total: float


class Meter:
    """Measures a process and its family from one ask to the answer; without figures, wall time alone.

    `group` is the control group that is all the family's own, empty where it has none; `members` finds the
    family, its orphans among them, where these are not descendants of the process.
    """

    def __init__(self, pid: int, group: str = "", members: Callable[[], list[int]] | None = None):
        self.pid, self.group = pid, group
        self.members = members or partial(procfs.tree, pid)
        self.started = 0.0
        self._clock = (~pid << 3) | 2  # as clock_getcpuclockid(3) makes it
        self._cpu = 0.0
        self._stat = b""
        self._marked = False
        self._family: Family | None = None  # at the start, of one that is more than a single thread
        self._file = -1
        with suppress(OSError):
            self._file = os.open(f"/proc/{pid}/schedstat", os.O_RDONLY)

    def close(self) -> None:
        if self._file >= 0:
            os.close(self._file)
        self._file = -1

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
        if self._file < 0:
            return
        try:
            self._cpu = clock_gettime(self._clock)
            self._stat = pread(self._file, 64, 0)
        except OSError:  # it has ended
            return
        if self._family is not None:
            self._family = self._look()

    def survey(self) -> None:
        """See whether the process has threads or family by now; that is too slow for every ask."""
        if self._file >= 0 and self._family is None and not self.alone:
            self._family = self._look()

    @property
    def alone(self) -> bool:
        """Whether the process has one thread, and neither has nor had any family worth mentioning."""
        try:
            fields = procfs.status(self.pid)
            has_had = float(fields[13]) + float(fields[14])
            return fields[17] == b"1" and not has_had and len(self.members()) <= 1
        except (OSError, IndexError):  # it has ended
            return True

    def read(self, now: float, waiting: bool = False) -> TimeUsage:
        """What was used since the start. `waiting` for an answer, it may be in the run queue this moment:

        how long it has been there the system tells only afterwards, so all may have been waiting.
        """
        wall = max(0.0, now - self.started)
        if self._file < 0:
            return TimeUsage(wall)
        try:
            cpu = clock_gettime(self._clock) - self._cpu
            wait = (run_delay(pread(self._file, 64, 0)) - run_delay(self._stat)) * NANO
        except (OSError, IndexError):
            return TimeUsage(wall)
        if self._family is None:
            self.survey()  # what it was at the start is not known, so the family counts from now on
        else:
            cpu, wait = self._of_family(cpu, wait)
        if waiting and runnable([self.pid] if self._family is None else self.members()):
            wait = max(wait, wall - cpu)
        return TimeUsage(wall, cpu, min(wait, wall))  # one that began before is told when it is over

    def _of_family(self, cpu: float, wait: float) -> tuple[float, float]:
        before, after = self._family, self._look()
        waits = [seconds - before.wait.get(task, 0.0) for task, seconds in after.wait.items()]
        wait = max(wait, *waits, 0.0)
        if before.total and after.total:
            return max(cpu, after.total - before.total), wait
        for pid, seconds in after.cpu.items():
            if pid != self.pid:
                cpu += seconds - before.cpu.get(pid, 0.0)
        known = sum(seconds for pid, seconds in before.cpu.items() if pid not in after.cpu)
        cpu += max(0.0, after.reaped - before.reaped - known - TICK)
        return cpu, wait

    def _look(self) -> Family:
        seen = Family({}, {}, 0.0, cgroup.seconds(self.group) if self.group else 0.0)
        for each in self.members():
            with suppress(OSError):
                seen.cpu[each] = clock_gettime((~each << 3) | 2)
            for task in tasks(each):
                with suppress(OSError), open(f"/proc/{each}/task/{task}/schedstat", "rb") as file:
                    seen.wait[int(task)] = run_delay(file.read()) * NANO
        with suppress(OSError, IndexError):
            fields = procfs.status(self.pid)
            return seen._replace(reaped=(float(fields[13]) + float(fields[14])) * TICK)
        return seen


def has_figures() -> bool:
    """Whether this system tells how long a process has waited for a core."""
    return os.path.exists("/proc/self/schedstat")


def shortcoming() -> str:
    """What the user of a run should know about this system's clocks."""
    return "" if has_figures() else "no /proc/PID/schedstat: clocks count wall time, also on a busy machine"


def run_delay(schedstat: bytes) -> int:
    return int(schedstat.split()[1])


def tasks(pid: int) -> list[str]:
    try:
        return os.listdir(f"/proc/{pid}/task")
    except OSError:
        return []


def runnable(members: list[int]) -> bool:
    """Whether any thread of a family is running, or waiting to."""
    return any(state(f"/proc/{each}/task/{task}/stat") == "R" for each in members for task in tasks(each))


def state(path: str) -> str:
    try:
        with open(path, errors="replace") as file:
            return file.read().rpartition(") ")[2][:1]
    except OSError:  # it has just ended
        return ""
