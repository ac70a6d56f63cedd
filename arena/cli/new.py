"""`arena new`: start a bot from the kit of a language."""

from pathlib import Path

import click

from arena.cli.base import FILE, command
from arena.cli.completion import GAMES, LANGUAGES
from arena.config.text import list_words


def _list_languages(context: click.Context, option: click.Option, wanted: bool) -> None:
    if not wanted or context.resilient_parsing:
        return
    from tabulate import tabulate

    from arena.programs import kits

    rows = []
    for language in kits.LANGUAGES:
        missing = kits.missing_tools(language)
        state = kits.install_command(missing) if missing else "ready"
        rows.append((language, ", ".join(kits.tools(language)), state))
    click.echo(tabulate(rows, ("language", "needs", "this machine"), tablefmt="simple"))
    context.exit()


@click.command()
@click.argument("language", shell_complete=LANGUAGES)
@click.argument("folder", type=FILE)
@click.option(
    "--game", default="complots", show_default=True, shell_complete=GAMES, help="The game that it plays."
)
@click.option(
    "--list",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_list_languages,
    help="List the languages, and what this machine lacks for them.",
)
@command
def new(language: str, folder: Path, game: str) -> None:
    """Write a small working bot in a LANGUAGE into a new FOLDER.

    Beside it is its bot.yaml. Its source explains itself; change the function `choose` in it, which is the
    strategy.
    """
    from arena.programs import kits
    from arena.programs.game_options import find_game

    language, found = kits.find_language(language), find_game(game)
    source = kits.create(language, folder, found.name)
    click.echo(
        f"{kits.LANGUAGES[language]}: {source} has the strategy, {source.with_name('bot.yaml')} how to run it"
    )
    if missing := kits.missing_tools(language):
        click.echo(f"this machine lacks {list_words(missing)}: {kits.install_command(missing)}")
    seats = [str(folder)] * max(found.seats[0], 2)
    click.echo(f"next: arena check {folder}\n      arena play {found.name} {' '.join(seats)} --seed 1")
    if found.name == "complots":  # as in the quickstart
        click.echo(f"      arena run quickstart {folder}")
