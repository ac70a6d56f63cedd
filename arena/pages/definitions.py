"""The page that defines every number: the text of `arena explain`, with an anchor for each column."""

import re
from collections.abc import Iterator
from itertools import pairwise

from markdown_it import MarkdownIt
from markdown_it.token import Token
from markupsafe import Markup

from arena.pages.page import Page
from arena.pages.site import Site
from arena.report.columns import COLUMNS, page

PATH = "definitions.html"


def pages(site: Site) -> Iterator[Page]:
    yield Page(PATH, "Definitions", "definitions.html", {"text": html(page())})


def definition(column: str) -> str:
    """The link to the definition of a column of the standings."""
    return f"{PATH}#column-{column}"


def html(markdown: str) -> Markup:
    """A page of the documentation as HTML, without its title. Sections, and columns in lists, have ids."""
    keys = {column.heading: name for name, column in COLUMNS.items() if column.heading}
    parser = MarkdownIt("js-default", {"linkify": False})  # HTML in the text is shown as text
    tokens = parser.parse(markdown.partition("\n")[2])
    for token, following in pairwise(tokens):
        if token.type == "heading_open":
            token.attrSet("id", re.sub(r"[^a-z0-9]+", "-", following.content.lower()).strip("-"))
        if following.type in ("code_block", "table_open"):
            following.attrSet("tabindex", "0")  # it may be wider than the page, and is scrolled by keys
    items = (place for place, token in enumerate(tokens) if token.type == "list_item_open")
    for place in items:
        if (key := keys.pop(first_code(tokens[place + 2]), None)) is not None:
            tokens[place].attrSet("id", f"column-{key}")
    return Markup(parser.renderer.render(tokens, parser.options, {}))


def first_code(inline: Token) -> str:
    """The code that a text begins with; "" if it begins with something else."""
    first = inline.children[0] if inline.children else inline
    return first.content if first.type == "code_inline" else ""
