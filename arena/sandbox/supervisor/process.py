"""One supervised bot: how it is started, which processes belong to it, and which limit it breaks."""

import os
import subprocess
from math import inf
from typing import Any

from arena.sandbox.linux import cgroup, procfs, seccomp, users
from arena.sandbox.linux.folders import disk_use
from arena.sandbox.supervisor import restrictions

Violation = tuple[str, str]
MB = 2**20
THREADS = 8  # threads that a bot may have for each process that it may have
BOX_PROCESSES = 2  # bwrap itself, outside and inside the box; then comes the bot
UNSHARE = ("--unshare-all", "--unshare-user")  # options of bubblewrap: no namespace is shared with the host


class SupervisedProcess:
    """One bot, or one build, by its first process; in a box that is bwrap.

    `home` is its $TMPDIR, empty where a box has its own; `leaf` its control group, empty where it has none;
    `status` how it ended by itself. `cpu_ns` has the CPU time of each of its processes at the last check.
    """

    def __init__(self, process: subprocess.Popen, order: dict, leaf: str = ""):
        self.process, self.pid, self.home, self.leaf = process, process.pid, order["home"], leaf
        self.sizes = {folder: disk_use(folder, inf) for folder in order["writable"]}  # before it begins
        self.box_processes = 0 if self.home else BOX_PROCESSES
        self.status: int | None = None
        self.killed = False
        self.cpu_ns: dict[int, int] = {}
        self.next_sum = 0.0  # of its memory and disk; seconds, by the monotonic clock
        self.is_sum_due = False
        self.has_children = False
        self.deadline: float | None = None  # when it is killed, once its end has been requested
        self.order = 0  # the request for its end

    def has_exited(self, wait: bool = False) -> bool:
        """Whether it has, with `status`. Until its end is requested it stays a zombie, to keep its PID."""
        done = os.waitid(os.P_PID, self.pid, os.WEXITED | os.WNOWAIT | (0 if wait else os.WNOHANG))
        if done:
            self.status = done.si_status if done.si_code == os.CLD_EXITED else -done.si_status
        return done is not None

    def members(self, adopted: list[int]) -> list[int]:
        """The bot with all that it has started; `adopted` are the orphans of all bots."""
        return cgroup.members(self.leaf) if self.leaf else procfs.family(self.pid, adopted)

    def has_run(self) -> bool:
        """Whether the bot has computed since the last check: if not, it uses no more than it did then."""
        return not self.cpu_ns or any(procfs.cpu_ns(pid) != before for pid, before in self.cpu_ns.items())

    # Each of these gives the limit that the bot breaks, as a kind of fault and words without figures.

    def violation_by_kernel(self, limits: dict) -> Violation | None:
        """At which limit the kernel has stopped the bot, perhaps between two checks."""
        return self.process_violation(limits["processes"], []) or self.memory_violation(limits["memory"], [])

    def process_violation(self, most: int, pids: list[int]) -> Violation | None:
        room = most + self.box_processes
        if len(pids) > room and sum(map(procfs.is_alive, pids)) > room:
            return "processes", f"had more than {most} processes"
        threads = THREADS * most + self.box_processes
        if cgroup.exceeded(self.leaf) == "pids" if self.leaf else sum(map(procfs.threads, pids)) > threads:
            return "processes", f"had more than {THREADS * most} threads"
        return None

    def memory_violation(self, most: int, pids: list[int]) -> Violation | None:
        sizes = procfs.resident, procfs.proportional  # the second is expensive, but counts shared memory once
        if self.leaf:
            over = cgroup.exceeded(self.leaf) == "memory"
        else:
            over = all(sum(map(size, pids)) > most for size in sizes)
        return ("memory", f"used more than {megabytes(most)} of memory") if over else None

    def cpu_violation(self, most: float) -> Violation | None:
        over = max(self.cpu_ns.values(), default=0) > most * 1e9
        return ("crashed", f"used more than {most:g} s of CPU time") if over else None

    def disk_violation(self, most: int) -> Violation | None:
        """What is wrong with the files on disk. (The /tmp of a box has a size, which the kernel enforces.)"""
        used = disk_use(self.home, most) if self.home else 0
        if used > most:
            why = f"had more than {megabytes(most)} in $TMPDIR" if used < inf else "hid files in $TMPDIR"
            return "crashed", why
        if any(disk_use(folder, most + size) > most + size for folder, size in self.sizes.items()):
            return "crashed", f"wrote more than {megabytes(most)}"
        return None


def launch(given: list[int], order: dict, offline: bool, leaf: str = "") -> SupervisedProcess:
    """Start a command with these descriptors as stdin, stdout, stderr. OSError: it cannot be started.

    If the supervisor is `offline`, a box needs no network namespace of its own.
    """
    stdin, stdout, stderr = given
    home, build = order["home"], bool(order["writable"])
    if home:
        os.mkdir(home, 0o700)
        user = users.new() if order["own_user"] else None
        if user is not None:
            os.chown(home, user, user)
        process = restrictions.start(
            lambda: popen(order, stdin=stdin, stdout=stdout, stderr=stderr),
            order["readable"],
            [home, *order["writable"]],
            build,
            user,
        )
        return SupervisedProcess(process, order)
    bwrap, *options = order["start"]
    used = seccomp.compile_filter(build)
    files = [used.open()] if used else []
    filters = [word for file in files for word in ("--seccomp", str(file))]
    network = ["--share-net"] if offline else []
    command = [bwrap, *UNSHARE, *network, *filters, *options]
    box = order | {"start": cgroup.command_in(leaf, command) if leaf else command}
    try:
        process = popen(box, stdin=stdin, stdout=stdout, stderr=stderr, pass_fds=files)
        return SupervisedProcess(process, order, leaf)
    finally:
        for file in files:
            os.close(file)


def popen(order: dict, **descriptors: Any) -> subprocess.Popen:
    return subprocess.Popen(
        order["start"], cwd=order["folder"], env=order["environment"], start_new_session=True, **descriptors
    )


def megabytes(size: float) -> str:
    return f"{size / MB:g} MB"
