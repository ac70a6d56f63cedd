"""One bot process: started, written to, read from, and ended with all that it has started."""

import os
import signal
import time
from pathlib import Path

from arena.core.bot import Bot, shebang
from arena.core.config import ConfigError
from arena.play.meter import Meter
from arena.referee.protocol import BadLine, FaultKind, Lines
from arena.sandbox.client import SandboxedProcess, SupervisorClient, status_words
from arena.sandbox.linux.procfs import cpu_clock, state
from arena.sandbox.linux.signals import freeze, send

CHUNK = 65536  # bytes per read
KEEP = 2048  # bytes of stderr kept from the beginning, and as many from the end
GRACE = 0.5  # seconds that a bot has to leave after `bye`


class Player:
    """A process of a bot. `fault` says why there is none, when it could not be started.

    `asks` and `games` count what the process has had; `out` and `err` are descriptors to poll, which end
    with the process, as the supervisor also ends everything else that has them open; `meter` measures what
    the process uses.
    """

    def __init__(self, bot: Bot, supervisor: SupervisorClient):
        self.bot = bot
        self.asks = self.games = 0
        self.said = ""  # what it told of itself in the hello
        self.fault = ""
        self.unsent = b""
        self.written = 0  # bytes to stdout in this game
        self.ended = False  # its stdout has ended
        self._paused: list[int] = []
        self._lines = Lines()
        self._head = self._tail = b""
        self._status: int | None = None  # how it ended, if it did by itself
        self._process: SandboxedProcess | None = None
        try:
            self._process = SandboxedProcess(supervisor, bot)
        except OSError as error:
            self.fault = f"cannot be started: {error.strerror or error}{missing_interpreter(bot)}"
        else:
            self.stdin, self.out, self.err = self._process.stdin, self._process.out, self._process.err
            self.meter = Meter(self._process.root)

    @property
    def pid(self) -> int:
        """Of the bot itself, also where the sandbox has processes of its own around it."""
        return self._process.pid

    def start_metering(self) -> None:
        """It has said hello: from now on the bot itself is measured, and not the box that starts it."""
        if self.alive:
            self.meter.close()
            self._process.forget_children()
            self.meter = Meter(self.pid, self._process.group, self._process.has_had_children)
            self.meter.choose_thread()

    def begin_game(self) -> None:
        self.written = 0
        if self.alive:
            self.meter.choose_thread()

    @property
    def alive(self) -> bool:
        """Whether it can still be played with; a death is known once its stdout has ended."""
        return self._process is not None

    @property
    def cpu_nearly_spent(self) -> bool:
        """Whether it has used so much of its CPU time that the rest may be too little for another game."""
        try:
            return time.clock_gettime(cpu_clock(self.pid)) > self._process.limits.cpu / 2
        except (OSError, AttributeError):  # it has ended, or this system does not tell
            return False

    def write(self, data: bytes = b"") -> None:
        """Write what the pipe takes; the rest stays in `unsent`, to be tried again."""
        if self.unsent:
            data = self.unsent + data
        try:
            written = os.write(self.stdin, data) if data else 0
        except BlockingIOError:
            written = 0
        except OSError:  # it has closed its stdin; its stdout will tell whether it lives
            written = len(data)
        self.unsent = data[written:]

    def read(self) -> list[str | BadLine] | None:
        """The lines that have come; None when there will be no more."""
        try:
            data = os.read(self.out, CHUNK)
        except BlockingIOError:
            return []
        except OSError:
            return None
        if not data:
            return None
        lines = self._lines.feed(data)
        self.written += len(data)
        if self.written > self._process.limits.output:
            lines.append(BadLine("flood", f"more than {self._process.limits.output} bytes in one game"))
        return lines

    @property
    def stdout_closed(self) -> bool:
        """Whether it lives and has closed its stdout, though no end can be read from there."""
        return self._process.stdout_closed

    def loss(self) -> tuple[FaultKind, str] | None:
        """The limit that the process has broken, and was killed for, as a fault."""
        return self._process.violation() if self._process else None

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

    def reap(self, grace: float = GRACE) -> str:
        """Reap a process whose stdout has ended, after `grace` seconds at most; how it ended, in words."""
        self.end(grace)
        words = "closed its stdout" if self._status is None else status_words(self._status)
        return f"{words} in the middle of a line" if self._lines.unfinished else words

    @property
    def paused(self) -> bool:
        return bool(self._paused)

    def pause(self) -> None:
        """Stop the process with all that it has started, until `resume`."""
        self.meter.mark()
        stopped = {pid for pid in self._process.members() if state(pid) == b"T"}  # by the bot itself
        self._paused = [pid for pid in freeze(self._process.members) if pid not in stopped]

    def resume(self) -> None:
        for pid in self._paused:
            send(pid, signal.SIGCONT)
        self._paused = []

    def dismiss(self) -> None:
        """Tell the bot that there is nothing more to play; `end` follows."""
        if self.alive:
            self.write(b"bye\n")
            self._process.close_stdin()
            self.resume()

    def end(self, grace: float = 0.0) -> None:
        """End the process and all that it has started, after `grace` seconds for it to leave by itself."""
        process, self._process = self._process, None
        if process is not None:
            try:
                self._status = process.end(grace)
                self.read_stderr()  # what it wrote before it ended
            finally:
                self.meter.close()
                process.close()


def missing_interpreter(bot: Bot) -> str:
    """Words on a script whose first line names no program: the system says only that there is no such file.

    Without its path, which is another one on each machine.
    """
    program = Path(bot.command[0])
    try:
        if program.is_file():
            shebang(program)
    except ConfigError as error:
        return f" ({str(error).partition(': ')[2]})"
    return ""


def end_all(players: list[Player], grace: float = GRACE) -> None:
    """Dismiss players together; the grace is one for all of them."""
    for player in players:
        player.dismiss()
    deadline = time.monotonic() + grace
    for player in players:
        player.end(max(0.0, deadline - time.monotonic()))
