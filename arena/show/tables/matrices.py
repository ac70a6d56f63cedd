"""Matrices of all pairs of bots.

For people a matrix has a row and a column for each bot, with the same number. For programs it has a row for
each pair.
"""

from collections.abc import Callable, Iterator, Mapping

import numpy as np
from numpy.typing import NDArray

from arena.show.tables.report import Report
from arena.show.tables.standings import BOT
from arena.show.tables.table import Column, Table, likelihood, share, with_error

_NUMBER = Column("#", "number", meaning="of the row, and of its column")
OPPONENT = Column("opponent", "opponent", meaning="the bot of the column", is_bot=True)


def _score(points: float, meetings: float) -> str:
    return f"{points:g}/{meetings:.0f}" if meetings else ""


# fmt: off
CELLS = {
    "los": Column("LOS", "los", likelihood, "likelihood that the bot of the row is better than that of the "
        "column"),
    "head-to-head": Column("points", "points meetings", _score, "points of the row against the column, of so "
        "many meetings"),
    "difference": Column("difference", "difference error", with_error, "Elo of the row less that of the "
        "column, ± half its confidence interval. Each interval by itself, with the degrees of freedom of the "
        "pair. The errors of two bots do not add up to it, as their estimates depend on each other. Empty if "
        "one of them has too few games",
        digits=4),
    "expected": Column("expected", "expected", share, "the mean score that the Elo predicts for the row in a "
        "meeting with the column"),
}
# fmt: on
"""The column of the values of the cells, by kind of matrix."""


def matrix(report: Report, kind: str, most: int | None = None) -> Table:
    """A matrix of the bots of a report against each other.

    Args:
        report: The report.
        kind: A key of `CELLS`.
        most: The number of bots, from the top of the standings; None for all.
    """
    names = [row.bot for row in report.rows[:most]]
    order = [report.field.names.index(bot) for bot in names]
    column, values = CELLS[kind], _VALUES[kind](report)

    def cell(one: int, two: int) -> dict[str, float]:
        return {name: float(each[one, two]) for name, each in values.items()}

    def pairs() -> Iterator[dict[str, object]]:
        for one, bot in zip(order, names, strict=True):
            for two, other in zip(order, names, strict=True):
                if one != two:
                    yield {"bot": bot, "opponent": other, **cell(one, two)}

    numbers = [str(number) for number, _ in enumerate(order, 1)]
    rows = []
    for number, bot, one in zip(numbers, names, order, strict=True):
        cells = ["" if one == two else column.cell(cell(one, two)) for two in order]
        rows.append({"number": number, "bot": bot, **dict(zip(numbers, cells, strict=True))})
    return Table(
        kind,
        [_NUMBER, BOT, *(Column(number, number) for number in numbers)],
        rows,
        column.meaning,
        exact=Table(kind, [BOT, OPPONENT, column], pairs()),
        stub=2,
    )


def _points_and_meetings(report: Report) -> Mapping[str, NDArray[np.float64]]:
    points, meetings = report.field.head_to_head()
    return {"points": points, "meetings": meetings}


def _differences(report: Report) -> Mapping[str, NDArray[np.float64]]:
    field = report.field
    few = field.ratings.too_few | field.ratings.too_few[:, None]
    found = {"difference": field.differences(), "error": field.difference_errors()}
    return {name: np.where(few, np.nan, each) for name, each in found.items()}


_VALUES: Mapping[str, Callable[[Report], Mapping[str, NDArray[np.float64]]]] = {
    "los": lambda report: {"los": report.field.superiority()},
    "head-to-head": _points_and_meetings,
    "difference": _differences,
    "expected": lambda report: {"expected": report.field.expected_scores()},
}
