"""The two kinds of locks on a run file: our own, for the one writer, and those of SQLite in other programs.

A backup tool, or a shell of SQLite in a transaction, may hold a lock of SQLite for minutes. The arena waits
for it, and tells the user: otherwise the games of hours would be lost.
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
    """The result of `action`, which is called again while another program has locked the database.

    A wait longer than `TELL_AFTER_S` is reported on stderr. `code` gives the primary result code of an error.
    sqlite3.OperationalError: the database is still locked after `GIVE_UP_S`, or the error is another one.
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
    """Lock a file against other writers, until the returned descriptor is closed or this process ends.

    The file and its folder are created if they do not exist, the file with the mode 0600, because a run file
    holds the secret of the run. ConfigError: another process has locked it, or it cannot be written.
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
    """Whether `path` still leads to the file with the descriptor `lock`."""
    try:
        return os.path.samestat(os.fstat(lock), path.stat())
    except FileNotFoundError:
        return False
