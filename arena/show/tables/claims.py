"""The claims of the standings: which bots are better, which may be first, and the limits of the Elo."""

from collections.abc import Sequence

import numpy as np

from arena.config.text import list_words
from arena.rating.standings import Field, Standing
from arena.show.tables.report import Report
from arena.show.tables.table import share

_MAX_CLAUSES = 4  # in the sentence about surely better bots
_MAX_PAIRS = 3  # in a sentence about scores that the Elo does not explain
_FAR = 100  # times as many seed groups


def verdict_lines(report: Report) -> list[str]:
    """Which bots are surely better than which, and how many more seed groups would separate the first two."""
    field = report.field
    rows = [row for row in report.rows if not row.unrated and "!" not in row.flags]
    rows.sort(key=lambda row: (-round(row.elo, 6), row.bot))  # The ranks have this order as well.
    if len(rows) < 2:
        return []
    bots = [field.names.index(row.bot) for row in rows]
    surely, times = field.surely[np.ix_(bots, bots)], field.times_as_many(bots[0], bots[1])
    if np.isnan(times):
        return []
    # Each bot is better than all bots from some row on. Bots with the same row are named together.
    starts = [1 + int(np.flatnonzero(~row).max()) for row in surely]
    better: dict[int, list[str]] = {}
    for row, start in zip(rows, starts, strict=True):
        if start < len(rows):
            better.setdefault(start, []).append(row.bot)
    clauses = [
        f"{list_words(names)} than {rows[start].bot}{' and all below' * (start < len(rows) - 1)}"
        for start, names in better.items()
    ]
    more = [f"{len(clauses) - _MAX_CLAUSES} more in the ranges"] if len(clauses) > _MAX_CLAUSES else []
    sure = "; ".join([*clauses[:_MAX_CLAUSES], *more]) or "no bot than another"
    confidence = f"{100 * report.settings.confidence:g} %"
    return [
        f"Surely better ({confidence}): {sure}.{_more_groups(report, rows, times)}",
        *filter(None, [report.prize_line if len(report.rows) > 2 else ""]),
    ]


def _more_groups(report: Report, rows: Sequence[Standing], times: float) -> str:
    """How many more groups would separate the first two bots, as a sentence; "" if they are separate."""
    names = f"{rows[0].bot} and {rows[1].bot}"
    if times < 1:
        return ""
    if times > _FAR:
        return f" {names} may be equal: {_FAR} times as many seed groups would not tell them apart."
    groups = float(f"{max(1, (times - 1) * report.field.groups):.2g}")
    return f" About {groups:,.0f} more seed groups like these, often more, would tell {names} apart."


def pair_lines(field: Field) -> list[str]:
    """The pairs whose results one Elo per bot does not explain, at tables of three and more.

    The test of transitivity is for games of two.
    """
    if not any(games.size > 2 for games in field.arrays):
        return []
    found = sorted((test for test in field.pair_tests if test.is_significant), key=lambda test: test.p)
    named = [
        f"{field.names[test.one]} against {field.names[test.two]} {share(test.score)}, "
        f"{share(test.expected)} expected"
        for test in found
    ]
    tests = field.third_tests
    thirds = [
        f"{field.names[test.one]} against {field.names[test.two]} {share(test.score)} with "
        f"{field.names[test.third]} at the table, {share(test.expected)} without"
        for test in tests
        if test.is_significant
    ]
    lines = []
    if named:
        lines.append(f"the Elo does not explain all scores, and depends on who plays: {_first(named)}")
    if thirds:
        lines.append(f"the score of two bots depends on a third: {_first(thirds)}")
    elif named and tests:
        lines.append("no third player makes a sure difference to the score of two bots")
    return lines


def _first(pairs: Sequence[str]) -> str:
    more = [f"{len(pairs) - _MAX_PAIRS} more"] if len(pairs) > _MAX_PAIRS else []
    return "; ".join([*pairs[:_MAX_PAIRS], *more])
