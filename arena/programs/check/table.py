"""The table of a check: the bot, its opponents, and all lines to and from the bot."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from select import select
from time import monotonic
from typing import NamedTuple

from arena.programs.bot import HOUSE, Bot
from arena.programs.check.later import with_later_words
from arena.programs.house import opponents
from arena.programs.play.player import Player
from arena.programs.play.recorder import LoggedLine, RecordedPlayer
from arena.programs.play.table import ProgramTable
from arena.programs.reading import read_bot
from arena.programs.sandbox.client import SupervisorClient
from arena.programs.sandbox.policy import Sandbox
from arena.referee.fixture import Fixture
from arena.referee.record import Record
from arena.referee.seat import Fault

BOT = "bot"  # the bot's name in these games
_MAX_QUIET_S = 30.0


def house_bots(game: str) -> dict[str, Bot]:
    """The opponents in a game, by name: the random bot, and up to two that play it well."""
    found = (read_bot(Path(name)) for name in (f"{HOUSE}random", *opponents(game, "medium", 2)))
    return {bot.name: bot for bot in found}


class CheckedGame(NamedTuple):
    """A game with the lines of the bot, by seat.

    `exits` describes the processes that exited between the previous game and this one.
    """

    record: Record
    logs: Mapping[int, Sequence[LoggedLine]]
    exits: Sequence[str]

    @property
    def faults(self) -> list[Fault]:
        """The faults of the bot in this game, without those of its opponents."""
        return [fault for fault in self.record.faults if fault.seat in self.logs]

    @property
    def answers(self) -> list[int]:
        """The times of the bot's answers in microseconds, except the answer to `ready`."""
        return [each for seat in self.logs for each in self.record.trace["microseconds"][seat][1:]]


class CheckTable(ProgramTable):
    """A table with the bot as `BOT`. With `reuse` processes play several games, as in a run."""

    def __init__(self, bot: Bot, opponents: Mapping[str, Bot], sandbox: Sandbox, reuse: bool = True):
        super().__init__({BOT: bot, **opponents}, reuse, sandbox, self._player_of)
        self._says_later_words = False
        self._exits: list[str] = []
        self._seated: list[Player] = []

    def start(self, limit: float) -> RecordedPlayer:
        """Start the process of the bot that plays its first game, with `limit` seconds to answer hello.

        The `fault` of the player says why it did not start; "" if it did.
        """
        (player,) = self._seat([BOT], limit)
        assert isinstance(player, RecordedPlayer)
        return player

    def play_checked(self, fixture: Fixture, later: bool = False) -> CheckedGame:
        """Play a game; with `later`, the bot also gets words of a later protocol."""
        self._says_later_words, self._exits = later, []
        record = self.play(fixture)
        self._says_later_words = False
        logs = {
            seat: list(player.log)
            for seat, player in enumerate(self._seated)
            if isinstance(player, RecordedPlayer) and fixture.bots[seat] == BOT
        }
        return CheckedGame(record, logs, self._exits)

    def at_end_of_input(self, text: str, quiet: float, after: float) -> list[str]:
        """The lines that a bot writes, after `text`, only once its stdin is closed, within `after` seconds.

        Starts a new process, and closes its stdin when it has written nothing for `quiet` seconds. Returns []
        if it does not start.
        """
        player = self._start(BOT)
        if not player.is_alive:
            return []
        try:
            player.write(text.encode())
            _await_quiet(player, quiet)
            player.dismiss()
            return _lines_within(player, after)
        finally:
            player.end()

    def _player_of(self, bot: Bot, supervisor: SupervisorClient) -> RecordedPlayer:
        return RecordedPlayer(bot, supervisor, self._change_for)

    def _change_for(self, bot: Bot, text: str) -> str:
        return with_later_words(text) if self._says_later_words and bot is self.bots[BOT] else text

    def _seat(self, names: Sequence[str], limit: float) -> list[Player]:
        self._seated = super()._seat(names, limit)
        return self._seated  # the loop puts replacements into this list

    def _restart(self, gone: Player, limit: float) -> Player:
        self._exits.append(gone.reap())
        return super()._restart(gone, limit)


def _await_quiet(player: Player, seconds: float) -> None:
    """Wait until a process has written nothing for `seconds`, or its stdout ends; at most `_MAX_QUIET_S`."""
    # Not a fixed time: a slow process answers many asks one after the other.
    end = monotonic() + _MAX_QUIET_S
    while monotonic() < end and select([player.out], [], [], seconds)[0]:
        if player.read() is None:
            break


def _lines_within(player: Player, seconds: float) -> list[str]:
    """The lines that a process writes in the next `seconds`, or until its stdout ends."""
    found: list[str] = []
    end = monotonic() + seconds
    while (left := end - monotonic()) > 0:
        if select([player.out], [], [], left)[0]:
            if (lines := player.read()) is None:
                break
            found += [line for line in lines if isinstance(line, str)]
    return found
