"""Folders that a bot has written to: their size, their removal, and files that would grant rights."""

import contextlib
import errno
import os
import shutil
import stat
import sys
from collections.abc import Iterator
from math import inf

MAX_PATH = 1024  # characters; the time to read a folder grows with the square of its depth
BLOCK = 4096  # bytes of the smallest file on disk
_SET_ID = stat.S_ISUID | stat.S_ISGID
_CAPABILITY = "security.capability"  # the extended attribute with a program's capabilities(7)
_UNUSUAL = {stat.S_IFCHR: "a device", stat.S_IFBLK: "a device", stat.S_IFSOCK: "a socket"}


def disk_use(folder: str, most: float) -> float:
    """The bytes of a folder on disk, counted until above `most`; inf if unreadable or too deep."""
    total, folders = 0, [folder]
    for each in folders:  # grows as subfolders are found
        if len(each) > MAX_PATH:
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


def take_rights(folder: str) -> list[str]:
    """Remove set-ID bits, capabilities, devices, sockets, and folders that cannot be searched.

    Returns the findings, as texts such as "a device: PATH".
    """
    # Files lose set-ID bits and capabilities; devices, sockets, and unsearchable folders are removed. A
    # folder keeps the set-group-ID bit of its parent. No process may change them meanwhile.
    found = []
    folders = [(folder, stat.S_ISGID)]  # with the permitted set-ID bits of each
    for path, allowed in folders:  # grows as subfolders are found
        try:
            if len(path) > MAX_PATH:
                raise OSError(errno.ENAMETOOLONG, "")
            allowed &= os.stat(path).st_mode
            for entry in os.scandir(path):
                mode = entry.stat(follow_symlinks=False).st_mode
                if stat.S_ISDIR(mode):
                    folders.append((entry.path, allowed))
                if what := _take_rights_of(entry.path, mode, allowed):
                    found.append(f"{what}: {os.path.relpath(entry.path, folder)}")
        except OSError:
            remove(path)
            found.append(f"a folder that cannot be searched: {os.path.relpath(path, folder)[:80]}")
    return found


def _take_rights_of(path: str, mode: int, allowed: int) -> str:
    """Remove the rights at one path; returns their source, such as "a device", or ""."""
    # A folder keeps only its `allowed` set-ID bits.
    if kind := _UNUSUAL.get(stat.S_IFMT(mode)):
        os.unlink(path)
        return kind
    if stat.S_ISLNK(mode):
        return ""
    bits = mode & _SET_ID & ~(allowed if stat.S_ISDIR(mode) else 0)
    if bits:
        os.chmod(path, stat.S_IMODE(mode) & ~bits)
        whose, what = "user" if bits & stat.S_ISUID else "group", "folder" if stat.S_ISDIR(mode) else "file"
        return f"a set-{whose}-ID {what}"
    if sys.platform == "linux" and _CAPABILITY in os.listxattr(path, follow_symlinks=False):
        os.removexattr(path, _CAPABILITY, follow_symlinks=False)
        return "a file with capabilities"
    return ""


def remove(folder: str) -> None:
    """Remove a folder and its content, if possible, and nothing outside, despite concurrent changes."""
    # The code uses descriptors throughout, and follows no links. It moves subfolders up to the top before it
    # empties them, under random names, because a path could become too long.
    if sys.platform != "linux":
        return shutil.rmtree(folder, ignore_errors=True)
    with contextlib.suppress(OSError):
        os.unlink(folder)  # a link
    with contextlib.suppress(OSError):
        with _open_folder(folder) as top:
            secret = os.urandom(8).hex()
            moved, emptied = _empty(top, top, secret, 0), 0
            while emptied < moved:
                with contextlib.suppress(OSError):
                    with _open_folder(f"{secret}-{emptied}", top) as each:
                        moved = _empty(each, top, secret, moved)
                    os.rmdir(f"{secret}-{emptied}", dir_fd=top)
                emptied += 1
        os.rmdir(folder)


def _empty(folder: int, top: int, secret: str, moved: int) -> int:
    """Unlink files, and move subfolders to `top` as SECRET-NUMBER from `moved` on; returns the next."""
    for name in os.listdir(folder):
        with contextlib.suppress(OSError):
            try:
                os.unlink(name, dir_fd=folder)
            except (IsADirectoryError, PermissionError):
                with _open_folder(name, folder):  # moving a folder needs rights to it
                    os.rename(name, f"{secret}-{moved}", src_dir_fd=folder, dst_dir_fd=top)
                moved += 1
    return moved


@contextlib.contextmanager
def _open_folder(path: str, above: int | None = None) -> Iterator[int]:
    """The descriptor of a folder, even if a bot has removed our rights to it.

    The path is relative to the folder with the descriptor `above`, or to the current one if `above` is None.

    Raises:
        OSError: It is a link.
    """
    # Only the owner of a folder and root can restore the rights.
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
