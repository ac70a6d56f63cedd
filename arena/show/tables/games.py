"""The list of games: a line for people, JSON for programs."""

from typing import Any

from arena.rules import Game


def describe_game(game: Game) -> str:
    """One line for a list of games."""
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
            name: {
                "default": option.default,
                "values": list(option.values),
                "minimum": option.minimum,
                "meaning": option.meaning,
            }
            for name, option in game.options.items()
        },
    }
