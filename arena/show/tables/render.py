"""Writes tables in every format: text, Markdown, HTML and LaTeX for people, CSV and JSON for programs."""

import csv
import io
import json
import re
from collections.abc import Callable, Sequence

import tabulate

from arena.show.tables.explain import explanation
from arena.show.tables.page import document
from arena.show.tables.table import Table
from arena.show.tables.text import aligned, plain_text, text
from arena.tournament.runs.csv import escape_formula


def render(tables: Sequence[Table], form: str, title: str = "") -> str:
    """The tables in one of `arena.show.tables.FORMATS`. `title` is the title of a page of HTML."""
    if form == "html":
        return document(tables, title, explanation() if tables and not tables[0].legend else "")
    return _RENDERERS[form](tables)


def _markdown(tables: Sequence[Table]) -> str:
    parts = []
    for table in tables:
        if table.part:
            parts.append(f"## {table.caption}")
        if table.above:
            parts.append("\n".join(["```text", *table.above, "```"]))
        parts += [_styled(table, "github", escape_markdown), *map(escape_markdown, table.notes)]
    return "\n\n".join(parts)


def escape_markdown(text: str) -> str:
    return re.sub(r"[\\`*_\[\]<|~&]|^[>#]", r"\\\g<0>", text)


def _latex(tables: Sequence[Table]) -> str:
    parts = []
    for table in tables:
        above = [table.caption] if table.part else []
        lines = [f"% {line}".rstrip() for line in [*above, *table.above]]
        parts.append(
            "\n".join([*lines, _styled(table, "latex_booktabs"), *(f"% {note}" for note in table.notes)])
        )
    return "\n\n".join(parts)


def _styled(table: Table, style: str, escape: Callable[[str], str] = str) -> str:
    rows = [[escape(plain_text(cell)) for cell in row] for row in table.cells]
    heads = [column.heading for column in table.columns]
    align = aligned(table.columns) if rows else None
    return str(tabulate.tabulate(rows, heads, style, disable_numparse=True, colalign=align))


def csv_text(tables: Sequence[Table]) -> str:
    """The rows of all tables as CSV with one header; cells of columns that a table lacks are empty.

    Text is escaped if a spreadsheet would read it as a formula.
    """
    names = [*(name for table in tables for name in table.part)]
    names += [name for table in tables for name in table.for_programs.names]
    out = io.StringIO()
    writer = csv.DictWriter(out, list(dict.fromkeys(names)), lineterminator="\n")
    writer.writeheader()
    for table in tables:
        for record in table.for_programs.records():
            writer.writerow({name: _csv_cell(each) for name, each in {**table.part, **record}.items()})
    return out.getvalue().rstrip("\n")


def _csv_cell(cell: object) -> object:
    """A value as a cell of CSV: a list as 1-3, a dict as `late:2 crashed:1`; formulas are escaped."""
    if isinstance(cell, list):
        cell = "-".join(map(str, cell))
    if isinstance(cell, dict):
        cell = " ".join(f"{kind}:{count}" for kind, count in cell.items())
    return escape_formula(cell) if isinstance(cell, str) else cell


def _json_text(tables: Sequence[Table]) -> str:
    """One object for a single table without a `part`; otherwise a list with an object for each table."""
    found = [
        {**table.part, table.name: [*table.for_programs.records()], **table.about, "notes": [*table.notes]}
        for table in tables
    ]
    single = len(found) == 1 and not tables[0].part
    return json.dumps(found[0] if single else found, indent=2, allow_nan=False)


_RENDERERS: dict[str, Callable[[Sequence[Table]], str]] = {
    "text": text,
    "markdown": _markdown,
    "latex": _latex,
    "csv": csv_text,
    "json": _json_text,
}
