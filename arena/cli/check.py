"""`arena check`: find the problems of bots in a few games."""

import shlex
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import click

from arena.cli.base import (
    FILE,
    FILES,
    FORMAT,
    OPTION,
    command,
    control_of,
    is_given,
    move_option,
    pairs,
    plan_file,
    print_result,
)
from arena.cli.completion import BOTS, GAMES, PLANS
from arena.config.text import printable
from arena.programs.machine import usable_cores

if TYPE_CHECKING:  # These imports are slow, and other commands do not need them.
    from arena.tournament.check_entries import CheckRequest


def _notify(message: str) -> None:
    """Show the message on stderr: in place on a terminal, where "" clears it, otherwise as lines."""
    if sys.stderr.isatty():
        room = shutil.get_terminal_size().columns - 1
        click.echo(f"\r\x1b[K{printable(message)[:room]}", err=True, nl=False)
    elif message:
        click.echo(printable(message), err=True)


def _progress(form: str) -> Callable[[str], None]:
    return (lambda message: None) if form == "json" else _notify


@click.command()
@click.argument("bots", nargs=-1, required=True, type=FILE, shell_complete=BOTS, metavar="BOT...")
@click.option(
    "--plan", type=FILE, shell_complete=PLANS, help="Check what this plan plays, under its conditions."
)
@click.option(
    "--game",
    "names",
    multiple=True,
    shell_complete=GAMES,
    help="A game to play.  [default: those of its bot.yaml]",
)
@OPTION
@FILES
@move_option("1s")
@click.option("--watch", is_flag=True, help="Check again whenever a file of the bot changes, until Ctrl-C.")
@FORMAT
@command
def check(
    bots: tuple[Path, ...],
    plan: Path | None,
    names: tuple[str, ...],
    options: tuple[str, ...],
    files: tuple[Path, ...],
    move: str,
    watch: bool,
    form: str,
) -> int:
    """Play a few games with BOTS and list their problems.

    BOT is a program, or a folder with a bot.yaml. It plays at every number of seats against copies of itself
    and house bots, reads words of a later protocol, and plays a game twice. The given options apply to all
    games. Problems with options that its bot.yaml does not mention are only noted. The exit status is 0 if
    nothing is wrong, else 1.
    """
    from arena.tournament.check_entries import read_request, read_versions, wait_for_change

    if plan and (names or options or is_given("move")):
        raise click.UsageError(
            "--plan sets the game, its options and the time: no --game, --option or --move"
        )
    bots = tuple(dict.fromkeys(bots))
    request = read_request(plan and plan_file(plan), names, pairs(options), control_of(move), files)
    if not watch:
        return _show(bots, request, plan, form)
    try:
        while True:
            before = read_versions(bots, request)
            _show(bots, request, plan, form)
            _progress(form)("waits for a change; Ctrl-C ends")
            wait_for_change(bots, request, before)
            _progress(form)("")
    except KeyboardInterrupt:
        _progress(form)("")
        click.echo("arena: no longer watching", err=True)
        return 130


def _show(bots: tuple[Path, ...], request: "CheckRequest", plan: Path | None, form: str) -> int:
    from arena.cli import check_text as text
    from arena.tournament.check_entries import check_all

    tell = _progress(form)
    checked = {str(path): findings for path, findings in check_all(bots, request, tell, usable_cores())}
    tell("")
    values = [{"bot": bot, **each.to_json()} for bot, findings in checked.items() for each in findings]
    if len(checked) == 1:
        lines = text.lines(*checked.values())
    else:
        again = ["--plan", str(plan)] if plan else []
        lines = text.table(checked, lambda bot: shlex.join(["arena", "check", bot, *again]))
    print_result(form, values, lines)
    return int(any(map(text.problems, checked.values())))
