"""`arena games`: the list of games, and the rules of each."""

import click

from arena.cli.base import FORMAT, all_games, command, print_result
from arena.cli.completion import GAMES


@click.command()
@click.argument("name", required=False, shell_complete=GAMES)
@FORMAT
@command
def games(name: str | None, form: str) -> None:
    """List the games, or show the page of one: seats, options, rules."""
    from arena.games import page
    from arena.programs.game_options import find_game
    from arena.show.tables.games import describe_game, game_json

    chosen = [find_game(name)] if name else all_games()
    pages = (page(game) if name else describe_game(game) for game in chosen)
    print_result(form, [game_json(game) for game in chosen], pages)
