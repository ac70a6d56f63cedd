"""Signals to processes that may exit or fork meanwhile."""

import contextlib
import os
import signal
import time
from collections.abc import Callable

_FREEZE_TIMEOUT_S = 1.0


def freeze(find: Callable[[], list[int]]) -> list[int]:
    """Stop the processes that `find` returns, until they get SIGCONT; returns their PIDs.

    `find` is called again until it returns no new ones, for at most 1 s.
    """
    # A stopped process cannot fork, but may have forked before SIGSTOP: so `find` is called again.
    stopped: dict[int, None] = {}
    end = time.monotonic() + _FREEZE_TIMEOUT_S
    while (fresh := [pid for pid in find() if pid not in stopped]) and time.monotonic() < end:
        for pid in fresh:
            send(pid, signal.SIGSTOP)
        stopped |= dict.fromkeys(fresh)
    return list(stopped)


def kill_all(find: Callable[[], list[int]]) -> None:
    """Kill the processes that `find` returns; several are stopped first, to prevent forks meanwhile."""
    found = find()
    # If a single process forks now, the caller later finds its child as an orphan.
    for pid in freeze(find) if len(found) > 1 else found:
        send(pid, signal.SIGKILL)


def send(pid: int, number: int) -> None:
    """Send a signal to a process, if it still exists and we may."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.kill(pid, number)
