"""Control groups, version 2: the kernel accounts for a bot with all its descendants, and enforces limits.

Each bot starts in a leaf, which is a group without groups below it, and none of its descendants can leave it.
The kernel counts the memory and CPU time of the leaf, enforces its limits at once, and kills it as a whole.
The leaves are below a group for each supervisor. These are below a group that we may divide, which lets the
groups below it have limits: a group delegated to us or, for root, our slice's group. Only leaves may contain
processes, so in a delegated group this process moves to `arena-main`. Source: Linux, cgroup-v2.rst.
"""

import atexit
import contextlib
import functools
import os
import subprocess
import time
from collections.abc import Collection, Sequence
from pathlib import Path

MAIN = "arena-main"
_CONTROLLERS = {"memory", "pids"}
DELEGATE = f"systemd-run {'--user ' if os.geteuid() else ''}--scope -p Delegate=yes"
_REMOVE_TIMEOUT_S = 1.0  # from the kill of a group until its last process is gone


@functools.cache
def claim() -> str:
    """The path of a group below which we may make groups, or "". May move this process to `MAIN`."""
    # This is our own group if it was delegated to us, else, for root, one above it.
    group = of("self")
    return (_claim_own(group) or _claim_above(group)) if group else ""


def _claim_above(group: str) -> str:
    """The path of the nearest divided group above `group` that we may use, or ""."""
    # Above the root of the hierarchy there is no `cgroup.subtree_control`: the search ends there.
    while (parent := os.path.dirname(group)) != group and os.path.exists(f"{parent}/cgroup.subtree_control"):
        if _offers(parent, "cgroup.subtree_control") and _try_group(parent):
            return parent
        group = parent
    return ""


def _claim_own(group: str) -> str:
    """Move this process into `MAIN` below its `group`, and divide `group`; returns that, or "" on failure."""
    if os.path.basename(group) == MAIN or not _offers(group, "cgroup.controllers"):
        return ""
    # Enabled controllers stay enabled at the end: other programs may rely on them.
    added = _CONTROLLERS.difference(Path(group, "cgroup.subtree_control").read_text().split())
    try:
        # A group with processes cannot be divided ("no internal processes", cgroup-v2.rst), so ours moves
        # down; 0 is the writing process. Other processes, such as a shell's, make the division fail.
        os.makedirs(os.path.join(group, MAIN), exist_ok=True)
        Path(os.path.join(group, MAIN), "cgroup.procs").write_text("0")
        _divide(group)
        if _try_group(group):  # at the end the group is restored
            atexit.register(_release, group, added)
            return group
    except OSError:
        pass
    _release(group, added)
    return ""


def _release(group: str, added: Collection[str]) -> None:
    """Undo `_claim_own`: turn off `added` controllers, leave `MAIN`. Stops if another arena uses `group`."""
    # The order is reversed: only an undivided group can contain processes again.
    with contextlib.suppress(OSError):
        Path(group, "cgroup.subtree_control").write_text(" ".join(f"-{name}" for name in added))
        Path(group, "cgroup.procs").write_text("0")
        os.rmdir(os.path.join(group, MAIN))


def _try_group(group: str) -> bool:
    """Start a program in a new leaf below this group; returns whether that worked. The leaf is removed."""
    try:
        folder = os.path.join(group, f"arena-{os.getpid()}")
        try:
            create(folder)
            command = command_in(create_leaf(folder, 1, 2**24, 8), ["/bin/true"])
            return subprocess.run(command, stderr=subprocess.DEVNULL).returncode == 0
        finally:
            remove(folder)
    except OSError:
        return False


def of(pid: int | str) -> str:
    """The path of the group (version 2) that a process is in, or ""; `pid` may be "self"."""
    with contextlib.suppress(OSError):
        # Version 2 may be mounted in several places, or beside version 1 ("hybrid"). Its line begins with 0.
        mounts = [line.split() for line in Path("/proc/self/mounts").read_text().splitlines()]
        root = next((fields[1] for fields in mounts if fields[2] == "cgroup2"), "")
        for line in Path(f"/proc/{pid}/cgroup").read_text().splitlines():
            if root and line.startswith("0::"):
                return os.path.normpath(root + line.removeprefix("0::"))
    return ""


def _offers(group: str, name: str) -> bool:
    """Whether a file of a group, such as "cgroup.controllers", lists the controllers that we need."""
    try:
        return set(Path(group, name).read_text().split()) >= _CONTROLLERS
    except OSError:
        return False


def _divide(group: str) -> None:
    """Allow limits for the groups below.

    Raises:
        OSError: The group is not ours, or contains processes.
    """
    Path(group, "cgroup.subtree_control").write_text(" ".join(f"+{name}" for name in _CONTROLLERS))


def create(group: str) -> None:
    """Make a new group, and divide it."""
    os.mkdir(group)
    _divide(group)


def create_leaf(group: str, number: int, memory: int, tasks: int) -> str:
    """Make a leaf below a divided group, for `memory` bytes and `tasks` threads in all; returns its path."""
    folder = os.path.join(group, str(number))
    os.mkdir(folder)
    Path(folder, "memory.max").write_text(str(memory))
    Path(folder, "memory.oom.group").write_text("1")  # kill the whole bot, not only its largest process
    Path(folder, "pids.max").write_text(str(tasks))
    with contextlib.suppress(OSError):  # this kernel does not count swapped memory
        Path(folder, "memory.swap.max").write_text("0")
    return folder


def command_in(group: str, command: Sequence[str]) -> list[str]:
    """A command that moves itself to a leaf and then runs `command`, with all descendants in the leaf."""
    # Another process could move it only after its start, when it may have forked already.
    return ["/bin/sh", "-c", 'echo 0 >"$0" && exec "$@"', os.path.join(group, "cgroup.procs"), *command]


def exceeded_limit(group: str) -> str:
    """The limit that a leaf has hit so far: "memory" (its processes were killed), "pids" (threads), or ""."""
    for name, event in (("memory", "oom"), ("pids", "max")) if group else ():
        with contextlib.suppress(OSError):
            # Each event has a line with its count: `oom 0`.
            if f"\n{event} 0\n" not in f"\n{Path(group, f'{name}.events').read_text()}":
                return name
    return ""


def members(group: str) -> list[int]:
    """The PIDs of the processes in a leaf."""
    with contextlib.suppress(OSError):
        return list(map(int, Path(group, "cgroup.procs").read_text().split()))
    return []


def cpu_seconds(cpu_stat: int) -> float:
    """The CPU seconds of all past and present processes of a group; `cpu_stat` is its open cpu.stat."""
    # Its first line is `usage_usec N`. `pread` does not move the position, so each call reads from the start.
    return int(os.pread(cpu_stat, 64, 0).split()[1]) / 1e6


def kill(group: str) -> None:
    """Kill all processes in a group and below it, even those that fork meanwhile; do nothing for ""."""
    if group:
        with contextlib.suppress(OSError):
            Path(group, "cgroup.kill").write_text("1")


def remove(group: str) -> None:
    """Kill and remove a group with its leaves, unless its processes do not exit in time. Ignores ""."""
    if not group:
        return
    kill(group)
    end = time.monotonic() + _REMOVE_TIMEOUT_S
    with contextlib.suppress(FileNotFoundError):
        while True:
            try:
                for path in filter(os.path.isdir, (os.path.join(group, name) for name in os.listdir(group))):
                    os.rmdir(path)
                return os.rmdir(group)
            except OSError:  # EBUSY: a killed process counts until it has exited
                if not os.path.isdir(group) or time.monotonic() > end:
                    return
                time.sleep(0.001)
