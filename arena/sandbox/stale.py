"""What is left of an arena if all its processes are killed at once, and how the next one cleans it up.

The folder of a supervisor has a lock, held as long as the supervisor lives, and a list of all processes that
it has seen, with the time at which each began. A folder without a held lock is stale.
"""

import contextlib
import fcntl
import os
import re
import signal
import tempfile
from pathlib import Path

import psutil

from arena.sandbox.linux import cgroup, procfs
from arena.sandbox.linux.folders import remove
from arena.sandbox.linux.signals import send

PREFIX = "arena-"
FRESH, LOCK, PIDS, GROUP = "new", "lock", "pids", "group"
BOOT = Path("/proc/sys/kernel/random/boot_id")


def claim() -> tuple[str, int]:
    """A new folder, and its lock as a descriptor: the folder is ours while that is open somewhere."""
    while True:
        folder = tempfile.mkdtemp(prefix=PREFIX)
        with contextlib.suppress(FileNotFoundError):  # it was cleaned up before it was locked
            os.chmod(folder, 0o711)  # bots may be other users; they reach what they know the name of
            fresh = os.path.join(folder, FRESH)
            lock = os.open(fresh, os.O_CREAT | os.O_RDWR, 0o600)
            try:
                fcntl.flock(lock, fcntl.LOCK_EX)
                os.write(lock, boot())
                os.rename(fresh, os.path.join(folder, LOCK))  # which is never seen unlocked
                return folder, lock
            except BaseException:
                os.close(lock)
                raise


def group(folder: str, above: str) -> str:
    """The control group for the supervisor of a folder, to be made below `above`; its path is kept there."""
    path = os.path.join(above, os.path.basename(folder))
    Path(folder, GROUP).write_text(path)
    return path


def disband(folder: Path) -> None:
    """Kill and remove the control group of a folder, if it has one."""
    with contextlib.suppress(FileNotFoundError):
        cgroup.remove((folder / GROUP).read_text())


def clean_up() -> None:
    """Kill what is left of earlier arenas, and remove their folders."""
    for folder in Path(tempfile.gettempdir()).glob(f"{PREFIX}????????"):
        with contextlib.suppress(OSError):
            if folder.lstat().st_uid == os.getuid():
                clean_up_folder(folder)


def clean_up_folder(folder: Path) -> None:
    """Clean up one folder, unless its supervisor lives. OSError: there is no lock in it, or it is held."""
    with contextlib.suppress(OSError):
        folder.rmdir()  # empty: an arena was killed while it made or removed the folder
        return
    mark = next((name for name in (FRESH, LOCK) if (folder / name).exists()), PIDS)  # half removed: no lock
    lock = os.open(folder / mark, os.O_RDWR)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if os.read(lock, 100) == boot():
            with contextlib.suppress(FileNotFoundError):  # nothing was started
                kill(folder / PIDS)
        disband(folder)
        remove(folder)
    finally:
        os.close(lock)


def kill(listed: Path) -> None:
    """Kill the processes of a list that are still the same, all below them, and all in their sessions."""
    births = {int(pid): int(birth) for pid, birth in re.findall(r"^(\d+) (\d+)$", listed.read_text(), re.M)}

    def is_ours(pid: int) -> bool:
        listed = pid if pid in births else procfs.session(pid)
        same = listed in births and procfs.birth(listed) in (0, births[listed])  # not a later one
        return same and procfs.birth(pid) >= births[listed] > 0

    for pid in [each for root in filter(is_ours, psutil.pids()) for each in procfs.tree(root)]:
        send(pid, signal.SIGKILL)


def boot() -> bytes:
    """What tells this boot of the machine from others: pids and births mean nothing in another."""
    return BOOT.read_bytes() if BOOT.exists() else b""
