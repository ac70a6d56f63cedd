"""`arena games`: the list of games, and the rules of each."""

from typing import TYPE_CHECKING, Any

import click

from arena.cli.base import FORMAT, all_games, command, print_result
from arena.cli.completion import GAMES

if TYPE_CHECKING:  # This import is slow, and other commands do not need it.
    from arena.rules import Game


@click.command()
@click.argument("name", required=False, shell_complete=GAMES)
@FORMAT
@command
def games(name: str | None, form: str) -> None:
    """List the games, or show the page of one: seats, options, rules."""
    from arena.games import page
    from arena.programs.game_options import find_game

    chosen = [find_game(name)] if name else all_games()
    pages = (page(game) if name else _describe(game) for game in chosen)
    print_result(form, [_to_json(game) for game in chosen], pages)


def _describe(game: "Game") -> str:
    low, high = game.seats[0], game.seats[-1]
    players = f"{low} players" if low == high else f"{low}-{high} players"
    return f"{game.name}  {players}  {game.summary}"


def _to_json(game: "Game") -> dict[str, Any]:
    from arena.show.tables.table import for_programs

    return {
        "game": game.name,
        "version": game.version,
        "seats": list(game.seats),
        "summary": game.summary,
        "options": {
            name: {
                key: for_programs(getattr(option, key), 6)
                for key in ("default", "values", "minimum", "meaning")
            }
            for name, option in game.options.items()
        },
    }
