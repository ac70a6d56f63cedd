"""A process that adopts the orphans below it, and kills them."""

import contextlib
import ctypes
import os
import signal
import sys
import time

from arena.sandbox.linux import procfs
from arena.sandbox.linux.signals import send

PR_SET_CHILD_SUBREAPER = 36


def become() -> None:
    """Make this process the parent of every descendant whose own parent dies (Linux alone)."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def kill_orphans(grace: float = 0.0) -> None:
    """Wait for the orphans to exit, and kill those that are left after `grace` seconds, until there are none.

    A child in the session of this process is no orphan; a supervisor has its own, so none may live here. If
    one is killed, its own children become orphans here, hence the loop.
    """
    deadline, own = time.monotonic() + grace, os.getsid(0)
    while orphans := [pid for pid in procfs.children(os.getpid()) if procfs.session(pid) not in (0, own)]:
        late = time.monotonic() >= deadline
        for pid in orphans if late else ():
            send(pid, signal.SIGKILL)
        for pid in orphans:
            with contextlib.suppress(ChildProcessError):
                os.waitpid(pid, 0 if late else os.WNOHANG)
        time.sleep(0 if late else 0.01)
