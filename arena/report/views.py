"""What `arena table` can show of the ratings, beside the standings and matrices."""

import csv
import io
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from arena.rating.course import Change, Checkpoint, changes, course
from arena.rating.opponents import Opponent, opponents
from arena.report.columns import likelihood, share, whole
from arena.report.grid import csv_lines, csv_text, grid
from arena.report.matrices import in_blocks, matrix, seat_table, with_error
from arena.report.report import Report
from arena.report.standings import text
from arena.report.standings_data import csv_rows, csv_table, significant

ALL = "all"  # the row of all opponents together
HEADINGS = {"text": "{}:\n", "markdown": "## {}\n", "html": "<h2>{}</h2>", "latex": "% {}"}

View = Callable[[Report], str]


def view(
    form: str,
    wide: bool,
    pairs: str | None,
    bot: str | None,
    parts: int | None,
    changed: bool,
    seats: bool,
    averages: Callable[[Report], Mapping[str, Any]] | None,
) -> View:
    """The view that is asked for: a matrix of pairs, the opponents of a bot, …; by default the standings."""
    if pairs:
        return lambda report: matrix(report, pairs, form)
    if bot is not None:
        return lambda report: opponents_table(report, bot, form)
    if parts:
        return lambda report: course_table(report, parts, form)
    if changed:
        return lambda report: changes_table(report, form)
    if averages:
        return lambda report: nash_table(report, averages(report), form)
    if seats:
        return lambda report: seat_table(report, form)
    return csv_table if form == "csv" else lambda report: text(report, form, wide)


def with_intervals(view: View) -> View:
    """A view with the intervals drawn below it, as the standard output can show them."""
    from arena.report.intervals import drawn, terminal  # rich is slow to import

    console = terminal()
    return lambda report: f"{view(report)}\n\n{drawn(report, console)}"


def nash_table(report: Report, averages: Mapping[str, Any], form: str) -> str:
    from arena.report.nash import table  # imports scipy, which takes half a second

    return table(report, averages, form)


def by_size(reports: Sequence[Report], view: View, form: str) -> str:
    """A view of each report, which has the games of one number of seats."""
    sizes = [size for report in reports for size in report.source.sizes]
    shown = [view(report) for report in reports]
    if form == "csv":
        tables = [list(csv.reader(io.StringIO(each))) for each in shown]
        rows = [[size, *row] for size, table in zip(sizes, tables, strict=True) for row in table[1:]]
        return csv_lines([["size", *tables[0][0]], *rows])
    heads = [HEADINGS[form].format(f"{size} a table") for size in sizes]
    return "\n\n".join(f"{head}\n{table}" for head, table in zip(heads, shown, strict=True))


def opponents_table(report: Report, bot: str, form: str) -> str:
    """One bot against each opponent, strongest first, and against all."""
    rows = opponents(report.field, bot)
    if form == "csv":
        return csv_rows(Opponent, rows)
    duels = any(row.wins + row.draws + row.losses for row in rows)
    headings = ["opponent", "Elo", "met", *(("W", "D", "L") if duels else ())]
    headings += ["score", "expected", "performance", "LOS"]
    body = [
        [
            row.bot or ALL,
            whole(row.elo),
            str(row.meetings),
            *((str(row.wins), str(row.draws), str(row.losses)) if duels else ()),
            share(row.score),
            share(row.expected),
            performance(row),
            likelihood(row.los),
        ]
        for row in rows
    ]
    return grid(body, headings, [column == 0 for column in range(len(headings))], form)


def performance(row: Opponent) -> str:
    return whole(row.performance) if row.performance is not None else ">" if row.score else "<"


def course_table(report: Report, parts: int, form: str) -> str:
    """The Elo of each bot after each part of the seed groups, best at the end first."""
    points = list(course(report.source.outcomes, report.settings, parts))
    if form == "csv":
        return course_csv(points)
    cells = [[elo_at(point, row.bot) for point in points] for row in report.rows]
    names, headings = [[row.bot] for row in report.rows], [str(point.groups) for point in points]
    return in_blocks(names, ["bot"], cells, headings, form)


def course_csv(points: Iterable[Checkpoint]) -> str:
    """A line for each bot at each point."""
    lines = [
        [point.groups, point.games, bot, significant("elo", elo), significant("error", point.error[bot])]
        for point in points
        for bot, elo in point.elo.items()
    ]
    return csv_text(lines, ["groups", "games", "bot", "elo", "error"])


def elo_at(point: Checkpoint, bot: str) -> str:
    if bot not in point.elo:
        return ""
    error = point.error[bot]
    return whole(point.elo[bot]) + ("" if error != error else f"±{whole(error)}")


def changes_table(report: Report, form: str) -> str:
    """What each version of a changed bot gained over the one before."""
    found = [row for rows in changes(report.field, report.source.outcomes) for row in rows]
    if form == "csv":
        return csv_rows(Change, found)
    if not found and form == "text":
        return "no bot was changed"
    body = [[row.bot, whole(row.elo), with_error(row.gain, row.error), likelihood(row.los)] for row in found]
    return grid(body, ["bot", "Elo", "gain", "LOS"], [True, False, False, False], form)
