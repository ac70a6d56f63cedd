"""The main program of the supervisor; the docstring of the package has its theory of operation."""

import contextlib
import json
import os
import select
import signal
import socket
import sys
import time

from arena.programs.sandbox.linux import cgroup, procfs, subreaper
from arena.programs.sandbox.linux.folders import remove
from arena.programs.sandbox.linux.rlimits import confine, prefer_for_oom_kill
from arena.programs.sandbox.linux.signals import kill_all, send
from arena.programs.sandbox.supervisor.messages import Limits, Reply, Request, StartRequest, Violation
from arena.programs.sandbox.supervisor.process import BOX_PROCESSES, THREADS, SupervisedProcess, launch

CHECK_SHARE = 0.01  # the share of a core for the checks of all bots
_PERIOD_S, _MAX_PERIOD_S = 0.02, 0.5  # bounds of the average time between two checks
_SUM_SHARE = 0.01  # the share of a core for sums of memory and disk, per bot
_MAX_PAUSE_S = 2.0  # between two sums
_KILL_TIMEOUT_S = 1.0  # to kill orphans: forking ones must not stop all checks


class _Supervisor:
    """Starts the bots of one worker, checks their usage, and kills them."""

    def __init__(self, control: socket.socket, folder: str, limits: Limits, group: str):
        self.control, self.limits = control, limits  # the socket of the worker, and the limits of the plan
        self.folder, self.group = folder, group  # removed at the end; the control group may be ""
        self.started = 0  # the number of starts so far, which names the control groups
        self.bots: dict[int, SupervisedProcess] = {}
        # The list for `stale` is written line by line: it must be complete if this process is killed.
        self.log = open(os.path.join(folder, "pids"), "a", buffering=1)  # noqa: SIM115 (for good)

    def run(self) -> None:
        """Run until the worker is gone: the kernel closes its end of the socket even if it is killed."""
        child_exits = _wake_on_children()
        poller = select.poll()
        poller.register(self.control, select.POLLIN)
        poller.register(child_exits, select.POLLIN)
        next_check = 0.0
        try:
            while True:
                began = time.thread_time()
                deadlines = [bot.deadline for bot in self.bots.values() if bot.deadline is not None]
                pause = max(0.0, min([next_check, *deadlines]) - time.monotonic()) * 1000
                # Without bots there are no checks: sleep until the next request of the worker.
                for descriptor, _ in poller.poll(pause if self.bots else None):
                    if descriptor == child_exits:
                        os.read(child_exits, 4096)
                        self.reap()
                    elif not self.read_requests():
                        return
                    began = time.thread_time()  # the time of requests does not count
                for bot in list(self.bots.values()):
                    if bot.deadline is not None and bot.deadline <= time.monotonic():
                        self.finish(bot)
                if time.monotonic() >= next_check:
                    self.check_all()
                    next_check = time.monotonic() + random_pause(time.thread_time() - began)
        finally:
            self.end_all()

    def send(self, reply: Reply) -> None:
        with contextlib.suppress(OSError):  # the worker is gone: the next read will notice it
            self.control.sendall(json.dumps(reply).encode() + b"\n")

    def read_requests(self) -> bool:
        """Read and handle the waiting requests; returns whether the worker still exists."""
        data, descriptors = b"", []
        # A request is a line, which may arrive in parts. Its descriptors arrive with the first part.
        while not data.endswith(b"\n"):
            try:
                part, more, _, _ = socket.recv_fds(self.control, 65536, 3)
            except OSError:  # such as ECONNRESET
                return False
            if not part:
                return False
            data += part
            descriptors += more
        # There are several if the worker stopped waiting for a reply. At most one is a start: the kernel ends
        # a read after data with descriptors (unix(7)).
        for line in data.splitlines():
            self.handle_request(json.loads(line), descriptors)
        return True

    def handle_request(self, request: Request, descriptors: list[int]) -> None:
        """Carry out a request, and reply. The reply to `end` follows when the bot has ended."""
        reply = Reply(id=request["id"])
        if "start" in request:
            reply.update(self.start(request["start"], descriptors))
        elif "check" in request:  # the kernel kills at once, before the supervisor looks again
            bot = self.bots.get(request["check"])
            if bot and bot.leaf and not bot.killed:
                self.kill_on_violation(bot, bot.kernel_violation(self.limits))
        elif "forget" in request:
            self.bots[request["forget"]].has_children = False
        else:
            bot = self.bots[request["end"]]
            bot.deadline, bot.end_request = time.monotonic() + request["grace"], request["id"]
            return self.reap()  # `finish` sends the reply
        self.send(reply)

    def start(self, request: StartRequest, descriptors: list[int]) -> Reply:
        """Start a bot, in a control group of its own if they are used; returns the reply, without an id."""
        leaf = ""
        try:
            if self.group:
                self.started += 1
                memory = self.limits["memory"] + self.limits["disk"]  # the /tmp of a box is memory as well
                tasks = THREADS * self.limits["processes"] + BOX_PROCESSES
                leaf = cgroup.create_leaf(self.group, self.started, memory, tasks)
            bot = launch(descriptors, request, leaf)
        except (OSError, ValueError) as error:  # ValueError: a zero byte in the command
            remove(request["home"])
            cgroup.remove(leaf)
            return {
                "error": getattr(error, "strerror", None) or str(error),
                "errno": getattr(error, "errno", 0),
            }
        finally:
            for descriptor in descriptors:
                os.close(descriptor)
        self.bots[bot.pid] = bot
        self.register(bot.pid, bot)
        return {"pid": bot.pid}

    def register(self, pid: int, bot: SupervisedProcess) -> None:
        """Make a bot's new process an early victim if memory runs out, and list it for `stale`."""
        # `stale` finds other processes by the session of the bot, and those in a box die with it.
        prefer_for_oom_kill(pid)
        if pid == bot.pid or (bot.home and procfs.session(pid) != bot.pid):
            with contextlib.suppress(OSError):  # a full disk
                self.log.write(f"{pid} {procfs.birth(pid)}\n")

    # Checking

    def check_all(self) -> None:
        """Check the bots that have computed since the last check, or whose memory and disk sums are due."""
        alive = [bot for bot in self.bots.values() if bot.status is None and not bot.killed]
        if due := [bot for bot in alive if bot.has_run() or bot.is_sum_due]:
            # A process that left the session of its bot could be any bot's once its parent has exited. But
            # then it is an orphan here, and is killed.
            adopted = self.kill_orphans()
            for bot in due:
                self.check(bot, adopted)

    def check(self, bot: SupervisedProcess, adopted: list[int]) -> None:
        """Check a bot's usage; kill it if a limit is broken. `adopted` are orphans of living bots."""
        # The search ends at a violation: while a bot forks without end, a search for all processes would
        # never end.
        most = bot.most_tasks(self.limits)
        pids = bot.members(adopted, most)[: most + 1]
        for pid in pids:
            if pid not in bot.cpu_ns:
                self.register(pid, bot)
        bot.cpu_ns = {pid: procfs.cpu_ns(pid) for pid in pids}
        alone = bot.box_processes + 1
        # The worker charges a bot with children wall time (`play.meter`). The kernel lists zombies until they
        # are reaped, but they do not count. This slower check comes second.
        if not bot.has_children and len(pids) > alone and sum(map(procfs.is_alive, pids)) > alone:
            bot.has_children = True
            self.send({"children": bot.pid})
        event = cgroup.exceeded_limit(bot.leaf)
        violation = bot.process_violation(self.limits, pids, event) or bot.cpu_violation(self.limits)
        # The next sums wait for a hundred times the duration of the last ones. Until then, the bot is checked
        # even if it sleeps: it may have filled the disk before.
        bot.is_sum_due = True
        if not violation and time.monotonic() >= bot.next_sum:
            began, bot.is_sum_due = time.thread_time(), False
            violation = bot.memory_violation(self.limits, pids, event) or bot.disk_violation(self.limits)
            pause = (time.thread_time() - began) / _SUM_SHARE
            bot.next_sum = time.monotonic() + min(pause, _MAX_PAUSE_S)
        self.kill_on_violation(bot, violation)

    def kill_on_violation(self, bot: SupervisedProcess, violation: Violation | None) -> None:
        """Report a violation and kill the bot; if there is none (None), do nothing."""
        if violation:  # the report goes first: the end of a pipe tells the worker
            self.send({"violation": (bot.pid, *violation)})
            self.kill(bot)

    # Ending

    def reap(self) -> None:
        """Note exited bots with their statuses; finish bots whose end was requested; kill orphans."""
        for bot in list(self.bots.values()):
            # It was not killed here. In a control group the kernel may have killed it.
            if bot.status is None and bot.has_exited() and bot.leaf and not bot.killed:
                self.kill_on_violation(bot, bot.kernel_violation(self.limits))
            if bot.status is not None and bot.deadline is not None:
                self.finish(bot)
        self.kill_orphans()

    def finish(self, bot: SupervisedProcess) -> None:
        """End a bot as requested: kill its remaining processes, remove its $TMPDIR, and send the reply."""
        status = None if bot.killed else bot.status  # before `kill` sets `status`
        if bot.status is None:
            self.kill(bot)
        bot.process.wait()  # now its PID may be reused
        del self.bots[bot.pid]
        self.kill_orphans()  # no process of it may run after the reply
        remove(bot.home)
        self.send({"id": bot.end_request, "status": status})
        cgroup.remove(bot.leaf)  # this may take a second, and the worker waits for the reply

    def kill(self, bot: SupervisedProcess) -> None:
        """Kill a bot with all its descendants, and wait until it has exited."""
        bot.killed = True
        if bot.status is None:
            if bot.home:
                kill_all(lambda: bot.members(subreaper.reap_orphans(self.bots)))
            else:  # the kernel kills a leaf as a whole, and a box when bwrap dies (--die-with-parent)
                cgroup.kill(bot.leaf)
                send(bot.pid, signal.SIGKILL)
            bot.has_exited(wait=True)
        self.kill_orphans()

    def kill_orphans(self) -> list[int]:
        """Kill the orphans that belong to no living bot; returns the PIDs of the remaining ones."""
        alive = [pid for pid, bot in self.bots.items() if bot.status is None]
        return subreaper.kill_orphans(self.bots, spared=alive, timeout=_KILL_TIMEOUT_S)

    def end_all(self) -> None:
        """Kill all bots and orphans, and remove the control group and the folder."""
        for bot in list(self.bots.values()):
            self.kill(bot)
        self.bots.clear()
        subreaper.kill_orphans()
        cgroup.remove(self.group)
        remove(self.folder)


def random_pause(cpu_s: float) -> float:
    """The seconds until the next check, after one that took `cpu_s`; random, and unpredictable for bots."""
    mean = min(max(_PERIOD_S, cpu_s / CHECK_SHARE), _MAX_PERIOD_S)
    return 2 * mean * os.urandom(1)[0] / 255  # evenly from 0 to twice the mean


def _wake_on_children() -> int:
    """Catch signals; returns a descriptor that becomes readable after one, such as SIGCHLD."""
    # A signal does not end a poll (PEP 475), so the interpreter writes a byte for each. A full pipe is no
    # problem: one byte is enough to wake up.
    woken, wake = os.pipe()
    os.set_blocking(wake, False)
    signal.set_wakeup_fd(wake, warn_on_full_buffer=False)
    for number in (signal.SIGCHLD, signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        # Only the end of the socket ends the supervisor. Bots would inherit SIG_IGN through exec, and no byte
        # would be written.
        signal.signal(number, lambda *_: None)
    return woken


def main() -> None:
    control, lock, folder, limits_json, group, boxed = sys.argv[1:]
    for descriptor in (control, lock):  # this process holds the lock while it lives
        os.set_inheritable(int(descriptor), False)
    limits: Limits = json.loads(limits_json)
    # In this order: orphans must have a parent here before the first bot, and limits are inherited.
    subreaper.become()
    confine(limits["memory"], limits["disk"], bool(boxed))
    if group:
        cgroup.create(group)
    _Supervisor(socket.socket(fileno=int(control)), folder, limits, group).run()
