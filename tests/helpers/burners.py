"""Games of bots that compute, for a worker process: it can import this module, but no test file."""

from dataclasses import replace

import programs
from programs import fixture, misbehaving_bot

from arena import games
from arena.programs.play.table import ProgramTable
from arena.referee.record import Record

BURN = "end = time.process_time() + {}\n            while time.process_time() < end: pass"

TIGHT = {"move": 0.025, "start": 10.0}


def burners(number: int) -> list[Record]:
    """In a process of its own, as a worker of a run: games of two bots that compute 20 ms for each answer."""
    games.INSTALLED.update(programs.GAMES)
    bots = {name: replace(misbehaving_bot(move=BURN.format(0.02)), name=name) for name in ("a", "b")}
    with ProgramTable(bots) as table:
        return [table.play(fixture("a", "b", rounds=15, strikes=99, **TIGHT)) for _ in range(2)]
