"""The standings as pages show them, with a drawing of each interval."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import compress
from typing import Any, NamedTuple

from arena.rating.standings import Standing
from arena.show.tables.report import Report
from arena.show.tables.standings import standings
from arena.show.tables.table import Column, Table


def drawn_standings(report: Report) -> Table:
    """The standings with a drawing of each interval, and without columns that are empty in every row."""
    return _with_intervals(_without_empty_columns(standings(report)), report.rows)


def _without_empty_columns(table: Table) -> Table:
    filled = map(any, zip(*table.cells, strict=True))
    return replace(table, columns=[*compress(table.columns, filled)])


class _Interval(NamedTuple):
    """The interval and the Elo of a bot, scaled so that the intervals of all bots together span 0 to 100."""

    low: float
    middle: float
    high: float


def _with_intervals(table: Table, rows: Sequence[Standing]) -> Table:
    """The standings with a column that draws the intervals after the column of their half widths."""
    ends = {row.bot: row.ends for row in rows if not row.unrated}
    if not ends:
        return table
    least, most = min(low for low, _ in ends.values()), max(high for _, high in ends.values())
    scale = 100 / ((most - least) or 1)

    def drawn(bot: str, elo: float | None) -> Any:
        if elo is None:
            return ""
        return _Interval(*(round((each - least) * scale, 2) for each in (ends[bot][0], elo, ends[bot][1])))

    columns = []
    for column in table.columns:
        columns.append(column)
        if column.names == "error bound":
            columns.append(Column(f"{least:.0f} to {most:.0f}", "", drawn, uses="bot elo"))
    return replace(table, columns=columns)
