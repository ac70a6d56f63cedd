"""HTML from templates, which escape all their values."""

from collections.abc import Callable, Sequence
from functools import cache
from typing import TYPE_CHECKING

from arena.config.text import printable
from arena.show.tables.table import Column, Table

if TYPE_CHECKING:  # Only HTML needs this import.
    from jinja2 import Environment


def _below(column: Column) -> str:
    """The address of a column's definition, below the table on the same page; "" if it has none."""
    return f"#{column.anchor}" if column.heading and column.meaning else ""


@cache
def environment(*packages: str, definition: Callable[[Column], str] = _below) -> "Environment":
    """The templates of these packages and of this one.

    `definition` returns the address of a column's definition.
    """
    from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined

    found = Environment(
        loader=ChoiceLoader([PackageLoader(each) for each in (*packages, "arena.show.tables")]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    found.filters["printable"] = printable
    found.globals["definition"] = definition
    return found


def style() -> str:
    return environment().get_template("style.css").render()


def document(tables: Sequence[Table], title: str, explanation: str = "") -> str:
    """The HTML of a page with these tables. The `explanation` of all numbers unfolds on a click."""
    terms = {column.anchor: column for table in tables for column in table.columns if _below(column)}
    template = environment().get_template("document.html")
    page = template.render(title=title, tables=tables, terms=terms.values(), explanation=explanation)
    return page.rstrip("\n")
