"""The two kinds of locks on a run file: our own, for the one writer, and those of SQLite in other programs.

A backup tool, or a shell of SQLite in a transaction, may hold a lock of SQLite for minutes. It is waited for,
and the user is told: the games of hours must not be lost to it.
"""

import fcntl
import os
import sqlite3
import stat
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from arena.config.document import ConfigError

ATTEMPT_S = 1.0  # SQLite waits this long in C, where Ctrl-C is not noticed
TELL_AFTER_S = 2.0  # short locks are usual: a reader that opens a run after a kill recovers its log
GIVE_UP_S = 600.0

_T = TypeVar("_T")


def wait_for(path: Path, action: Callable[[], _T], code: Callable[[sqlite3.Error], int]) -> _T:
    """The result of an SQL statement, which is repeated while another program has locked the database.

    sqlite3.OperationalError: it is still locked after `GIVE_UP_S`. `code` gives the primary result code.
    """
    began, told = time.monotonic(), False
    while True:
        try:
            return action()
        except sqlite3.OperationalError as error:
            waited = time.monotonic() - began
            if code(error) != sqlite3.SQLITE_BUSY or waited >= GIVE_UP_S:
                raise
            if not told and waited >= TELL_AFTER_S:
                told = True
                limit = f"waiting up to {GIVE_UP_S / 60:.0f} minutes"
                print(f"{path}: locked by another program, such as a backup; {limit}", file=sys.stderr)


def lock_file(path: Path) -> int:
    """Lock out other writers until the file that is returned is closed, or this process ends.

    The mode is 0600: a run file holds the secret of the run. ConfigError: it is locked, or cannot be written.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        lock = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NONBLOCK, 0o600)
        try:
            if not stat.S_ISREG(os.fstat(lock).st_mode):
                raise ConfigError(f"{path}: should be a file, not a device or a pipe")
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BaseException:
            os.close(lock)
            raise
        return lock
    except BlockingIOError:
        raise ConfigError(f"{path}: another process is writing this run") from None
    except OSError as error:
        raise ConfigError(f"{path}: cannot be written: {error.strerror}") from None


def is_in_place(path: Path, lock: int) -> bool:
    """Whether the path still leads to the file that is locked."""
    try:
        return os.path.samestat(os.fstat(lock), path.stat())
    except FileNotFoundError:
        return False
