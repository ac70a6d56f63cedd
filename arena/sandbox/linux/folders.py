"""Folders that a bot has filled: how much is in them, and how to remove them whatever it has made of them."""

import contextlib
import errno
import os
from math import inf

LONGEST_PATH = 1024  # characters; the time to read a folder grows with the square of its depth
BLOCK = 4096  # bytes that the smallest file takes


def disk_use(folder: str, most: int) -> float:
    """Bytes that the files of a folder take on disk; the count ends when it is more than `most`.

    Infinite where the folder cannot be read: closed to its owner, or too deep.
    """
    total, folders = 0, [folder]
    for each in folders:  # grows as subfolders are found
        if len(each) > LONGEST_PATH:
            return inf
        try:
            for entry in os.scandir(each):
                if entry.is_dir(follow_symlinks=False):
                    folders.append(entry.path)
                with contextlib.suppress(OSError):
                    total += max(BLOCK, entry.stat(follow_symlinks=False).st_blocks * 512)
                if total > most:
                    return total
        except OSError as error:
            if error.errno == errno.EACCES:
                return inf
    return total


def remove(folder: str | os.PathLike) -> None:
    """Remove a folder, also one that is too deep for a path, or where a build has taken away the right to.

    Each subfolder is first moved up to the top, under a random name, so that no path becomes too long.
    """
    if os.path.islink(folder):  # what it points to is not ours
        os.unlink(folder)
        return
    found = [os.fspath(folder)]
    secret = os.urandom(8).hex()
    for each in found:  # grows as subfolders are found
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
