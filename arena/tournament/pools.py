"""Frozen pools: house bots whose Elo was measured once, against which other bots are scored.

The pools of a year share an archive in `bots/pools`, with its SHA-256 in a file beside it. The archive has
copies of the bots, and `pools.json` with the game of each pool and the fingerprints and Elo of its bots. An
archive never changes: `benchmarks/freeze.py` makes another one instead.
"""

import io
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple
from zipfile import ZipFile

from arena.config.document import ConfigError
from arena.config.text import suggestion
from arena.programs.bot import Bot
from arena.programs.files import cache_folder, put_folder
from arena.programs.game_options import check_options, find_game
from arena.programs.kits import checkout
from arena.programs.reading import read_bot
from arena.referee.conditions import Conditions, TimeControl
from arena.rules import Game

FILE = "pools.json"


@dataclass(frozen=True)
class PoolBot:
    """A bot of a pool: the `path` of its file or folder in the pool, its fingerprint, and its Elo.

    The interval of the Elo is `elo` ± `error`. `arguments` follow its command: they make several bots of one
    program, or limit its time to think.
    """

    path: str
    arguments: tuple[str, ...]
    fingerprint: str
    elo: float
    error: float


@dataclass(frozen=True)
class Pool:
    """Bots that play one game at tables of one size; a score takes `groups` seed groups of each line-up."""

    archive: str  # the name, without `.zip`
    game: str
    version: int  # the version of the rules
    seats: int
    options: Mapping[str, Any]
    move: float  # seconds for an answer
    groups: int
    quick: int  # the groups of a quick score
    games: int  # the number of games that measured the Elo
    bots: Mapping[str, PoolBot]

    @property
    def name(self) -> str:
        """The name of the pool, such as `house-2026/complots-4`."""
        return f"{self.archive}/{self.game}-{self.seats}"

    @property
    def rules(self) -> Game:
        """The game of the pool.

        Raises:
            ConfigError: This arena has another version of the game.
        """
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
        """The bots by name, unpacked."""
        folder = unpack(self.archive)
        return {name: self._program(name, bot, folder) for name, bot in self.bots.items()}

    def _program(self, name: str, bot: PoolBot, folder: Path) -> Bot:
        path = folder / bot.path
        if path.exists():  # Systems clean their temporary folders.
            found = read_bot(path, name=name, arguments=bot.arguments)
            if found.fingerprint == bot.fingerprint:
                return found
        what = f"has changed, but {self.name} is frozen; remove {folder}, and it is unpacked again"
        raise ConfigError(f"{path}: {what}")


class _Archive(NamedTuple):
    digest: str
    content: bytes

    def files(self) -> ZipFile:
        return ZipFile(io.BytesIO(self.content))


def _folder() -> Path:
    return checkout() / "bots" / "pools"


def _read(name: str) -> _Archive:
    """The archive of this name.

    Raises:
        ConfigError: The archive is missing, or differs from the SHA-256 in the file beside it.
    """
    path = _folder() / f"{name}.zip"
    try:
        content = path.read_bytes()
        wanted = path.with_suffix(".sha256").read_text("ascii").partition(" ")[0]
    except (OSError, ValueError) as error:
        what = f"cannot be read, or the .sha256 beside it: {error}; install the arena again"
        raise ConfigError(f"{path}: {what}") from None
    digest = sha256(content).hexdigest()
    if digest != wanted:
        what = f"has the SHA-256 {digest[:16]}…, and its .sha256 says {wanted[:16]}…"
        raise ConfigError(f"{path}: is damaged: {what}; install the arena again")
    return _Archive(digest, content)


def unpack(name: str) -> Path:
    """The folder with the files of an archive. It is unpacked once, into the cache of this user."""
    archive = _read(name)
    place = cache_folder() / f"pools-{archive.digest[:16]}"
    put_folder(place, archive.files().extractall)
    return place


def all_pools() -> dict[str, Pool]:
    """All pools by name."""
    names = sorted(path.stem for path in _folder().glob("*.zip"))
    found = [_pool(name, **each) for name in names for each in json.loads(_read(name).files().read(FILE))]
    return {pool.name: pool for pool in found}


def _pool(archive: str, bots: Mapping[str, Any], **values: Any) -> Pool:
    return Pool(archive=archive, bots={name: _pool_bot(**bot) for name, bot in bots.items()}, **values)


def _pool_bot(arguments: Sequence[str], **values: Any) -> PoolBot:
    return PoolBot(arguments=tuple(arguments), **values)


def find_pool(name: str) -> Pool:
    """The pool with this name.

    Raises:
        ConfigError: There is no such pool.
    """
    pools = all_pools()
    if name not in pools:
        raise ConfigError(f"--pool: no pool {name!r}{suggestion(name, list(pools))}")
    return pools[name]
