"""The standings for people: in 80 columns for a terminal, in full for other formats."""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from arena.rating.outcomes import Outcomes
from arena.rating.standings import Standing
from arena.records.record import Summary
from arena.report import columns, page
from arena.report.columns import COLUMNS, CONTEST, DROPPED, PLAIN
from arena.report.grid import WIDTH, folded, grid, markdown, width
from arena.report.notes import notes
from arena.report.placings import placings_lines
from arena.report.report import Report
from arena.results.sources import Source, namer, to_outcome, versions

if TYPE_CHECKING:  # imports pydantic, which takes a quarter of a second
    from arena.formats.plan import Plan

LIVE = ("rank", "range", "bot", "elo", "error", "los", "games", "score")
TOP = 10  # rows that are shown while a run is played
TEXT = ("bot", "kinds", "flags")  # columns that are aligned left
ELO_OF_ALL = "The Elo of all games together, which is not what the places are decided by"
NARROWEST = 12  # characters for the name of a bot, at least


def text(report: Report, form: str = "text", wide: bool = False) -> str:
    """The standings in one of the formats for people, with notes below.

    The places of a tournament with rounds come first: the Elo, which counts all games alike, may have another
    order.
    """
    placed = placings_lines(report.source.placings)
    lines = [*placed, "", f"{ELO_OF_ALL}:", ""] if placed else []
    if form == "html":
        return page.preformatted(lines) + elo_text(report, form, wide)
    if form == "markdown" and lines:
        lines = ["```text", *lines[:-3], "```", "", *lines[-2:]]
    if form == "latex":
        lines = [f"% {line}".rstrip() for line in lines]
    return "\n".join([*lines, elo_text(report, form, wide)])


def elo_text(report: Report, form: str, wide: bool) -> str:
    names = wide_columns(report.rows) if wide else plain_columns(report)
    table = narrow(report, names) if form == "text" and not wide else columns_of(report, names, form)
    return with_notes(table, notes(report), definitions(report, names), form)


def with_notes(table: str, notes: Sequence[str], meanings: Mapping[str, str], form: str) -> str:
    """A table in one of the formats for people, with notes below."""
    if form == "text":
        return "\n".join([table, *(line for note in notes for line in folded(note, margin=3))])
    if form == "html":
        below = [page.paragraphs(notes), page.definitions(meanings)]
        return "\n".join([table, *below, page.fold("Formulas and sources", columns.page())])
    if form == "latex":
        return "\n".join([table, *(f"% {line}" for line in notes)])
    return "\n\n".join([table, *map(markdown, notes)])


def narrow(report: Report, names: Sequence[str]) -> str:
    """The standings in 80 columns: columns are dropped, and then long names are wrapped."""
    names = list(names)
    for dropped in ("", *DROPPED):
        names = [name for name in names if name != dropped]
        table = columns_of(report, names, "text")
        over = len(table.split("\n")[1]) - WIDTH  # the line of dashes has the full width
        if over <= 0:
            return table
    longest = max(width(row.bot) for row in report.rows)
    return columns_of(report, names, "text", max(NARROWEST, longest - over))


def live(plan: "Plan", played: Mapping[str, Summary]) -> str:
    """The top of the standings while a run is played: the same estimate from the games so far."""
    name = namer(versions([(plan.identity(), played.values())]))
    outcomes = Outcomes.of(to_outcome(game, name, {}) for game in played.values())
    if not outcomes:
        return ""
    report = Report(Source(outcomes), plan.run.rating)
    head, dashes, *rows = narrow(report, LIVE).splitlines()
    shown = [head, dashes, *rows[:TOP]]
    rest = sum(map(bool, rows[TOP:]))  # an empty line stands between pools
    return "\n".join([*shown, *([f"and {rest} more"] if rest else [])])


def plain_columns(report: Report) -> list[str]:
    """The columns without --wide: forfeits if there are any, winnings if a game has more than two seats."""
    forfeits = ["forfeits"] if any(row.forfeits for row in report.rows) else []
    names = CONTEST if report.settings.order == "points" else PLAIN
    larger = any(games.size > 2 for games in report.field.arrays)
    return [*(name for name in names if name != "net" or larger), *forfeits, "flags"]


def wide_columns(rows: Sequence[Standing]) -> list[str]:
    """All columns but those that are empty in every row."""
    return [name for name, column in COLUMNS.items() if name == "flags" or any(map(column.cell, rows))]


def columns_of(report: Report, names: Sequence[str], form: str, fold: int | None = None) -> str:
    body = [[COLUMNS[name].cell(row) for name in names] for row in report.rows]
    if form == "text":
        body = in_blocks(report, body)
    left = [name in TEXT for name in names]
    return grid(body, headings(report, names), left, form, definitions(report, names), fold)


def in_blocks(report: Report, body: list[list[str]]) -> list[list[str]]:
    """The cells of the rows, with an empty line between pools."""
    if report.settings.order == "points" or len(pools := set(report.field.ratings.pool.tolist())) < 2:
        return body
    pool = dict(zip(report.field.names, report.field.ratings.pool.tolist(), strict=True))
    lines = [([""] * len(body[0])) for _ in pools]
    apart: list[list[str]] = []
    for (this, following), cells in zip(pairwise([*report.rows, None]), body, strict=True):
        apart.append(cells)
        if this and following and pool[this.bot] != pool[following.bot]:
            apart.append(lines.pop())
    return apart


def headings(report: Report, names: Sequence[str]) -> list[str]:
    confidence = f"{100 * report.settings.confidence:g}"
    return [COLUMNS[name].heading.replace("95", confidence) for name in names]


def definitions(report: Report, names: Sequence[str]) -> dict[str, str]:
    """The meaning of each heading."""
    meanings = (COLUMNS[name].meaning for name in names)
    named = zip(headings(report, names), meanings, strict=True)
    return {heading: meaning for heading, meaning in named if heading}
