"""`arena new`: start a bot from the kit of a language."""

from pathlib import Path

import click

from arena.cli.base import FILE, FORMAT, command, print_result
from arena.cli.completion import GAMES, LANGUAGES
from arena.config.text import list_words


@click.command()
@click.argument("language", required=False, shell_complete=LANGUAGES)
@click.argument("folder", required=False, type=FILE)
@click.option("--game", default="complots", shell_complete=GAMES, help="The game that it plays.")
@click.option(
    "--list", "wants_list", is_flag=True, help="List the languages, and what this machine lacks for them."
)
@FORMAT
@command
def new(language: str | None, folder: Path | None, game: str, wants_list: bool, form: str) -> None:
    """Write a small working bot in a LANGUAGE into a new FOLDER.

    Beside it is its bot.yaml. Its source explains itself; change the function `choose` in it, which is the
    strategy.
    """
    from arena.programs import kits
    from arena.programs.game_options import find_game

    if wants_list:
        _print_languages(form)
        return
    if language is None or folder is None:
        raise click.UsageError(f"Missing argument '{'LANGUAGE' if language is None else 'FOLDER'}'")
    if form == "json":
        raise click.UsageError("--format json is for --list")
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


def _print_languages(form: str) -> None:
    from tabulate import tabulate

    from arena.programs import kits

    rows = []
    for language in kits.LANGUAGES:
        missing = kits.missing_tools(language)
        state = kits.install_command(missing) if missing else "ready"
        rows.append((language, ", ".join(kits.tools(language)), state))
    heads = ("language", "needs", "this machine")
    values = [dict(zip(("language", "needs", "state"), row, strict=True)) for row in rows]
    print_result(form, values, [tabulate(rows, heads, tablefmt="simple")])
