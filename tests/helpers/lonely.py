"""Turns of slow tests: one that measures time or CPU has the machine for itself, whichever worker runs it.

Each test holds the lock of a folder, shared with the others or exclusively. Who waits for the exclusive lock
holds a second one, at which all that come later queue. Otherwise it could wait until the others have ended.
"""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager

from samples import CHECKOUT

_FOLDER, _QUEUE = CHECKOUT / "tests", CHECKOUT / "tests" / "helpers"


@contextmanager
def turn(alone: bool) -> Iterator[None]:
    """Wait for the turn of a test, and keep it."""
    folder, queue = (os.open(path, os.O_RDONLY) for path in (_FOLDER, _QUEUE))
    try:
        fcntl.flock(queue, fcntl.LOCK_EX)
        fcntl.flock(folder, fcntl.LOCK_EX if alone else fcntl.LOCK_SH)
        fcntl.flock(queue, fcntl.LOCK_UN)  # by name: a process that was forked meanwhile has it open, too
        yield
    finally:
        for lock in (folder, queue):
            fcntl.flock(lock, fcntl.LOCK_UN)
            os.close(lock)
