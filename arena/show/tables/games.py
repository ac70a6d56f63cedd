"""The list of games: a line for people, JSON for programs."""

from typing import Any

from arena.rules import Game
from arena.show.tables.table import exact


def describe_game(game: Game) -> str:
    low, high = game.seats[0], game.seats[-1]
    players = f"{low} players" if low == high else f"{low}-{high} players"
    return f"{game.name}  {players}  {game.summary}"


def game_json(game: Game) -> dict[str, Any]:
    return {
        "game": game.name,
        "version": game.version,
        "seats": list(game.seats),
        "summary": game.summary,
        "options": {
            name: {key: exact(getattr(option, key), 6) for key in ("default", "values", "minimum", "meaning")}
            for name, option in game.options.items()
        },
    }
