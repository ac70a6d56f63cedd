"""One bot process: started, written to, read from, and ended with all that it has started."""

import contextlib
import os
import signal
import subprocess
import time

from arena import sandbox
from arena.bot import Bot, environment
from arena.meter import Meter, family
from arena.protocol import MAX_OUTPUT, BadLine, Lines

CHUNK = 65536  # bytes per read
KEEP = 2048  # bytes of stderr kept from the beginning, and as many from the end
GRACE = 0.5  # seconds that a bot has to leave after `bye`


class Player:
    """A process of a bot. `fault` says why there is none, when it could not be started.

    `asks` and `games` count what the process has had; `out`, `err` and `exit` are descriptors to poll
    (`exit` is -1 where the system has none); `meter` measures what it uses.
    """

    def __init__(self, bot: Bot, temporary: str):
        self.bot = bot
        self.asks = self.games = 0
        self.said = ""  # what it told of itself in the hello
        self.fault = ""
        self.unsent = b""
        self.room = MAX_OUTPUT  # bytes that it may still write in this game
        self.ended = False  # its stdout has ended
        self.exited = False  # as far as `has_exited` has looked
        self._paused: set[int] = set()
        self._lines = Lines()
        self._head = self._tail = b""
        self._status: int | None = None  # how it ended, if it did by itself
        self._process: subprocess.Popen[bytes] | None = None
        try:
            self._start(temporary)
        except OSError as error:
            self.fault = f"cannot be started: {error.strerror or error}"

    def _start(self, temporary: str) -> None:
        pipe = subprocess.PIPE
        self._process = subprocess.Popen(
            self.bot.command,
            cwd=self.bot.folder,
            env=environment(temporary),
            stdin=pipe,
            stdout=pipe,
            stderr=pipe,
            bufsize=0,
            start_new_session=True,
        )
        self.pid = self._process.pid
        self.stdin = self._process.stdin.fileno()
        self.out = self._process.stdout.fileno()
        self.err = self._process.stderr.fileno()
        for descriptor in (self.stdin, self.out, self.err):
            os.set_blocking(descriptor, False)
        self.exit = os.pidfd_open(self.pid) if hasattr(os, "pidfd_open") else -1
        self.meter = Meter(self.pid)

    @property
    def alive(self) -> bool:
        """Whether it can still be played with; a death is known once its stdout has ended."""
        return self._process is not None

    def write(self, data: bytes = b"") -> None:
        """Write what the pipe takes; the rest stays in `unsent`, to be tried again."""
        if self.unsent:
            data = self.unsent + data
        try:
            written = os.write(self.stdin, data) if data else 0
        except BlockingIOError:
            written = 0
        except OSError:  # it has closed its stdin: what follows from that, it will tell itself
            written = len(data)
        self.unsent = data[written:]

    def read(self) -> list[str | BadLine] | None:
        """The lines that have come; None when there will be no more."""
        try:
            data = os.read(self.out, CHUNK)
        except BlockingIOError:
            return None if self.exited else []  # who else has it open has no right to speak
        except OSError:
            return None
        if not data:
            return None
        lines = self._lines.feed(data)
        self.room -= len(data)
        if self.room < 0:
            lines.append(BadLine("flood", f"more than {MAX_OUTPUT} bytes in one game"))
        return lines

    def has_exited(self) -> bool:
        """Whether the process has ended, whoever may still have its stdout open."""
        flags = os.WEXITED | os.WNOHANG | os.WNOWAIT
        self.exited = self.exited or os.waitid(os.P_PIDFD, self.exit, flags) is not None
        return self.exited

    def read_stderr(self) -> bool:
        """Keep what the bot has written to stderr, capped; False when there will be no more."""
        try:
            data = os.read(self.err, CHUNK)
        except BlockingIOError:
            return True
        except OSError:
            return False
        room = KEEP - len(self._head)
        self._head += data[:room]
        self._tail = (self._tail + data[room:])[-KEEP:]
        return bool(data)

    def take_stderr(self) -> str:
        """Head and tail of stderr since the last call, as text."""
        if self.alive:
            self.read_stderr()
        cut = b" [...] " if len(self._tail) == KEEP else b""
        text = self._head + cut + self._tail
        self._head = self._tail = b""
        return text.decode(errors="replace")

    def death(self, grace: float = GRACE) -> str:
        """Bury a process whose stdout has ended, at the latest after `grace`; how it ended, in words."""
        if self._process is not None:
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._status = self._process.wait(grace)
            self.end()
        if self._status is None:
            words = "closed its stdout"
        elif self._status < 0:
            words = f"killed by {signal_name(-self._status)}"
        else:
            words = f"exited with status {self._status}"
        return f"{words} in the middle of a line" if self._lines.unfinished else words

    @property
    def paused(self) -> bool:
        return bool(self._paused)

    def pause(self) -> None:
        """Stop the process with all that it has started, until `resume`."""
        self.meter.mark()
        while fresh := self._members() - self._paused:  # who is stopped starts nobody
            self._paused |= fresh
            signal_all(fresh, signal.SIGSTOP)

    def resume(self) -> None:
        signal_all(self._paused, signal.SIGCONT)
        self._paused.clear()

    def _members(self) -> set[int]:
        """The process, its descendants, and orphans of its session."""
        orphans = {pid for pid in sandbox.children() if sandbox.session(pid) == self.pid}
        return {*family(self.pid), *orphans}

    def dismiss(self) -> None:
        """Tell the bot that there is nothing more to play; `end` follows."""
        if self.alive:
            self.write(b"bye\n")
            self._process.stdin.close()
            self.resume()

    def end(self, grace: float = 0.0) -> None:
        """End the process and its group, after `grace` seconds for it to leave by itself."""
        process = self._process
        if process is None:
            return
        with contextlib.suppress(subprocess.TimeoutExpired):
            if grace:
                process.wait(grace)
        sandbox.kill_group(process.pid)
        process.wait()
        self.read_stderr()  # its last words
        self._process = None
        self.meter.close()
        if self.exit >= 0:
            os.close(self.exit)
        for stream in (process.stdin, process.stdout, process.stderr):
            with contextlib.suppress(OSError):
                stream.close()


def end_all(players: list[Player], grace: float = GRACE) -> None:
    """Dismiss players together; the grace is one for all of them."""
    for player in players:
        player.dismiss()
    deadline = time.monotonic() + grace
    for player in players:
        player.end(max(0.0, deadline - time.monotonic()))


def signal_all(pids: set[int], number: int) -> None:
    for pid in pids:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.kill(pid, number)


def signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
