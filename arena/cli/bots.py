"""`arena bots`: the house bots."""

import click

from arena.cli.base import TABLE_FORMAT, command
from arena.cli.completion import GAMES


@click.command()
@click.argument("game", required=False, shell_complete=GAMES)
@TABLE_FORMAT
@command
def bots(game: str | None, form: str) -> None:
    """List the house bots, or those that play a GAME.

    They come with the arena, and can be named wherever a bot is, on the command line and in plans:
    arena play complots house:counting mybot.py
    """
    from arena.programs.bot import HOUSE
    from arena.programs.game_options import find_game
    from arena.programs.house import HOUSE_BOTS
    from arena.show.tables.render import render
    from arena.show.tables.table import Column, Table

    columns = (
        Column("bot", "bot", is_left=True),
        Column("plays", "game", lambda game: game or "any", is_left=True),
        Column("how", "about language", lambda about, _: about, is_left=True),
    )
    wanted = find_game(game).name if game else None
    rows = [
        {"bot": HOUSE + name, "game": bot.game, "language": bot.language, "about": bot.about}
        for name, bot in HOUSE_BOTS.items()
        if wanted in (None, bot.game) or not bot.game
    ]
    click.echo(render([Table("bots", columns, rows)], form))
