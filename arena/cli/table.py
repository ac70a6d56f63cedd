"""`arena table`: the standings of runs and result files."""

import gc
import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from arena.cli.base import FILE, TABLE_FORMAT, command, place_points, refuse_unused, within
from arena.cli.completion import BOTS_OF_RUN, RUNS
from arena.cli.progress import seconds
from arena.core.config import ConfigError, suggestion
from arena.rating.methods import METHODS
from arena.report import MATRICES

if TYPE_CHECKING:  # heavy imports, which other commands do not need
    from arena.report.report import Report
    from arena.results.sources import Source

NASH_MISSING = "--nash needs the package scipy (extra arena[nash]): pip install 'scipy>=1.9'"
RATED = (
    "runs", "form", "method", "prior", "exclude", "versions", "merge_anyway", "by_size", "seats",
    "confidence",
)  # fmt: skip
USED = {  # by each view, besides those of `RATED`
    "matrix": "bots",
    "opponents": "anchor average",
    "course": "anchor average bots",
    "changes": "anchor average",
    "nash": "anchor average bots",
    "seat_table": "",
}


@click.command()
@click.argument("runs", nargs=-1, type=FILE, shell_complete=RUNS)
@TABLE_FORMAT
@click.option("--wide", is_flag=True, help="All columns.")
@click.option("--plot", is_flag=True, help="Draw the intervals below the standings.")
@click.option("--bots", help="Show only these bots, separated by commas.")
@click.option("--method", type=click.Choice(list(METHODS)), help="How a game of three or more is rated.")
@click.option("--anchor", metavar="BOT=ELO", help="Fix the Elo of this bot.")
@click.option("--average", callback=within(-1e6, 1e6), help="Mean Elo if there is no anchor.")
@click.option(
    "--prior", callback=within(0, 1e6), help="Wins and losses against a virtual opponent; 0 for none."
)
@click.option("--confidence", callback=within(0, 1, ends=False), help="Of all intervals, such as 0.99.")
@click.option("--order", type=click.Choice(["elo", "points"]), help="What the standings are ranked by.")
@click.option(
    "--points", callback=place_points, metavar="POINTS", help="Points for places 1, 2, …, such as 10,6,3,1."
)
@click.option("--exclude", type=click.Choice(["forfeits"]), help="Leave out games with a forfeit.")
@click.option(
    "--versions",
    type=click.Choice(["apart", "together"]),
    help="Rate the versions of a changed bot apart or together.",
)
@click.option("--merge-anyway", is_flag=True, help="Rate runs of different games or options together.")
@click.option(
    "--seats", type=click.Choice(["report", "fit"]), help="Report the effects of seats, or fit them too."
)
@click.option(
    "--ranges",
    type=click.Choice(["simultaneous", "pairwise"]),
    help="Ranges of ranks that hold all together (the default), or each comparison by itself.",
)
@click.option("--by-size", is_flag=True, help="Rate the games of each number of seats apart.")
@click.option("--matrix", type=click.Choice(MATRICES), help="Show a matrix of all pairs of bots instead.")
@click.option(
    "--opponents",
    metavar="BOT",
    shell_complete=BOTS_OF_RUN,
    help="Show the results of this bot against each opponent instead.",
)
@click.option(
    "--course",
    type=click.IntRange(1, 1000),
    metavar="PARTS",
    help="Show the Elo after each of so many equal parts of the games instead.",
)
@click.option("--changes", is_flag=True, help="Show what each version of a changed bot gained instead.")
@click.option("--nash", is_flag=True, help="Show the Nash averages instead, for games with cycles.")
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
    if behaviour:
        refuse_unused("--behaviour", ("runs", "form", "behaviour"))
        show_behaviour(runs, form)
        return
    if choices["plot"] and form != "text":
        raise click.UsageError(f"--plot does not apply to --format {form}")
    asked = next((view for view in USED if choices[view]), None)
    if asked and form != "json":  # JSON has the standings and all views at once
        refuse_unused(f"--{asked.replace('_', '-')}", (*RATED, asked, *USED[asked].split()))
    show_table(runs, form, **choices)


def show_table(
    runs: Sequence[Path],
    form: str = "text",
    bots: str | None = None,
    anchor: str | None = None,
    exclude: str | None = None,
    versions: str | None = None,
    merge_anyway: bool = False,
    by_size: bool = False,
    wide: bool = False,
    plot: bool = False,
    matrix: str | None = None,
    opponents: str | None = None,
    course: int | None = None,
    changes: bool = False,
    nash: bool = False,
    seat_table: bool = False,
    **rating: Any,
) -> None:
    from arena.report import page, standings_data, views
    from arena.report.notes import UNKNOWN_SEATS, tables_of
    from arena.report.report import Report, rate_now
    from arena.results.sources import load, parse_anchor

    gc.disable()  # all objects live until the end
    with seconds() as next_is:
        next_is("reading the games")
        source = load(runs, together=versions == "together", merge=merge_anyway)
        given = {"anchor": anchor and parse_anchor(anchor), "forfeits": exclude and "exclude", **rating}
        settings = replace(
            source.settings, **{key: value for key, value in given.items() if value is not None}
        )
        if anchor and settings.anchor:
            check_bots(source, "--anchor", [settings.anchor.bot])
        wanted = () if bots is None else bots.split(",")
        check_bots(source, "--bots", wanted)
        check_bots(source, "--opponents", [] if opponents is None else [opponents])
        sources = [source.of_size(size) for size in source.sizes] if by_size else [source]
        reports = [Report(source, settings, wanted) for source in sources]
        next_is("rating the bots")
        for report in reports:
            rate_now(report)
            if rating.get("seats") == "fit" and report.unknown_seats:
                raise ConfigError(f"--seats fit: {tables_of(report.unknown_seats)}: {UNKNOWN_SEATS}")
        next_is("making the table")
        if form == "json":
            tables = [
                standings_data.json_table(
                    report, opponents, course or 0, nash_averages(report) if nash else None
                )
                for report in reports
            ]
            sized = [{"size": size} | table for size, table in zip(source.sizes, tables, strict=False)]
            shown = json.dumps(sized if by_size else tables[0], indent=2)
        elif not source.outcomes and form == "text":
            shown = "no games yet"
        else:
            averages = nash_averages if nash else None
            view = views.view(form, wide, matrix, opponents, course, changes, seat_table, averages)
            view = views.with_intervals(view) if plot else view
            shown = views.by_size(reports, view, form) if by_size else view(reports[0])
    click.echo(page.document(" ".join(path.name for path in runs), shown) if form == "html" else shown)


def nash_averages(report: "Report") -> dict[str, Any]:
    """The `nash` of JSON. ConfigError: two of the bots have not met, or a package is missing."""
    try:
        from arena.report.nash import averages  # imports scipy, which takes half a second
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] != "scipy":
            raise
        raise ConfigError(NASH_MISSING) from None
    try:
        return averages(report)
    except ValueError as error:
        raise ConfigError(f"--nash: {error}") from None


def show_behaviour(runs: Sequence[Path], form: str) -> None:
    from arena import games
    from arena.report import page
    from arena.report.behaviour import json_table, table
    from arena.results.behaviour import behaviour
    from arena.results.game_list import records

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
