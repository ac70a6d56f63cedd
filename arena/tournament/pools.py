"""Frozen pools: house bots of a year with the Elo that was measured then, against which bots are scored.

A pool is a folder below `bots/pools`: copies of its bots, and `pool.json`, which says what is played and has
the fingerprint and the Elo of each bot. It never changes: `benchmarks/freeze.py` writes a new pool instead.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from arena.config.document import ConfigError, suggestion
from arena.config.text import list_words
from arena.programs.bot import Bot, bot_from_path, with_arguments
from arena.programs.game_options import check_options, find_game
from arena.programs.kits import checkout
from arena.referee.conditions import Conditions, TimeControl
from arena.rules import Game

FILE = "pool.json"


@dataclass(frozen=True)
class PoolBot:
    """A bot of a pool: its file or folder there, its fingerprint, and its Elo with half the interval.

    `arguments` follow its command: one folder may have several bots, or one that is told how long to think.
    """

    path: str
    arguments: tuple[str, ...]
    fingerprint: str
    elo: float
    error: float


@dataclass(frozen=True)
class Part:
    """What a pool plays of one game at tables of one size; `groups` are seed groups of each line-up."""

    pool: str
    game: str
    version: int  # of the rules
    seats: int
    options: Mapping[str, Any]
    move: float  # seconds for an answer
    groups: int
    quick: int  # the groups of a quick score
    games: int  # from which the Elo was measured
    bots: Mapping[str, PoolBot]

    @property
    def rules(self) -> Game:
        """ConfigError: the pool is of another version of the game."""
        game = find_game(self.game)
        if game.version != self.version:
            what = f"was measured with version {self.version} of {self.game}"
            raise ConfigError(f"{self.pool}: {what}, and this arena has version {game.version}")
        return game

    @property
    def checked_options(self) -> Mapping[str, Any]:
        return check_options(self.rules, self.options, (self.seats,))

    @property
    def conditions(self) -> Conditions:
        return Conditions(clock=TimeControl(move=self.move))

    def programs(self) -> dict[str, Bot]:
        """The bots by name. ConfigError: one is not as it was."""
        return {name: self._program(name, bot) for name, bot in self.bots.items()}

    def _program(self, name: str, bot: PoolBot) -> Bot:
        found = with_arguments(bot_from_path(name, pool_folder(self.pool) / bot.path), bot.arguments)
        if found.fingerprint != bot.fingerprint:
            raise ConfigError(
                f"{found.files[0]}: has changed, but {self.pool} is frozen; install the arena again"
            )
        return found


def pool_folder(pool: str) -> Path:
    return checkout() / "bots" / "pools" / pool


def pools() -> list[str]:
    """The names of all pools."""
    return sorted(path.parent.name for path in pool_folder("").glob(f"*/{FILE}"))


def read_pool(pool: str) -> list[Part]:
    """The parts of a pool. ConfigError: there is none of this name."""
    if pool not in pools():
        raise ConfigError(f"no pool {pool!r}{suggestion(pool, pools())}")
    parts = json.loads((pool_folder(pool) / FILE).read_text(encoding="utf-8"))
    return [_part(pool, **part) for part in parts]


def _part(pool: str, bots: Mapping[str, Any], **values: Any) -> Part:
    return Part(pool=pool, bots={name: _pool_bot(**bot) for name, bot in bots.items()}, **values)


def _pool_bot(arguments: Sequence[str], **values: Any) -> PoolBot:
    return PoolBot(arguments=tuple(arguments), **values)


def find_part(pool: str, game: str, seats: int | None) -> Part:
    """The part for a game; without `seats`, the first that the pool has. ConfigError: it has none."""
    parts = read_pool(pool)
    of_game = [part for part in parts if part.game == find_game(game).name]
    if not of_game:
        known = list_words(dict.fromkeys(part.game for part in parts))
        raise ConfigError(f"{pool} has no bots for {game}, only for {known}")
    found = next((part for part in of_game if seats in (None, part.seats)), None)
    if not found:
        known = list_words([str(part.seats) for part in of_game], "or")
        raise ConfigError(f"{pool} plays {game} with {known} seats, not {seats}")
    return found
