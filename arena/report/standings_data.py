"""The standings as JSON and CSV, with all numbers; rounded, so that all machines write the same bytes."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, fields
from typing import Any

import numpy as np

from arena.rating.arrays import Floats
from arena.rating.course import changes, course
from arena.rating.opponents import difference_errors, differences, expected_scores, opponents
from arena.rating.points import head_to_head
from arena.rating.ranges import superiority
from arena.rating.standings import Standing
from arena.report.grid import csv_text
from arena.report.notes import name_sets
from arena.report.report import Report, check_memory

MATRICES_OF_JSON = 100  # of all pairs of bots: what the lists and the text of eight take
DIGITS = {
    **dict.fromkeys(
        [
            "elo",
            "se",
            "error",
            "bound",
            "opponents",
            "without",
            "statistic",
            "gain",
            "difference",
            "performance",
        ],
        4,
    ),
    **dict.fromkeys(
        ["los", "score", "first", "mean_place", "probability", "drawn", "direct", "net", "expected"], 6
    ),
}


def json_table(
    report: Report, rival: str | None = None, parts: int = 0, nash: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """The standings with settings, counts, tests, and matrices in the order of the rows.

    If asked for, with the results of one bot (`rival`) against each opponent, and the course of the Elo in
    so many `parts`. `nash` is from `arena.report.nash`, if it is wanted.
    """
    field = report.field
    check_memory("the matrices in JSON", len(field.names), MATRICES_OF_JSON)
    order = [field.names.index(row.bot) for row in report.rows]
    cells = np.ix_(order, order)
    points, met = (matrix[cells] for matrix in head_to_head(field.arrays, len(field.names)))
    ratings = field.ratings

    def matrix(cells_of: Floats, digits: int) -> list[list[float | None]]:
        return [[_known(cell, digits) for cell in line] for line in cells_of[cells].tolist()]

    found = {
        "standings": [plain_row(row) for row in report.rows],
        "settings": asdict(report.settings),
        "games": field.games,
        "groups": field.groups,
        "faults": report.source.faults,
        "void": report.source.voids,
        "excluded": dict(report.source.excluded),
        "skipped": dict(report.source.skipped),
        "unfinished": report.source.unfinished,
        "ungrouped": report.source.ungrouped,
        "mixed": report.source.mixed,
        "ranking": report.source.placings.ranking,
        "prior_replaced": field.replaced_prior,
        "converged": field.ratings.converged,
        "seats": [rounded(asdict(row)) | {"seat": row.seat + 1} for row in report.seats],
        "pools": name_sets(field, field.ratings.pool),
        "components": name_sets(field, field.ratings.strong),
        "transitivity": rounded(asdict(report.transitivity)) if report.transitivity else None,
        "changes": [
            [rounded(asdict(row)) for row in rows] for rows in changes(field, report.source.outcomes)
        ],
        "los": matrix(superiority(ratings), DIGITS["los"]),
        "differences": matrix(differences(ratings), DIGITS["elo"]),
        "difference_errors": matrix(difference_errors(ratings, report.settings), DIGITS["error"]),
        "expected": matrix(expected_scores(ratings), DIGITS["expected"]),
        "points": points.tolist(),
        "meetings": met.astype(int).tolist(),
        "nash": nash,
    }
    if rival is not None:
        found["opponents"] = [rounded(asdict(row)) for row in opponents(field, rival)]
    if parts:
        steps = course(report.source.outcomes, report.settings, parts)
        found["course"] = [
            asdict(step) | {"elo": rounded_values(step.elo), "error": rounded_values(step.error)}
            for step in steps
        ]
    return found


def csv_table(report: Report) -> str:
    """One line per bot with every field of `Standing`."""
    rows = [plain_row(row) for row in report.rows]
    names = [each.name for each in fields(Standing)]
    return csv_text([[_csv_cell(cell) for cell in row.values()] for row in rows], names)


def plain_row(row: Standing) -> dict[str, Any]:
    return rounded(asdict(row)) | {"rank_range": list(row.rank_range), "forfeits": dict(row.forfeits)}


def rounded(cells: dict[str, Any]) -> dict[str, Any]:
    known = {key: digits for key, digits in DIGITS.items() if isinstance(cells.get(key), float)}
    return cells | {key: round(cells[key], digits) + 0.0 for key, digits in known.items()}  # never -0.0


def csv_rows(kind: type, rows: Sequence[Any]) -> str:
    """A line for each of these dataclasses, which are of one kind, with all of its fields."""
    lines = [rounded(asdict(row)) for row in rows]
    return csv_text([list(line.values()) for line in lines], [each.name for each in fields(kind)])


def significant(key: str, number: float) -> float | None:
    """A number of this key, with as many digits as JSON has; None if unknown."""
    return _known(number, DIGITS.get(key, 6))


def known(number: float) -> float | None:
    return None if number != number else number


def rounded_values(numbers: Mapping[str, float]) -> dict[str, float | None]:
    """The Elo of each bot, or its error; null if unknown."""
    return {bot: _known(number, DIGITS["elo"]) for bot, number in numbers.items()}


def _known(number: float, digits: int) -> float | None:
    return None if number != number else round(number, digits) + 0.0


def _csv_cell(cell: Any) -> Any:
    """A cell of CSV: a range is written 1-3, counts are written late:2 crashed:1."""
    if isinstance(cell, list):
        return "-".join(map(str, cell))
    return " ".join(f"{kind}:{count}" for kind, count in cell.items()) if isinstance(cell, dict) else cell
