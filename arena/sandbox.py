"""How bot processes are held together, so that none of their children outlives them."""

import contextlib
import ctypes
import os
import signal
import sys
from collections.abc import Collection

import psutil

PR_SET_CHILD_SUBREAPER = 36


def adopt_orphans() -> None:
    """Make this process the parent of every descendant whose own parent dies (Linux alone)."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def kill_group(pid: int) -> None:
    """Kill a session leader and whoever is still in its process group."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(pid, signal.SIGKILL)


def kill_strays(known: Collection[int]) -> None:
    """Kill every child of this process that is none of the known ones, until no more turn up.

    Children that left their bot's process group become ours when their parents die; killing one
    hands us its own children, hence the loop.
    """
    while True:
        strays = [child for child in psutil.Process().children() if child.pid not in known]
        strays = [child for child in strays if not is_ours(child.pid)]
        if not strays:
            return
        for child in strays:
            with contextlib.suppress(psutil.NoSuchProcess, ProcessLookupError):
                kill_group(os.getpgid(child.pid))  # at one blow, which a fork does not escape
                child.kill()
        psutil.wait_procs(strays, timeout=1)


def bury_orphans(known: Collection[int]) -> None:
    """Reap adopted children that have ended, so that zombies do not pile up; not the known ones."""
    with contextlib.suppress(ChildProcessError):
        while ended := os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT):
            if ended.si_pid in known or is_ours(ended.si_pid):
                return  # whoever has started it will ask for it
            os.waitpid(ended.si_pid, 0)


def is_ours(pid: int) -> bool:
    """Whether a child runs in our own session: a helper of the arena, started by no bot."""
    try:
        return os.getsid(pid) == os.getsid(0)
    except (ProcessLookupError, PermissionError):
        return True
