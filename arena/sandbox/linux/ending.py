"""How processes and folders are ended that do not want to."""

import contextlib
import os
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


def remove(folder: str | os.PathLike) -> None:
    """Remove a folder, also one that is too deep for a path, or where a bot has taken away the right to.

    Every folder in it comes up to its top first, under a name that nobody could have guessed.
    """
    if os.path.islink(folder):  # what is behind it is not ours
        os.unlink(folder)
        return
    found = [os.fspath(folder)]
    secret = os.urandom(8).hex()
    for each in found:  # and those appended meanwhile
        with contextlib.suppress(OSError):
            os.chmod(each, 0o700)
            for entry in list(os.scandir(each)):
                with contextlib.suppress(OSError):
                    if entry.is_dir(follow_symlinks=False):
                        os.chmod(entry.path, 0o700)
                        os.rename(entry.path, name := os.path.join(folder, f"{secret}-{len(found)}"))
                        found.append(name)
                    else:
                        os.unlink(entry.path)
    for each in reversed(found):
        with contextlib.suppress(OSError):
            os.rmdir(each)
