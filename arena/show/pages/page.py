"""A page of the site, from its template."""

from collections.abc import Mapping, Sequence
from importlib.resources import files
from typing import Any, NamedTuple

from arena.show.tables.explain import SECTIONS
from arena.show.tables.page import environment
from arena.show.tables.table import CellLink, Column

STATIC = files("arena.show.pages") / "static"
DEFINITIONS = "definitions.html"
_DEFINED = {column.anchor for columns in SECTIONS.values() for column in columns}


class Page(NamedTuple):
    """One page, from its template and the context. The navigation shows it if it is listed."""

    path: str
    title: str
    template: str
    context: Mapping[str, Any]
    is_listed: bool = True


def definition(column: Column) -> str:
    """The address of the definition of a column on the page of definitions; "" if it has none there."""
    return f"{DEFINITIONS}#{column.anchor}" if column.heading and column.anchor in _DEFINED else ""


def render(page: Page, site: str, links: Sequence[CellLink]) -> str:
    """The HTML of a page of the site named `site`, with `links` to the listed pages.

    All links are relative, because pages must open from disk.
    """
    root = "../" * page.path.count("/")
    return (
        environment("arena.show.pages", definition=definition)
        .get_template(page.template)
        .render(page=page, site=site, links=links, root=root, **page.context)
    )
