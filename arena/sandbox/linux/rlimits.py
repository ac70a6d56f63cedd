"""The limits of the kernel that a supervisor takes on itself, so that every bot is born with them."""

import contextlib
import ctypes
import resource
import sys

PR_SET_NO_NEW_PRIVS = 38
FILES = 128  # descriptors that a process may have
STACK = 64 * 2**20  # bytes


def confine(limits: dict) -> None:
    """Take on the limits, with no way to more rights.

    The memory is what the watch judges; the kernel stops only those who are faster than that, and counts
    the stacks of threads in full. (A thread's stack is as large as the soft limit of the main one.)
    Address space is not limited, because Node and Java reserve far more than they use; nor are
    processes, because the kernel counts those of the user on all the machine.
    """
    set_limit(resource.RLIMIT_CORE, 0)
    set_limit(resource.RLIMIT_FSIZE, limits["disk"])
    set_limit(resource.RLIMIT_NOFILE, FILES)
    set_limit(resource.RLIMIT_DATA, 4 * limits["memory"])
    set_limit(resource.RLIMIT_STACK, STACK, soft=STACK // 8)
    set_limit(resource.RLIMIT_MEMLOCK, 0)
    if sys.platform == "linux":
        set_limit(resource.RLIMIT_MSGQUEUE, 0)
        ctypes.CDLL(None).prctl(
            PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0
        )  # or a bot could become one whom we may not kill


def end_after(pid: int, seconds: float) -> None:
    """Limit what a process may compute: the one limit that a supervisor could not live with itself."""
    if sys.platform == "linux":
        with contextlib.suppress(OSError, ValueError):
            resource.prlimit(pid, resource.RLIMIT_CPU, (int(seconds), int(seconds)))


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
