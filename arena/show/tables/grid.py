"""Lines of text for a terminal, and cells of CSV."""

import csv
import io
from collections.abc import Iterable, Sequence
from textwrap import wrap

from wcwidth import wcswidth

from arena.tournament.runs.csv import escape_formula

WIDTH = 80  # characters in a line of a terminal


def width(text: str) -> int:
    """The width of a text in a terminal."""
    return wcswidth(text)


def folded(text: str, first: str = "", margin: int | None = None) -> list[str]:
    """A text wrapped for a terminal: the first line starts with `first`, `margin` indents the others."""
    later = " " * (len(first) + 2 if margin is None else margin)
    return wrap(text, WIDTH, initial_indent=first, subsequent_indent=later, break_on_hyphens=False)


def csv_text(rows: Iterable[Sequence[object]], headings: Sequence[str]) -> str:
    """CSV with a header; None is empty. No text is a formula for a spreadsheet (`runs.csv`)."""
    out = io.StringIO()
    lines = ([escape_formula(cell) if isinstance(cell, str) else cell for cell in row] for row in rows)
    csv.writer(out, lineterminator="\n").writerows([headings, *lines])
    return out.getvalue().rstrip("\n")
