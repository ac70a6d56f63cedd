"""Folders that a bot has written to: their size, and how to remove them whatever the bot has put there."""

import contextlib
import errno
import os
import shutil
import sys
from collections.abc import Iterator
from math import inf

LONGEST_PATH = 1024  # characters; the time to read a folder grows with the square of its depth
BLOCK = 4096  # bytes that the smallest file takes


def disk_use(folder: str, most: float) -> float:
    """Bytes that the files of a folder take on disk; counting stops above `most`.

    Infinite if the folder cannot be read: its owner has no rights to it, or it is too deep.
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


def remove(folder: str) -> None:
    """Remove a folder with its content, and nothing else, even if a process changes it meanwhile.

    Descriptors are used throughout, and no links are followed. Subfolders are moved up to the top before they
    are emptied, under random names, so that no path is too long. "" is no folder.
    """
    if sys.platform != "linux":
        return shutil.rmtree(folder, ignore_errors=True)
    with contextlib.suppress(OSError):
        os.unlink(folder)  # a link to somewhere else
    with contextlib.suppress(OSError):
        with opened(folder) as top:
            secret = os.urandom(8).hex()
            moved, emptied = empty(top, top, secret, 0), 0
            while emptied < moved:
                with contextlib.suppress(OSError):
                    with opened(f"{secret}-{emptied}", top) as each:
                        moved = empty(each, top, secret, moved)
                    os.rmdir(f"{secret}-{emptied}", dir_fd=top)
                emptied += 1
        os.rmdir(folder)


def empty(folder: int, top: int, secret: str, moved: int) -> int:
    """Unlink the files of a folder, and move its subfolders to `top`; returns how many have been moved."""
    for name in os.listdir(folder):
        with contextlib.suppress(OSError):
            try:
                os.unlink(name, dir_fd=folder)
            except (IsADirectoryError, PermissionError):
                with opened(name, folder):  # moving a folder needs rights to it
                    os.rename(name, f"{secret}-{moved}", src_dir_fd=folder, dst_dir_fd=top)
                moved += 1
    return moved


@contextlib.contextmanager
def opened(path: str, above: int | None = None) -> Iterator[int]:
    """A descriptor of a folder, whose rights a bot may have taken away. OSError: it is a link."""
    handle = os.open(path, os.O_PATH | os.O_NOFOLLOW | os.O_DIRECTORY, dir_fd=above)
    try:
        os.chmod(f"/proc/self/fd/{handle}", 0o700)
        folder = os.open(f"/proc/self/fd/{handle}", os.O_RDONLY | os.O_DIRECTORY)
    finally:
        os.close(handle)
    try:
        yield folder
    finally:
        os.close(folder)
