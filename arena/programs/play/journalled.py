"""Bots at a table of the server, whose answers the journal of the game keeps."""

from math import inf

from arena.programs.bot import Bot
from arena.programs.play.player import Player
from arena.programs.play.room import Room
from arena.programs.sandbox.client import SupervisorClient
from arena.referee.fixture import Fixture
from arena.referee.protocol import BadLine
from arena.referee.referee import Referee


class JournalledPlayer(Player):
    """A bot at a table. Its lines are in the journal before the referee gets them."""

    def __init__(self, bot: Bot, supervisor: SupervisorClient, room: Room):
        super().__init__(bot, supervisor)
        self._room = room
        self._referee: Referee | None = None
        self._seat = 0
        self._given = 0  # the last ask that the journal answered

    def sit(self, referee: Referee, fixture: Fixture, seat: int) -> None:
        self._referee, self._seat = referee, seat

    def write(self, data: bytes = b"") -> None:
        super().write(data)
        if data and self._referee:
            entry = self._room.journal.answer(self._seat, self._referee.seats[self._seat].last_ask)
            if entry.is_late:
                let_expire(self._referee, self._seat)
            self._room.stir()

    def read(self) -> list[str | BadLine] | None:
        lines = super().read()
        if not lines or not self._referee:
            return lines
        state = self._referee.seats[self._seat]
        entry = self._room.journal.answer(self._seat, state.last_ask)
        if entry.lines and not entry.is_late and state.last_ask != self._given:
            self._given = state.last_ask
            state.clock.bank = entry.bank
            return list(entry.lines)
        if state.last_ask == self._given:  # the journal has its answer to this ask
            return []
        for line in lines:
            self._room.journal.add_line(self._referee, self._seat, line, state.clock.bank)
        return lines


def let_expire(referee: Referee, seat: int) -> None:
    """Let a seat's pending ask expire at once, as it did before the process was killed."""
    clock = referee.seats[seat].clock
    clock.limit, clock.deadline, referee.deadline = 0.0, -inf, -inf
