"""What processes are and use, read from /proc at little cost: a supervisor does it fifty times a second.

psutil knows all of this too, but reads every process of the machine to find the children of one.
"""

import contextlib
import os
from time import clock_gettime_ns

PAGE = os.sysconf("SC_PAGE_SIZE")
LISTS_CHILDREN = os.path.exists(f"/proc/self/task/{os.getpid()}/children")  # CONFIG_PROC_CHILDREN


def children(pid: int) -> list[int]:
    """The children of a process, zombies among them, in the order in which they began."""
    found: list[int] = []
    with contextlib.suppress(OSError):
        for task in os.listdir(f"/proc/{pid}/task"):  # a child belongs to the thread that has forked it
            with contextlib.suppress(OSError):
                found += map(int, read(f"/proc/{pid}/task/{task}/children").split())
    return found


def tree(pid: int) -> list[int]:
    """A process with all its descendants, itself first."""
    found = [pid]
    for each in found:  # grows as children are found
        found += children(each)
    return found


def family(pid: int, adopted: list[int]) -> list[int]:
    """A session leader with its descendants, and those of the `adopted` orphans that are in its session."""
    found = tree(pid)
    for orphan in adopted:
        if orphan != pid and session(orphan) == pid:
            found += tree(orphan)
    return found


def status(pid: int) -> list[bytes]:
    """The fields of /proc/PID/stat after the name, from the state on."""
    return read(f"/proc/{pid}/stat").rpartition(b")")[2].split()


def state(pid: int, task: int | None = None) -> bytes:
    """The state of a process or of one of its threads, such as b"R" or b"Z"; b"" if it is gone."""
    try:
        return read(f"/proc/{pid}/task/{task or pid}/stat").rpartition(b") ")[2][:1]
    except OSError:
        return b""


def is_alive(pid: int) -> bool:
    """Whether a process has not exited. (If only its first thread has, it looks like a zombie.)"""
    return state(pid) not in (b"Z", b"X", b"") or threads(pid) > 1


def birth(pid: int) -> int:
    """When a process began, in clock ticks since the boot; 0 if there is none."""
    try:
        return int(status(pid)[19])
    except (OSError, IndexError):
        return 0


def session(pid: int) -> int:
    """The session of a process, 0 for one that is gone."""
    try:
        return os.getsid(pid)
    except (ProcessLookupError, PermissionError):
        return 0


def threads(pid: int) -> int:
    """How many threads a process has; 0 if it is gone."""
    try:
        return os.stat(f"/proc/{pid}/task").st_nlink - 2
    except OSError:
        return 0


def cpu_ns(pid: int) -> int:
    """Nanoseconds that the threads of a process have computed; -1 if it is gone."""
    try:
        return clock_gettime_ns(cpu_clock(pid))
    except OSError:
        return -1


def cpu_clock(pid: int) -> int:
    """The clock of the CPU time of a process, as clock_getcpuclockid(3) makes it."""
    return ~pid << 3 | 2


def resident(pid: int) -> int:
    """Bytes of memory that a process has (RSS), with all that it shares with others. Cheap."""
    try:
        return int(read(f"/proc/{pid}/statm").split()[1]) * PAGE
    except (OSError, IndexError):
        return 0


def proportional(pid: int) -> int:
    """Bytes of memory that a process has, with a fair part of what it shares (PSS); RSS where that is hidden.

    Expensive: the kernel walks through all mappings.
    """
    with contextlib.suppress(OSError):
        for line in read(f"/proc/{pid}/smaps_rollup").splitlines():
            if line.startswith(b"Pss:"):
                return int(line.split()[1]) * 1024
    return resident(pid)


def has_open(pid: int, file: os.stat_result) -> bool:
    """Whether a process has this file open; True if that is hidden, False for one that has ended."""
    try:
        for task in os.listdir(f"/proc/{pid}/task"):  # the first thread may have exited, and the others not
            for name in os.listdir(f"/proc/{pid}/task/{task}/fd"):
                with contextlib.suppress(OSError):
                    if os.path.samestat(os.stat(f"/proc/{pid}/task/{task}/fd/{name}"), file):
                        return True
    except PermissionError:
        return is_alive(pid)
    except OSError:
        pass
    return False


def read(path: str) -> bytes:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        return os.read(descriptor, 65536)
    finally:
        os.close(descriptor)
