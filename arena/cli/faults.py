"""The faults of a run, each with the one command that shows it again."""

from collections import Counter
from collections.abc import Sequence
from heapq import nsmallest
from pathlib import Path
from typing import TYPE_CHECKING

import click

from arena.config.text import printable
from arena.rules import seat_name
from arena.show.tables.commands import command_line

if TYPE_CHECKING:  # heavy imports, which other commands do not need
    from arena.referee.record import Summary
    from arena.tournament.runs.store import Store

_MOST_GAMES = 1000  # with faults that are read at the end of a run
_MOST_LINES = 20

SeatFaults = dict[int, Counter[str]]
"""The number of faults of each kind, by seat."""


def seat_faults(store: "Store", game: "Summary", seats: Sequence[int]) -> SeatFaults:
    """The faults of these seats in a game."""
    found: SeatFaults = {}
    for fault in store.record(game.id).faults if game.faults else ():
        if fault.seat in seats:
            found.setdefault(fault.seat, Counter())[fault.kind] += 1
    return dict(sorted(found.items()))


def print_faults(run: Path) -> None:
    """On stderr, each bot and kind of fault with the command that shows the first game with it."""
    from arena.tournament.runs.store import Store
    from arena.tournament.runs.stored_game import fixture_order

    counts: Counter[tuple[str, str]] = Counter()
    first: dict[tuple[str, str], str] = {}
    with Store(run) as store:
        total = store.faults()
        faulty = (game for game in store.games() if game.faults) if total else ()
        for game in nsmallest(_MOST_GAMES, faulty, key=fixture_order):
            for seat, kinds in seat_faults(store, game, range(len(game.bots))).items():
                for kind, count in kinds.items():
                    key = (game.bots[seat], kind)
                    counts[key] += count
                    first.setdefault(key, command_line("replay", run, game.id, "--seat", seat_name(seat)))
    if not total:
        return
    part = f" (here those of {_MOST_GAMES} games)" if counts.total() < total else ""
    _say(f"{total} faults{part}; each command shows the first game with such a fault:")
    for (bot, kind), count in counts.most_common(_MOST_LINES):
        _say(f"  {bot} {kind} {count}: {first[bot, kind]}")
    _say(f"all games with faults: {command_line('list', run, '--only', 'faults')}")


def _say(line: str) -> None:
    click.echo(printable(line), err=True)
