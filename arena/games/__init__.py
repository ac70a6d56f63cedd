"""The games of the arena, by name."""

from importlib.resources import files

from arena.games import complots, intrigue, local
from arena.rules import Game

GAMES: dict[str, Game] = {game.name: game for game in (complots.GAME, local.GAME, intrigue.GAME)}


def page(name: str) -> str:
    """The rule page of a game."""
    return files(__package__).joinpath(f"{name}.md").read_text(encoding="utf-8")
