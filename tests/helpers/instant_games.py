"""Games without bots, played at once: for tests and benchmarks of what a run costs besides its games."""

from collections.abc import Callable, Iterator
from hashlib import sha256
from pathlib import Path

from arena.core.bot import Bot
from arena.formats import find
from arena.formats.plan import Plan
from arena.games import GAMES
from arena.records.fixture import Fixture
from arena.records.record import Record
from arena.results.stored_game import pack
from arena.tournament.work_queue import WorkQueue
from arena.tournament.workers import BatchResult, no_stop

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


class InstantWorkers:
    """Stands in for `arena.tournament.workers.Workers`."""

    def __init__(self, *_: object):
        pass

    def __enter__(self) -> "InstantWorkers":
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def greet(self, limit: float) -> None:
        pass

    def play(
        self, queue: WorkQueue, should_stop: Callable[[], bool] = no_stop
    ) -> Iterator[list[BatchResult]]:
        while True:
            if batch := queue.take():
                yield [BatchResult(len(batch), [pack(played(fixture)) for fixture in batch])]
            elif queue.ended:
                return
            else:
                queue.proceed()
