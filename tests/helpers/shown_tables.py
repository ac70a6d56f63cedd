"""Shows views of reports, and reads tables back; odd names and even results to show in them."""

import csv
import io
import json
import re
from html.parser import HTMLParser
from itertools import combinations

from outcomes import duel

from arena.rating.outcomes import Outcome
from arena.rating.settings import RatingSettings
from arena.show.tables.grid import width
from arena.show.tables.render import render
from arena.show.tables.report import Report
from arena.show.tables.views import tables_of
from arena.tournament.runs.sources import Source

ODD_NAMES = (
    "a|b", "<b>x</b>", "A & B", "under_score_d", "*star*", "`code`", "[link](x)", "~~gone~~", "100%", "#1",
    "\\", "{}^$", "=cmd()", "+1", "@x", "quote\"'", "semi;comma,", "Zoë", "王王王", "> said",
)  # fmt: skip


def report(outcomes, bots=(), **settings) -> Report:
    return Report(Source(list(outcomes)), RatingSettings(**settings), bots)


def show(report: Report, view="standings", form="text") -> str:
    """A view of a report as `arena table` prints it."""
    return render(tables_of(view, [report]), form, "title")


def records(report: Report, view="standings") -> list[dict[str, str]]:
    """The rows of CSV."""
    return list(csv.DictReader(io.StringIO(show(report, view, "csv"))))


def as_json(report: Report, view="standings") -> dict:
    return json.loads(show(report, view, "json"))


def even(names, groups=40, seed=0) -> list[Outcome]:
    """Every bot meets every other bot and wins about half of its games."""
    pairs = list(enumerate(combinations(names, 2)))
    return [
        duel(*(pair if (group + number + seed) % 2 else pair[::-1]), f"{number} {group}")
        for number, pair in pairs
        for group in range(groups)
    ]


def cells(line: str) -> list[str]:
    """A row of a Markdown table, as Markdown shows it."""
    parts = re.split(r"(?<!\\)(?:\\\\)*\|", line)[1:-1]
    return [re.sub(r"\\(.)", r"\1", part.strip()) for part in parts]


ATTRIBUTES = (
    "id", "href", "title", "class", "scope", "lang", "charset", "name", "content", "tabindex", "role",
    "aria-label", "aria-hidden", "viewbox", "preserveaspectratio", "x1", "x2", "y1", "y2",
)  # fmt: skip


class Page(HTMLParser):
    """What a page holds: cells by row, ids, links, titles; every element is closed in its order."""

    VOID = ("meta", "br")

    def __init__(self, source: str):
        super().__init__()
        self.rows: list[list[str]] = []
        self.ids, self.links, self.titles, self.tags = [], [], [], []
        self._open: list[str] = []
        self.feed(source)
        self.close()
        assert not self._open

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        if tag not in self.VOID:
            self._open.append(tag)
        if tag == "tr":
            self.rows.append([])
        if tag in ("td", "th"):
            self.rows[-1].append("")
        for name, value in attrs:
            assert name in ATTRIBUTES
            {"id": self.ids, "href": self.links, "title": self.titles}.get(name, []).append(value)

    def handle_endtag(self, tag):
        assert self._open.pop() == tag

    def handle_data(self, data):
        if {"td", "th"} & set(self._open):
            self.rows[-1][-1] += data


def widths(shown: str) -> list[int]:
    return [width(line) for line in shown.splitlines()]
