"""The state and resource usage of processes, from /proc (proc(5)); fast, for frequent reads.

psutil offers the same, but reads every process of the machine to find the children of one.
"""

import contextlib
import os
from collections.abc import Iterable, Iterator
from math import inf
from time import clock_gettime_ns

_PAGE = os.sysconf("SC_PAGE_SIZE")
LISTS_CHILDREN = os.path.exists(f"/proc/self/task/{os.getpid()}/children")  # CONFIG_PROC_CHILDREN


def children(pid: int) -> list[int]:
    """The PIDs of a process's children, zombies included; the oldest first for each of its threads."""
    found: list[int] = []
    with contextlib.suppress(OSError):
        for task in os.listdir(f"/proc/{pid}/task"):  # the thread that forked a child lists it
            with contextlib.suppress(OSError):
                found += map(int, read(f"/proc/{pid}/task/{task}/children").split())
    return found


def tree(pid: int, most: float = inf) -> list[int]:
    """The PIDs of a process and all its descendants, itself first; the search ends at more than `most`."""
    found = [pid]
    for each in found:  # grows as children are found
        found += children(each)
        if len(found) > most:
            break
    return found


def family(pid: int, adopted: Iterable[int], most: float = inf) -> list[int]:
    """The PIDs of a session leader and its descendants; `adopted` orphans of its session count as well.

    The search ends at more than `most`.
    """
    found = tree(pid, most)
    for orphan in adopted:
        if orphan != pid and session(orphan) == pid and len(found) <= most:
            found += tree(orphan, most)
    return found


def state(pid: int, task: int | None = None) -> bytes:
    """The state of a thread, such as b"R" or b"Z", or b"" if gone; `task` None is the first thread."""
    try:
        return read(f"/proc/{pid}/task/{task or pid}/stat").rpartition(b") ")[2][:1]
    except OSError:
        return b""


def is_alive(pid: int) -> bool:
    """Whether a process has not exited."""
    # A process looks like a zombie if only its first thread has exited.
    return state(pid) not in (b"Z", b"X", b"") or threads(pid) > 1


def birth(pid: int) -> int:
    """When a process was started, in clock ticks since the boot; 0 if it is gone."""
    try:
        return int(read(f"/proc/{pid}/stat").rpartition(b")")[2].split()[19])
    except (OSError, IndexError):
        return 0


def session(pid: int) -> int:
    """The id of the session of a process; 0 if it is gone."""
    try:
        return os.getsid(pid)
    except (ProcessLookupError, PermissionError):
        return 0


def threads(pid: int) -> int:
    """The number of threads of a process; 0 if it is gone."""
    try:
        return os.stat(f"/proc/{pid}/task").st_nlink - 2
    except OSError:
        return 0


def tasks(pid: int) -> list[int]:
    """The ids of the threads of a process; [] if it is gone."""
    try:
        return list(map(int, os.listdir(f"/proc/{pid}/task")))
    except OSError:
        return []


def cpu_ns(pid: int) -> int:
    """Nanoseconds of CPU time of a process, with all its threads; -1 if it is gone."""
    try:
        return clock_gettime_ns(cpu_clock(pid))
    except OSError:
        return -1


def cpu_clock(pid: int) -> int:
    """The id of the CPU clock of a process for `clock_gettime`, as clock_getcpuclockid(3) computes it."""
    return ~pid << 3 | 2


def resident(pid: int) -> int:
    """The resident set size of a process in bytes (RSS), with all shared memory; 0 if it is gone. Cheap."""
    for folder in _views(pid):
        with contextlib.suppress(OSError, IndexError):
            if pages := int(read(f"{folder}/statm").split()[1]):
                return pages * _PAGE
    return 0


def proportional(pid: int) -> int:
    """The proportional set size in bytes (PSS), which divides shared memory; RSS if PSS is hidden."""
    # Expensive: the kernel walks through all mappings.
    for folder in _views(pid):
        with contextlib.suppress(OSError):
            for line in read(f"{folder}/smaps_rollup").splitlines():
                if line.startswith(b"Pss:"):
                    return int(line.split()[1]) * 1024
    return resident(pid)


def _views(pid: int) -> Iterator[str]:
    """The folders with the memory sizes of a process: its own (its first thread's), and other threads'."""
    # A thread that has exited shows no sizes, even the first one while others go on.
    yield f"/proc/{pid}"
    yield from (f"/proc/{pid}/task/{task}" for task in tasks(pid) if task != pid)


def has_open(pid: int, file: os.stat_result) -> bool:
    """Whether a process has this file open; if its descriptors are hidden, whether it is alive."""
    try:
        for task in os.listdir(f"/proc/{pid}/task"):  # the first thread may have exited before the others
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
    """The content of a file in /proc.

    Raises:
        OSError: The process is gone, or hides it.
    """
    # The kernel returns a list in pages of 4096 bytes at most. With a single read, 600 exited children would
    # hide all later ones.
    descriptor, parts = os.open(path, os.O_RDONLY), []
    try:
        while part := os.read(descriptor, 65536):
            parts.append(part)
    finally:
        os.close(descriptor)
    return b"".join(parts)
