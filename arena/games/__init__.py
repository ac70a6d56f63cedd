"""The games of the arena, by name: its own, and those of installed packages."""

import copyreg
import re
import sys
from collections.abc import Mapping
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from types import MappingProxyType
from typing import Any

from arena.config.document import ConfigError
from arena.games.complots import game as complots
from arena.games.intrigue import game as intrigue
from arena.games.local import game as local
from arena.rules import Game

PUBLIC = "encodings"  # the module for other packages, besides these names

__all__ = ("GAMES", "INSTALLED", "find", "folder_of", "has_page", "loadable", "names", "page")

GAMES: Mapping[str, Game] = MappingProxyType(
    {game.name: game for game in (complots.GAME, local.GAME, intrigue.GAME)}
)
"""The games of the arena itself."""

_GROUP = "arena.games"  # the entry points by which other packages offer a `Game`
_COMMENT = re.compile(r"<!--.*?-->\n", re.S)  # for the tests: how to play the transcript below

INSTALLED: dict[str, Game] = {}
"""The games of other packages that were loaded so far."""


def find(name: str) -> Game | None:
    """The game with this name, or None if there is none.

    Raises:
        ConfigError: The package of the game is broken.
    """
    if name in GAMES:
        return GAMES[name]
    if name not in INSTALLED:
        for entry in entry_points(group=_GROUP, name=name):
            INSTALLED[name] = _load(entry)
    return INSTALLED.get(name)


def _load(entry: EntryPoint) -> Game:
    what = f"the game {entry.name} cannot be loaded from {entry.value}"
    try:
        game = entry.load()
    except Exception as error:  # the import of a package may raise anything
        reason = " ".join(str(error).split())
        raise ConfigError(f"{what}: {type(error).__name__}: {reason}") from error
    if not isinstance(game, Game):
        raise ConfigError(f"{what}: this should be a Game of arena.rules, not a {type(game).__name__}")
    if game.name != entry.name:
        raise ConfigError(f"{what}: its name is {game.name}, and its entry point should have the same")
    return game


def _reduce(game: Game) -> str | tuple[Any, ...]:
    """Pickle a game, also in each match: by name if `find` knows it, because lambdas cannot be pickled."""
    return (find, (game.name,)) if find(game.name) is game else game.__reduce_ex__(4)


copyreg.pickle(Game, _reduce)


def loadable() -> tuple[list[Game], list[str]]:
    """All games that can be loaded, those of other packages last; and why the rest cannot be loaded."""
    found: list[Game] = []
    problems: list[str] = []
    for name in names():
        try:
            game = find(name)
            found += [game] if game else []
        except ConfigError as error:
            problems += error.args
    return found, problems


def names() -> list[str]:
    """The names of all games, those of other packages last."""
    others = sorted(entry.name for entry in entry_points(group=_GROUP))
    return list(dict.fromkeys([*GAMES, *others]))


def page(game: Game) -> str:
    """The text of the rule page of a game, NAME.md beside its rules; or a sentence that there is none."""
    path = _page_file(game)
    if not path or not has_page(game):
        return f"{game.name} has no page: there is no {path or 'file of its rules'}."
    return _COMMENT.sub("", path.read_text(encoding="utf-8"))


def has_page(game: Game) -> bool:
    """Whether a game has a rule page."""
    path = _page_file(game)
    return path is not None and path.is_file()


def _page_file(game: Game) -> Path | None:
    folder = folder_of(game)
    return folder / f"{game.name}.md" if folder else None


def folder_of(game: Game) -> Path | None:
    """The folder of the rules of a game, or None if they are not in a file."""
    if game.name in GAMES:  # compiled rules do not name their module
        return Path(__file__).parent / game.name
    module = sys.modules[game.rules.__module__].__file__
    return Path(module).parent if module else None
