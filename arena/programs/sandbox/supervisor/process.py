"""One supervised bot: its start, its processes, and the limits that it breaks."""

import os
import subprocess
from collections.abc import Iterable, Sequence
from math import inf

from arena.programs.sandbox.linux import cgroup, procfs, users
from arena.programs.sandbox.linux.folders import disk_use
from arena.programs.sandbox.supervisor import restrictions
from arena.programs.sandbox.supervisor.messages import Limits, StartRequest, Violation

_MB = 2**20
THREADS = 8  # permitted threads for each permitted process
BOX_PROCESSES = 2  # bwrap itself, outside and inside the box
# Options of bubblewrap: a box shares no namespace with the host, nor with other boxes. (In a network of all
# boxes each could count the sockets of the others.)
UNSHARE = ("--unshare-all", "--unshare-user")


class SupervisedProcess:
    """One bot, or one build: its first process, which in a box is bwrap, and the results of checks."""

    def __init__(self, process: subprocess.Popen[bytes], request: StartRequest, leaf: str = ""):
        self.process, self.pid = process, process.pid
        self.home, self.leaf = request["home"], leaf  # $TMPDIR, or "" in a box; control group, or ""
        # The bytes in the folders of a build before it starts: only its additions count.
        self.sizes = {folder: disk_use(folder, inf) for folder in request["writable"]}
        self.box_processes = 0 if self.home else BOX_PROCESSES
        self.status: int | None = None  # exit status or -signal of the first process, once it has exited
        self.killed = False  # the supervisor has killed it
        self.cpu_ns: dict[int, int] = {}  # CPU time of its processes at the last check, by PID
        self.next_sum = 0.0  # when the next sums of memory and disk are due, by the monotonic clock
        self.is_sum_due = False
        self.has_children = False
        self.deadline: float | None = None  # when it is killed, after a request for its end
        self.end_request = 0  # the id of that request

    def has_exited(self, wait: bool = False) -> bool:
        """Whether the first process has exited; if so, sets `status`. With `wait`, block until it has."""
        # WNOWAIT leaves a zombie, which keeps the PID while the worker still uses it.
        done = os.waitid(os.P_PID, self.pid, os.WEXITED | os.WNOWAIT | (0 if wait else os.WNOHANG))
        if done:
            self.status = done.si_status if done.si_code == os.CLD_EXITED else -done.si_status
        return done is not None

    def members(self, adopted: Iterable[int], most: float = inf) -> list[int]:
        """The PIDs of the bot and all its descendants; `adopted` are the PIDs of all bots' orphans.

        Without a control group the search ends when there are more than `most`.
        """
        return cgroup.members(self.leaf) if self.leaf else procfs.family(self.pid, adopted, most)

    def most_tasks(self, limits: Limits) -> int:
        """The total number of permitted threads, including its box. Each process has at least one."""
        return THREADS * limits["processes"] + self.box_processes

    def has_run(self) -> bool:
        """Whether the bot has computed since the last check and may use more now; True before the first."""
        return not self.cpu_ns or any(procfs.cpu_ns(pid) != before for pid, before in self.cpu_ns.items())

    # Each of these returns the limit that the bot has broken, or None. `event` is the `exceeded_limit` of its
    # control group, in which the kernel enforces memory and tasks. Without a group, a fast count of the
    # processes comes first, and a slower exact count before a bot is killed.

    def kernel_violation(self, limits: Limits) -> Violation | None:
        """The limit of its control group that the bot has hit so far; None if none, or without a group."""
        event = cgroup.exceeded_limit(self.leaf)
        return self.process_violation(limits, [], event) or self.memory_violation(limits, [], event)

    def process_violation(self, limits: Limits, pids: list[int], event: str) -> Violation | None:
        """The violation if the bot has too many processes, or too many threads in all; None if not.

        `pids` are its processes. In a control group, its `exceeded_limit` (`event`) says whether it had too
        many threads.
        """
        most = limits["processes"]
        room = most + self.box_processes
        if len(pids) > room and sum(map(procfs.is_alive, pids)) > room:
            return "processes", f"had more than {most} processes"
        # As in a control group, an exited process counts as a thread until its parent waits for it: thousands
        # of them would make each check slow.
        if event == "pids" if self.leaf else sum(map(procfs.threads, pids)) > self.most_tasks(limits):
            exited = sum(not procfs.is_alive(pid) for pid in pids)
            also = " and processes that it has not waited for" if exited > room else ""
            return "processes", f"had more than {THREADS * most} threads{also}"
        return None

    def memory_violation(self, limits: Limits, pids: list[int], event: str) -> Violation | None:
        """The violation if the processes of the bot use too much memory together; None if not.

        In a control group, its `exceeded_limit` (`event`) says so, and `pids` do not count.
        """
        most = limits["memory"]
        # The sum of resident sizes is too large, because each counts shared memory. The second measure is
        # exact, but makes the kernel walk through all mappings, so it is read only if the first is above.
        sizes = procfs.resident, procfs.proportional
        if event == "memory" if self.leaf else all(sum(map(size, pids)) > most for size in sizes):
            return "memory", f"used more than {_megabytes(most)} of memory"
        return None

    def cpu_violation(self, limits: Limits) -> Violation | None:
        """The violation if a process of the bot had used too much CPU time at the last check; None if not."""
        over = max(self.cpu_ns.values(), default=0) > limits["cpu"] * 1e9
        return ("crashed", f"used more than {limits['cpu']:g} s of CPU time") if over else None

    def disk_violation(self, limits: Limits) -> Violation | None:
        """The violation if files in $TMPDIR, or a build's new files, are too large or hidden; else None.

        In a box the kernel limits /tmp, so only builds are checked.
        """
        most = limits["disk"]
        used = disk_use(self.home, most) if self.home else 0
        if used > most:
            why = f"had more than {_megabytes(most)} in $TMPDIR" if used < inf else "hid files in $TMPDIR"
            return "crashed", why
        if any(disk_use(folder, most + size) > most + size for folder, size in self.sizes.items()):
            return "crashed", f"wrote more than {_megabytes(most)}"
        return None


def launch(descriptors: Sequence[int], request: StartRequest, leaf: str = "") -> SupervisedProcess:
    """Start a command with three descriptors as stdin, stdout and stderr.

    `leaf` is a control group for a box, or "".

    Raises:
        OSError: The start fails.
        ValueError: The command contains a zero byte.
    """
    stdin, stdout, stderr = descriptors
    home = request["home"]

    def popen(command: list[str], inherited: Sequence[int] = ()) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            command, cwd=request["folder"], env=request["environment"], start_new_session=True,
            stdin=stdin, stdout=stdout, stderr=stderr, pass_fds=inherited,
        )  # fmt: skip

    if home:  # the tier `limits`
        os.mkdir(home, 0o700)
        user = users.random_id() if request["own_user"] else None
        if user is not None:
            os.chown(home, user, user)
        process = restrictions.start(lambda: popen(request["command"]), request, user)
        return SupervisedProcess(process, request)
    # bwrap reads the filter from a descriptor, to the end: each box needs its own file. bwrap installs it
    # last, because it uses calls that the filter refuses.
    bwrap, *options = request["command"]
    compiled = restrictions.filter_for(request)
    files = [compiled.open()] if compiled else []
    filters = [word for file in files for word in ("--seccomp", str(file))]
    command = [bwrap, *UNSHARE, *filters, *options]
    try:
        process = popen(cgroup.command_in(leaf, command) if leaf else command, files)
        return SupervisedProcess(process, request, leaf)
    finally:
        for file in files:
            os.close(file)


def _megabytes(size: float) -> str:
    return f"{size / _MB:g} MB"
