"""Cleans up after arenas whose processes were all killed at once.

The folder of a supervisor has a lock, held as long as the supervisor lives, and a list of processes of its
bots, with their start times: the first of each bot, and those that have left its session. A folder whose lock
is free is stale.
"""

import contextlib
import fcntl
import os
import re
import signal
import tempfile
from pathlib import Path

import psutil

from arena.programs.sandbox.linux import cgroup, procfs
from arena.programs.sandbox.linux.folders import remove
from arena.programs.sandbox.linux.signals import send

PREFIX = "arena-"
FRESH, LOCK, PIDS, _GROUP = "new", "lock", "pids", "group"
_BOOT = Path("/proc/sys/kernel/random/boot_id")


def create_folder() -> tuple[str, int]:
    """Make a folder for a supervisor; returns its path, and a descriptor that, while open, holds its lock."""
    while True:
        folder = tempfile.mkdtemp(prefix=PREFIX)
        with contextlib.suppress(FileNotFoundError):  # another arena cleaned it up before it was locked
            os.chmod(folder, 0o711)  # bots of other users reach their own folders, whose names they know
            fresh = os.path.join(folder, FRESH)
            lock = os.open(fresh, os.O_CREAT | os.O_RDWR, 0o600)
            try:
                fcntl.flock(lock, fcntl.LOCK_EX)
                os.write(lock, boot_id())
                os.rename(fresh, os.path.join(folder, LOCK))  # no other arena sees LOCK unlocked
                return folder, lock
            except BaseException:
                os.close(lock)
                raise


def choose_group(folder: str, above: str) -> str:
    """Return a path for the control group of a supervisor, below `above`, and note it in its folder."""
    path = os.path.join(above, os.path.basename(folder))
    Path(folder, _GROUP).write_text(path)
    return path


def clean_up() -> None:
    """Kill what is left of the bots of this user's dead supervisors, and remove their folders and groups."""
    for folder in Path(tempfile.gettempdir()).glob(f"{PREFIX}????????"):
        with contextlib.suppress(OSError):
            if folder.lstat().st_uid == os.getuid():
                clean_up_folder(folder)


def clean_up_folder(folder: Path) -> None:
    """Kill the bots of a dead supervisor; remove its group and folder. OSError: it lives, or has no lock."""
    with contextlib.suppress(OSError):
        folder.rmdir()  # it is empty: an arena was killed while it made or removed it
        return
    mark = next((name for name in (FRESH, LOCK) if (folder / name).exists()), PIDS)  # half removed: no lock
    lock = os.open(folder / mark, os.O_RDWR)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if os.read(lock, 100) == boot_id():
            with contextlib.suppress(FileNotFoundError):  # nothing was started
                _kill_listed(folder / PIDS)
        with contextlib.suppress(FileNotFoundError):  # it has no group
            cgroup.remove((folder / _GROUP).read_text())
        remove(str(folder))
    finally:
        os.close(lock)


def _kill_listed(pids: Path) -> None:
    """Kill the processes that the file `pids` lists, those in their sessions, and all their descendants."""
    # A PID may have been used again: an entry counts only if the process was started at the noted time.
    births = {int(pid): int(birth) for pid, birth in re.findall(r"^(\d+) (\d+)$", pids.read_text(), re.M)}

    def is_ours(pid: int) -> bool:
        known = pid if pid in births else procfs.session(pid)
        same = known in births and procfs.birth(known) in (0, births[known])  # else the PID was reused
        return same and procfs.birth(pid) >= births[known] > 0

    for pid in [each for root in filter(is_ours, psutil.pids()) for each in procfs.tree(root)]:
        send(pid, signal.SIGKILL)


def boot_id() -> bytes:
    """The id of this boot, or b"" if unknown. PIDs and start times of another boot mean nothing."""
    return _BOOT.read_bytes() if _BOOT.exists() else b""
