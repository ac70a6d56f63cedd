"""A small, self-contained HTML page: a table whose headings link to their meaning."""

from collections.abc import Iterable, Mapping, Sequence
from html import escape
from zlib import crc32

STYLE = """\
body { font: 15px/1.45 system-ui, sans-serif; color: #222; background: #fff; margin: 2em auto; padding: 0 1em;
       max-width: 72em; }
table { border-collapse: collapse; margin: 1em 0; font-variant-numeric: tabular-nums; }
th, td { padding: .25em .7em; text-align: right; white-space: nowrap; }
th { border-bottom: 2px solid #888; }
td { border-bottom: 1px solid #ddd; }
tbody tr:hover { background: #f3f6fa; }
.words { text-align: left; }
th a { color: inherit; text-decoration: underline dotted; text-underline-offset: .2em; }
p { margin: .3em 0; }
dt { float: left; clear: left; min-width: 5.5em; font-weight: 600; }
dd { margin: 0 0 .25em 7em; }
:target, :target + dd { background: #fff3bf; }
details { margin: 1em 0; }
summary { cursor: pointer; font-weight: 600; }
pre { font: 13px/1.4 ui-monospace, monospace; overflow-x: auto; }
"""


def document(title: str, body: str) -> str:
    return (
        f'<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n"
        f"<h1>{escape(title)}</h1>\n{body}\n</body>\n</html>"
    )


def preformatted(lines: Sequence[str]) -> str:
    """Lines of text as they are; nothing if there are none."""
    return f"<pre>{escape(chr(10).join(lines))}</pre>\n" if lines else ""


def table(
    rows: Iterable[Sequence[str]],
    headings: Sequence[str],
    left: Sequence[bool],
    meanings: Mapping[str, str] | None = None,
) -> str:
    """A table of cells; a heading with a meaning shows it as a tooltip and links to it in `definitions`."""
    kinds = [' class="words"' if side else "" for side in left]
    head = "".join(
        f'<th scope="col"{kind}>{_heading(word, meanings or {})}</th>'
        for word, kind in zip(headings, kinds, strict=True)
    )
    body = [
        "".join(f"<td{kind}>{escape(cell)}</td>" for cell, kind in zip(row, kinds, strict=True))
        for row in rows
    ]
    lines = ["<table>", f"<thead><tr>{head}</tr></thead>", "<tbody>"]
    return "\n".join([*lines, *(f"<tr>{cells}</tr>" for cells in body), "</tbody>", "</table>"])


def _heading(word: str, meanings: Mapping[str, str]) -> str:
    if not (meaning := meanings.get(word)):
        return escape(word)
    return f'<a href="#{anchor(word, meaning)}" title="{escape(meaning)}">{escape(word)}</a>'


def anchor(word: str, meaning: str) -> str:
    """The id of a definition. A page may define one word twice, so the meaning is part of it."""
    return f"is-{crc32(f'{word}: {meaning}'.encode()):08x}"


def definitions(meanings: Mapping[str, str]) -> str:
    """The definitions that the headings link to."""
    words = (
        f'<dt id="{anchor(word, meaning)}">{escape(word)}</dt><dd>{escape(meaning)}</dd>'
        for word, meaning in meanings.items()
    )
    return "\n".join(["<dl>", *words, "</dl>"])


def fold(title: str, text: str) -> str:
    """A plain text that unfolds on a click."""
    return f"<details>\n<summary>{escape(title)}</summary>\n<pre>{escape(text)}</pre>\n</details>"


def paragraphs(lines: Iterable[str]) -> str:
    return "\n".join(f"<p>{escape(line)}</p>" for line in lines)
