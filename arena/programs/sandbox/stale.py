"""Cleans up after arenas whose processes were all killed at once, and separates generations of processes.

The folder of a supervisor has a lock, held while the supervisor lives, and a list of its bots' processes with
their start times: the first process of each bot, and any that left its session. A folder with a free lock is
stale.

The processes that a run starts between two barriers are a *generation*. Two games with the same deal belong
to different ones, so no process of one may live beside a process of another. A supervisor ends all of its
bots before it exits, even if its worker was killed. So the folders of each machine show whether a generation
is gone, even after a kill of the whole arena.
"""

import contextlib
import fcntl
import os
import re
import signal
import tempfile
import time
from pathlib import Path

import psutil

from arena.programs.sandbox.linux import cgroup, procfs
from arena.programs.sandbox.linux.folders import remove
from arena.programs.sandbox.linux.signals import send

PREFIX = "arena-"
FRESH, LOCK, PIDS, _GROUP, _GENERATION = "new", "lock", "pids", "group", "generation"
_BOOT = Path("/proc/sys/kernel/random/boot_id")
_POLL_S = 0.01
_KILL_TIMEOUT_S = 5.0


def create_folder(generation: str = "") -> tuple[str, int]:
    """Make a folder for a supervisor; returns its path, and a descriptor that holds its lock while open.

    `generation` is the generation of its bots: the name of the run and a number, with a space between them.
    Without one, the bots are not separated from others.
    """
    while True:
        folder = tempfile.mkdtemp(prefix=PREFIX)
        with contextlib.suppress(FileNotFoundError):  # another arena cleaned it up before it was locked
            os.chmod(folder, 0o711)  # bots of other users know the names of their own folders
            fresh = os.path.join(folder, FRESH)
            lock = os.open(fresh, os.O_CREAT | os.O_RDWR, 0o600)
            try:
                fcntl.flock(lock, fcntl.LOCK_EX)
                os.write(lock, boot_id())
                if generation:
                    Path(folder, _GENERATION).write_text(generation)
                os.rename(fresh, os.path.join(folder, LOCK))  # other arenas never see LOCK unlocked
                return folder, lock
            except BaseException:
                os.close(lock)
                raise


def choose_group(folder: str, above: str) -> str:
    """Choose a path for a supervisor's control group below `above`, and note it in its folder."""
    path = os.path.join(above, os.path.basename(folder))
    Path(folder, _GROUP).write_text(path)
    return path


def clean_up() -> None:
    """Kill the remaining bots of this user's dead supervisors, and remove their folders and groups."""
    for folder in Path(tempfile.gettempdir()).glob(f"{PREFIX}????????"):
        with contextlib.suppress(OSError):
            if folder.lstat().st_uid == os.getuid():
                clean_up_folder(folder)


def wait_for_others(generation: str, timeout: float) -> None:
    """Wait until this machine has no process of another generation of the same run.

    The caller must have made its own folder before: then at least one of two generations sees the other.

    Raises:
        TimeoutError: Such a process still exists after `timeout` seconds.
    """
    until, run = time.monotonic() + timeout, generation.partition(" ")[0]
    for folder in Path(tempfile.gettempdir()).glob(f"{PREFIX}????????"):
        while _is_of_another(folder, run, generation):
            try:
                clean_up_folder(folder)
            except BlockingIOError:
                if time.monotonic() > until:
                    raise TimeoutError(f"{folder}: belongs to processes that have not ended") from None
                time.sleep(_POLL_S)
            except OSError:
                break  # the supervisor removes it last


def _is_of_another(folder: Path, run: str, generation: str) -> bool:
    try:
        found = (folder / _GENERATION).read_text() if folder.lstat().st_uid == os.getuid() else ""
    except OSError:
        return False
    return found != generation and found.partition(" ")[0] == run


def clean_up_folder(folder: Path) -> None:
    """Kill the bots of a dead supervisor; remove its group and folder.

    Raises:
        BlockingIOError: The supervisor lives, or a bot has not exited after a while.
        OSError: The folder has no lock.
    """
    with contextlib.suppress(OSError):
        folder.rmdir()  # an arena was killed while it made or removed the folder
        return
    mark = next((name for name in (FRESH, LOCK) if (folder / name).exists()), PIDS)  # half removed
    lock = os.open(folder / mark, os.O_RDWR)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if os.read(lock, 100) == boot_id():
            with contextlib.suppress(FileNotFoundError):  # no bot was started
                _kill_listed(folder / PIDS)
        with contextlib.suppress(FileNotFoundError):  # the supervisor has no group
            cgroup.remove((folder / _GROUP).read_text())
        remove(str(folder))
    finally:
        os.close(lock)


def _kill_listed(pids: Path) -> None:
    """Kill the processes that the file `pids` lists, those in their sessions, and all their descendants.

    Raises:
        BlockingIOError: Some processes have not exited after a while.
    """
    # A PID may have been reused: an entry counts only if the process started at the noted time.
    births = {int(pid): int(birth) for pid, birth in re.findall(r"^(\d+) (\d+)$", pids.read_text(), re.M)}

    def is_ours(pid: int) -> bool:
        known = pid if pid in births else procfs.session(pid)
        same = known in births and procfs.birth(known) in (0, births[known])  # else the PID was reused
        return same and procfs.birth(pid) >= births[known] > 0

    until = time.monotonic() + _KILL_TIMEOUT_S
    while True:  # they may have forked meanwhile
        killed = [each for root in filter(is_ours, psutil.pids()) for each in procfs.tree(root)]
        for pid in killed:
            send(pid, signal.SIGKILL)
        if not any(map(procfs.is_alive, killed)):  # a zombie shows no children
            return
        if time.monotonic() > until:
            raise BlockingIOError(f"{pids}: lists processes that cannot be killed")
        time.sleep(_POLL_S)


def boot_id() -> bytes:
    """The id of this boot, or b"" if unknown. PIDs and start times are only valid within one boot."""
    return _BOOT.read_bytes() if _BOOT.exists() else b""
