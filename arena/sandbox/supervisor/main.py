"""The supervisor: a small process that starts bots, watches what they use, and ends all that they started.

Every bot descends from a supervisor, and orphaned descendants of a bot become the supervisor's own children.
So it can find them all, whatever they do; and because its referee does nothing but hold a socket to it, it
ends them all when that referee is gone, by `kill -9` too. It stays small, and so a start costs the same
however large the referee is. It is a program of its own, with nothing but the standard library.

A request is a line of JSON with at most three descriptors, and so is the reply:

    {"order": 1, "start": COMMAND, "folder": …, "environment": …, "home": …, "readable": …, "writable": …}
        ->  {"order": 1, "pid": N} or "error": WORDS
    {"order": 2, "check": PID}
        ->  {"order": 2}, after the fault if there is one
    {"order": 3, "end": PID, "grace": SECONDS}
        ->  {"order": 3, "status": N}, null if it had to be killed

and without being asked it says {"fault": [PID, KIND, WORDS]} before it kills a bot that breaks a limit.
"""

import contextlib
import json
import os
import select
import signal
import socket
import sys
import time

from arena.sandbox.linux import cgroup, procfs, subreaper
from arena.sandbox.linux.ending import freeze, remove, send
from arena.sandbox.linux.rlimits import confine, end_after, kill_first
from arena.sandbox.supervisor.process import SupervisedProcess, launch, leaf_for
from arena.sandbox.supervisor.restrictions import Restrictions

PERIOD, LONGEST = 0.02, 0.1  # seconds between two looks
PATIENCE = 1.0  # seconds for which orphans are hunted before anything else is done


class Supervisor:
    """`limits` are the plan's; `folder` is removed at the end, and so is `group`, a control group or "".

    `boxed` says that the commands are bubblewrap's.
    """

    def __init__(self, control: socket.socket, folder: str, limits: dict, group: str, boxed: bool):
        self.control, self.folder, self.limits, self.group = control, folder, limits, group
        self.started = 0
        self.fence = Restrictions(boxed)
        self.bots: dict[int, SupervisedProcess] = {}
        self.next_look = 0.0
        self.log = open(os.path.join(folder, "pids"), "a", buffering=1)  # noqa: SIM115 (for good)

    def run(self) -> None:
        """Until the referee is gone."""
        woken = wake_on_children()
        poller = select.poll()
        poller.register(self.control, select.POLLIN)
        poller.register(woken, select.POLLIN)
        try:
            while True:
                for descriptor, _ in poller.poll(self.rest()):
                    if descriptor == woken:
                        os.read(woken, 4096)
                        self.reap()
                    elif not self.read_requests():
                        return
                now = time.monotonic()
                if self.bots and now >= self.next_look:
                    self.next_look = time.monotonic() + self.watch()
                for bot in list(self.bots.values()):
                    if bot.deadline is not None and bot.deadline <= now:
                        self.finish(bot)
        finally:
            self.end_everything()

    def rest(self) -> float | None:
        """Milliseconds until there is something to do."""
        if not self.bots:
            return None
        ends = [bot.deadline for bot in self.bots.values() if bot.deadline is not None]
        return max(0.0, min([self.next_look, *ends]) - time.monotonic()) * 1000

    def say(self, **message: object) -> None:
        with contextlib.suppress(OSError):  # the referee has gone: the next read will tell
            self.control.sendall(json.dumps(message).encode() + b"\n")

    def read_requests(self) -> bool:
        """Do what is asked; False when nobody asks any more."""
        data, given = b"", []
        while not data.endswith(b"\n"):
            try:
                part, more, _, _ = socket.recv_fds(self.control, 65536, 3)
            except OSError:
                part, more = b"", []
            if not part:
                return False
            data += part
            given += more
        for line in data.splitlines():  # more than one if a call was broken off, and another has followed
            self.handle_request(json.loads(line), given)
        return True

    def handle_request(self, order: dict, given: list[int]) -> None:
        if "start" in order:
            self.say(order=order["order"], **self.start(given, order))
        elif "check" in order:
            self.check(self.bots.get(order["check"]))
            self.say(order=order["order"])
        else:
            bot = self.bots[order["end"]]
            bot.deadline, bot.order = time.monotonic() + order["grace"], order["order"]
            self.reap()

    def start(self, given: list[int], order: dict) -> dict:
        home, leaf = order["home"], ""
        try:
            if self.group:
                self.started += 1
                leaf = leaf_for(self.group, self.started, self.limits)
            bot = launch(given, order, self.fence, leaf)
        except (OSError, ValueError) as error:  # the second for a zero byte in a word
            remove(home)
            cgroup.remove(leaf)
            return {
                "error": getattr(error, "strerror", None) or str(error),
                "errno": getattr(error, "errno", 0),
            }
        finally:
            for descriptor in given:
                os.close(descriptor)
        self.bots[bot.pid] = bot
        self.note(bot, [bot.pid])
        return {"pid": bot.pid}

    def note(self, bot: SupervisedProcess, pids: list[int]) -> None:
        """Limit what each may compute, and write down that it lives, for whoever comes after us.

        A box may have begun its program before it got its limit; so everybody gets it who is seen.
        """
        for pid in pids:
            if pid not in bot.seen:
                bot.seen.add(pid)
                end_after(pid, self.limits["cpu"])
                kill_first(pid)
                with contextlib.suppress(OSError):
                    self.log.write(f"{pid} {procfs.birth(pid)}\n")

    # Watching

    def watch(self) -> float:
        """Find who breaks a limit, and whoever has got away from his bot; seconds until the next look.

        Looking takes about a fiftieth of a core, unless there is very much to look at.
        """
        self.reap()
        began, guilty = time.process_time(), []
        for bot in list(self.bots.values()):
            if bot.status is None and not bot.killed:
                pids = bot.family()
                self.note(bot, pids)
                fault = bot.violation(self.limits, pids)
                if fault:
                    guilty.append((bot, fault))
        cost = time.process_time() - began
        for bot, fault in guilty:
            self.report_violation(bot, fault)
        return min(max(PERIOD, 50 * cost), LONGEST)

    def check(self, bot: SupervisedProcess | None) -> None:
        """Look whether the kernel has stopped a bot at a limit: it may have died before anybody looked."""
        if bot and bot.leaf and not bot.killed and (fault := bot.violation(self.limits, [])):
            self.report_violation(bot, fault)

    def report_violation(self, bot: SupervisedProcess, fault: tuple[str, str]) -> None:
        self.say(fault=[bot.pid, *fault])
        self.kill(bot)

    # Ending

    def reap(self) -> None:
        """Notice who has ended by itself: its children go with it, and who waits for its end is told."""
        for bot in list(self.bots.values()):
            if bot.status is None and bot.process.poll() is not None:
                bot.status = bot.process.returncode
                self.check(bot)
                self.kill_orphans()
            if bot.status is not None and bot.deadline is not None:
                self.finish(bot)
        self.kill_orphans()

    def finish(self, bot: SupervisedProcess) -> None:
        """The end that somebody waits for, with force if need be."""
        status = None if bot.killed else bot.status
        if bot.status is None:
            self.kill(bot)
        del self.bots[bot.pid]
        if bot.home:
            remove(bot.home)
        self.say(order=bot.order, status=status)
        cgroup.remove(bot.leaf)

    def kill(self, bot: SupervisedProcess) -> None:
        """Kill a bot and all that belongs to it. Whoever forks meanwhile is stopped first."""
        bot.killed = True
        cgroup.kill(bot.leaf)
        pids = bot.family()
        if len(pids) > 1:
            pids = freeze(lambda: bot.family())
        for pid in pids:
            send(pid, signal.SIGKILL)
        bot.status = bot.process.wait()
        self.kill_orphans()

    def kill_orphans(self) -> None:
        """Kill the children that were left to us, until no more turn up; bury those of living bots.

        A bot leads its own session, so orphans in there belong to it and live as long as it does.
        Killing a orphan hands us its own children, hence the loop. Where there are ever more of them,
        all are stopped before any is killed.
        """
        end, rounds = time.monotonic() + PATIENCE, 0
        while (orphans := self.orphans()) and time.monotonic() < end:
            rounds += 1
            if rounds > 5:
                orphans = freeze(lambda: [pid for orphan in self.orphans() for pid in procfs.tree(orphan)])
            for pid in orphans:
                send(pid, signal.SIGKILL)
            for pid in orphans:
                with contextlib.suppress(ChildProcessError):
                    os.waitpid(pid, 0 if rounds <= 5 else os.WNOHANG)

    def orphans(self) -> list[int]:
        found, homes = [], {pid for pid, bot in self.bots.items() if bot.status is None}
        for pid in procfs.children(os.getpid()):
            if pid in self.bots:
                continue
            with contextlib.suppress(ChildProcessError):
                if os.waitpid(pid, os.WNOHANG)[0] == 0 and procfs.session(pid) not in homes:
                    found.append(pid)
        return found

    def end_everything(self) -> None:
        for bot in self.bots.values():
            if bot.status is None:
                send(bot.pid, signal.SIGKILL)
        for bot in list(self.bots.values()):
            if bot.status is None:
                self.kill(bot)
        self.bots.clear()
        while self.orphans():
            self.kill_orphans()
        cgroup.remove(self.group)
        remove(self.folder)


def wake_on_children() -> int:
    """A descriptor that can be read when a child has ended."""
    woken, wake = os.pipe()
    os.set_blocking(wake, False)
    signal.set_wakeup_fd(wake, warn_on_full_buffer=False)
    for number in (signal.SIGCHLD, signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda *_: None)  # only the end of the referee ends us
    return woken


def main() -> None:
    control, lock, folder, terms, group, boxed = sys.argv[1:]
    for descriptor in (control, lock):  # the lock is held as long as we live
        os.set_inheritable(int(descriptor), False)
    limits = json.loads(terms)
    subreaper.become()
    confine(limits)
    if group:
        cgroup.create(group)
    Supervisor(socket.socket(fileno=int(control)), folder, limits, group, bool(boxed)).run()
