"""Tables of the site. Their headings lead to the page of definitions."""

from collections.abc import Callable, Sequence
from typing import Any

from arena.pages.definitions import definition
from arena.pages.site import Site
from arena.report.columns import COLUMNS, share
from arena.report.page import Heading, Table
from arena.report.standings import TEXT, headings


def plain_headings(*names: str) -> list[Heading]:
    """Headings without a definition: the first column has names."""
    return [Heading(name, number == 0) for number, name in enumerate(names)]


def defined(name: str, word: str = "") -> Heading:
    """The heading of a column of the standings, with a link to its definition."""
    column = COLUMNS[name]
    href = definition(name) if column.heading else ""  # the flags have none, and stand below the table
    return Heading(word or column.heading, name in TEXT, column.meaning, href)


def standings_table(site: Site, names: Sequence[str]) -> Table:
    """The standings with those of these columns that are not empty."""
    report = site.report
    cells: dict[str, Callable[[Any], Any]] = {name: COLUMNS[name].cell for name in names}
    kept = [name for name in names if any(map(cells[name], report.rows))]
    cells["bot"] = lambda row: site.bot(row.bot)
    heads = [defined(*each) for each in zip(kept, headings(report, kept), strict=True)]
    return Table("Standings", heads, [[cells[name](row) for name in kept] for row in report.rows])


def places_table(site: Site) -> Table | None:
    """The places of a tournament with rounds; None for others."""
    places = site.report.source.placings.places
    if not places:
        return None
    scored = any(place.score is not None for place in places)
    byes = any(place.byes for place in places)
    heads = [Heading("place"), Heading("bot", True)]
    heads += [Heading(word) for word in ("score", "opponents") if scored]
    heads += [Heading("byes")] if byes else []
    rows = [
        [
            *(str(number), site.bot(place.bot)),
            *((share(place.score), share(place.opponents)) if scored else ()),
            *([str(place.byes or "")] if byes else []),
        ]
        for number, place in enumerate(places, 1)
    ]
    return Table("Places", heads, rows)
