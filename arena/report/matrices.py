"""Matrices of all pairs of bots (superiority, head-to-head results), and the table of seats."""

from collections.abc import Callable, Sequence

from arena.rating.duels import head_to_head
from arena.rating.ranges import superiority
from arena.rating.seats import SeatEffect
from arena.report.columns import likelihood, share, whole
from arena.report.grid import WIDTH, grid, width
from arena.report.standings import Report
from arena.rules import seat_name

LONGEST = 40  # characters for the name of a bot, at most


def matrix(report: Report, kind: str, form: str) -> str:
    """One of `report.MATRICES`, with columns numbered like rows; in text, a wide one is cut into blocks."""
    cell = los_cells(report, form) if kind == "los" else duel_cells(report)
    order = [report.field.names.index(row.bot) for row in report.rows]
    cells = [["" if one == two else cell(one, two) for two in order] for one in order]
    names = [[str(number), row.bot] for number, row in enumerate(report.rows, 1)]
    widest = max((len(word) for line in cells for word in line), default=0)
    fold = min(LONGEST, max((width(bot) for _, bot in names), default=0))
    room = WIDTH - 2 - max(fold, 3) - len(str(len(order))) - 2
    span = max(1, room // (max(widest, len(str(len(order)))) + 2)) if form == "text" else len(order) or 1
    blocks = []
    for first in range(0, len(order) or 1, span):
        part = slice(first, first + span)
        headings = ["#", "bot", *(str(number) for number in range(1, len(order) + 1)[part])]
        lines = [name + line[part] for name, line in zip(names, cells, strict=True)]
        blocks.append(
            grid(lines, headings, [column == 1 for column in range(len(headings))], form, fold=LONGEST)
        )
    return "\n\n".join(blocks)


def los_cells(report: Report, form: str) -> Callable[[int, int], str]:
    better = superiority(report.field.ratings)
    digits = decimal if form == "csv" else likelihood
    return lambda one, two: digits(None if (los := float(better[one, two])) != los else los)


def decimal(number: float | None, digits: int = 6) -> str:
    """A number for programs, with as many decimals as in JSON, so that all machines write the same."""
    return "" if number is None else repr(round(number, digits) + 0.0)  # never -0.0


def duel_cells(report: Report) -> Callable[[int, int], str]:
    points, met = head_to_head(report.field.arrays, len(report.field.names))
    return lambda one, two: f"{points[one, two]:.12g}/{met[one, two]:.0f}" if met[one, two] else ""


def seat_table(report: Report, form: str) -> str:
    """The score of each seat, and its effect after the strengths of its bots are accounted for."""
    ratio = decimal if form == "csv" else share
    body = [
        [
            str(row.size),
            seat_name(row.seat),
            str(row.games),
            ratio(row.score),
            ratio(row.first),
            *_effect(row, form),
        ]
        for row in report.seats
    ]
    headings = ["seats", "seat", "games", "score", "1st", "Elo", "±"]
    return grid(body, headings, [False] * len(headings), form)


def _effect(row: SeatEffect, form: str) -> Sequence[str]:
    if form == "csv":
        return decimal(row.elo, 4), decimal(row.error, 4)
    return ("", "") if row.elo is None else (f"{round(row.elo):+}", whole(row.error))
