"""The page of faults: by bot and kind, with details of up to three examples each."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from arena.programs.check.diagnosis import MEANING
from arena.rules import seat_name
from arena.show.pages.collect import FaultExample
from arena.show.pages.page import Page
from arena.show.pages.records import Records
from arena.show.pages.site import Site
from arena.show.tables.commands import command_line
from arena.show.tables.table import CellLink, Column, Table

_MAX_KINDS = 100  # the most pairs of a bot and a kind; pairs with fewer faults are left out


class FaultKind(NamedTuple):
    """The faults of one kind of one bot, and the number of its games. `examples` are from `_details`."""

    bot: str
    kind: str
    faults: int
    games: int
    examples: Sequence[Mapping[str, str | CellLink]]


def pages(site: Site) -> Iterator[Page]:
    if not (records := site.records):
        return
    found = fault_kinds(records)
    rows = [
        {**each._asdict(), "kind": CellLink(f"faults.html#fault-{number}", each.kind)}
        for number, each in enumerate(found[:_MAX_KINDS], 1)
    ]
    context = {
        "found": found[:_MAX_KINDS],
        "left": found[_MAX_KINDS:],
        "total": sum(each.faults for each in found),
        "games": len(records.games),
        "table": site.linked(Table("faults", _COUNTS, rows, "Faults by bot and kind")),
        "kinds": {kind: MEANING[kind].words for kind in MEANING if kind in {each.kind for each in found}},
    }
    yield Page("faults.html", "Faults", "faults.html", context)


def fault_kinds(records: Records, bot: str | None = None) -> list[FaultKind]:
    """The faults of a bot (None: of all bots), the most frequent first."""
    kinds = [
        FaultKind(name, kind, found.count, found.games, [_details(records, each) for each in found.examples])
        for (name, kind), found in records.collected.faults.items()
        if bot in (None, name)
    ]
    return sorted(kinds, key=lambda each: (-each.faults, each.bot, each.kind))


def _details(records: Records, example: FaultExample) -> dict[str, str | CellLink]:
    """The values for `fault_examples.html`: the game with a link, the fault, the command to see it."""
    played, seat = records.games[example.at], seat_name(example.seat)
    command = command_line("replay", Path(played.run.name), played.game.id, "--seat", seat)
    game = records.cell(example.at, example.moment)
    return {"game": game, "seat": seat, "detail": example.detail, "cause": example.cause, "command": command}


_COUNTS = (
    Column("bot", "bot", lambda cell: cell, is_bot=True),
    Column("kind", "kind", lambda cell: cell, is_left=True),
    Column("faults", "faults", "{:,}".format),
    Column("games", "games", "{:,}".format),
)
