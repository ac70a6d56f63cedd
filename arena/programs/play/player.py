"""A bot process: started, written to, read from, and ended together with all its descendants."""

import os
import select
import signal
import time
from contextlib import suppress
from pathlib import Path

from arena.config.document import ConfigError
from arena.programs.bot import Bot
from arena.programs.executables import shebang
from arena.programs.machine import describe_status
from arena.programs.play.meter import CORES, Meter
from arena.programs.play.process import SandboxedProcess
from arena.programs.play.stderr import Stderr
from arena.programs.sandbox.client import SupervisorClient
from arena.programs.sandbox.linux.procfs import cpu_clock, state, tasks
from arena.programs.sandbox.linux.signals import freeze, send
from arena.referee.fixture import Fixture
from arena.referee.protocol import BadLine, FaultKind, Lines
from arena.referee.referee import Referee

CHUNK = 65536  # bytes per read
GRACE = 0.5  # seconds that a bot has to exit after `bye`


class Player:
    """One process of a bot, from start to end; `out` and `err` are descriptors to poll.

    They end with the process, because the supervisor then kills all its descendants.
    """

    def __init__(self, bot: Bot, supervisor: SupervisorClient):
        self.bot = bot
        self.asks = self.games = 0  # of this process
        self.said = ""  # its words about itself, in its answer to hello
        self.fault = ""  # why it could not be started
        self.unsent = b""
        self.sent = 0  # texts in this game: each ends with an ask, except the last
        self.written = 0  # bytes to stdout in this game
        self.stdout_ended = False  # whether its stdout has ended
        self._born = time.monotonic()
        self._paused: list[int] = []
        self._lines = Lines()
        self._stderr = Stderr()
        self._status: int | None = None  # set if it exits by itself
        self._process: SandboxedProcess | None = None
        self._start(supervisor)

    def _start(self, supervisor: SupervisorClient) -> None:
        bot = self.bot
        if bot.broken:
            self.fault = bot.broken
            return
        try:
            self._process = SandboxedProcess(supervisor, bot)
        except OSError as error:
            self.fault = f"cannot be started: {error.strerror or error}{_missing_interpreter(bot)}"
        else:
            self.stdin, self.out, self.err = self._process.stdin, self._process.out, self._process.err
            self._err_poller = select.poll()
            self._err_poller.register(self.err, select.POLLIN)
            self._most_written = self._process.limits.output
            self.meter = Meter(self._process.root)

    @property
    def pid(self) -> int:
        """The PID of the bot itself, not of the box around it."""
        return self._sandboxed.pid

    @property
    def _sandboxed(self) -> SandboxedProcess:
        assert self._process, "this player is not alive"
        return self._process

    def start_metering(self) -> None:
        """Measure the bot itself after its hello, instead of the box that started it."""
        if process := self._process:
            self.meter.close()
            process.forget_children()
            self.meter = Meter(process.pid, process.group, process.has_had_children)
            self.meter.choose_thread()

    def sit(self, referee: Referee, fixture: Fixture, seat: int) -> None:
        """Take a seat of a game that is about to begin. A process learns of it by its `game` line."""

    def begin_game(self) -> None:
        self.sent = self.written = 0
        if self.is_alive:
            self.meter.has_chosen = False

    @property
    def is_alive(self) -> bool:
        """Whether it was started and not ended (`end`). It may have exited: then its stdout ends."""
        return self._process is not None

    @property
    def needs_core(self) -> bool:
        """Whether it computes on this machine when it is asked."""
        return True

    @property
    def is_computing(self) -> bool:
        """Whether one of its threads runs or waits for a core, not for input."""
        return any(state(pid, task) == b"R" for pid in self._sandboxed.members() for task in tasks(pid))

    @property
    def has_little_cpu_left(self) -> bool:
        """Whether it has used half of its CPU time limit: the rest may be too little for a game."""
        if not self._process or (time.monotonic() - self._born) * CORES < self._process.limits.cpu / 2:
            return False  # all cores together cannot have given it more
        with suppress(OSError):  # it has exited
            return time.clock_gettime(cpu_clock(self.pid)) > self._process.limits.cpu / 2
        return False

    def write(self, data: bytes = b"") -> None:
        """Write `unsent` and then `data`, as much as the pipe takes; the rest stays in `unsent`."""
        if self.unsent:
            data = self.unsent + data
        try:
            written = os.write(self.stdin, data) if data else 0
        except BlockingIOError:
            written = 0
        except OSError:  # its stdin is closed; if it has exited, its stdout ends
            written = len(data)
        self.unsent = data[written:]

    def _take_from(self, descriptor: int) -> bytes:
        """The bytes that have arrived; b"" at the end.

        Raises:
            BlockingIOError: No bytes have arrived.
        """
        try:
            return os.read(descriptor, CHUNK)
        except BlockingIOError:
            raise
        except OSError:
            return b""

    def read(self) -> list[str | BadLine] | None:
        """The lines that have arrived, maybe none; None at the end of stdout."""
        try:
            data = self._take_from(self.out)
        except BlockingIOError:
            return []
        if not data:
            return None
        lines = self._lines.feed(data)
        self.written += len(data)
        if self.written > self._most_written:
            lines.append(BadLine("flood", f"more than {self._most_written} bytes in one game"))
        return lines

    @property
    def has_closed_stdout(self) -> bool:
        """Whether it is alive but closed its stdout in a box, where the end cannot be read."""
        return self._process is not None and self._process.has_closed_stdout

    def violation(self) -> tuple[FaultKind, str] | None:
        """The kind of fault and its detail if the supervisor killed the process for it; else None."""
        return self._process.violation() if self._process else None

    def read_stderr(self) -> bool:
        """Read stderr, and keep its beginning and end; False when it is closed."""
        try:
            data = self._take_from(self.err)
        except BlockingIOError:
            return True
        self._stderr.add(data, max(self.sent - 1, 0))
        return bool(data)

    def take_stderr(self) -> list[tuple[int, str]]:
        """The stderr since the last call, truncated, in pairs: the newest ask at that time, and the text.

        Asks are counted from 0, which is `ready`.
        """
        # This runs after each game, and a poll costs a quarter of a BlockingIOError.
        if self.is_alive and self._err_poller.poll(0):
            self.read_stderr()
        return self._stderr.take()

    def reap(self, grace: float = GRACE) -> str:
        """End a process whose stdout has ended. Returns how it ended, such as "exited with status 1"."""
        self.end(grace)
        how = "closed its stdout" if self._status is None else describe_status(self._status)
        return f"{how} in the middle of a line" if self._lines.unfinished else how

    @property
    def is_paused(self) -> bool:
        return bool(self._paused)

    def pause(self) -> None:
        """Stop the process with all its descendants, until `resume`."""
        self.meter.measure_before_pause()
        members = self._sandboxed.members
        stopped = {pid for pid in members() if state(pid) == b"T"}  # stopped by the bot itself
        self._paused = [pid for pid in freeze(members) if pid not in stopped]

    def resume(self) -> None:
        for pid in self._paused:
            send(pid, signal.SIGCONT)
        self._paused = []

    def dismiss(self) -> None:
        """Tell the bot to exit by itself, because there are no more games; `end` should follow."""
        if self._process:
            self.write(b"bye\n")
            self._process.close_stdin()
            self.resume()

    def end(self, grace: float = 0.0) -> None:
        """End the process and all its descendants, after `grace` seconds to exit by itself."""
        process, self._process = self._process, None
        if process is not None:
            try:
                self._status = process.end(grace)
                self.read_stderr()  # text from before its end
            finally:
                self.meter.close()
                process.close()


def _missing_interpreter(bot: Bot) -> str:
    """The reason why a script does not start, in parentheses; "" if its interpreter exists."""
    # The system only says that there is no such file, even if it is the interpreter. The path is left out,
    # because it differs between machines.
    program = Path(bot.command[0])
    try:
        if program.is_file():
            shebang(program)
    except ConfigError as error:
        return f" ({str(error).partition(': ')[2]})"
    return ""


def end_all(players: list[Player], grace: float = GRACE) -> None:
    """End players together, with the same `grace` seconds to exit by themselves."""
    for player in players:
        player.dismiss()
    deadline = time.monotonic() + grace
    for player in players:
        player.end(max(0.0, deadline - time.monotonic()))
