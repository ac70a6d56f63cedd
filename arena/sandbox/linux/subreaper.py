"""Processes that lose their parents below this one: adopted, and ended."""

import contextlib
import ctypes
import os
import signal
import sys
import time

from arena.sandbox.linux import procfs
from arena.sandbox.linux.ending import send

PR_SET_CHILD_SUBREAPER = 36


def become() -> None:
    """Make this process the parent of every descendant whose own parent dies (Linux alone)."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def kill_orphans(grace: float = 0.0) -> None:
    """Wait for the orphans to end, and kill those that are left after `grace` seconds, until no more turn up.

    Whoever is in our own session is no orphan. Killing one hands us its own children, hence the loop.
    """
    deadline = time.monotonic() + grace
    while found := [
        pid for pid in procfs.children(os.getpid()) if procfs.session(pid) not in (0, os.getsid(0))
    ]:
        late = time.monotonic() >= deadline
        for pid in found if late else ():
            send(pid, signal.SIGKILL)
        for pid in found:
            with contextlib.suppress(ChildProcessError):
                os.waitpid(pid, 0 if late else os.WNOHANG)
        time.sleep(0 if late else 0.01)
