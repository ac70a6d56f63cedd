"""HTML from templates, which escape all that they are given: tables, and pages by themselves."""

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple
from zlib import crc32

from arena.core.text import printable

if TYPE_CHECKING:  # imported when HTML is made, as other formats do not need it
    from jinja2 import Environment


class Heading(NamedTuple):
    """The heading of a column, which links to its meaning. A `left` column has words, or names."""

    word: str
    left: bool = False
    meaning: str = ""
    href: str = ""


class Table(NamedTuple):
    """A table: `caption` says what it shows. A cell is a text, or a link with a `path` and a `title`."""

    caption: str
    headings: Sequence[Heading]
    rows: Sequence[Sequence[Any]]


@cache
def environment(package: str = "arena.report") -> "Environment":
    """The templates of a package, and those of this one. `printable` escapes control characters."""
    from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined

    found = Environment(
        loader=ChoiceLoader([PackageLoader(each) for each in dict.fromkeys((package, "arena.report"))]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    found.filters["printable"] = printable
    return found


def style() -> str:
    """The style sheet of all pages."""
    return environment().get_template("style.css").render()


def document(title: str, body: str) -> str:
    """A page by itself. `body` is HTML that the functions below have made."""
    from markupsafe import Markup

    return environment().get_template("document.html").render(title=title, body=Markup(body)).rstrip("\n")


def _macro(name: str, *values: Any) -> str:
    macro = getattr(environment().get_template("macros.html").module, name)
    return str(macro(*values)).strip("\n")


def preformatted(lines: Sequence[str]) -> str:
    """Lines of text as they are; nothing if there are none."""
    return _macro("preformatted", lines) + "\n" if lines else ""


def table(
    rows: Iterable[Sequence[str]],
    headings: Sequence[str],
    left: Sequence[bool],
    meanings: Mapping[str, str] | None = None,
) -> str:
    """A table of cells; a heading with a meaning shows it as a tooltip and links to it in `definitions`."""
    known = {term.word: term for term in terms(meanings or {})}
    heads = [
        known.get(word, Heading(word))._replace(left=side) for word, side in zip(headings, left, strict=True)
    ]
    return _macro("table", Table("Table", heads, [*rows]))


def terms(meanings: Mapping[str, str]) -> list[Heading]:
    return [Heading(word, False, meaning, f"#{anchor(word, meaning)}") for word, meaning in meanings.items()]


def anchor(word: str, meaning: str) -> str:
    """The id of a definition. A page may define one word twice, so the meaning is part of it."""
    return f"is-{crc32(f'{word}: {meaning}'.encode()):08x}"


def definitions(meanings: Mapping[str, str]) -> str:
    """The definitions that the headings link to."""
    return _macro("definitions", terms(meanings))


def fold(title: str, text: str) -> str:
    """A plain text that unfolds on a click."""
    return _macro("fold", title, text)


def paragraphs(lines: Iterable[str]) -> str:
    return _macro("paragraphs", [*lines])
