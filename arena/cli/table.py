"""Commands on results: the table, who is in it, and the games for other programs."""

import gc
import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from arena.cli.base import FILE, TABLE_FORMAT, command, shown_record, within
from arena.core.config import ConfigError, suggestion
from arena.rating.methods import METHODS
from arena.report import MATRICES


@click.command()
@click.argument("runs", nargs=-1, type=FILE)
@TABLE_FORMAT
@click.option("--wide", is_flag=True, help="All columns.")
@click.option("--bots", help="Show these alone, parted by commas.")
@click.option("--method", type=click.Choice(list(METHODS)), help="How a game is read.")
@click.option("--anchor", metavar="BOT=ELO", help="The bot whose Elo is given.")
@click.option("--average", callback=within(-1e6, 1e6), help="Mean Elo, where there is no anchor.")
@click.option("--prior", callback=within(0, 1e6), help="Wins and losses against a ghost; 0 for none.")
@click.option("--exclude", type=click.Choice(["forfeits"]), help="Leave out the games that have one.")
@click.option("--versions", type=click.Choice(["apart", "together"]), help="Of a bot that was changed.")
@click.option("--seats", type=click.Choice(["report", "fit"]), help="Account for the worth of seats.")
@click.option("--matrix", type=click.Choice(MATRICES), help="Show each bot against each other one instead.")
@click.option("--seat-table", is_flag=True, help="Show the seats instead.")
@click.option("--behaviour", is_flag=True, help="Show how the bots play instead; plays all records again.")
@click.option("--explain", is_flag=True, help="Show what every number means, and where it is from.")
@command
def table(runs: tuple[Path, ...], form: str, behaviour: bool, explain: bool, **choices: Any) -> None:
    """Show the Elo table of RUNS, or of results in CSV or PGN files; several are merged.

    Unless an option says otherwise, it is made as the plan of the runs has it.
    """
    if explain:
        from arena.report.columns import page

        click.echo(page())
        return
    if not runs:
        raise click.UsageError("Missing argument 'RUNS...'.")
    if behaviour:
        show_behaviour(runs, form)
    else:
        show_table(runs, form, **choices)


@click.command()
@click.argument("run", type=FILE)
@click.argument("bot")
@click.option("--why", help="Stands under the table.")
@click.option("--undo", is_flag=True, help="Take it back in.")
@command
def exclude(run: Path, bot: str, why: str | None, undo: bool) -> None:
    """Take a BOT out of the table of a RUN. Its games stay; the others' results against each other count."""
    from arena.results.sources import exclude

    if not undo and not why:
        raise ConfigError("exclude: say --why, for everybody who reads the table")
    exclude(run, bot, None if undo else why)


@click.command()
@click.argument("run", type=FILE)
@click.option("--format", "form", type=click.Choice(["jsonl", "csv"]), default="jsonl", show_default=True)
@click.option("--entries", is_flag=True, help="With every line of every game, and who heard it.")
@command
def export(run: Path, form: str, entries: bool) -> None:
    """Print all games of a RUN in fixture order.

    As jsonl, the game part of every record, one object a line: the same, byte for byte, whenever the
    same bots play the same plan. The seeds of the deals are in it once `arena replay --reveal` has closed the
    run. As csv, a row a seat, to be rated by `arena table` or another program.
    """
    from arena.report.export import csv_games
    from arena.results.store import Store
    from arena.results.transcript import to_json

    with Store(run) as store:
        games = store.summaries()
        if form == "csv":
            click.echo(csv_games(games, store.about().get("plan", {})))
        elif entries:
            for game in games:
                click.echo(json.dumps(to_json(shown_record(store, game.id))))
        else:
            for part in store.parts([game.id for game in games]):
                click.echo(part)


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
    from arena.report import everything, matrices, page
    from arena.report import table as elo
    from arena.results.sources import load, parse_anchor

    gc.disable()  # what a table is made of lives until the end
    source = load(runs, together=versions == "together")
    given = {"anchor": anchor and parse_anchor(anchor), "forfeits": exclude and "exclude", **rating}
    settings = replace(source.settings, **{key: value for key, value in given.items() if value is not None})
    if anchor:
        check_bots(source, "--anchor", [settings.anchor[0]])
    wanted = () if bots is None else bots.split(",")
    check_bots(source, "--bots", wanted)
    report = elo.Report(source, settings, wanted)
    try:
        report.field, report.seats  # noqa: B018  # computed once
    except ValueError as error:
        raise ConfigError(f"these games cannot be rated so: {error}") from None
    if form == "json":
        shown = json.dumps(everything.json_table(report), indent=2)
    elif not source.outcomes and form == "text":
        shown = "no games yet"
    elif matrix:
        shown = matrices.matrix(report, matrix, form)
    elif seat_table:
        shown = matrices.seat_table(report, form)
    elif form == "csv":
        shown = everything.csv_table(report)
    else:
        shown = elo.text(report, form, wide)
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
            raise ConfigError(f"the game {name} is not installed here")
        rows = behaviour(game, (each for each in records(runs) if each[1].fixture.game == name))
        found.append((game, rows))
    if form == "json":
        click.echo(json.dumps({game.name: json_table(game, rows) for game, rows in found}, indent=2))
    else:
        shown = "\n\n".join(table(game, rows, form) for game, rows in found) or "no games yet"
        click.echo(page.document(" ".join(path.name for path in runs), shown) if form == "html" else shown)


def check_bots(source: Any, option: str, wanted: Sequence[str]) -> None:
    """ConfigError: there is no such bot in the games."""
    known = sorted({bot for outcome in source.outcomes for bot in outcome.bots}) if wanted else []
    for bot in wanted:
        if bot not in known:
            raise ConfigError(
                f"{option}: no bot {bot!r}{suggestion(bot, known) if known else ', nor any game'}"
            )
