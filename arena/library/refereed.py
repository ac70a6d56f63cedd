"""Games at a referee: with programs, or with players of this process whose faults do not end the game."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from arena.library.inside import InsidePlayer
from arena.library.played import LIBRARY, Played, fixture_of, seed_text
from arena.library.players import AnyPlayer, Program, distinct_names, name_of
from arena.library.tables import Table
from arena.programs.bot import Bot, BotError
from arena.programs.game_options import refuse_unsupported
from arena.programs.play.build import build
from arena.programs.play.player import Player
from arena.programs.play.table import ProgramTable as ProgramTable
from arena.programs.reading import read_bot
from arena.programs.sandbox.client import SupervisorClient
from arena.programs.sandbox.policy import choose
from arena.referee.conditions import Conditions
from arena.referee.fixture import Fixture
from arena.referee.referee import Referee
from arena.rules.match import Match

Make = Callable[[], Any]
"""Makes a player for one game."""


class RefereedTable(ProgramTable):
    """A table with programs and players of this process; `makers` make the latter, by bot name.

    With `raises` a mistake of such a player raises IllegalAnswer or PlayerError; else the referee judges it.

    Raises:
        BotError: A program cannot be built.
    """

    def __init__(self, bots: Mapping[str, Bot], makers: Mapping[str, Make], raises: bool):
        sandbox = choose(Conditions().limits)
        build(bots.values(), sandbox)
        self._makers, self._raises = makers, raises
        self.match: Match | None = None  # the match of the newest game
        super().__init__(bots, sandbox=sandbox, player=self._player_of)

    def _player_of(self, bot: Bot, supervisor: SupervisorClient) -> Player:
        if bot.name in self._makers:
            return InsidePlayer(bot, supervisor, self._makers[bot.name], self._raises)
        return Player(bot, supervisor)

    def _referee(self, fixture: Fixture, players: Sequence[Player]) -> Referee:
        referee = super()._referee(fixture, players)
        self.match = referee.match
        return referee

    def start_all(self) -> None:
        """Start every program once.

        Raises:
            BotError: Some do not start.
        """
        if faults := self.greet(Conditions().clock.start):
            raise BotError(self.bots, {}, faults)

    def play_game(self, fixture: Fixture) -> Played:
        record = self.play(fixture)
        assert self.match, "it has had a referee"
        return Played(lambda: fixture, self.match, record.faults, record.trace)


def bots_of(table: Table, players: Sequence[Any], names: Sequence[str] = ()) -> list[Bot]:
    """A bot for each player, in their order, for a referee; `names`, if any, replace their own.

    Raises:
        ConfigError: A program does not exist, or does not play this game.
    """
    found = [read_bot(Path(each.path)) if isinstance(each, Program) else None for each in players]
    wanted = [bot.name if bot else name_of(player) for bot, player in zip(found, players, strict=True)]
    named = zip(found, names or distinct_names(tuple(wanted)), strict=True)
    bots = [_bot_named(bot, name) for bot, name in named]
    for bot in bots:
        refuse_unsupported(bot, table.game, (table.seats,), table.options)
    return bots


def _bot_named(bot: Bot | None, name: str) -> Bot:
    """This bot under another name; for None a bot that stands for a player of this process."""
    return replace(bot, name=name) if bot else Bot(name, (LIBRARY,), Path.cwd(), LIBRARY)


def play_refereed(table: Table, players: Sequence[AnyPlayer], seed: str | int | None, raises: bool) -> Played:
    """Play one game at a referee; for `raises` see `RefereedTable`, for the seed `seed_text`.

    Raises:
        ConfigError: A program does not exist, does not play this game, or cannot be built or started.
    """
    bots = bots_of(table, players)
    makers: dict[str, Make] = {
        bot.name: partial(_same, player)
        for bot, player in zip(bots, players, strict=True)
        if not isinstance(player, Program)
    }
    fixture = fixture_of(
        table, [bot.name for bot in bots], [bot.fingerprint for bot in bots], seed_text(seed)
    )
    refereed = RefereedTable({bot.name: bot for bot in bots}, makers, raises)
    with refereed:
        refereed.start_all()
        return refereed.play_game(fixture)


def _same(player: Any) -> Any:
    return player
