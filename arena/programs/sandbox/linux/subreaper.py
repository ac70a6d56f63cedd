"""A subreaper: a process that becomes the parent of the orphans below it, and kills them (prctl(2)).

A child in the session of the subreaper itself is not an orphan: it was started on purpose. Bots and
supervisors start in sessions of their own.
"""

import contextlib
import ctypes
import os
import sys
import time
from collections.abc import Collection
from math import inf

from arena.programs.sandbox.linux import procfs
from arena.programs.sandbox.linux.signals import kill_all

_PR_SET_CHILD_SUBREAPER = 36


def become() -> None:
    """Make this process the parent of every descendant whose own parent exits (Linux only)."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def reap_orphans(started: Collection[int] = ()) -> dict[int, int]:
    """Reap the orphans that have exited; returns the session of each living one, by PID.

    `started` are the PIDs of this process's own children in other sessions, which are not orphans.
    """
    found, own = {}, os.getsid(0)
    for pid in procfs.children(os.getpid()):
        if pid not in started and (session := procfs.session(pid)) not in (0, own):
            with contextlib.suppress(ChildProcessError):
                if os.waitpid(pid, os.WNOHANG)[0] == 0:
                    found[pid] = session
    return found


def kill_orphans(
    started: Collection[int] = (), spared: Collection[int] = (), grace: float = 0.0, timeout: float = inf
) -> list[int]:
    """Kill all orphans outside the `spared` sessions; returns the PIDs of the remaining orphans.

    Orphans get `grace` seconds to exit; after `timeout` seconds in all, no more are killed. `started` is as
    in `reap_orphans`.
    """
    began = time.monotonic()

    def orphans(found: dict[int, int]) -> list[int]:
        return [pid for pid, session in found.items() if session not in spared]

    while True:  # if an orphan is killed, its own children become orphans
        found = reap_orphans(started)
        waited = time.monotonic() - began
        if not orphans(found) or waited > timeout:
            return list(found)
        if waited < grace:
            time.sleep(0.01)
            continue
        kill_all(lambda: [pid for orphan in orphans(reap_orphans(started)) for pid in procfs.tree(orphan)])
        for pid in orphans(found):
            with contextlib.suppress(ChildProcessError):
                os.waitpid(pid, 0)
