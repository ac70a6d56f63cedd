"""Run files of random games, made without bots: with times, and with faults of every kind."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import get_args

from arena.games import GAMES
from arena.referee.conditions import Conditions, TimeControl
from arena.referee.fixture import Fixture
from arena.referee.game_check.random_games import play
from arena.referee.protocol import FaultKind
from arena.referee.record import Record
from arena.referee.seat import Fault
from arena.tournament.runs.store import Store
from arena.tournament.runs.stored_game import pack

KINDS = get_args(FaultKind)
NAMES = ("ann", "bob", "cat", "dan")


def random_record(
    number: int, names: Sequence[str], game: str = "complots", faulty: bool = False, traced: bool = True
) -> Record:
    """A random game at a table of these bots; `number` decides it. A faulty one has one fault."""
    rules = GAMES[game]
    match = play(rules, rules.defaults(), len(names), f"{game}/{number}")
    fixture = Fixture(
        *(game, rules.version, rules.defaults(), tuple(names), tuple(f"f{name}" for name in names)),
        run="run",
        group=f"{' '.join(sorted(names))} {number}",
        seed=f"secret {number}",
        conditions=Conditions(clock=TimeControl(move=0.5)),
    )
    kind = KINDS[number % len(KINDS)]
    reply = next(place for place, each in enumerate(match.replies) if isinstance(each, dict))
    faults = (Fault(number % len(names), kind, reply, f"did {kind} in {number}"),) if faulty else ()
    trace: dict[str, object] = {
        "seconds": 0.01 * number,
        "microseconds": [[100 + number, *[200 * (seat + 1)] * 9] for seat in range(len(names))],
        "stderr": {str(number % len(names) + 1): "Traceback\nValueError: <b> is no card"},
    }
    return Record(
        fixture, tuple(match.replies), faults, match.result, match.digest(), trace if traced else {}
    )


def write_run(path: Path, records: Sequence[Record], **about: object) -> Path:
    """A run file with these games."""
    with Store(path, writer=True) as store:
        store.write_facts(replace(store.facts, **about))
        store.append(map(pack, records))
    return path


def stored_run(
    path: Path,
    names: Sequence[str] = ("ann", "bob", "cat", "dan"),
    games: int = 12,
    seats: int = 3,
    **more: object,
) -> Path:
    """A run of random games, turning the names around the table; every third game has a fault."""
    tables = [[names[(number + seat) % len(names)] for seat in range(seats)] for number in range(games)]
    records = [
        random_record(number, table, faulty=number % 3 == 0, **more) for number, table in enumerate(tables)
    ]
    return write_run(path, records)
