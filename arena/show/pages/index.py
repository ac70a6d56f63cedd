"""The first page: the standings, what they are based on, and how to check them."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import compress
from pathlib import Path

from arena.show.pages.chart import SERIES, Chart, draw_intervals, figure, short, svg_of
from arena.show.pages.conditions import run_of
from arena.show.pages.page import Page
from arena.show.pages.site import Site
from arena.show.tables.commands import command_line
from arena.show.tables.notes import footing, notes
from arena.show.tables.placings import places_table
from arena.show.tables.render import csv_text
from arena.show.tables.report import Report
from arena.show.tables.standings import ELO_OF_ALL, standings
from arena.show.tables.table import Table
from arena.tournament.runs.sources import is_results

_MOST = 40  # bots in the chart
_ARROW = {"arrowstyle": "->", "color": SERIES[0], "lw": 1.5, "shrinkA": 0, "shrinkB": 0}
_CAPTION = (
    "The Elo of each bot and its interval. Bots whose intervals overlap a little may still differ "
    "significantly."
)


def pages(site: Site) -> Iterator[Page]:
    report = site.report
    basis = footing(report)
    files = [Path(path.name) for path in site.runs]
    merged = ["--merge-anyway"] if report.source.mixed else []
    checks = [command_line("verify", file) for file in files if not is_results(file)]
    yield Page(
        "index.html",
        "Standings",
        "index.html",
        {
            "lead": basis,
            "places": site.linked(places) if (places := places_table(report.source.placings)).rows else None,
            "of_all": ELO_OF_ALL,
            "rounds": report.source.placings.rounds,
            "chart": site.write_chart(standings_chart(report)),
            "caption": _CAPTION
            + (f" The first {_MOST} bots; the CSV file has all." if len(report.rows) > _MOST else ""),
            "table": site.linked(_without_empty_columns(standings(report))),
            "notes": [*(note for note in notes(report) if note != basis), *_unshown_note(site)],
            "runs": [run_of(path) for path in site.runs],
            "commands": [command_line("table", *files, *merged), *checks],
        },
    )


def _without_empty_columns(table: Table) -> Table:
    filled = map(any, zip(*table.cells, strict=True))
    return replace(table, columns=[*compress(table.columns, filled)])


def _unshown_note(site: Site) -> list[str]:
    """Why some games are missing from the other pages, if they are."""
    if not site.records or not (unshown := site.records.collected.unshown):
        return []
    count = f"{len(unshown)} of {len(site.records.games)} games"
    why = f"the reason for the first one: {unshown[min(unshown)]}"
    return [f"{count} cannot be replayed: the list of games, the times and the behaviour lack them; {why}"]


def standings_chart(report: Report) -> Chart:
    """The first bots of the standings. The CSV has all bots, with all columns."""
    top = report.rows[:_MOST]
    with figure(0.7 + 0.27 * len(top)) as (drawn, axes):
        errors = [0 if row.bound is not None else row.error or 0 for row in top]
        draw_intervals(axes, [short(row.bot) for row in top], [row.elo for row in top], errors)
        for height, row in enumerate(top):
            if row.bound is not None:  # the interval of a perfect score has one end
                beyond = row.elo + (row.elo - row.bound)
                axes.annotate("", (beyond, height), (row.bound, height), arrowprops=_ARROW)
                axes.plot([row.bound, beyond], [height, height], "none")  # room for the arrow
                axes.plot(row.bound, height, "|", markersize=7, color=SERIES[0])
        axes.set_xlabel(f"Elo, with {100 * report.settings.confidence:g} % confidence interval")
        svg = svg_of(drawn)
    alt = f"Elo of {len(top)} bots with intervals, the best at the top; the table below has the numbers"
    return Chart("standings", alt, svg, csv_text([standings(report)]))
