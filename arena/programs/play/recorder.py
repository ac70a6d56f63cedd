"""A player that keeps the lines of its game, both ways, with their times, for tools that explain a game.

Tournaments keep no lines: a record contains the verifiable facts, and keeping lines costs time.
"""

from collections.abc import Callable
from time import monotonic
from typing import NamedTuple

from arena.programs.bot import Bot
from arena.programs.play.player import Player
from arena.programs.sandbox.client import SupervisorClient
from arena.referee.protocol import BadLine

_MAX_LINES = 200  # kept after a line to the bot, which may write without end


class LoggedLine(NamedTuple):
    """A line to the bot (`sent`) or from it, and the moment it was written or read (by `monotonic`).

    For a `BadLine`, `bad` is the kind of fault, and `text` the detail instead of the line.
    """

    sent: bool
    text: str
    at: float
    bad: str = ""


class RecordedPlayer(Player):
    """A player that keeps the lines of its game in `log`.

    It gets the result of `change` for the bot and each text.
    """

    def __init__(self, bot: Bot, supervisor: SupervisorClient, change: Callable[[Bot, str], str]):
        super().__init__(bot, supervisor)
        self.log: list[LoggedLine] = []
        self._room = _MAX_LINES
        self.change = change

    def begin_game(self) -> None:
        self.log.clear()
        super().begin_game()

    def write(self, data: bytes = b"") -> None:
        if data:
            text = self.change(self.bot, data.decode())
            now = monotonic()
            self.log.extend([LoggedLine(True, line, now) for line in text.split("\n")[:-1]])
            self._room = _MAX_LINES
            data = text.encode()
        super().write(data)

    def read(self) -> list[str | BadLine] | None:
        lines, now = super().read(), monotonic()
        for line in (lines or [])[: self._room]:
            self._room -= 1
            if isinstance(line, BadLine):
                self.log.append(LoggedLine(False, line.detail, now, line.kind))
            else:
                self.log.append(LoggedLine(False, line, now))
        return lines
