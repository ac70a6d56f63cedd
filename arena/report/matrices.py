"""Matrices of all pairs of bots (superiority, head-to-head results), and the table of seats."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict

from arena.rating.arrays import Floats
from arena.rating.opponents import difference_errors, differences, expected_scores
from arena.rating.points import head_to_head
from arena.rating.ranges import superiority
from arena.rating.seats import SeatEffect
from arena.report.columns import likelihood, share, whole
from arena.report.grid import WIDTH, csv_text, grid, width
from arena.report.report import Report
from arena.report.standings_data import known, rounded, significant
from arena.rules import seat_name

LONGEST = 40  # characters for the name of a bot, at most


def matrix(report: Report, kind: str, form: str) -> str:
    """One of `report.MATRICES`, with columns numbered like rows; CSV has a line for each pair instead."""
    order = [report.field.names.index(row.bot) for row in report.rows]
    values = VALUES[kind](report)
    if form == "csv":
        return pairs_csv(report, order, values)
    cells = [["" if one == two else cell(kind, values, one, two) for two in order] for one in order]
    names = [[str(number), row.bot] for number, row in enumerate(report.rows, 1)]
    return in_blocks(names, ["#", "bot"], cells, [str(number) for number, _ in enumerate(order, 1)], form)


def cell(kind: str, values: Mapping[str, Floats], one: int, two: int) -> str:
    return CELLS[kind](*(known(float(value[one, two])) for value in values.values()))


def pairs_csv(report: Report, order: Sequence[int], values: Mapping[str, Floats]) -> str:
    names = report.field.names
    lines = [
        [
            names[one],
            names[two],
            *(significant(name, float(value[one, two])) for name, value in values.items()),
        ]
        for one in order
        for two in order
        if one != two
    ]
    return csv_text(lines, ["bot", "opponent", *values])


def in_blocks(
    names: Sequence[Sequence[str]],
    titles: Sequence[str],
    cells: Sequence[Sequence[str]],
    headings: Sequence[str],
    form: str,
) -> str:
    """A wide table: in text it is cut into blocks of columns, each with the columns of names at its left."""
    words = [*headings, *(word for line in cells for word in line)]
    widest = max(map(len, words), default=0)
    sides = [max(map(width, column)) for column in zip(titles, *names, strict=True)]
    fold = min(LONGEST, sides[-1])
    room = WIDTH - fold - sum(2 + side for side in sides[:-1])
    span = max(1, room // (widest + 2)) if form == "text" else len(headings) or 1
    blocks = []
    for first in range(0, len(headings) or 1, span):
        part = slice(first, first + span)
        shown = [*titles, *headings[part]]
        lines = [[*name, *line[part]] for name, line in zip(names, cells, strict=True)]
        left = [column == len(titles) - 1 for column in range(len(shown))]
        blocks.append(grid(lines, shown, left, form, fold=LONGEST))
    return "\n\n".join(blocks)


def superiorities(report: Report) -> Mapping[str, Floats]:
    return {"los": superiority(report.field.ratings)}


def results(report: Report) -> Mapping[str, Floats]:
    points, met = head_to_head(report.field.arrays, len(report.field.names))
    return {"points": points, "meetings": met}


def gaps(report: Report) -> Mapping[str, Floats]:
    ratings = report.field.ratings
    return {"difference": differences(ratings), "error": difference_errors(ratings, report.settings)}


def expectations(report: Report) -> Mapping[str, Floats]:
    return {"expected": expected_scores(report.field.ratings)}


VALUES: Mapping[str, Callable[[Report], Mapping[str, Floats]]] = {
    "los": superiorities,
    "head-to-head": results,
    "difference": gaps,
    "expected": expectations,
}


def with_error(difference: float | None, error: float | None) -> str:
    """A difference of Elo: +35±20, or +35 if its error is unknown."""
    if difference is None:
        return ""
    return f"{round(difference):+}" + ("" if error is None else f"±{whole(error)}")


def score(points: float, meetings: float) -> str:
    return f"{points:g}/{meetings:.0f}" if meetings else ""


CELLS: Mapping[str, Callable[..., str]] = {
    "los": likelihood,
    "head-to-head": score,
    "difference": with_error,
    "expected": share,
}


def seat_table(report: Report, form: str) -> str:
    """The score of each seat, and its effect after the strengths of its bots are accounted for."""
    headings = ["seats", "seat", "games", "score", "1st", "Elo", "±"]
    body = [
        [
            str(row.size),
            seat_name(row.seat),
            str(row.games),
            share(row.score),
            share(row.first),
            *_effect(row),
        ]
        for row in report.seats
    ]
    if form == "csv":
        exact = [rounded(asdict(row)) for row in report.seats]
        numbers = [[row[key] for key in ("score", "first", "elo", "error")] for row in exact]
        return csv_text([[*line[:3], *more] for line, more in zip(body, numbers, strict=True)], headings)
    return grid(body, headings, [False] * len(headings), form)


def _effect(row: SeatEffect) -> Sequence[str]:
    return ("", "") if row.elo is None else (f"{round(row.elo):+}", whole(row.error))
