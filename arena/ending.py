"""How processes and folders are ended that do not want to."""

import contextlib
import os
import shutil
import signal
import time
from collections.abc import Callable

PATIENCE = 1.0  # seconds


def freeze(find: Callable[[], list[int]]) -> list[int]:
    """Stop processes until no more of them turn up: what is stopped does not fork."""
    stopped: dict[int, None] = {}
    end = time.monotonic() + PATIENCE
    while (fresh := [pid for pid in find() if pid not in stopped]) and time.monotonic() < end:
        for pid in fresh:
            send(pid, signal.SIGSTOP)
        stopped |= dict.fromkeys(fresh)
    return list(stopped)


def send(pid: int, number: int) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.kill(pid, number)


def remove(folder: str) -> None:
    """Remove a folder, also where a bot has taken away the right to."""
    shutil.rmtree(folder, ignore_errors=True)
    if os.path.isdir(folder):
        for path, _, _ in os.walk(folder):
            with contextlib.suppress(OSError):
                os.chmod(path, 0o700)
        shutil.rmtree(folder, ignore_errors=True)
