"""Control groups, version 2: with a part of their tree to itself, an arena lets the kernel hold its bots.

Each bot is born in a leaf of its own, which nothing that it starts can leave. The kernel stops it at its
limits without waiting for anybody to look, and kills all of it at one blow. Below the group that was
delegated to us are `arena-main` with our own processes, for only leaves may have any, and a group for
each supervisor, with a leaf for each of its bots. Source: Linux, Documentation/admin-guide/cgroup-v2.rst.
"""

import atexit
import contextlib
import ctypes
import functools
import os
import signal
import time
from collections.abc import Collection, Sequence
from pathlib import Path

MAIN = "arena-main"
CONTROLLERS = {"memory", "pids"}
DELEGATE = f"systemd-run {'--user ' if os.geteuid() else ''}--scope -p Delegate=yes"
CLONE3, CLONE_VFORK, CLONE_INTO_CGROUP = 435, 0x4000, 0x2_0000_0000
PATIENCE = 1.0  # seconds that a killed group has until its last process is gone


class CloneArgs(ctypes.Structure):
    """`struct clone_args` of clone3(2)."""

    _fields_ = [
        (name, ctypes.c_uint64)
        for name in (
            *("flags", "pidfd", "child_tid", "parent_tid", "exit_signal", "stack", "stack_size", "tls"),
            *("set_tid", "set_tid_size", "cgroup"),
        )
    ]


class Child:
    """A process that was started by `spawn`, to be waited for as for a `subprocess.Popen`."""

    def __init__(self, pid: int):
        self.pid = pid
        self.returncode: int | None = None

    def poll(self) -> int | None:
        return self.wait(os.WNOHANG)

    def wait(self, options: int = 0) -> int | None:
        if self.returncode is None:
            pid, status = os.waitpid(self.pid, options)
            self.returncode = os.waitstatus_to_exitcode(status) if pid else None
        return self.returncode


@functools.cache
def claim() -> str:
    """The folder of the group that is ours to divide, empty where there is none; we move into `MAIN` in it.

    Only where that group has no other processes: those are not ours to move.
    """
    group = of("self")
    if not group or not offers(group, "cgroup.controllers"):
        return ""
    if os.path.basename(group) == MAIN:  # started by an arena, or within its group
        parent = os.path.dirname(group)
        return parent if offers(parent, "cgroup.subtree_control") and works(parent) else ""
    added = CONTROLLERS.difference(read(group, "cgroup.subtree_control").split())
    try:
        os.makedirs(os.path.join(group, MAIN), exist_ok=True)
        write(os.path.join(group, MAIN), "cgroup.procs", "0")
        divide(group)
        if works(group):
            atexit.register(release, group, added)
            return group
    except OSError:
        pass
    release(group, added)
    return ""


def release(group: str, added: Collection[str]) -> None:
    """Move back from `MAIN`, and leave all as it was; not while another arena uses the group."""
    with contextlib.suppress(OSError):
        write(group, "cgroup.subtree_control", " ".join(f"-{name}" for name in added))
        write(group, "cgroup.procs", "0")
        os.rmdir(os.path.join(group, MAIN))


def works(group: str) -> bool:
    """Whether a program can be started in a leaf with limits below this group."""
    try:
        folder = os.path.join(group, f"arena-{os.getpid()}")
        try:
            create(folder)
            order = {"start": ["/bin/sh", "-c", ":"], "folder": "/", "environment": {}}
            return spawn(leaf(folder, 1, 2**24, 8), order).wait() == 0
        finally:
            remove(folder)
    except OSError:
        return False


def of(pid: int | str) -> str:
    """The folder of the group that a process is in; empty where there is none."""
    with contextlib.suppress(OSError):
        mounts = [line.split() for line in Path("/proc/self/mounts").read_text().splitlines()]
        root = next((fields[1] for fields in mounts if fields[2] == "cgroup2"), "")
        for line in Path(f"/proc/{pid}/cgroup").read_text().splitlines():
            if root and line.startswith("0::"):
                return os.path.normpath(root + line.removeprefix("0::"))
    return ""


def offers(group: str, name: str) -> bool:
    try:
        return set(read(group, name).split()) >= CONTROLLERS
    except OSError:
        return False


def divide(group: str) -> None:
    """Let the groups below this one have limits of their own. OSError: it is not ours, or has processes."""
    write(group, "cgroup.subtree_control", " ".join(f"+{name}" for name in CONTROLLERS))


def create(group: str) -> None:
    """Make a new group that can be divided."""
    os.mkdir(group)
    divide(group)


def leaf(group: str, number: int, memory: int, tasks: int) -> str:
    """A new group below a divided one, limited to so many bytes, and processes with all their threads."""
    folder = os.path.join(group, str(number))
    os.mkdir(folder)
    write(folder, "memory.max", str(memory))
    write(folder, "memory.oom.group", "1")
    write(folder, "pids.max", str(tasks))
    with contextlib.suppress(OSError):  # a kernel that does not count what is swapped out
        write(folder, "memory.swap.max", "0")
    return folder


def spawn(
    group: str, order: dict, stdin: int = 0, stdout: int = 1, stderr: int = 2, pass_fds: Sequence[int] = ()
) -> Child:
    """Start a program that is in this group from its birth, as the leader of a session.

    `order` has it in `start`, with the `folder` and the `environment` that it finds itself in.
    Only clone3(2) can do that: to move a process from one group to another takes the kernel 10 ms and
    more, and it may fork meanwhile. The parent waits until the program runs, as in vfork(2).
    """
    descriptor = os.open(group, os.O_RDONLY | os.O_DIRECTORY)
    try:
        flags = CLONE_VFORK | CLONE_INTO_CGROUP
        arguments = CloneArgs(flags=flags, exit_signal=signal.SIGCHLD, cgroup=descriptor)
        libc = ctypes.PyDLL(None, use_errno=True)  # keeps Python's own lock, which the child needs
        size = ctypes.c_size_t(ctypes.sizeof(arguments))
        pid = libc.syscall(ctypes.c_long(CLONE3), ctypes.byref(arguments), size)
        if pid < 0:
            raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
        if pid == 0:
            become(order, (stdin, stdout, stderr), pass_fds)
        return Child(pid)
    finally:
        os.close(descriptor)


def become(order: dict, standard: Sequence[int], kept: Sequence[int]) -> None:
    """In the child: run the program, and nothing else ever; the status is 127 where that fails."""
    try:
        os.setsid()
        os.chdir(order["folder"])
        for number in (signal.SIGPIPE, signal.SIGXFSZ):  # which Python ignores
            signal.signal(number, signal.SIG_DFL)
        spare = [os.dup(descriptor) for descriptor in standard]
        for target, descriptor in enumerate(spare):
            os.dup2(descriptor, target)
        low = 3
        for descriptor in sorted(kept):
            os.set_inheritable(descriptor, True)
            os.closerange(low, descriptor)
            low = descriptor + 1
        os.closerange(low, os.sysconf("SC_OPEN_MAX"))
        os.execve(order["start"][0], order["start"], order["environment"])
    finally:
        os._exit(127)


def exceeded(group: str) -> str:
    """Which limit of a leaf its processes have run into: `memory` (they were killed), `pids`, or none."""
    for name, event in (("memory", "oom_kill"), ("pids", "max")):
        with contextlib.suppress(OSError):
            if f"\n{event} 0\n" not in f"\n{read(group, f'{name}.events')}":
                return name
    return ""


def seconds(group: str) -> float:
    """Processor time of all that are or were in a group; 0 where there is none."""
    with contextlib.suppress(OSError):
        return int(read(group, "cpu.stat").split()[1]) / 1e6
    return 0.0


def kill(group: str) -> None:
    """Kill all that are in a group and below it; whoever forks meanwhile is not missed. "" is no group."""
    if not group:
        return
    with contextlib.suppress(OSError):
        write(group, "cgroup.kill", "1")


def remove(group: str) -> None:
    """Kill a group and remove it, with its leaves; what does not die in time stays. "" is no group."""
    if not group:
        return
    kill(group)
    end = time.monotonic() + PATIENCE
    with contextlib.suppress(FileNotFoundError):
        while True:
            try:
                for path in filter(os.path.isdir, (os.path.join(group, name) for name in os.listdir(group))):
                    os.rmdir(path)
                return os.rmdir(group)
            except OSError:
                if not os.path.isdir(group) or time.monotonic() > end:
                    return
                time.sleep(0.001)


def write(group: str, name: str, words: str) -> None:
    with open(os.path.join(group, name), "w") as file:
        file.write(words)


def read(group: str, name: str) -> str:
    with open(os.path.join(group, name)) as file:
        return file.read()
