"""Frozen pools: house bots whose Elo was measured once, against which other bots are scored.

The pools of a year share a folder below `bots/pools`: copies of the bots, and `pools.json`, which says for
each pool what is played, and has the fingerprint and the Elo of its bots. The folder never changes:
`benchmarks/freeze.py` makes another one instead.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from arena.config.document import ConfigError, suggestion
from arena.programs.bot import Bot
from arena.programs.game_options import check_options, find_game
from arena.programs.kits import checkout
from arena.programs.reading import read_bot
from arena.referee.conditions import Conditions, TimeControl
from arena.rules import Game

FILE = "pools.json"


@dataclass(frozen=True)
class PoolBot:
    """A bot of a pool: the `path` of its file or folder in the pool, its fingerprint, and its Elo.

    The interval of the Elo is `elo` ± `error`. `arguments` follow its command: one program may be several
    bots, or be told how long to think.
    """

    path: str
    arguments: tuple[str, ...]
    fingerprint: str
    elo: float
    error: float


@dataclass(frozen=True)
class Pool:
    """Bots that play one game at tables of one size; a score takes `groups` seed groups of each line-up."""

    folder: str
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
    def name(self) -> str:
        """The name of the pool, such as `house-2026/complots-4`."""
        return f"{self.folder}/{self.game}-{self.seats}"

    @property
    def rules(self) -> Game:
        """The game of the pool. ConfigError: this arena has another version of the game."""
        game = find_game(self.game)
        if game.version != self.version:
            what = f"was measured with version {self.version} of {self.game}"
            raise ConfigError(f"{self.name}: {what}, and this arena has version {game.version}")
        return game

    @property
    def checked_options(self) -> Mapping[str, Any]:
        return check_options(self.rules, self.options, (self.seats,))

    @property
    def conditions(self) -> Conditions:
        return Conditions(clock=TimeControl(move=self.move))

    def programs(self) -> dict[str, Bot]:
        """The bots by name. ConfigError: the files of one have changed."""
        return {name: self._program(name, bot) for name, bot in self.bots.items()}

    def _program(self, name: str, bot: PoolBot) -> Bot:
        found = read_bot(pool_folder(self.folder) / bot.path, name=name, arguments=bot.arguments)
        if found.fingerprint != bot.fingerprint:
            raise ConfigError(
                f"{found.files[0]}: has changed, but {self.name} is frozen; install the arena again"
            )
        return found


def pool_folder(folder: str) -> Path:
    return checkout() / "bots" / "pools" / folder


def all_pools() -> dict[str, Pool]:
    """All pools by name."""
    files = sorted(pool_folder("").glob(f"*/{FILE}"))
    found = [
        _pool(file.parent.name, **each) for file in files for each in json.loads(file.read_text("utf-8"))
    ]
    return {pool.name: pool for pool in found}


def _pool(folder: str, bots: Mapping[str, Any], **values: Any) -> Pool:
    return Pool(folder=folder, bots={name: _pool_bot(**bot) for name, bot in bots.items()}, **values)


def _pool_bot(arguments: Sequence[str], **values: Any) -> PoolBot:
    return PoolBot(arguments=tuple(arguments), **values)


def find_pool(name: str) -> Pool:
    """The pool with this name. ConfigError: there is none."""
    pools = all_pools()
    if name not in pools:
        raise ConfigError(f"--pool: no pool {name!r}{suggestion(name, list(pools))}")
    return pools[name]
