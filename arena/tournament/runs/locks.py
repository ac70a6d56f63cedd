"""Locks a run file for its one writer, in addition to the locks of SQLite (`arena.config.sqlite`)."""

import fcntl
import os
import stat
from pathlib import Path

from arena.config.document import ConfigError


def lock_file(path: Path) -> int:
    """Lock a file against other writers, until the returned descriptor is closed or this process ends.

    The file and its folder are created if they do not exist. The file gets the mode 0600, because it holds
    the secret of the run.

    Raises:
        ConfigError: Another process has locked the file, or it cannot be written.
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
