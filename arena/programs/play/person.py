"""A person at the table: a player at the terminal, treated by the loop like any other.

Theory of operation
-------------------
The loop polls the stdout and stderr of each player. The stdout of a person is a pipe of our own, into which
we write the answers: referee and record see a bot that answers well. Its stderr is the keyboard: the loop
reads typed text at any time, and keeps it until the next ask. No thread is needed, and the clocks of bots go
on while a person types.

A word that the rules refuse does not reach the referee: the person is asked again (A3). Ctrl-C, `quit` and
the end of the input leave the game by a KeyboardInterrupt.
"""

import os
import sys
from collections import deque
from typing import TYPE_CHECKING

from arena.programs.bot import Bot
from arena.programs.play.processless import ProcesslessPlayer
from arena.programs.sandbox.client import SupervisorClient
from arena.referee.clock import Clock
from arena.referee.conditions import TIMED, UNTIMED
from arena.referee.fixture import Fixture
from arena.referee.referee import Referee

if TYPE_CHECKING:
    from arena.programs.play.terminal import Terminal


class Person(ProcesslessPlayer):
    """A player at the terminal."""

    def __init__(self, bot: Bot, supervisor: SupervisorClient):
        super().__init__(bot, supervisor)
        self.err = sys.stdin.fileno()
        self._keys = b""  # typed text without the end of its line
        self._typed: deque[str] = deque()
        self._input_ended = False
        self._asked = ""  # the id of the pending ask
        self._terminal: Terminal | None = None

    def sit(self, referee: Referee, fixture: Fixture, seat: int) -> None:
        """Take a seat of a game that is about to begin."""
        from arena.programs.play.terminal import Terminal  # rich is slow to import

        self._terminal = Terminal(referee, seat, fixture.bots)
        if self.bot.fingerprint == UNTIMED:
            referee.seats[seat].clock = Clock(fixture.control(seat))

    def write(self, data: bytes = b"") -> None:
        """Show the lines to the seat, and ask for an answer."""
        for line in data.decode().splitlines():
            verb, _, rest = line.partition(" ")
            if verb != "ask":
                if self._terminal:
                    self._terminal.hear(verb, rest)
                continue
            number, kind, limit = rest.split(" ")[:3]
            if kind in ("hello", "ready"):
                self._say(number, "ok")
            elif self._terminal:
                self._asked = number
                self._terminal.ask(int(limit) / 1000 if self.bot.fingerprint == TIMED else None)
        self._answer()

    def read_stderr(self) -> bool:
        """Read typed text, and answer with it; False at the end of the input."""
        try:
            data = self._take_from(self.err)  # no data: the terminal is gone
        except BlockingIOError:
            return True
        self._input_ended = not data
        *lines, self._keys = (self._keys + data).split(b"\n")
        if self._input_ended and self._keys:
            lines.append(self._keys)
        self._typed.extend([line.decode(errors="replace") for line in lines])
        self._answer()
        return not self._input_ended

    def _answer(self) -> None:
        while self._asked and self._terminal and self._typed:
            if not self._terminal.is_asked:
                self._terminal.say_late()
                self._asked = ""
                return
            if word := self._terminal.read(self._typed.popleft()):
                self._say(self._asked, word)
                self._asked = ""
        if self._asked and self._input_ended:
            raise KeyboardInterrupt

    def _say(self, number: str, word: str) -> None:
        os.write(self._mouth, f"{number} {word}\n".encode())
