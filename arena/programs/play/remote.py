"""A bot that plays from its own machine: a player with a connection instead of a process.

Theory of operation
-------------------
The loop polls the bell of the connection to the gate (`GateConnection`); the gate passes lines to the client
of the bot (`arena connect`) and back. `arena/programs/remote/exchange.py` explains how each line counts
exactly once, and the charges of the clock.

The gate numbers each *path* to the client. A link sends lines only while it knows a path: on {"here"} it
confirms the received messages, and sends the missing ones. Its messages carry the number of the path. The
gate drops messages for an earlier path, so they never arrive out of order.
"""

import os
import select
from collections.abc import Callable, Sequence
from pathlib import Path
from secrets import token_hex
from time import monotonic
from typing import Any

from arena.config.text import list_words, one_line
from arena.programs.bot import Bot
from arena.programs.play.gate import GateConnection
from arena.programs.play.meter import Meter
from arena.programs.play.player import GRACE
from arena.programs.play.processless import ProcesslessPlayer
from arena.programs.remote.exchange import Inbox, Outages, Outbox, Replay
from arena.programs.sandbox.client import SupervisorClient
from arena.referee.clock import TimeUsage
from arena.referee.fixture import Fixture
from arena.referee.handshake import NO_ANSWER
from arena.referee.protocol import BadLine, read_text
from arena.referee.referee import Referee

_MAX_WRITTEN = 16 * 2**20  # bytes in a game
_LOOK_S = 1.0  # between checks for signals, while nothing happens
_MAX_REASON = 200  # characters


def wait_for_bots(gate: Path, names: Sequence[str], tell: Callable[[str], None]) -> None:
    """Wait until the clients of these bots are connected."""
    links = {name: GateConnection(gate, _first_message(name)) for name in names}
    waiting, told = set(names), set[str]()
    try:
        while waiting:
            for name in names:
                if any(message.get("here") for message in links[name].take()):
                    waiting.discard(name)
            if waiting and waiting != told:
                tell(f"waiting for {list_words(sorted(waiting))} to connect")
                told = waiting.copy()
            select.select([links[name].descriptor for name in waiting], [], [], _LOOK_S)
    finally:
        for link in links.values():
            link.send({"over": {}})
            link.close()


def _first_message(name: str) -> dict[str, Any]:
    return {"link": 1, "kind": "remote", "table": token_hex(8), "seat": 0, "name": name}


class RemoteMeter(Meter):
    """Measures wall time; `TimeUsage.wait` is its uncharged part: round trips and outages."""

    def __init__(self) -> None:
        super().__init__(os.getpid())
        self.close()  # its CPU time is unknown
        self.is_exact = True
        self.allowance = 0.0
        self.outages = Outages()

    def read(self, now: float, waiting: bool = False) -> TimeUsage:
        wall = max(0.0, now - self.started)
        outage = self.outages.within(self.started, now)
        return TimeUsage(wall, 0.0, min(wall, self.allowance + outage), outage)


class RemoteLink(ProcesslessPlayer):
    """A player on another machine. The arena cannot pause it, measure its CPU time or end its process."""

    def __init__(self, bot: Bot, supervisor: SupervisorClient, gate: Path):
        super().__init__(bot, supervisor)
        self._gate = GateConnection(gate, _first_message(bot.name))
        self.out = self._gate.descriptor  # its stderr stays on its machine
        self._remote_meter = RemoteMeter()
        self.meter = self._remote_meter
        self._outbox: Outbox[str] = Outbox()
        self._inbox, self._replay = Inbox(), Replay()
        self._path = 0  # the number of the path to the client; 0 without one
        self._asks: list[int] = []  # the ids of the asks in the outbox
        self._hello = self._before_game = 0  # the messages of the hello, and the last before this game
        self._exit = ""  # how the bot ended

    def sit(self, referee: Referee, fixture: Fixture, seat: int) -> None:
        """Take a seat of a game that is about to begin; its client may have to connect first."""
        referee.seats[seat].is_starting = True

    def start_metering(self) -> None:
        """Note that only the hello was sent so far. There is no process to measure."""
        self._hello = self._outbox.last
        if not self._path:
            self.fault = self.fault.replace(NO_ANSWER, "its client was not connected within")

    def begin_game(self) -> None:
        """Forget the previous game, except its end: the client may not have received that yet."""
        self.sent = self.written = 0
        self._before_game = self._outbox.last
        self._outbox.forget(self._hello + 1, self._before_game - 1)
        del self._asks[1:]

    def write(self, data: bytes = b"") -> None:
        """Keep lines for the client, and send them if it is connected."""
        if data:
            text = data.decode()
            self._asks += [int(line.split(" ")[1]) for line in text.split("\n") if line.startswith("ask ")]
            self._send_lines(self._outbox.add(text), text)

    def _send_lines(self, number: int, text: str) -> None:
        if self._path:
            self._gate.send({"path": self._path, "n": number, "lines": text, "heard": self._inbox.last})

    def read(self) -> list[str | BadLine] | None:
        """The lines that have arrived, maybe none; None if the bot has ended."""
        lines: list[str | BadLine] = []
        for message in self._gate.take():
            self._hear(message, lines)
        if self._exit and not lines:
            return None
        return lines

    def _hear(self, message: dict[str, Any], lines: list[str | BadLine]) -> None:
        now, outages = monotonic(), self._remote_meter.outages
        if "gate" in message:
            self._path = 0
            if message["gate"]:
                outages.note_web(now)
            else:
                outages.begin(now)
        elif "here" in message:
            self._path = message["here"]
            self._remote_meter.allowance = message["rtt"]
            if self._path:
                outages.end(now)
                self._resume(message["got"])
        elif self._inbox.is_new(message["m"]):
            self._remote_meter.allowance = message["rtt"]
            if "exit" in message:
                self._exit = one_line(message["exit"])[:_MAX_REASON] or "ended"
            else:
                self._hear_line(message["line"], lines)

    def _hear_line(self, text: str, lines: list[str | BadLine]) -> None:
        data = text.encode(errors="surrogatepass")  # the client encodes invalid UTF-8 so
        self.written += len(data) + 1
        line = read_text(data)
        if self.written > _MAX_WRITTEN:
            line = BadLine("flood", f"more than {_MAX_WRITTEN} bytes in one game")
        asked = self._asks[-1] if self._asks else 0
        if isinstance(line, BadLine) or not self._replay.is_repeated(line, asked):
            lines.append(line)

    def _resume(self, got: int) -> None:
        """Send the messages after number `got`, the last one that the client has, on a new path.

        If it is 0, the client is a new process, which gets the hello and the current game.
        """
        if not got:
            self._inbox.last = 0
            self._replay.begin(self._asks)
        self._gate.send({"path": self._path, "heard": self._inbox.last})
        for number, text in self._outbox.after(got):
            if got or number <= self._hello or number > self._before_game:  # a new process gets this game
                self._send_lines(number, text)

    @property
    def has_closed_stdout(self) -> bool:
        """Whether the bot has ended. `read` first returns the lines that arrived together with its end."""
        return bool(self._exit)

    def reap(self, grace: float = GRACE) -> str:
        self.end(grace)
        return self._exit

    def end(self, grace: float = GRACE) -> None:
        """Tell the client that there are no more games."""
        if self._is_open:
            self._gate.send({"over": {}})
            self._gate.close()
        super().end(grace)
