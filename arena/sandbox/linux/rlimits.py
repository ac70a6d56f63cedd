"""Resource limits that a supervisor sets for itself, so that every bot inherits them (setrlimit(2))."""

import contextlib
import ctypes
import os
import resource
import sys

PR_SET_NO_NEW_PRIVS = 38
FILES = 128  # descriptors that a process may have
STACK = 64 * 2**20  # bytes


def confine(memory: int, disk: int) -> None:
    """Set the limits, and give up all ways to gain rights.

    The supervisor checks `memory`; RLIMIT_DATA only stops a process that allocates faster than it checks, and
    counts the stacks of threads in full. (A thread's stack is as large as the soft limit of the main one.)
    Three limits are not set: address space, because Node and Java reserve far more than they use; processes,
    because the kernel counts all of the user's on the machine; CPU time, because the supervisor lives longer
    than its bots.
    """
    set_limit(resource.RLIMIT_CORE, 0)
    set_limit(resource.RLIMIT_FSIZE, disk)
    set_limit(resource.RLIMIT_NOFILE, FILES)
    set_limit(resource.RLIMIT_DATA, 4 * memory)
    set_limit(resource.RLIMIT_STACK, STACK, soft=STACK // 8)
    set_limit(resource.RLIMIT_MEMLOCK, 0)
    if sys.platform == "linux":
        set_limit(resource.RLIMIT_MSGQUEUE, 0)
        # A set-user-ID program would be a process that the supervisor may not kill.
        ctypes.CDLL(None).prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)


def prefer_for_oom_kill(pid: int) -> None:
    """If the machine runs out of memory, the kernel kills this process before any of the arena."""
    with contextlib.suppress(OSError), open(f"/proc/{pid}/oom_score_adj", "w") as file:
        file.write("1000")


def most_tasks() -> int | None:
    """How many processes and threads this user may have; None: as many as the machine can have, as root."""
    if sys.platform != "linux" or os.geteuid() == 0:
        return None
    soft, _ = resource.getrlimit(resource.RLIMIT_NPROC)
    return None if soft == resource.RLIM_INFINITY else soft


def set_limit(kind: int, value: float, soft: int | None = None) -> None:
    """Lower a limit of this process for good; a limit that is lower already stays."""
    with contextlib.suppress(OSError, ValueError):
        _, hard = resource.getrlimit(kind)
        value = int(value) if hard == resource.RLIM_INFINITY else min(int(value), hard)
        resource.setrlimit(kind, (value if soft is None else min(soft, value), value))
