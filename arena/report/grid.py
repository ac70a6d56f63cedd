"""Cells as a table, in the formats that tables go to."""

import csv
import io
from collections.abc import Iterable, Sequence

import tabulate

WIDTH = 80  # columns of a terminal
tabulate.MIN_PADDING = 0  # a column is as wide as its cells
STYLES = {"text": "simple", "markdown": "github", "html": "unsafehtml", "latex": "latex_booktabs"}


def grid(
    rows: Iterable[Sequence[str]], headings: Sequence[str], left: Sequence[bool], form: str = "text"
) -> str:
    """A table of words; the columns marked `left` are aligned there, the others to the right."""
    align = ["left" if side else "right" for side in left]
    return tabulate.tabulate(list(rows), headings, STYLES[form], disable_numparse=True, colalign=align)


def csv_text(rows: Iterable[Sequence[object]], headings: Sequence[str]) -> str:
    """Lines of CSV with a header; what is not known is empty."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(headings)
    writer.writerows(["" if cell is None else cell for cell in row] for row in rows)
    return text.getvalue().rstrip("\n")
