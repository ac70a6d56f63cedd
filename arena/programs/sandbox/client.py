"""The client of a supervisor, in a worker: it sends requests, and receives replies and reports."""

import contextlib
import errno
import functools
import json
import os
import select
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import arena
from arena.config.document import MachineError
from arena.programs.bot import Bot
from arena.programs.sandbox import stale
from arena.programs.sandbox.linux import subreaper
from arena.programs.sandbox.linux.folders import remove
from arena.programs.sandbox.linux.rlimits import most_tasks
from arena.programs.sandbox.policy import Sandbox
from arena.programs.sandbox.supervisor.messages import Reply, Request, StartRequest, Violation

_ROOT = str(Path(arena.__file__).parent.parent)
_SUPERVISOR = "arena.programs.sandbox.supervisor.main"
PROGRAM = f"import sys; sys.path.append(sys.argv.pop(1)); from {_SUPERVISOR} import main; main()"
_REPLY_TIMEOUT_S = 60.0
SHORTAGE_TIMEOUT_S = 20.0  # to retry a start if the machine is short of resources
_GENERATION_TIMEOUT_S = 300.0  # for another generation, which may still play on a cluster
_supervisors: set[int] = set()  # PIDs of this process's supervisors, which are not orphans
_SHORTAGES = {errno.EAGAIN, errno.ENOMEM, errno.ENOSPC, errno.EDQUOT, errno.EMFILE, errno.ENFILE}


class SupervisorLost(MachineError):
    """Raised if the supervisor cannot be started, has died or does not answer. No bot is at fault."""


class Shortage(SupervisorLost):
    """Raised if a bot cannot be started for lack of memory, disk, processes or descriptors."""


class SupervisorClient:
    """Starts a supervisor, and asks it to start and end bots.

    All bots are killed when it is closed, and when this process exits. `generation` is the generation of its
    bots (`stale.create_folder`).

    Raises:
        SupervisorLost: The supervisor cannot be started, a method gets no reply, or another generation of the
            same run has not ended.
    """

    def __init__(self, sandbox: Sandbox, generation: str = ""):
        subreaper.become()  # if the supervisor is killed, its bots become children of this process
        stale.clean_up()
        self.sandbox = sandbox
        self._prepare = functools.cache(self._start_request)  # the search for the installation takes 1 ms
        self.violations: dict[int, Violation] = {}  # by the PID of the first process of a bot
        self.parents: set[int] = set()  # the PIDs of the first processes of bots with children
        self._folder, lock = stale.create_folder(generation)
        if generation:
            try:
                stale.wait_for_others(generation, _GENERATION_TIMEOUT_S)
            except BaseException as error:
                remove(self._folder)
                os.close(lock)
                if isinstance(error, TimeoutError):
                    raise SupervisorLost(f"processes that have seen its deal still live: {error}") from None
                raise
        self._unread = b""
        self._requests = 0
        self._socket, theirs = socket.socketpair()
        self._poller = select.poll()
        self._poller.register(self._socket, select.POLLIN)
        limits = json.dumps(vars(sandbox.limits))
        group = stale.choose_group(self._folder, sandbox.group) if sandbox.group else ""
        arguments = [str(theirs.fileno()), str(lock), self._folder, limits, group]
        try:
            self._process = subprocess.Popen(
                [sys.executable, "-I", "-S", "-c", PROGRAM, _ROOT, *arguments, "boxed" * sandbox.boxed],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                pass_fds=(theirs.fileno(), lock),
                start_new_session=True,  # a Ctrl-C in the terminal does not reach it
            )
        except OSError as error:
            self._socket.close()
            remove(self._folder)
            raise SupervisorLost(f"the supervisor cannot be started: {error}") from None
        finally:
            theirs.close()
            os.close(lock)
        _supervisors.add(self._process.pid)

    def start(
        self, bot: Bot, command: Sequence[str], descriptors: Sequence[int], writable: Sequence[Path] = ()
    ) -> int:
        """Start a command with `descriptors` as stdin, stdout, stderr; returns the PID of it or its box.

        The command may write to the `writable` folders.

        Raises:
            OSError: It cannot be started.
            Shortage: The machine had no room for it for 20 s.
        """
        request = self._prepare(bot, tuple(command), tuple(writable))
        if not self.sandbox.boxed:
            # No other bot can reach this folder: it cannot list the one above, and cannot guess the name.
            home = f"{self._folder}/{os.urandom(8).hex()}"
            variables = environment(home, request["environment"]["PATH"])
            request = {**request, "home": home, "environment": variables}
        end = time.monotonic() + SHORTAGE_TIMEOUT_S
        while "error" in (reply := self._call({"start": request}, descriptors)):
            if reply["errno"] not in _SHORTAGES:
                raise OSError(reply["errno"], reply["error"])
            if time.monotonic() > end:
                most = most_tasks() if reply["errno"] == errno.EAGAIN else None
                limit = f" (ulimit -u: a user may have {most} processes and threads)" if most else ""
                raise Shortage(f"this machine cannot start another process: {reply['error']}{limit}")
            time.sleep(0.05)
        pid = reply["pid"]
        self.violations.pop(pid, None)  # from an earlier process with this PID
        self.parents.discard(pid)
        return pid

    def _start_request(self, bot: Bot, command: Sequence[str], writable: Sequence[Path]) -> StartRequest:
        """The request to start this command. Outside a box, `start` adds a new $TMPDIR each time."""
        sandbox = self.sandbox
        return {
            "command": sandbox.command(bot, command, writable),
            "folder": "/" if sandbox.boxed else str(bot.folder),
            "environment": environment("/tmp", sandbox.path(bot, command)),
            "home": "",
            "readable": [] if sandbox.boxed else sandbox.readable_paths(bot, command),
            "writable": [str(path) for path in writable],
            "own_user": not writable and sandbox.has_own_user(bot, command),
        }

    @property
    def pid(self) -> int:
        """The PID of the supervisor."""
        return self._process.pid

    def end(self, pid: int, grace: float) -> int | None:
        """Wait up to `grace` seconds until a bot exits, then kill its remaining processes.

        Returns its exit status or -signal; None if it was killed, because it had not exited or broke a limit.
        """
        status = self._call({"end": pid, "grace": grace}, timeout=_REPLY_TIMEOUT_S + grace)["status"]
        if status is not None and 128 < status <= 128 + signal.NSIG and self.sandbox.boxed:
            return 128 - status  # bwrap reports a signal that killed its program so
        return status

    def violation(self, pid: int) -> Violation | None:
        """The limit that a bot has broken, or None. `pid` is from `start`."""
        if self.sandbox.group:  # the kernel may have killed it unnoticed
            self._call({"check": pid})
        self.process_events()
        return self.violations.get(pid)

    def forget_children(self, pid: int) -> None:
        """Remove a bot from `parents` until a later check finds children of it."""
        self._call({"forget": pid})  # the reply follows all earlier reports
        self.parents.discard(pid)

    def process_events(self) -> None:
        """Update `violations` and `parents` from waiting reports.

        Raises:
            SupervisorLost: The supervisor has died.
        """
        while self._poller.poll(0):
            self._receive()

    def close(self) -> None:
        """End the supervisor with all its bots, and wait until that is done."""
        self.abandon()
        self._socket.close()
        is_killed = self._process.wait() != 0
        _supervisors.discard(self._process.pid)
        if is_killed:  # do the supervisor's work
            subreaper.kill_orphans(_supervisors)
            with contextlib.suppress(OSError):
                stale.clean_up_folder(Path(self._folder))

    def abandon(self) -> None:
        """Tell the supervisor to kill all bots and to exit; do not wait for that. Any thread may do so."""
        with contextlib.suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)

    def _call(
        self, request: Request, descriptors: Sequence[int] = (), timeout: float = _REPLY_TIMEOUT_S
    ) -> Reply:
        """Send a request and these descriptors; returns the reply.

        Raises:
            SupervisorLost: The supervisor has died, or sends nothing for `timeout` seconds.
        """
        self._socket.settimeout(timeout)
        self._requests += 1  # a late reply to an interrupted call has another id
        request["id"] = self._requests
        try:
            line = json.dumps(request).encode() + b"\n"
            sent = socket.send_fds(self._socket, [line], descriptors)
            self._socket.sendall(line[sent:])
        except OSError as error:
            raise SupervisorLost(f"cannot write to the supervisor: {error}") from None
        while True:
            for reply in self._receive():
                if reply["id"] == self._requests:
                    return reply

    def _receive(self) -> list[Reply]:
        """Wait for messages of the supervisor; note the reports, and return the replies."""
        try:
            data = self._socket.recv(65536)
        except OSError as error:
            raise SupervisorLost(f"cannot read from the supervisor: {error}") from None
        if not data:
            raise SupervisorLost("the supervisor has died")
        *lines, self._unread = (self._unread + data).split(b"\n")
        messages: list[Reply] = list(map(json.loads, lines))
        for message in messages:
            if "violation" in message:
                pid, kind, detail = message["violation"]
                self.violations[pid] = kind, detail
            elif "children" in message:
                self.parents.add(message["children"])
        return [message for message in messages if "id" in message]


def environment(temporary: str, path: str) -> dict[str, str]:
    """The environment variables of a bot. None is the user's, except $PATH if the caller passes it.

    `temporary` is its home and temporary folder, `path` its $PATH.
    """
    same = {"LANG": "C.UTF-8", "PYTHONHASHSEED": "0"}  # the second: the same order of sets in every run
    return {"PATH": path, "HOME": temporary, "TMPDIR": temporary, **same}
