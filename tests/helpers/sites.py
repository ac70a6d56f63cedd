"""Sites of outcomes that are made up, and files with their results."""

import csv

from arena.rating.settings import RatingSettings
from arena.show.tables.report import Report
from arena.tournament.runs.sources import Source

HOSTILE = (
    "<script>alert(1)</script>", "</style><b>", "$x^2$ %s {{ x }}", "../../etc/passwd", "&amp;\"'",
    "\u202eright to left", "a" * 60, "a\u2066b\u2069", "\x1b[31mred", "=cmd()", "王王王", "Zoë 🤖",
)  # fmt: skip


def site_of(outcomes, out, **settings):
    from arena.show.pages.site import Site  # matplotlib, which takes a second

    settings = RatingSettings(**settings)
    return Site("site", [], out, Report(Source(list(outcomes), settings), settings))


def csv_of(outcomes, path):
    """A file with the results of these outcomes."""
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["game", "group", "seat", "bot", "place", "status"])
        for number, outcome in enumerate(outcomes):
            for seat, (bot, place) in enumerate(zip(outcome.bots, outcome.places, strict=True)):
                status = "forfeit" if seat in outcome.forfeits else "ok"
                writer.writerow([number, outcome.group, seat + 1, bot, place, status])
    return path
