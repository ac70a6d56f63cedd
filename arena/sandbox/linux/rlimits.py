"""The limits of the kernel that a supervisor sets for itself, so that every bot inherits them."""

import contextlib
import ctypes
import resource
import sys

PR_SET_NO_NEW_PRIVS = 38
FILES = 128  # descriptors that a process may have
STACK = 64 * 2**20  # bytes


def confine(limits: dict) -> None:
    """Set the limits, and give up all ways to more rights.

    The supervisor checks `memory`; RLIMIT_DATA only stops a process that allocates faster than it checks, and
    counts the stacks of threads in full. (A thread's stack is as large as the soft limit of the main one.)
    Address space is not limited, because Node and Java reserve far more than they use; nor are
    processes, because the kernel counts those of the user on all the machine; nor CPU time, of which the
    supervisor would have no more than its bots.
    """
    set_limit(resource.RLIMIT_CORE, 0)
    set_limit(resource.RLIMIT_FSIZE, limits["disk"])
    set_limit(resource.RLIMIT_NOFILE, FILES)
    set_limit(resource.RLIMIT_DATA, 4 * limits["memory"])
    set_limit(resource.RLIMIT_STACK, STACK, soft=STACK // 8)
    set_limit(resource.RLIMIT_MEMLOCK, 0)
    if sys.platform == "linux":
        set_limit(resource.RLIMIT_MSGQUEUE, 0)
        # or a bot could become a process that we may not kill
        ctypes.CDLL(None).prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)


def kill_first(pid: int) -> None:
    """Where the machine runs out of memory, the kernel kills a bot before any process of the arena."""
    with contextlib.suppress(OSError), open(f"/proc/{pid}/oom_score_adj", "w") as file:
        file.write("1000")


def set_limit(kind: int, value: float, soft: int | None = None) -> None:
    """Lower our own limit for good; one that is lower already stays."""
    with contextlib.suppress(OSError, ValueError):
        _, hard = resource.getrlimit(kind)
        value = int(value) if hard == resource.RLIM_INFINITY else min(int(value), hard)
        resource.setrlimit(kind, (value if soft is None else min(soft, value), value))
