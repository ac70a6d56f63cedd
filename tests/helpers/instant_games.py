"""Games without bots, played at once: for tests and benchmarks of what a run costs besides its games."""

from hashlib import sha256
from pathlib import Path

from arena.games import GAMES
from arena.programs.bot import Bot
from arena.referee.fixture import Fixture
from arena.referee.record import Record
from arena.tournament.engine.interface import BATCH, Batch, BatchResult, Setup
from arena.tournament.formats import find
from arena.tournament.formats.plan import Plan
from arena.tournament.runs.stored_game import pack

REPLIES = tuple({seat % 2: kind} for seat, kind in enumerate(["income", "aid", "pass", "duchess"] * 10))


def plan(form: str = "round-robin", bots: int = 10, **keys: object) -> Plan:
    """A plan of bots that have no files."""
    game, chosen = GAMES["complots"], find(form)
    names = [f"bot{number:02}" for number in range(bots)]
    field = {name: Bot(name, (), Path(), sha256(name.encode()).hexdigest()[:16]) for name in names}
    return Plan("plan", game, (4,), game.defaults(), field, chosen, chosen.config(**keys), seed="1")


def played(fixture: Fixture) -> Record:
    """A record of about the size of a real one, with places by the seed of the deal."""
    seats, first = len(fixture.bots), int(fixture.seed[:4], 16)
    places = tuple(1 + (first + seat) % seats for seat in range(seats))
    times = {"seconds": 0.1, "microseconds": [[100 + first % 900] * 10] * seats}
    return Record(fixture, REPLIES, (), (places, None), 2 * fixture.seed, times)


class Instant:
    """An engine that has every batch played as soon as it is submitted."""

    workers, batch_size, sandbox = 1, BATCH, "no bots"

    def __init__(self, setup: Setup):
        self._done: list[tuple[Batch, BatchResult]] = []

    @property
    def has_room(self) -> bool:
        return not self._done

    has_waiting_room, waits_for = False, ()

    def waits(self, fixture: Fixture) -> bool:
        return False

    def submit(self, batch: Batch) -> None:
        self._done.append((batch, BatchResult(len(batch), [pack(played(fixture)) for fixture in batch])))

    def take_completed(self) -> list[tuple[Batch, BatchResult]]:
        done, self._done = self._done, []
        return done

    def end_processes(self) -> None:
        pass

    def close(self, at_once: bool = False) -> None:
        pass
