"""The games of the arena, by name: its own, and those of installed packages."""

import re
import sys
from importlib.metadata import entry_points
from pathlib import Path

from arena.games.complots import game as complots
from arena.games.intrigue import game as intrigue
from arena.games.local import game as local
from arena.rules import Game

GAMES: dict[str, Game] = {game.name: game for game in (complots.GAME, local.GAME, intrigue.GAME)}
GROUP = "arena.games"  # the entry points by which other packages offer a `Game`
COMMENT = re.compile(r"<!--.*?-->\n", re.S)  # how the tests play the transcript below it


def find(name: str) -> Game | None:
    """The game of this name, if there is one."""
    if name not in GAMES:
        for entry in entry_points(group=GROUP, name=name):
            GAMES[name] = entry.load()
    return GAMES.get(name)


def names() -> list[str]:
    """The names of all games, those of other packages last."""
    others = sorted(entry.name for entry in entry_points(group=GROUP))
    return list(dict.fromkeys([*GAMES, *others]))


def page(game: Game) -> str:
    """The rule page of a game, which is a file beside the module of its rules."""
    module = sys.modules[game.rules.__module__].__file__
    path = Path(module).with_name(f"{game.name}.md") if module else None
    if not path or not path.is_file():
        return f"{game.name} has no page."
    return COMMENT.sub("", path.read_text(encoding="utf-8"))
