"""`arena table`: the standings of runs and result files."""

import gc
import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from arena.cli.base import FILE, TABLE_FORMAT, command, refuse_unused, within
from arena.core.config import ConfigError, suggestion
from arena.rating.methods import METHODS
from arena.report import MATRICES

if TYPE_CHECKING:  # heavy imports, which other commands do not need
    from arena.results.sources import Source


@click.command()
@click.argument("runs", nargs=-1, type=FILE)
@TABLE_FORMAT
@click.option("--wide", is_flag=True, help="All columns.")
@click.option("--bots", help="Show only these bots, separated by commas.")
@click.option("--method", type=click.Choice(list(METHODS)), help="How a game of three or more is rated.")
@click.option("--anchor", metavar="BOT=ELO", help="Fix the Elo of this bot.")
@click.option("--average", callback=within(-1e6, 1e6), help="Mean Elo if there is no anchor.")
@click.option(
    "--prior", callback=within(0, 1e6), help="Wins and losses against a virtual opponent; 0 for none."
)
@click.option("--exclude", type=click.Choice(["forfeits"]), help="Leave out games with a forfeit.")
@click.option(
    "--versions",
    type=click.Choice(["apart", "together"]),
    help="Rate the versions of a changed bot apart or together.",
)
@click.option(
    "--seats", type=click.Choice(["report", "fit"]), help="Report the effects of seats, or fit them too."
)
@click.option(
    "--ranges",
    type=click.Choice(["simultaneous", "pairwise"]),
    help="Ranges of ranks that hold all together (the default), or each comparison by itself.",
)
@click.option("--matrix", type=click.Choice(MATRICES), help="Show a matrix of all pairs of bots instead.")
@click.option("--seat-table", is_flag=True, help="Show the effects of seats instead.")
@click.option("--behaviour", is_flag=True, help="Show how the bots play instead; replays all games.")
@click.option("--explain", is_flag=True, help="Show the definition and source of every number.")
@command
def table(runs: tuple[Path, ...], form: str, behaviour: bool, explain: bool, **choices: Any) -> None:
    """Show the standings (Elo table) of RUNS.

    RUNS are run files, or CSV and PGN files with results; several are merged. Options
    override the rating settings of the plan.
    """
    if explain:
        from arena.report.columns import page

        refuse_unused("--explain", ["explain"])
        click.echo(page())
        return
    if not runs:
        raise click.UsageError("Missing argument 'RUNS...'.")
    games = ("runs", "form", "method", "prior", "exclude", "versions")
    if behaviour:
        refuse_unused("--behaviour", ("runs", "form", "behaviour"))
        show_behaviour(runs, form)
        return
    if choices["seat_table"] and form != "json":  # JSON has the standings, the matrices and the seats
        refuse_unused("--seat-table", (*games, "seat_table"))
    if choices["matrix"] and form != "json":
        refuse_unused("--matrix", (*games, "matrix", "bots", "seats"))
    show_table(runs, form, **choices)


def show_table(
    runs: Sequence[Path],
    form: str = "text",
    wide: bool = False,
    bots: str | None = None,
    matrix: str | None = None,
    seat_table: bool = False,
    anchor: str | None = None,
    exclude: str | None = None,
    versions: str | None = None,
    **rating: Any,
) -> None:
    from arena.report import matrices, page, standings, standings_data
    from arena.results.sources import load, parse_anchor

    gc.disable()  # all objects live until the end
    source = load(runs, together=versions == "together")
    given = {"anchor": anchor and parse_anchor(anchor), "forfeits": exclude and "exclude", **rating}
    settings = replace(source.settings, **{key: value for key, value in given.items() if value is not None})
    if anchor and settings.anchor:
        check_bots(source, "--anchor", [settings.anchor[0]])
    wanted = () if bots is None else bots.split(",")
    check_bots(source, "--bots", wanted)
    report = standings.Report(source, settings, wanted)
    try:
        report.field, report.seats  # noqa: B018  # cached properties, computed here so that errors are caught
    except ValueError as error:
        raise ConfigError(f"these games cannot be rated with these settings: {error}") from None
    if form == "json":
        shown = json.dumps(standings_data.json_table(report), indent=2)
    elif not source.outcomes and form == "text":
        shown = "no games yet"
    elif matrix:
        shown = matrices.matrix(report, matrix, form)
    elif seat_table:
        shown = matrices.seat_table(report, form)
    elif form == "csv":
        shown = standings_data.csv_table(report)
    else:
        shown = standings.text(report, form, wide)
    click.echo(page.document(" ".join(path.name for path in runs), shown) if form == "html" else shown)


def show_behaviour(runs: Sequence[Path], form: str) -> None:
    from arena import games
    from arena.report import page
    from arena.report.behaviour import json_table, table
    from arena.results.behaviour import behaviour
    from arena.results.sources import records

    found = []
    for name in sorted({record.fixture.game for _, record in records(runs)}):
        if not (game := games.find(name)):
            raise ConfigError(f"the game {name} is not installed")
        rows = behaviour(game, (each for each in records(runs) if each[1].fixture.game == name))
        found.append((game, rows))
    if form == "json":
        click.echo(json.dumps({game.name: json_table(game, rows) for game, rows in found}, indent=2))
    else:
        shown = "\n\n".join(table(game, rows, form) for game, rows in found) or "no games yet"
        click.echo(page.document(" ".join(path.name for path in runs), shown) if form == "html" else shown)


def check_bots(source: "Source", option: str, wanted: Sequence[str]) -> None:
    """ConfigError: one of the bots has no games."""
    known = sorted({bot for outcome in source.outcomes for bot in outcome.bots}) if wanted else []
    for bot in wanted:
        if bot not in known:
            raise ConfigError(
                f"{option}: no bot {bot!r}{suggestion(bot, known) if known else '; there are no games'}"
            )
