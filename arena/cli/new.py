"""`arena new`: start a bot from the kit of a language."""

from pathlib import Path

import click

from arena.cli.base import FILE, FORMAT, command, print_result
from arena.cli.completion import GAMES, LANGUAGES
from arena.config.text import list_words
from arena.show.tables.commands import command_line


@click.command()
@click.argument("language", required=False, shell_complete=LANGUAGES)
@click.argument("folder", required=False, type=FILE)
@click.option("--game", default="complots", shell_complete=GAMES, help="The game that it plays.")
@FORMAT
@command
def new(language: str | None, folder: Path | None, game: str, form: str) -> None:
    """Write a small working bot in a LANGUAGE into a new FOLDER.

    The folder also gets a bot.yaml. The source has comments; its strategy is the function `choose`, which you
    change. Without a LANGUAGE, list the languages, and the tools that this machine lacks for them.
    """
    from arena.programs import kits
    from arena.programs.game_options import find_game

    if language is None:
        _print_languages(form)
        return
    if folder is None:
        raise click.UsageError("Missing argument 'FOLDER'")
    language, found = kits.find_language(language), find_game(game)
    source = kits.create(language, folder, found.name)
    manifest, notes = (source.with_name(name) for name in ("bot.yaml", "AGENTS.md"))
    lines = [
        f"{kits.LANGUAGES[language]}: {source} has the strategy, {manifest} how to run it",
        f"{notes} says how to check and to measure it, on a page",
    ]
    missing = kits.missing_tools(language)
    if missing:
        lines.append(f"this machine lacks {list_words(missing)}: {kits.install_command(missing)}")
    seats = [folder] * max(found.seats[0], 2)
    then = [command_line("check", folder), command_line("play", found.name, *seats, "--seed", "1")]
    if found.name == "complots":  # The quickstart plays this game.
        then.append(command_line("run", "quickstart", folder))
    written = {"source": str(source), "manifest": str(manifest), "notes": str(notes), "game": found.name}
    about = {**written, "language": language, "missing": missing, "next": then}
    print_result(form, about, [*lines, "next: " + "\n      ".join(then)])


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
