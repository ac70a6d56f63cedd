"""The first page: the standings, what they are based on, and how to check them."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import compress
from pathlib import Path

from arena.show.pages.conditions import run_of
from arena.show.pages.page import Page
from arena.show.pages.site import Site
from arena.show.pages.standings_chart import MOST, standings_chart
from arena.show.tables.commands import command_line
from arena.show.tables.notes import footing, notes
from arena.show.tables.placings import places_table
from arena.show.tables.standings import ELO_OF_ALL, standings
from arena.show.tables.table import Table
from arena.tournament.runs.sources import is_results

_CAPTION = (
    "The Elo of each bot and its interval. Bots whose intervals overlap a little may still differ "
    "significantly."
)


def pages(site: Site) -> Iterator[Page]:
    report = site.report
    basis = footing(report)
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
            + (f" The first {MOST} bots; the CSV file has all." if len(report.rows) > MOST else ""),
            "table": site.linked(_without_empty_columns(standings(report))),
            "notes": [*(note for note in notes(report) if note != basis), *_unshown_note(site)],
            "runs": [run_of(path) for path in site.runs],
            "commands": _commands(site),
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


def _commands(site: Site) -> list[str]:
    """The commands that show the same standings, and check each deal and result of the runs."""
    files = [Path(path.name) for path in site.runs]
    merged = ["--merge-anyway"] if site.report.source.mixed else []
    checks = [command_line("verify", file) for file in files if not is_results(file)]
    return [command_line("table", *files, *merged), *checks]
