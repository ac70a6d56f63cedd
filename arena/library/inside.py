"""A player of this process at a referee, beside programs: the loop treats it like any other player.

Theory of operation
-------------------
As for a person (`arena.programs.play.person`), the stdout of the player is a pipe of our own. When the loop
writes an ask, a `Reader` makes the view, the player answers at once, and its line goes into the pipe, from
which the loop reads it. This costs the programs no time: lines that they wrote meanwhile count as written
when they were asked (`arena.programs.play.loop`). The player has no clock.
"""

import os
from collections.abc import Callable
from typing import Any

from arena.library.answers import check_answer
from arena.library.errors import IllegalAnswer, PlayerError
from arena.library.game import make_player
from arena.library.players import call
from arena.library.reader import Reader, View
from arena.programs.bot import Bot
from arena.programs.play.player import GRACE
from arena.programs.play.processless import ProcesslessPlayer
from arena.programs.sandbox.client import SupervisorClient
from arena.referee.clock import Clock
from arena.referee.fixture import NO_CLOCK, Fixture
from arena.referee.referee import Referee


class InsidePlayer(ProcesslessPlayer):
    """A player of this process, made anew for each game by `make`.

    With `raises`, its mistakes raise IllegalAnswer or PlayerError. Without it the referee judges them, and an
    exception that the player raises counts as the crash of a program.
    """

    def __init__(self, bot: Bot, supervisor: SupervisorClient, make: Callable[[], Any], raises: bool):
        super().__init__(bot, supervisor)
        self._make, self._raises = make, raises
        self._why = ""  # the reason of its crash; "": it has not crashed
        self._player: Any = None
        self._reader = Reader((), self._say)
        self._referee: Referee | None = None
        self._seat = 0

    def sit(self, referee: Referee, fixture: Fixture, seat: int) -> None:
        """Take a seat of a game that is about to begin, with a new player and without a clock."""
        self._player, self._referee, self._seat = make_player(self._make, seat), referee, seat
        referee.seats[seat].clock = Clock(NO_CLOCK)

    def write(self, data: bytes = b"") -> None:
        """Give the player these lines, and write its answers to its stdout.

        Raises:
            IllegalAnswer: With `raises`: the answer is not legal.
            PlayerError: With `raises`: the player raised an exception.
        """
        for line in data.decode().splitlines():
            if self._why:
                return
            try:
                self._hear(line)
            except IllegalAnswer:
                raise
            except Exception as error:
                self._why = f"has raised {type(error).__name__}: {error}"
                if self._raises:
                    raise PlayerError(self._seat, f"the player {self._why}") from error
                self._close_mouth()

    def _hear(self, line: str) -> None:
        reader = self._reader
        view = reader.read(line)
        if view is not None:
            call(self._player, "heard", view.news)
            reader.answer(self._answer(view))
        elif line.startswith("game "):
            call(self._player, "begin", reader.table, reader.seat, reader.seed)
        elif line.startswith("end "):
            call(self._player, "heard", tuple(reader.news))
            call(self._player, "end", reader.places)

    def _answer(self, view: View) -> str:
        word = getattr(self._player, "answer", self._player)(view)
        if self._raises and self._referee:
            choice = self._referee.seats[self._seat].choice
            assert choice, "it has been asked"
            return check_answer(self._referee.match, self._seat, choice, word)
        return str(word)

    def _say(self, line: str) -> None:
        os.write(self._mouth, line.replace("\n", " ").encode() + b"\n")

    def reap(self, grace: float = GRACE) -> str:
        self.end()
        return self._why
