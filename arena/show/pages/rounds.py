"""The page of rounds: a knockout as a bracket, a swiss round by round."""

from collections.abc import Iterator

from arena.show.pages.page import Page
from arena.show.pages.site import Site
from arena.show.tables.placings import places_table


def pages(site: Site) -> Iterator[Page]:
    """The page; none for formats without rounds, or before the first round has ended."""
    placings = site.report.source.placings
    if placings.rounds:
        places = site.linked(places_table(placings))
        context = {"rounds": placings.rounds, "due": placings.due, "places": places}
        context |= {"bot": site.bot, "game": site.game}
        yield Page("rounds.html", "Rounds", "rounds.html", context)
