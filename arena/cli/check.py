"""`arena check`: find the problems of a bot in a few games."""

import json
import sys
from pathlib import Path

import click

from arena.cli.base import FILE, FILES, FORMAT, OPTION, command, control_of, pairs
from arena.core.config import ConfigError


def notify(message: str) -> None:
    """Show what is going on: in place on a terminal, where "" clears it, otherwise as lines."""
    if sys.stderr.isatty():
        click.echo(f"\r\x1b[K{message}", err=True, nl=False)
    elif message:
        click.echo(message, err=True)


@click.command()
@click.argument("bot", type=FILE)
@click.option("--game", "names", multiple=True, help="A game to play.  [default: those of its bot.yaml]")
@OPTION
@FILES
@click.option("--move", default="1s", show_default=True, help="Time for an answer.")
@FORMAT
@command
def check(
    bot: Path, names: tuple[str, ...], options: tuple[str, ...], files: tuple[Path, ...], move: str, form: str
) -> int:
    """Play a few games with a BOT and list its problems.

    BOT is a program, or a folder with a bot.yaml. It plays against copies of itself and a bot that answers at
    random, with every option of the game once; options that are given hold in all games.
    """
    from arena.cli.bot_check import build_failure, lines, with_options
    from arena.cli.bot_check import check as check_bot
    from arena.core.bot import MANIFEST, bot_from_path
    from arena.core.files import share
    from arena.core.limits import Limits
    from arena.plan.game import check_options, find_game, options_from_text
    from arena.play.build import BuildFailed, build
    from arena.sandbox.policy import choose

    control, made = control_of(move), bot_from_path(None, bot, [share(path) for path in files])
    try:
        chosen = [find_game(name) for name in names or made.games or ("complots",)]
    except ConfigError as error:
        raise ConfigError(f"--game: {error}" if names else f"{bot / MANIFEST}: games: {error}") from None
    given = options_from_text(pairs(options))
    for game in chosen:
        check_options(game, given, tuple(game.seats))
    sandbox = choose(Limits())
    try:
        if made.build:
            notify("builds the bot")
        build([made], sandbox)
        findings = check_bot(made, [with_options(game, given) for game in chosen], control, sandbox, notify)
    except BuildFailed as error:
        findings = [build_failure(made, error.why, error.said)]
    notify("")
    if form == "json":
        click.echo(json.dumps([vars(finding) for finding in findings], indent=1))
    else:
        click.echo("\n".join(lines(findings)))
    return int(any(finding.verdict == "fault" for finding in findings))
