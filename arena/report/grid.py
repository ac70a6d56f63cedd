"""Cells as a table, in the formats that tables go to."""

import csv
import io
import re
from collections.abc import Iterable, Mapping, Sequence
from textwrap import wrap

import tabulate
from wcwidth import wcswidth

from arena.report import page

WIDTH = 80  # columns of a terminal
tabulate.MIN_PADDING = 0  # a column is as wide as its cells
STYLES = {"text": "simple", "markdown": "github", "latex": "latex_booktabs"}


def grid(
    rows: Iterable[Sequence[str]],
    headings: Sequence[str],
    left: Sequence[bool],
    form: str = "text",
    meanings: Mapping[str, str] | None = None,
    fold: int | None = None,
) -> str:
    """A table of words; the columns marked `left` are aligned there, the others to the right.

    Whatever the words are, no format takes them for its own signs. On a page headings lead to `meanings`;
    in text, words to the left that are wider than `fold` take several lines.
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


def width(words: str) -> int:
    """Columns of a terminal."""
    return wcswidth(words)


def markdown(words: str) -> str:
    """Words that Markdown shows as they are."""
    return re.sub(r"[\\`*_\[\]<|~&]|^[>#]", r"\\\g<0>", words)


def folded(words: str, first: str = "", margin: int | None = None) -> list[str]:
    """Words in lines of a terminal: the first begins with `first`, the others with a margin, or 2 more."""
    later = " " * (len(first) + 2 if margin is None else margin)
    return wrap(words, WIDTH, initial_indent=first, subsequent_indent=later, break_on_hyphens=False)


def csv_text(rows: Iterable[Sequence[object]], headings: Sequence[str]) -> str:
    """Lines of CSV with a header; what is not known is empty. Names stand as they are, even `=1+1`."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(headings)
    writer.writerows(["" if cell is None else cell for cell in row] for row in rows)
    return text.getvalue().rstrip("\n")
