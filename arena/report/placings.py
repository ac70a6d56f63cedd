"""The rounds and places of a tournament as lines of text."""

from collections.abc import Sequence
from itertools import zip_longest

from arena.records.placings import Placings, PlayedRound
from arena.report.grid import WIDTH, width


def placings_lines(found: Placings) -> list[str]:
    """The places; of a knockout also the bracket. Nothing for a format without rounds."""
    if not found.places:
        return []
    if found.due:
        return [f"swiss after {len(found.rounds)} of {found.due} rounds:", *place_lines(found)]
    bracket = bracket_lines(found.rounds)
    while bracket and not bracket[-1]:
        bracket.pop()
    return ["places:", *place_lines(found), "", *bracket]


def place_lines(found: Placings) -> list[str]:
    lines = []
    for number, place in enumerate(found.places, 1):
        byes = f", {place.byes} bye{'s' * (place.byes > 1)}" if place.byes else ""
        scores = "" if place.score is None else f"  {place.score:.0%}, opponents {place.opponents or 0:.0%}"
        lines.append(f"{number:>3}  {place.bot}{scores}{byes}")
    return lines


def bracket_lines(rounds: Sequence[PlayedRound]) -> list[str]:
    """The rounds side by side; one below the other if that is too wide."""
    columns = [round_lines(each) for each in rounds]
    if not columns:
        return []
    widths = [max(map(width, column)) for column in columns]
    bracket = [
        "   ".join(padded(line, room) for line, room in zip(lines, widths, strict=True)).rstrip()
        for lines in zip_longest(*columns, fillvalue="")
    ]
    if max(map(width, bracket)) > WIDTH:
        return [line for column in columns for line in [*column, ""]]
    return bracket


def round_lines(each: PlayedRound) -> list[str]:
    """A round: its number, its tables with the score of each bot, and who sat out. `>` advanced."""
    longest = max(width(seated.bot) for table in each.tables for seated in table.bots)
    lines = [f"round {each.number}"]
    for table in each.tables:
        for seated in table.bots:
            mark = " >"[bool(seated.advanced)]
            lines.append(f"{mark} {padded(seated.bot, longest)}  {f'{seated.score:.0%}':>4}")
        lines.append("")
    return [*lines, *(f"> {bot}  sat out" for bot in each.byes)]


def padded(text: str, room: int) -> str:
    return text + " " * (room - width(text))
