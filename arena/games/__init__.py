"""The games of the arena, by name."""

from arena.games import complots
from arena.rules import Game

GAMES: dict[str, Game] = {game.name: game for game in (complots.GAME,)}
