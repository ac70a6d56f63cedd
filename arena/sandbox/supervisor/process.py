"""One bot in the bot of a supervisor: how it is started, what belongs to it, and which limit it breaks."""

import contextlib
import functools
import os
import subprocess
from math import inf
from typing import Any

from arena.sandbox.linux import cgroup, procfs
from arena.sandbox.supervisor.restrictions import Restrictions

MB = 2**20
THREADS = 8  # threads and unburied children for each process that a bot may have
BOX_PROCESSES = 2  # bwrap itself, outside and inside; then comes the bot
UNSHARE = ("--unshare-all", "--unshare-user")  # what a box has to itself: options of bubblewrap


class SupervisedProcess:
    """One bot. `home` is its $TMPDIR, empty where a box has its own; `status` how it ended by itself.

    `leaf` is its control group, empty where it has none; `before` the bytes in each folder given to it;
    `seen` has the pids that a supervisor has noted for it. (For another bot they may come again.)
    """

    def __init__(self, process: subprocess.Popen | cgroup.Child, order: dict, leaf: str = ""):
        self.process, self.pid, self.home, self.leaf = process, process.pid, order["home"], leaf
        self.before = {folder: procfs.disk_use(folder, inf) for folder in order["writable"]}
        self.device = os.stat(os.path.dirname(self.home)).st_dev if self.home else -1
        self.status: int | None = None
        self.killed = False
        self.seen: set[int] = set()
        self.deadline: float | None = None  # somebody waits for its end, but not for longer than this
        self.order = 0  # what to say that to

    def family(self) -> list[int]:
        """The bot with all its descendants, and with the orphans of its session, which we have adopted."""
        return procfs.family(self.pid, os.getpid())

    def violation(self, limits: dict, pids: list[int]) -> tuple[str, str] | None:
        """Which limit the bot breaks: a kind of fault, and words without figures, which always differ."""
        event = cgroup.exceeded(self.leaf) if self.leaf else ""
        if why := self.process_violation(pids, limits["processes"], event):
            return "processes", why
        hidden = procfs.unlinked_files(pids)
        on_disk = sum(size for (device, _), size in hidden.items() if device == self.device)
        if event == "memory" or uses_more(pids, sum(hidden.values()) - on_disk, limits["memory"]):
            return "memory", f"used more than {megabytes(limits['memory'])} of memory"
        if why := self.disk_violation(pids, limits["disk"], on_disk):
            return "crashed", why
        return None

    def process_violation(self, pids: list[int], most: int, event: str) -> str:
        """What is wrong with the number of processes and threads; "" if nothing is."""
        own = 0 if self.home else BOX_PROCESSES
        if len(pids) - own > most and living(pids) - own > most:
            return f"had more than {most} processes"
        if event == "pids" or sum(map(procfs.tasks, pids)) > THREADS * most + own:
            return f"had more than {THREADS * most} threads"
        return ""

    def disk_violation(self, pids: list[int], most: int, nameless: int) -> str:
        """What is wrong with the files on disk, of which so many bytes have no name; "" if nothing is."""
        if self.home and any(map(procfs.closed, pids)):
            return "kept the arena from seeing its open files"
        used = nameless + self.disk_use(pids, most)
        if used > most:
            return f"had more than {megabytes(most)} in $TMPDIR" if used < inf else "hid files in $TMPDIR"
        if any(procfs.disk_use(folder, most + size) > most + size for folder, size in self.before.items()):
            return f"wrote more than {megabytes(most)}"
        return ""

    def disk_use(self, pids: list[int], most: int) -> float:
        """Bytes in $TMPDIR; in a box the system counts them, but not what many files take in memory."""
        if self.home:
            return procfs.disk_use(self.home, most)
        inside = pids[BOX_PROCESSES:]
        return procfs.box_use(inside[0], "/tmp", most) if inside else 0


def leaf_for(group: str, number: int, limits: dict) -> str:
    """A control group for one bot. What is in a box's /tmp is memory, too, but not what the watch counts."""
    tasks = THREADS * limits["processes"] + BOX_PROCESSES
    return cgroup.leaf(group, number, limits["memory"] + limits["disk"], tasks)


def launch(given: list[int], order: dict, fence: Restrictions, leaf: str = "") -> SupervisedProcess:
    """Start a command with these three descriptors. OSError: it cannot be started."""
    into, out, err = given
    home = order["home"]
    if home:
        os.mkdir(home, 0o700)
        process = fence.start(
            lambda: begin(order, stdin=into, stdout=out, stderr=err),
            order["readable"],
            [home, *order["writable"]],
            build=bool(order["writable"]),
        )
        return SupervisedProcess(process, order)
    bwrap, *options = order["start"]
    used = fence.build_filter if order["writable"] else fence.filter
    files = [used.open()] if used else []
    given_up = [word for file in files for word in ("--seccomp", str(file))]
    network = ["--share-net"] if fence.offline else []
    box = order | {"start": [bwrap, *UNSHARE, *network, *given_up, *options]}
    start = functools.partial(cgroup.spawn, leaf) if leaf else begin
    try:
        return SupervisedProcess(start(box, stdin=into, stdout=out, stderr=err, pass_fds=files), order, leaf)
    finally:
        for file in files:
            os.close(file)


def begin(order: dict, **descriptors: Any) -> subprocess.Popen:
    return subprocess.Popen(
        order["start"], cwd=order["folder"], env=order["environment"], start_new_session=True, **descriptors
    )


def uses_more(pids: list[int], files: int, most: int) -> bool:
    """Whether processes use more than so much memory, with so many bytes of it in files that they may map.

    What they share and their page tables are in nobody's account, either.
    """
    files += sum(procfs.shared(pids, most).values())
    tables = procfs.tables(pids, most)
    if sum(map(procfs.resident, pids)) + files + tables <= most:
        return False
    sizes = [procfs.proportional(pid) for pid in pids]
    mapped = sum(part for _, part in sizes)
    return sum(whole for whole, _ in sizes) + tables + max(0, files - mapped) > most


def living(pids: list[int]) -> int:
    """How many of these are no zombies, or have threads that live on."""
    count = 0
    for pid in pids:
        with contextlib.suppress(OSError, IndexError):
            count += procfs.status(pid)[0] != b"Z" or procfs.tasks(pid) > 1
    return count


def megabytes(size: float) -> str:
    return f"{size / MB:g} MB"
