"""Renders cells as a table in every format except JSON."""

import csv
import io
import re
from collections.abc import Iterable, Mapping, Sequence
from textwrap import wrap

import tabulate
from wcwidth import wcswidth

from arena.report import page
from arena.results.csv import escape_formula

WIDTH = 80  # characters in a line of a terminal
tabulate.MIN_PADDING = 0  # a column is as wide as its widest cell
STYLES = {"text": "simple", "markdown": "github", "latex": "latex_booktabs"}


def grid(
    rows: Iterable[Sequence[str]],
    headings: Sequence[str],
    left: Sequence[bool],
    form: str = "text",
    meanings: Mapping[str, str] | None = None,
    fold: int | None = None,
) -> str:
    """A table of cells; columns marked in `left` are aligned left, the others right.

    Cells are escaped, so that no format reads them as markup. In HTML the headings link to `meanings`; in
    text, cells of left-aligned columns are wrapped if they are wider than `fold`.
    """
    if form == "csv":
        return csv_text(rows, headings)
    if form == "html":
        return page.table(rows, headings, left, meanings)
    if form == "markdown":
        rows = [[markdown(cell) for cell in row] for row in rows]
    align = ["left" if side else "right" for side in left]
    folds = [fold if side else None for side in left] if fold else None
    rows = list(rows)
    return tabulate.tabulate(
        rows,
        headings,
        STYLES[form],
        disable_numparse=True,
        colalign=align if rows else None,
        maxcolwidths=folds,
    )


def width(text: str) -> int:
    """The width of a text in a terminal."""
    return wcswidth(text)


def markdown(text: str) -> str:
    """Escape the characters that are special in Markdown."""
    return re.sub(r"[\\`*_\[\]<|~&]|^[>#]", r"\\\g<0>", text)


def folded(text: str, first: str = "", margin: int | None = None) -> list[str]:
    """A text wrapped for a terminal: the first line starts with `first`, `margin` indents the others."""
    later = " " * (len(first) + 2 if margin is None else margin)
    return wrap(text, WIDTH, initial_indent=first, subsequent_indent=later, break_on_hyphens=False)


def csv_text(rows: Iterable[Sequence[object]], headings: Sequence[str]) -> str:
    """CSV with a header; None is empty. No text is a formula for a spreadsheet (`arena.results.csv`)."""
    cells = ([escape_formula(cell) if isinstance(cell, str) else cell for cell in row] for row in rows)
    return csv_lines([[*map(escape_formula, headings)], *cells])


def csv_lines(rows: Iterable[Sequence[object]]) -> str:
    """CSV of cells as they are; None is empty."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue().rstrip("\n")
