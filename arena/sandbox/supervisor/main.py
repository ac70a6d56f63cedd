"""The supervisor: a small program that starts bots, checks what they use, and kills all that they started.

A request is a line of JSON, at most three descriptors with it; the reply is a line of JSON:

    {"order": 1, "start": COMMAND, "folder": …, "environment": …, "home": …, "readable": …, "writable": …,
     "own_user": …}
        ->  {"order": 1, "pid": N} or "error": MESSAGE, "errno": N
    {"order": 2, "check": PID}
        ->  {"order": 2}, after the violation if there is one
    {"order": 3, "end": PID, "grace": SECONDS}
        ->  {"order": 3, "status": N}, null if it had to be killed

    {"order": 4, "forget": PID}
        ->  {"order": 4}; children are reported again, if it has any

It reports without a request: {"violation": [PID, KIND, WORDS]} before it kills a bot that breaks a limit, and
once {"children": PID} when it has seen children of a bot. (Not more often: a full socket would stop all
checks.)
"""

import contextlib
import json
import os
import select
import signal
import socket
import sys
import time

from arena.sandbox.linux import cgroup, namespaces, procfs, seccomp, subreaper
from arena.sandbox.linux.folders import remove
from arena.sandbox.linux.rlimits import confine, kill_first
from arena.sandbox.linux.signals import kill_all, send
from arena.sandbox.supervisor.process import BOX_PROCESSES, THREADS, SupervisedProcess, launch

PERIOD_S = 0.02  # between two checks, on average: a bot must not know when it is looked at
MAX_PAUSE_S = 2.0  # between two sums of memory and disk
SUM_SHARE = 0.01  # of a core, that these sums may take for each bot: it can make them expensive
KILL_TIMEOUT_S = 1.0  # for which orphans are killed before anything else is done


class Supervisor:
    """`limits` are the plan's; `folder` is removed at the end, and so is `group`, a control group or "".

    `boxed` says that the commands are bubblewrap's.
    """

    def __init__(self, control: socket.socket, folder: str, limits: dict, group: str, boxed: bool):
        self.control, self.folder, self.limits, self.group = control, folder, limits, group
        self.started = 0
        # Without the filter, bots in boxes that share a network could talk to each other.
        self.offline = boxed and seccomp.compile_filter(False) is not None and namespaces.leave()
        self.bots: dict[int, SupervisedProcess] = {}
        self.log = open(os.path.join(folder, "pids"), "a", buffering=1)  # noqa: SIM115 (for good)

    def run(self) -> None:
        """Until the referee is gone: the kernel closes its end of the socket also if it is killed."""
        woken = wake_on_children()
        poller = select.poll()
        poller.register(self.control, select.POLLIN)
        poller.register(woken, select.POLLIN)
        next_check = 0.0
        try:
            while True:
                pause = max(0.0, next_check - time.monotonic()) * 1000
                for descriptor, _ in poller.poll(pause if self.bots else None):
                    if descriptor == woken:
                        os.read(woken, 4096)
                        self.reap()
                    elif not self.read_requests():
                        return
                for bot in list(self.bots.values()):
                    if bot.deadline is not None and bot.deadline <= time.monotonic():
                        self.finish(bot)
                if time.monotonic() >= next_check:
                    self.check_all()
                    next_check = time.monotonic() + 2 * PERIOD_S * os.urandom(1)[0] / 255
        finally:
            self.end_all()

    def report(self, **message: object) -> None:
        with contextlib.suppress(OSError):  # the referee is gone: the next read will say so
            self.control.sendall(json.dumps(message).encode() + b"\n")

    def read_requests(self) -> bool:
        """Handle what has been requested; False when the referee is gone."""
        data, given = b"", []
        while not data.endswith(b"\n"):
            try:
                part, more, _, _ = socket.recv_fds(self.control, 65536, 3)
            except OSError:  # such as ECONNRESET
                return False
            if not part:
                return False
            data += part
            given += more
        for line in data.splitlines():  # more than one if a call was broken off, and another has followed
            self.handle_request(json.loads(line), given)
        return True

    def handle_request(self, order: dict, given: list[int]) -> None:
        if "start" in order:
            self.report(order=order["order"], **self.start(given, order))
        elif "check" in order:
            bot = self.bots.get(order["check"])
            if bot and bot.leaf and not bot.killed:  # the kernel may have stopped it between two checks
                self.kill_on_violation(bot, bot.violation_by_kernel(self.limits))
            self.report(order=order["order"])
        elif "forget" in order:
            bot = self.bots[order["forget"]]
            bot.has_children = False
            self.report(order=order["order"])
        else:
            bot = self.bots[order["end"]]
            bot.deadline, bot.order = time.monotonic() + order["grace"], order["order"]
            self.reap()

    def start(self, given: list[int], order: dict) -> dict:
        home, leaf = order["home"], ""
        try:
            if self.group:
                self.started += 1
                memory = self.limits["memory"] + self.limits["disk"]  # the /tmp of a box is memory, too
                tasks = THREADS * self.limits["processes"] + BOX_PROCESSES
                leaf = cgroup.leaf(self.group, self.started, memory, tasks)
            bot = launch(given, order, self.offline, leaf)
        except (OSError, ValueError) as error:  # the second for a zero byte in the command
            remove(home)
            cgroup.remove(leaf)
            words = getattr(error, "strerror", None) or str(error)
            return {"error": words, "errno": getattr(error, "errno", 0)}
        finally:
            for descriptor in given:
                os.close(descriptor)
        self.bots[bot.pid] = bot
        self.register(bot.pid, bot)
        return {"pid": bot.pid}

    def register(self, pid: int, bot: SupervisedProcess) -> None:
        """Note a new process of a bot: for `stale`, too, unless it is in the session of the bot."""
        kill_first(pid)
        if pid == bot.pid or (bot.home and procfs.session(pid) != bot.pid):
            with contextlib.suppress(OSError):  # a full disk
                self.log.write(f"{pid} {procfs.birth(pid)}\n")

    # Checking

    def check_all(self) -> None:
        """Check the bots that have computed since their last check."""
        alive = [bot for bot in self.bots.values() if bot.status is None and not bot.killed]
        if due := [bot for bot in alive if bot.has_run() or bot.is_sum_due]:
            self.kill_orphans()  # a process that has left its session is found once it is an orphan
            adopted = self.adopted()
            for bot in due:
                self.check(bot, adopted)

    def check(self, bot: SupervisedProcess, adopted: list[int]) -> None:
        pids = bot.members(adopted)
        for pid in pids:
            if pid not in bot.cpu_ns:
                self.register(pid, bot)
        bot.cpu_ns = {pid: procfs.cpu_ns(pid) for pid in pids}
        alone = bot.box_processes + 1
        if not bot.has_children and len(pids) > alone and sum(map(procfs.is_alive, pids)) > alone:
            bot.has_children = True
            self.report(children=bot.pid)
        violation = bot.process_violation(self.limits["processes"], pids)
        violation = violation or bot.cpu_violation(self.limits["cpu"])
        bot.is_sum_due = True
        if not violation and time.monotonic() >= bot.next_sum:
            began, bot.is_sum_due = time.thread_time(), False
            violation = bot.memory_violation(self.limits["memory"], pids)
            violation = violation or bot.disk_violation(self.limits["disk"])
            pause = (time.thread_time() - began) / SUM_SHARE
            bot.next_sum = time.monotonic() + min(pause, MAX_PAUSE_S)
        self.kill_on_violation(bot, violation)

    def kill_on_violation(self, bot: SupervisedProcess, violation: tuple[str, str] | None) -> None:
        if violation:
            self.report(violation=[bot.pid, *violation])
            self.kill(bot)

    # Ending

    def reap(self) -> None:
        """Read the status of processes that have exited."""
        for bot in list(self.bots.values()):
            if bot.status is None and bot.has_exited() and bot.leaf and not bot.killed:
                self.kill_on_violation(bot, bot.violation_by_kernel(self.limits))
            if bot.status is not None and bot.deadline is not None:
                self.finish(bot)
        self.kill_orphans()

    def finish(self, bot: SupervisedProcess) -> None:
        """The end that was requested; by force if the bot is still there."""
        status = None if bot.killed else bot.status
        if bot.status is None:
            self.kill(bot)
        bot.process.wait()
        del self.bots[bot.pid]
        self.kill_orphans()  # before its folder goes and its end is known: nothing of it runs any more
        remove(bot.home)
        self.report(order=bot.order, status=status)
        cgroup.remove(bot.leaf)

    def kill(self, bot: SupervisedProcess) -> None:
        bot.killed = True
        if bot.status is None:
            if bot.home:
                kill_all(lambda: bot.members(self.adopted()))
            else:  # the kernel kills a leaf whole, and a box when bwrap dies (--die-with-parent)
                cgroup.kill(bot.leaf)
                send(bot.pid, signal.SIGKILL)
            bot.has_exited(wait=True)
        self.kill_orphans()

    def kill_orphans(self) -> None:
        """Kill what bots have left to this process, until there is no more of it; reap what has exited.

        An orphan in the session of a living bot belongs to that bot. If an orphan is killed, its own children
        become orphans, hence the loop.
        """
        end = time.monotonic() + KILL_TIMEOUT_S
        while (orphans := self.orphans()) and time.monotonic() < end:
            kill_all(lambda: [pid for orphan in self.orphans() for pid in procfs.tree(orphan)])
            for pid in orphans:
                with contextlib.suppress(ChildProcessError):
                    os.waitpid(pid, 0)

    def orphans(self) -> list[int]:
        """Living children of this process that belong to no living bot. Those that have exited are reaped."""
        found, alive = [], {pid for pid, bot in self.bots.items() if bot.status is None}
        for pid in self.adopted():
            with contextlib.suppress(ChildProcessError):
                if os.waitpid(pid, os.WNOHANG)[0] == 0 and procfs.session(pid) not in alive:
                    found.append(pid)
        return found

    def adopted(self) -> list[int]:
        """Processes that have become children of this one when their parents exited."""
        return [pid for pid in procfs.children(os.getpid()) if pid not in self.bots]

    def end_all(self) -> None:
        for bot in list(self.bots.values()):
            self.kill(bot)
        self.bots.clear()
        while self.orphans():
            self.kill_orphans()
        cgroup.remove(self.group)
        remove(self.folder)


def wake_on_children() -> int:
    """A descriptor that can be read when a child has exited."""
    woken, wake = os.pipe()
    os.set_blocking(wake, False)
    signal.set_wakeup_fd(wake, warn_on_full_buffer=False)
    for number in (signal.SIGCHLD, signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda *_: None)  # only the end of the referee ends the supervisor
    return woken


def main() -> None:
    control, lock, folder, terms, group, boxed = sys.argv[1:]
    for descriptor in (control, lock):  # the lock is held as long as this process lives
        os.set_inheritable(int(descriptor), False)
    limits = json.loads(terms)
    subreaper.become()
    confine(limits)
    if group:
        cgroup.create(group)
    Supervisor(socket.socket(fileno=int(control)), folder, limits, group, bool(boxed)).run()
