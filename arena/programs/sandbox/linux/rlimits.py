"""Resource limits (setrlimit(2)): a supervisor sets its own, and every bot inherits them.

The limit of waiting signals and timers is set within each box instead: the kernel counts them for each user
in each user namespace, and a box has its own namespace. If the supervisor set this limit, one bot could use
up the signals and timers of all others.
"""

import contextlib
import ctypes
import functools
import os
import resource
import shutil
import sys
from collections.abc import Sequence

_PR_SET_NO_NEW_PRIVS = 38
_FILES = 128  # descriptors of a process
_STACK = 64 * 2**20  # bytes
_SIGNALS = 128  # queued signals and timers of a bot in a box
_SIGNALS_OF_ALL = 1024  # of all bots of one user without boxes


def confine(memory: int, disk: int, boxed: bool) -> None:
    """Set the limits of this process, and prevent it from gaining rights.

    `memory` and `disk` are the bytes that a bot may use. With `boxed`, each bot gets a box.
    """
    # The supervisor checks `memory`. RLIMIT_DATA only stops a process that allocates faster than these
    # checks, and counts the stacks of threads in full. (A thread's stack is as large as the soft limit of the
    # main one.) Three limits are not set: address space, because Node and Java reserve far more than they
    # use; processes, because the kernel counts the user's processes on the whole machine; CPU time, because
    # the supervisor lives longer than its bots.
    _set_limit(resource.RLIMIT_CORE, 0)
    _set_limit(resource.RLIMIT_FSIZE, disk)
    _set_limit(resource.RLIMIT_NOFILE, _FILES)
    _set_limit(resource.RLIMIT_DATA, 4 * memory)
    _set_limit(resource.RLIMIT_STACK, _STACK, soft=_STACK // 8)
    _set_limit(resource.RLIMIT_MEMLOCK, 0)
    if sys.platform == "linux":
        _set_limit(resource.RLIMIT_MSGQUEUE, 0)
        if not boxed:  # other programs of the user have a higher limit
            _set_limit(resource.RLIMIT_SIGPENDING, _SIGNALS_OF_ALL)
        # The supervisor could not kill a set-user-ID program.
        ctypes.CDLL(None).prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)


@functools.cache
def prlimit() -> str:
    """The path of prlimit(1), of util-linux, or ""."""
    return shutil.which("prlimit", path="/usr/bin:/bin") or ""


def command_in_box(command: Sequence[str]) -> list[str]:
    """A command that limits its waiting signals and runs `command`; only `command` without prlimit(1)."""
    return [prlimit(), f"--sigpending={_SIGNALS}", "--", *command] if prlimit() else list(command)


def prefer_for_oom_kill(pid: int) -> None:
    """Let the kernel kill this process before any of the arena if the machine runs out of memory."""
    with contextlib.suppress(OSError), open(f"/proc/{pid}/oom_score_adj", "w") as file:
        file.write("1000")


def most_tasks() -> int | None:
    """The maximum of this user's processes and threads (soft limit); None without a limit."""
    if sys.platform != "linux" or os.geteuid() == 0:  # the limit does not bind root
        return None
    soft, _ = resource.getrlimit(resource.RLIMIT_NPROC)
    return None if soft == resource.RLIM_INFINITY else soft


def _set_limit(kind: int, value: float, soft: int | None = None) -> None:
    """Lower the hard limit `kind` (`resource.RLIMIT_*`) of this process for good, unless it is lower already.

    The soft limit becomes `soft`, or the hard limit if `soft` is None. If the system refuses, both stay.
    """
    with contextlib.suppress(OSError, ValueError):
        _, hard = resource.getrlimit(kind)
        value = int(value) if hard == resource.RLIM_INFINITY else min(int(value), hard)
        resource.setrlimit(kind, (value if soft is None else min(soft, value), value))
