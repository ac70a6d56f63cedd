"""The rounds and places of a tournament as lines of text."""

from collections.abc import Sequence
from itertools import zip_longest

from arena.referee.placings import Placings, PlayedRound
from arena.show.tables.grid import WIDTH, width
from arena.show.tables.table import Column, Table, share
from arena.show.tables.text import text_grid


def placings_lines(found: Placings) -> list[str]:
    """The places as lines, and the bracket of a knockout; no lines for a format without rounds."""
    if not found.places:
        return []
    places = text_grid(places_table(found)).splitlines()
    if found.due:
        return [f"swiss after {len(found.rounds)} of {found.due} rounds:", *places]
    bracket = "\n".join(_bracket_lines(found.rounds)).rstrip("\n")
    return ["places:", *places, "", *bracket.splitlines()]


_PLACES = (
    Column("place", "number"),
    Column("bot", "bot", is_bot=True),
    Column("score", "score", share, "share of the points that the bot could get"),
    Column("opponents", "opponents", share, "mean score of its opponents"),
    Column("byes", "byes", lambda byes: str(byes or "")),
)


def places_table(found: Placings) -> Table:
    """The places of a tournament with rounds; no rows for other formats."""
    rows = [{**vars(place), "number": number} for number, place in enumerate(found.places, 1)]
    lacking = {"score", "opponents", "byes"} - {name for row in rows for name, value in row.items() if value}
    columns = [column for column in _PLACES if column.names not in lacking]
    return Table("places", columns, rows, "Places")


def _bracket_lines(rounds: Sequence[PlayedRound]) -> list[str]:
    """The rounds side by side, or one below the other if they are too wide."""
    columns = [_round_lines(each) for each in rounds]
    if not columns:
        return []
    widths = [max(map(width, column)) for column in columns]
    bracket = [
        "   ".join(_padded(line, room) for line, room in zip(lines, widths, strict=True)).rstrip()
        for lines in zip_longest(*columns, fillvalue="")
    ]
    if max(map(width, bracket)) > WIDTH:
        return [line for column in columns for line in [*column, ""]]
    return bracket


def _round_lines(each: PlayedRound) -> list[str]:
    """The title of a round, its tables with the score of each bot, and the bots that sat out.

    `>` marks bots that advanced.
    """
    longest = max(width(seated.bot) for table in each.tables for seated in table.bots)
    lines = [each.title]
    for table in each.tables:
        lines += [f"{table.title}:"] if table.title else []
        for seated in table.bots:
            mark = " >"[bool(seated.advanced)]
            lines.append(f"{mark} {_padded(seated.bot, longest)}  {f'{seated.score:.0%}':>4}")
        lines += [f"  tie: {why}" for why in filter(None, table.decided.split("; "))]
        lines.append("")
    return [*lines, *(f"> {bot}  sat out" for bot in each.byes)]


def _padded(text: str, room: int) -> str:
    return text + " " * (room - width(text))
