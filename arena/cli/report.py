"""`arena report`: pages of results that open from disk."""

import errno
from math import inf
from pathlib import Path

import click

from arena.cli.base import FILE, command
from arena.cli.completion import RUNS
from arena.config.document import ConfigError
from arena.programs.machine import install_command, usable_cores


def _game_count(context: click.Context, option: click.Option, text: str) -> float:
    if text in ("all", "none"):
        return inf if text == "all" else 0
    if text.isascii() and text.isdecimal():
        return int(text)
    raise click.BadParameter(f"should be a number of games, all or none, not {text!r}")


@click.command()
@click.argument("runs", nargs=-1, required=True, type=FILE, shell_complete=RUNS)
@click.option(
    "--out", required=True, type=FILE, help="The folder of the pages; it is created if it is missing."
)
@click.option("--merge-anyway", is_flag=True, help="Rate runs of different games or options together.")
@click.option(
    "--games",
    "most",
    default="10000",
    metavar="N|all|none",
    callback=_game_count,
    help="How many games get a page: those with faults, then the most unexpected, then the first.",
)
@click.option(
    "--no-stderr", is_flag=True, help="Leave out the stderr of bots, which may reveal how they play."
)
@command
def report(runs: tuple[Path, ...], out: Path, merge_anyway: bool, most: float, no_stderr: bool) -> None:
    """Write pages of RUNS: standings, charts, bots, a viewer of games.

    They open from disk by double click, and can be published as they are. The pages of an earlier report
    in the folder are replaced. RUNS are as in `arena table`. Pages of CSV and PGN files have only standings
    and charts.
    """
    from arena.cli.live import steps

    try:
        from arena.show.pages.records import GamePages
        from arena.show.pages.write import write_site
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] != "matplotlib":
            raise
        raise ConfigError(f"arena report needs the extra report: {install_command('report')}") from None
    try:
        with steps() as progress:
            write_site(runs, out, merge_anyway, GamePages(most, not no_stderr), usable_cores(), progress)
    except OSError as error:
        if error.errno == errno.ENOSPC:
            raise
        raise ConfigError(f"{error.filename or out}: cannot be written: {error.strerror}") from None
    click.echo(out / "index.html")
