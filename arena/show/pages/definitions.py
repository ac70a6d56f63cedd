"""The page that defines every number: the text of `arena explain`, with an anchor for each column."""

import re
from collections.abc import Iterator
from itertools import pairwise

from markdown_it import MarkdownIt
from markdown_it.token import Token
from markupsafe import Markup

from arena.show.pages.page import DEFINITIONS, Page
from arena.show.pages.site import Site
from arena.show.tables.explain import SECTIONS, explanation


def pages(site: Site) -> Iterator[Page]:
    yield Page(DEFINITIONS, "Definitions", "definitions.html", {"text": _html(explanation())})


def _html(markdown: str) -> Markup:
    """The Markdown of `explanation` as HTML, without its title. Sections and items of columns get ids."""
    columns = [column for section in SECTIONS.values() for column in section if column.heading]
    parser = MarkdownIt("js-default", {"linkify": False})  # HTML in the text is shown as text.
    tokens = parser.parse(markdown.partition("\n")[2])
    for token, following in pairwise(tokens):
        if token.type == "heading_open":
            token.attrSet("id", re.sub(r"[^a-z0-9]+", "-", following.content.lower()).strip("-"))
        if following.type in ("code_block", "table_open"):
            following.attrSet("tabindex", "0")  # If it is wider than the page, keys can scroll it.
    items = (place for place, token in enumerate(tokens) if token.type == "list_item_open")
    defined: set[str] = set()  # Views share columns, and only the first place gets the id.
    for place in items:
        if columns and _first_code(tokens[place + 2]) == columns[0].heading:
            column = columns.pop(0)
            if column.anchor not in defined:
                tokens[place].attrSet("id", column.anchor)
            defined.add(column.anchor)
    return Markup(parser.renderer.render(tokens, parser.options, {}))


def _first_code(inline: Token) -> str:
    """The code at the beginning of a text; "" if it begins with something else."""
    first = inline.children[0] if inline.children else inline
    return first.content if first.type == "code_inline" else ""
