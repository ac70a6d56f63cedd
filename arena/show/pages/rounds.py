"""The page of rounds: a knockout as a bracket, a swiss round by round."""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from arena.referee.placings import PlayedRound, PlayedTable
from arena.show.pages.page import Page
from arena.show.pages.site import Site
from arena.show.tables.placings import places_table

_Entry = PlayedTable | str
"""A table, or a bot that sat out."""


class _Round(NamedTuple):
    """A column of the page. `others` are tables from which no bot advances, such as one for third place."""

    title: str
    entries: Sequence[_Entry]
    others: Sequence[PlayedTable]


def pages(site: Site) -> Iterator[Page]:
    """The page, except for formats without rounds, and before the first round has ended."""
    placings = site.report.source.placings
    if placings.rounds:
        columns, is_tree = bracket(placings.rounds)
        is_over = placings.rounds[-1].title == "final"
        context = {
            "rounds": columns,
            "is_tree": is_tree and not placings.due,
            "champion": site.bot(placings.ranking[0]) if is_over else "",
            "due": placings.due,
            "places": site.linked(places_table(placings)),
            "bot": site.bot,
            "game": site.game,
        }
        yield Page("rounds.html", "Rounds", "rounds.html", context)


def bracket(rounds: Sequence[PlayedRound]) -> tuple[list[_Round], bool]:
    """The rounds as columns, and whether these are a tree, in which two entries lead to each later one.

    Entries are side by side if their winners meet.
    """
    columns: list[_Round] = []
    is_tree = True
    for each in reversed(rounds):
        main = [table for table in each.tables if not table.title]
        entries: list[_Entry] = [*main, *each.byes]
        if columns:
            later = [_bots_of(entry) for entry in columns[0].entries]
            leads = [[n for n, bots in enumerate(later) if bots & _bots_of(entry, True)] for entry in entries]
            counts = Counter(place for places in leads for place in places)
            is_tree &= all(len(places) == 1 for places in leads) and {*counts.values()} == {2}
            order = sorted(range(len(entries)), key=lambda number: leads[number][:1] or [len(later)])
            entries = [entries[number] for number in order]
        columns.insert(0, _Round(each.title, entries, [table for table in each.tables if table.title]))
    return columns, is_tree


def _bots_of(entry: _Entry, advanced: bool = False) -> set[str]:
    """The bot that sat out, or the bots of a table; with `advanced` only the ones that advanced."""
    if isinstance(entry, str):
        return {entry}
    return {seated.bot for seated in entry.bots if seated.advanced or not advanced}
