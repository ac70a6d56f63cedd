"""Signals to processes that may have exited meanwhile, or may fork."""

import contextlib
import os
import signal
import time
from collections.abc import Callable

_FREEZE_TIMEOUT_S = 1.0


def freeze(find: Callable[[], list[int]]) -> list[int]:
    """Stop the processes that `find` returns; returns their PIDs."""
    # A stopped process cannot fork. So this is repeated until `find` returns no new ones.
    stopped: dict[int, None] = {}
    end = time.monotonic() + _FREEZE_TIMEOUT_S
    while (fresh := [pid for pid in find() if pid not in stopped]) and time.monotonic() < end:
        for pid in fresh:
            send(pid, signal.SIGSTOP)
        stopped |= dict.fromkeys(fresh)
    return list(stopped)


def kill_all(find: Callable[[], list[int]]) -> None:
    """Kill the processes that `find` returns, however fast they fork."""
    found = find()
    # A process alone that forks now is found again by the caller, as its child is then an orphan.
    for pid in freeze(find) if len(found) > 1 else found:
        send(pid, signal.SIGKILL)


def send(pid: int, number: int) -> None:
    """Send a signal to a process, if it is still there and we may."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.kill(pid, number)
