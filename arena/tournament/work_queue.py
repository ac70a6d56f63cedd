"""The queue of games that a run has to play: the games of a format, and repeated ones of void seed groups.

Theory of operation
-------------------
All games of a seed group share a deal, and groups of different language models may share one. A bot that
meets a deal again knows the hands of its rivals, and its live processes can tell each other. So the queue
hands out each deal once, and then keeps its other games back. When nothing else is left to hand out, there is
a *barrier*: all games in flight end, then all processes of bots, and each deal may be handed out once more.
An interrupted game has revealed its deal, so it is kept back as well.

A barrier costs the start of all bots in each worker. So the queue reads far ahead: with many seed groups at
hand, many games are played between two barriers. A `WAIT` of the format needs no barrier, because new seed
groups have new deals. If each game has its own deal, nothing is ever kept back.
"""

from collections import Counter, deque
from collections.abc import Callable, Collection, Iterable, Mapping

from arena.referee.conditions import MODEL
from arena.referee.fixture import Fixture
from arena.tournament.engine.interface import BATCH
from arena.tournament.formats.plan import WAIT, Due

_LOOKAHEAD = 32  # batches per worker; to read far ahead avoids barriers
_MAX_AHEAD = 100_000  # games, for a large cluster
_MAX_WAITING = 1000  # games, to find one with a model
_SUSPECT = 2  # After so many deaths of its workers a game is played alone,
_GUILTY = 4  # and after so many it is set aside.
_MAX_SET_ASIDE = 20  # If more games kill their workers, the games are not the cause.
MAX_VOIDS = 3  # repetitions of a seed group, and failures in a row, before the run gives up


class VoidRun(Exception):
    """The arena itself has failed too often, or games kill their workers; the message says which."""


class ServerLost(VoidRun):
    """The server of a language model has failed too often."""


class WorkQueue:
    """Hands out fixtures up to the next `WAIT`, but never a deal that a live process may have seen.

    `jobs` is the number of workers. `deal(fixture, attempt)` adds the deal to a fixture. `attempts` says how
    often each seed group was void before, by group and line-up; each time it gets another deal. Games for
    which `waits` returns True wait for a language model most of the time; `take_waiting` hands them out, one
    at a time.
    """

    def __init__(
        self,
        fixtures: Due,
        jobs: int,
        deal: Callable[[Fixture, int], Fixture],
        attempts: Mapping[tuple[str, str], int],
        waits: Callable[[Fixture], bool] = lambda fixture: False,
    ):
        self._fixtures, self.jobs, self._deal = fixtures, jobs, deal
        self._attempts = Counter(attempts)
        self._waits = waits
        self._next: Fixture | None = None  # the first game of the next seed group, if it was read
        self._groups = 0  # the number of groups read
        # All games here have their deals, and the ready ones have different deals.
        self._ready: deque[Fixture] = deque()
        self._ready_waiting: deque[Fixture] = deque()
        self._kept_back: list[Fixture] = []
        self._used: set[str] = set()  # the deals of the ready games, and those handed out since the barrier
        self._in_flight: dict[str, Fixture] = {}
        self._waiting = self.ended = False
        # like `_attempts`, but since the program was started
        self._voids: Counter[tuple[str, str]] = Counter()
        self._deaths: Counter[str] = Counter()  # of workers, by their games
        self.set_aside: list[Fixture] = []  # games that have killed their workers
        # ids of played games of void groups; the format may yield them again
        self._requeued: set[str] = set()

    def take(self, most: int = BATCH) -> list[Fixture]:
        """The next batch for a worker, of at most `most` games; [] if none can be handed out now.

        If few games are left, batches are smaller, and each worker gets an equal share in two batches.
        """
        games = self._ready
        self._read_ahead(games, 2 * self.jobs * most, min(_LOOKAHEAD * most * self.jobs, _MAX_AHEAD))
        return self._hand_out(games, min(most, -(-len(games) // (2 * self.jobs))))

    def take_waiting(self) -> list[Fixture]:
        """A batch of one game that waits for a model; [] if there is none."""
        self._read_ahead(self._ready_waiting, 1, _MAX_WAITING)
        return self._hand_out(self._ready_waiting, 1)

    def _read_ahead(self, games: deque[Fixture], wanted: int, most: int) -> None:
        """Read seed groups until so many of these `games` are ready, but not beyond the next `WAIT`.

        It also ends when `most` games were read ahead.
        """
        while not (self._waiting or self.ended) and len(games) < wanted:
            if len(self._ready) + len(self._ready_waiting) + len(self._kept_back) >= most:
                break
            for fixture in self._read_group():
                self._add(fixture)

    def _read_group(self) -> list[Fixture]:
        """The games of the next seed group that are due."""
        group = [self._next] if self._next else []
        self._next = None
        for fixture in self._fixtures:
            if fixture is WAIT:
                self._waiting = True
                break
            if group and (fixture.group, fixture.lineup) != (group[0].group, group[0].lineup):
                self._next = fixture
                break
            group.append(fixture)
        else:
            self.ended = True
        due = [fixture for fixture in group if fixture.id not in self._requeued]
        self._requeued.difference_update(fixture.id for fixture in group)
        # Each group begins with another rotation. Otherwise the same bots would have the first seats in all
        # games before the first barrier, and standings meanwhile would be biased.
        self._groups += 1
        first = self._groups % max(1, len(due))
        return due[first:] + due[:first]

    def _add(self, fixture: Fixture, at_front: bool = False) -> None:
        """Deal a game that has no deal; make it ready, or keep it back if its deal was used."""
        attempt = self._attempts[fixture.group, fixture.lineup]
        if not fixture.seed or fixture.attempt != attempt:
            fixture = self._deal(fixture, attempt)
        if _is_remembered(fixture):
            if fixture.seed in self._used:
                self._kept_back.append(fixture)
                return
            self._used.add(fixture.seed)
        games = self._ready_waiting if self._waits(fixture) else self._ready
        games.appendleft(fixture) if at_front else games.append(fixture)

    def _hand_out(self, games: deque[Fixture], most: int) -> list[Fixture]:
        batch: list[Fixture] = []
        while games and len(batch) < most:
            if batch and (self._is_suspect(games[0]) or self._is_suspect(batch[0])):
                break
            fixture = games.popleft()
            if fixture.attempt == self._attempts[fixture.group, fixture.lineup]:
                batch.append(fixture)
            else:  # Its seed group has become void, so it needs another deal.
                self._add(fixture)
        self._in_flight |= {fixture.id: fixture for fixture in batch}
        return batch

    @property
    def needs_barrier(self) -> bool:
        """Whether games are kept back, until the processes that have seen their deals have ended."""
        return bool(self._kept_back)

    def pass_barrier(self) -> None:
        """Make the games ready that were kept back. No game may be in flight, and no process may be alive."""
        assert not self._in_flight
        games = [*self._ready, *self._ready_waiting, *self._kept_back]
        for each in (self._ready, self._ready_waiting, self._kept_back, self._used):
            each.clear()
        for fixture in games:
            self._add(fixture)

    def give_back(self, fixtures: Iterable[Fixture], interrupted: int = 0) -> None:
        """Take unplayed fixtures back, to the front of their queues.

        The first `interrupted` ones may have begun, so bots may have seen their deals.
        """
        for number, fixture in reversed(list(enumerate(fixtures))):
            del self._in_flight[fixture.id]
            if number >= interrupted and _is_remembered(fixture):
                self._used.discard(fixture.seed)
            self._add(fixture, at_front=True)

    def blame(self, fixtures: Collection[Fixture]) -> None:
        """Take back the batch of a dead worker: any of its games may be the cause.

        After `_SUSPECT` such batches a game is handed out alone; if alone, it is set aside after `_GUILTY`.

        Raises:
            VoidRun: Too many games are set aside.
        """
        for fixture in fixtures:
            self._deaths[fixture.id] += 1
            if self._deaths[fixture.id] >= _GUILTY and len(fixtures) == 1:
                del self._in_flight[fixture.id]
                self.set_aside.append(fixture)
            else:
                self.give_back([fixture], interrupted=1)
        if len(self.set_aside) > _MAX_SET_ASIDE:
            raise VoidRun(f"workers die again and again; {self.missing()}")

    def _is_suspect(self, fixture: Fixture) -> bool:
        return self._deaths[fixture.id] >= _SUSPECT

    def missing(self) -> str:
        """A message with the games that were set aside."""
        names = ", ".join(f"{game.id} of {' '.join(game.bots)}" for game in self.set_aside)
        count = "1 game was" if len(self.set_aside) == 1 else f"{len(self.set_aside)} games were"
        return f"{count} set aside, because each killed {_GUILTY} workers: {names}"

    def proceed(self) -> None:
        """Read on after a `WAIT`. All games that were handed out must have been played."""
        self._waiting = False

    def counts(self, id: str) -> bool:
        """Note that a game has ended; returns whether it counts.

        It does not if its seed group became void meanwhile; then it is queued again.
        """
        fixture = self._in_flight.pop(id)
        if fixture.attempt == self._attempts[fixture.group, fixture.lineup]:
            return True
        self._add(fixture)
        return False

    def void(self, game: Fixture, group: Iterable[Fixture], played: Collection[str]) -> list[Fixture]:
        """Queue the seed group of a void game again, with another deal; returns its games that were `played`.

        `group` has all fixtures of the group, `played` the ids of all games played.
        """
        self._attempts[game.group, game.lineup] += 1
        self._voids[game.group, game.lineup] += 1
        done = [fixture for fixture in group if fixture.id in played]  # Games in flight will not count.
        for fixture in (game, *done):
            self._add(fixture)
        self._requeued.update(fixture.id for fixture in done)
        return done

    def check_voids(self, game: Fixture) -> None:
        """Check that the seed group of this game may be played again.

        Raises:
            VoidRun: The group has been void too often.
        """
        if self._voids[game.group, game.lineup] > MAX_VOIDS:
            raise VoidRun(f"seed group {game.group} was void {MAX_VOIDS + 1} times")


def _is_remembered(fixture: Fixture) -> bool:
    """Whether a player can remember the deal; language models begin each game anew."""
    return not all(made.startswith(MODEL) for made in fixture.fingerprints)
