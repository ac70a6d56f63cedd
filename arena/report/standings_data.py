"""The standings as JSON and CSV, with all numbers; rounded, so that all machines write the same bytes."""

from dataclasses import asdict, fields
from typing import Any

import numpy as np

from arena.rating.duels import head_to_head
from arena.rating.ranges import superiority
from arena.rating.standings import Standing
from arena.report.grid import csv_text
from arena.report.standings import Report, name_sets

DIGITS = {
    **dict.fromkeys(["elo", "error", "bound", "opponents", "without", "statistic"], 4),
    **dict.fromkeys(["los", "score", "first", "mean_place", "probability"], 6),
}


def json_table(report: Report) -> dict[str, Any]:
    """The standings with settings, counts, tests, and matrices in the order of the rows."""
    field = report.field
    order = [field.names.index(row.bot) for row in report.rows]
    cells = np.ix_(order, order)
    points, met = (matrix[cells] for matrix in head_to_head(field.arrays, len(field.names)))
    return {
        "standings": [plain_row(row) for row in report.rows],
        "settings": asdict(report.settings),
        "games": field.games,
        "groups": field.groups,
        "faults": report.source.faults,
        "void": report.source.voids,
        "excluded": dict(report.source.excluded),
        "skipped": dict(report.source.skipped),
        "unfinished": report.source.unfinished,
        "prior_replaced": field.replaced_prior,
        "converged": field.ratings.converged,
        "seats": [rounded(asdict(row)) | {"seat": row.seat + 1} for row in report.seats],
        "pools": name_sets(field, field.ratings.pool),
        "components": name_sets(field, field.ratings.strong),
        "transitivity": rounded(asdict(report.transitivity)) if report.transitivity else None,
        "los": [[_known(los) for los in line] for line in superiority(field.ratings)[cells].tolist()],
        "points": points.tolist(),
        "meetings": met.astype(int).tolist(),
    }


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


def _known(number: float) -> float | None:
    return None if number != number else round(number, DIGITS["los"]) + 0.0


def _csv_cell(cell: Any) -> Any:
    """A cell of CSV: a range is written 1-3, counts are written late:2 crashed:1."""
    if isinstance(cell, list):
        return "-".join(map(str, cell))
    return " ".join(f"{kind}:{count}" for kind, count in cell.items()) if isinstance(cell, dict) else cell
