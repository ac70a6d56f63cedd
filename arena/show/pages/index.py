"""The first page: the standings, their basis, and how to check them."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import date
from pathlib import Path

from arena.rating.standings import Standing
from arena.show.pages.chart import SERIES, Chart, draw_intervals, figure, short, svg_of
from arena.show.pages.conditions import run_of
from arena.show.pages.featured import featured_games
from arena.show.pages.page import Page
from arena.show.pages.records import order_of_finish
from arena.show.pages.site import Site
from arena.show.tables.commands import command_line
from arena.show.tables.drawn import drawn_standings
from arena.show.tables.notes import WHY_APART, footing, notes
from arena.show.tables.placings import places_table
from arena.show.tables.render import csv_text
from arena.show.tables.report import Report
from arena.show.tables.standings import ELO_OF_ALL, standings
from arena.show.tables.table import CellLink
from arena.tournament.runs.sources import is_results

_MAX_BOTS = 40  # bots in the chart
_MAX_TOGETHER = 6  # bots on one step of the podium
_ARROW = {"arrowstyle": "->", "color": SERIES[0], "lw": 1.5, "shrinkA": 0, "shrinkB": 0}
_CAPTION = (
    "The Elo of each bot and its interval. Bots whose intervals overlap a little may still differ "
    "significantly."
)


def pages(site: Site) -> Iterator[Page]:
    report, *apart = site.kinds
    basis, runs = footing(report), [run_of(path) for path in site.runs]
    places = places_table(report.source.placings)
    is_finished = all(run.is_finished for run in runs) and not report.source.unfinished
    files = [Path(path.name) for path in site.runs]
    merged = ["--merge-anyway"] if report.source.mixed else []
    checks = [command_line("verify", file) for file in files if not is_results(file)]
    table = site.linked(drawn_standings(report))
    rows, rated = [*table.rows], [row for row in report.rows if not row.unrated]
    yield Page(
        "index.html",
        "Standings",
        "index.html",
        {
            "lead": basis,
            "headline": _headline(site, report, is_finished),
            "contest": "; ".join(dict.fromkeys(run.contest for run in runs if run.contest)),
            "played": _date(site.runs),
            "podium": _podium(site, report) if is_finished else [],
            "places": site.linked(places) if places.rows else None,
            "of_all": ELO_OF_ALL,
            "rounds": report.source.placings.rounds,
            "chart": site.write_chart(standings_chart(report)) if rated else None,
            "caption": _CAPTION
            + (f" The first {_MAX_BOTS} bots; the CSV file has all." if len(report.rows) > _MAX_BOTS else ""),
            "table": replace(table, rows=rows[:_MAX_BOTS]),
            "rest": replace(table, rows=rows[_MAX_BOTS:]),
            "kind": report.kind,
            "apart": site.linked(drawn_standings(apart[0])) if apart else None,
            "why_apart": WHY_APART,
            "notes": [*(note for note in notes(report) if note != basis), *_unshown_note(site)],
            "runs": runs,
            "featured": _featured(site),
            "commands": [command_line("table", *files, *merged), *checks],
        },
    )


def _headline(site: Site, report: Report, is_finished: bool) -> tuple[list[str | CellLink], str]:
    """The bots that are first, as cells, and the verb for them: `won`, `lead` or `leads`."""
    ranking, rows = report.source.placings.ranking, report.rows
    first = ranking[:1] or [row.bot for row in rows if row.rank == rows[0].rank and not row.unrated]
    return [site.bot(bot) for bot in first], "won" if is_finished else "lead" + "s" * (len(first) == 1)


def _podium(site: Site, report: Report) -> list[tuple[str, list[str | CellLink], str]]:
    """The steps of the podium for the first three bots: places, bots as cells, and how sure the place is.

    If the Elo decides, bots share a step unless one is surely better.
    """
    if ranking := report.source.placings.ranking:
        return [(str(number), [site.bot(bot)], "") for number, bot in enumerate(ranking[:3], 1)]
    rated = [row for row in report.rows if not row.unrated and "!" not in row.flags]
    if report.settings.order == "points":
        return [(str(row.rank), [site.bot(row.bot)], f"{row.points:g} points") for row in rated[:3]]
    steps = []
    for first, last in _told_apart(rated):
        bots = [site.bot(row.bot) for row in rated[first:last]]
        if first >= 3 or len(bots) > _MAX_TOGETHER:
            break
        places, words = f"{first + 1} to {last}", "not told apart"
        if len(bots) == 1:
            places, words = str(last), f"{rated[first].elo:.0f} Elo, surely"
        steps.append((places, bots, words))
    return steps


def _told_apart(rows: Sequence[Standing]) -> Iterator[tuple[int, int]]:
    """The spans of rows (first, end) that are surely better than all rows below them."""
    first = end = 0
    while first < len(rows):
        end = max(first + 1, max(row.rank_range[1] for row in rows[: first + 1]))
        while (further := max(row.rank_range[1] for row in rows[:end])) > end:
            end = further
        yield first, end
        first = end


def _date(runs: Sequence[Path]) -> str:
    """The day of the last change to any of the files, as text; "" without files."""
    if not runs:
        return ""
    last = date.fromtimestamp(max(path.stat().st_mtime for path in runs))
    return f"{last.day} {last:%B %Y}"


def _featured(site: Site) -> list[dict[str, object]]:
    """Games worth watching, each with a link to its first interesting moment, and its bots by place."""
    if not (records := site.records):
        return []
    collected = records.collected
    return [
        {
            "link": records.cell(each.at, each.moment, each.title),
            "words": each.words,
            "finish": order_of_finish(records.games[each.at]),
        }
        for each in featured_games(records.games, records.notable, collected.bluffs, collected.endings)
        if each.at in collected.measured
    ]


def _unshown_note(site: Site) -> list[str]:
    """A note that explains why games are missing from the other pages; [] if none are."""
    if not site.records or not (unshown := site.records.collected.unshown):
        return []
    count = f"{len(unshown)} of {len(site.records.games)} games"
    why = f"the reason for the first one: {unshown[min(unshown)]}"
    return [f"{count} cannot be replayed: the list of games, the times and the behaviour lack them; {why}"]


def standings_chart(report: Report) -> Chart:
    """The Elo and intervals of the first rated bots. The CSV has the whole standings, with all columns."""
    top = [row for row in report.rows if not row.unrated][:_MAX_BOTS]
    with figure(0.7 + 0.27 * len(top)) as (drawn, axes):
        errors = [0 if row.bound is not None else row.error or 0 for row in top]
        draw_intervals(axes, [short(row.bot) for row in top], [row.elo for row in top], errors)
        for height, row in enumerate(top):
            if row.bound is not None:  # The interval of a perfect score has one end.
                beyond = row.elo + (row.elo - row.bound)
                axes.annotate("", (beyond, height), (row.bound, height), arrowprops=_ARROW)
                axes.plot([row.bound, beyond], [height, height], "none")  # This leaves room for the arrow.
                axes.plot(row.bound, height, "|", markersize=7, color=SERIES[0])
        axes.set_xlabel(f"Elo, with {100 * report.settings.confidence:g} % confidence interval")
        svg = svg_of(drawn)
    alt = f"Elo of {len(top)} bots with intervals, the best at the top; the table below has the numbers"
    return Chart("standings", alt, svg, csv_text([standings(report)]))
