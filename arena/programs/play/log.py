"""Players with logged lines, for `arena play --log`.

They are a separate class: a game without a log pays nothing for it.
"""

from collections.abc import Callable

from arena.programs.bot import Bot
from arena.programs.machine import describe_status
from arena.programs.play.player import Player
from arena.programs.sandbox.client import SupervisorClient
from arena.referee.protocol import MAX_LINE

MAX_LOGGED = 2**20  # bytes of a bot's stdout, and as many of its stderr
_READ, WROTE, STDERR, NOTE = "<", ">", "#", "!"

Log = Callable[[str, str], None]
"""Takes a sign (`<` to the bot, `>` from it, `#` stderr, `!` note) and a line of untrusted text."""


class Tap:
    """Logs bytes as lines, with one sign. Unfinished lines are logged as well."""

    def __init__(self, log: Log, sign: str):
        self._log, self._sign = log, sign
        self._unfinished = False
        self._left = MAX_LOGGED

    def pour(self, data: bytes) -> None:
        """Log the next bytes, up to `MAX_LOGGED` in all."""
        if self._left <= 0 or not data:
            return
        self._left -= len(data)
        *lines, rest = data.decode(errors="backslashreplace").split("\n")
        if lines and not lines[0] and self._unfinished:  # this ends a logged line
            del lines[0]
        for line in lines:
            self._log(self._sign, _cut(line))
        self._unfinished = bool(rest)
        if rest:
            self._log(self._sign, _cut(rest) + " (no newline)" * (self._sign == WROTE))
        if self._left <= 0:
            self._log(NOTE, f"has written {MAX_LOGGED} bytes; the rest is not logged")


def _cut(line: str) -> str:
    return line if len(line) <= MAX_LINE else f"{line[:MAX_LINE]} ... ({len(line)} characters)"


class LoggedPlayer(Player):
    """A player that logs its input, its output, and how it ends."""

    def __init__(self, bot: Bot, supervisor: SupervisorClient, log: Log):
        super().__init__(bot, supervisor)
        self._log, self._tap, self._stderr_tap = log, Tap(log, WROTE), Tap(log, STDERR)
        if self.fault:
            log(NOTE, self.fault)

    def write(self, data: bytes = b"") -> None:
        for line in data.decode().splitlines():
            self._log(_READ, line)
        super().write(data)

    def _take_from(self, descriptor: int) -> bytes:
        data = super()._take_from(descriptor)
        (self._tap if descriptor == self.out else self._stderr_tap).pour(data)
        return data

    def end(self, grace: float = 0.0) -> None:
        was_alive = self.is_alive
        super().end(grace)
        if was_alive:
            self._log(NOTE, "was killed" if self._status is None else describe_status(self._status))
