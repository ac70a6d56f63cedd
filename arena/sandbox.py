"""How bot processes are held together, so that none of their children outlives them."""

import contextlib
import ctypes
import os
import signal
import sys
from collections.abc import Collection

import psutil

PR_SET_CHILD_SUBREAPER = 36
SHORTCOMING = (
    "" if sys.platform == "linux" else "not Linux: children that leave their bot's group are not found"
)


def adopt_orphans() -> None:
    """Make this process the parent of every descendant whose own parent dies (Linux alone)."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def kill_group(pid: int) -> None:
    """Kill a session leader and whoever is still in its process group."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(pid, signal.SIGKILL)


def kill_strays(known: Collection[int]) -> None:
    """Kill every child that a bot has left to us, until no more turn up; `known` are living bots.

    A bot leads its own session, so what it has started and is still in there belongs to it. Others
    became ours when their parents died; killing one hands us its own children, hence the loop.
    """
    spared = {os.getsid(0), *known}
    while strays := [pid for pid in children() if session(pid) not in spared]:
        for pid in strays:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        for pid in strays:
            with contextlib.suppress(ChildProcessError):
                os.waitpid(pid, 0)


def bury_orphans(known: Collection[int]) -> None:
    """Reap children that a bot has left to us and that have ended, so that zombies do not pile up."""
    if sys.platform != "linux":
        return  # nothing was adopted
    with contextlib.suppress(ChildProcessError):
        if os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT):
            spared = {os.getsid(0), *known}
            for pid in children():
                if pid not in known and session(pid) not in spared:
                    os.waitpid(pid, os.WNOHANG)


def children() -> list[int]:
    """The children of this process; read from /proc where that has them, which is fast."""
    found: list[int] = []
    try:
        for task in os.listdir("/proc/self/task"):
            with open(f"/proc/self/task/{task}/children") as file:
                found += map(int, file.read().split())
    except OSError:
        return [child.pid for child in psutil.Process().children()]
    return found


def session(pid: int) -> int:
    """The session of a process; our own for one that is gone already."""
    try:
        return os.getsid(pid)
    except (ProcessLookupError, PermissionError):
        return os.getsid(0)
