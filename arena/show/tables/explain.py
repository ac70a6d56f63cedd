"""The definitions of all numbers: the columns of every view, and the methods and evidence of the ratings."""

import re
from collections.abc import Iterator
from importlib.resources import files
from textwrap import wrap

from arena.show.tables.behaviour import TIMES
from arena.show.tables.matrices import CELLS
from arena.show.tables.models import MODELS, PAIRED
from arena.show.tables.nash import NASH
from arena.show.tables.notes import FLAGS
from arena.show.tables.review import DECISIONS, OWN_SEATS, TELLING
from arena.show.tables.standings import EXACT, OWN
from arena.show.tables.views import CHANGES, CONVERGED, COURSE, DEALS, OPPONENTS, SEATS

_WIDTH = 96  # columns; the page in docs has the same text
SECTIONS = {
    "standings, wide, plot": (*EXACT, OWN),
    "los, head-to-head, difference, expected": tuple(CELLS.values()),
    "opponents:BOT": OPPONENTS,
    "course:PARTS": COURSE,
    "changes": CHANGES,
    "seats": (*SEATS, CONVERGED),
    "nash": NASH,
    "deals": DEALS,
    "models": MODELS,
    "paired": PAIRED,
    "behaviour": tuple(TIMES.values()),
    "arena review": (*DECISIONS, *OWN_SEATS, *TELLING),
}
"""The columns of the views, by the names of the views."""
_INTRODUCTION = (
    "Each entry begins with the heading of the column. The names of its values in CSV and JSON are in "
    "parentheses. In the standings, columns that do not fit 80 characters are left out."
)


_PAGES = ("README.md", "methods.md", "evidence.md")  # in arena/rating


def explanation() -> str:
    """The text that defines every number and gives its source, as Markdown: the pages one after the other."""
    reading, *others = ((files("arena.rating") / name).read_text(encoding="utf-8") for name in _PAGES)
    columns = "\n".join(["## The columns", "", *columns_page()])
    text = "\n".join([reading, columns, "", *(f"#{other}" for other in others)])
    text = re.sub(r"\]\(\w+\.md(#[\w-]+)\)", r"](\1)", text)
    return re.sub(r"\[([^\]]*)\]\([^#)][^)]*\)", r"\1", text)  # Links to other pages become plain text.


def columns_page() -> Iterator[str]:
    """The columns of every view and the flags, as sections of Markdown."""
    yield from wrap(_INTRODUCTION, _WIDTH)
    for title, columns in SECTIONS.items():
        yield from ("", f"## Columns of {title}", "")
        for column in columns:
            names = ", ".join(f"`{name}`" for name in column.names.split())
            named = f"`{column.heading}`{names and f' ({names})'}" if column.heading else names
            yield from _item(f"{named}: {column.meaning}")
    yield from ("", "## Flags", "")
    for flag, meaning in FLAGS.items():
        yield from _item(f"`{flag}`: {meaning}")


def _item(text: str) -> list[str]:
    return wrap(f"- {text}.", _WIDTH, subsequent_indent="  ", break_on_hyphens=False)
