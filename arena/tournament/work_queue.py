"""The queue of games that a run has to play: the games of a format, and those of void seed groups again."""

from collections import Counter, defaultdict, deque
from collections.abc import Callable, Collection, Iterable, Mapping

from arena.referee.fixture import Fixture
from arena.tournament.engine.interface import BATCH
from arena.tournament.formats.plan import WAIT, Due

_LOOKAHEAD = 4  # batches per worker that are read ahead, to find games of the same rotation
_MOST_AHEAD = 100_000  # games that are read ahead for a large cluster
_MOST_WAITING = 1000  # and to find one with a model
_SUSPECT = 2  # deaths of its workers after which a game is played alone
_GUILTY = 4  # and after which it is set aside
_MOST_SET_ASIDE = 20  # if more games kill their workers, it is not the games
MAX_VOIDS = 3  # how often a seed group is played again, and failures in a row, before the run gives up


class VoidRun(Exception):
    """The arena itself has failed too often, or games kill their workers; the message says which."""


class ServerLost(VoidRun):
    """The server of a language model has failed too often."""


class WorkQueue:
    """Hands out fixtures up to the next `WAIT`; those that were given back come first in their rotation.

    `jobs` is the number of workers. `deal(fixture, attempt)` adds the deal to a fixture. `attempts` says how
    often each seed group was void before, by group and line-up: it is played again with another deal. Games
    for which `waits` returns True wait for a language model most of the time: they are handed out by
    `take_waiting`, one at a time.
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
        self._waiting_games: deque[Fixture] = deque()
        self._ready: dict[int, deque[Fixture]] = defaultdict(deque)  # the others, by rotation
        self._rotation, self._direction = 0, 1  # of the games that are handed out; of the next rotation
        self._in_flight: dict[str, Fixture] = {}
        self._waiting = self.ended = False
        self._voids: Counter[tuple[str, str]] = Counter()  # as `_attempts`, but since the program was started
        self._deaths: Counter[str] = Counter()  # of workers, by the games that they had
        self._alone: deque[Fixture] = deque()  # games that may have killed a worker
        self.set_aside: list[Fixture] = []  # games that have killed their workers
        self._requeued: set[str] = set()  # ids of played games of void groups; the format may yield them, too

    def take(self, most: int = BATCH) -> list[Fixture]:
        """The next batch for a worker, of at most `most` games; [] if none can be handed out now.

        If few games are left, batches are smaller, so that each worker gets an equal share in two batches.
        """
        # Batches have games of one rotation until no more are ready, then of the next. A process plays games
        # of one rotation only, so a worker starts fewer processes if it plays many games of one rotation.
        # The rotations go up and down, not round: those played last may still have their processes.
        self._read_ahead(min(_LOOKAHEAD * most * self.jobs, _MOST_AHEAD))
        if not self._ready[self._rotation]:
            self._rotation = self._next_rotation()
        games = self._ready[self._rotation]
        share = min(most, -(-len(games) // (2 * self.jobs)))
        batch = [self._alone.popleft()] if self._alone else [games.popleft() for _ in range(share)]
        return self._hand_out(batch)

    def take_waiting(self) -> list[Fixture]:
        """A batch of one game that waits for a model; [] if there is none."""
        self._read_ahead(_MOST_WAITING)
        return self._hand_out([self._waiting_games.popleft()] if self._waiting_games else [])

    def _read_ahead(self, most: int) -> None:
        """Read fixtures until `most` are ready, but not beyond the next `WAIT`."""
        while not (self._waiting or self.ended):
            if len(self._waiting_games) + sum(map(len, self._ready.values())) >= most:
                break
            try:
                fixture = next(self._fixtures)
            except StopIteration:
                self.ended = True
                break
            if fixture is WAIT:
                self._waiting = True
            elif fixture.id in self._requeued:
                self._requeued.remove(fixture.id)
            else:
                self._games_like(fixture).append(fixture)

    def _games_like(self, fixture: Fixture) -> deque[Fixture]:
        """The queue that this game belongs to: games that wait for models, or those of its rotation."""
        return self._waiting_games if self._waits(fixture) else self._ready[fixture.rotation]

    def _hand_out(self, batch: list[Fixture]) -> list[Fixture]:
        dealt = [self._deal(fixture, self._attempts[fixture.group, fixture.lineup]) for fixture in batch]
        self._in_flight |= {fixture.id: fixture for fixture in dealt}
        return dealt

    def _next_rotation(self) -> int:
        """The nearest other rotation with games that are ready, going up or down as the last time.

        If there is none that way, the direction is changed. Without any elsewhere it is the present one.
        """
        others = [rotation for rotation, games in self._ready.items() if games]
        if not any((each - self._rotation) * self._direction > 0 for each in others):
            self._direction = -self._direction
        onward = [each for each in others if (each - self._rotation) * self._direction > 0]
        return min(onward, key=lambda each: abs(each - self._rotation), default=self._rotation)

    def give_back(self, fixtures: Iterable[Fixture]) -> None:
        """Take back fixtures that were not played, to the front of their queues."""
        for fixture in reversed(list(fixtures)):
            del self._in_flight[fixture.id]
            self._games_like(fixture).appendleft(fixture)

    def blame(self, fixtures: Collection[Fixture]) -> None:
        """Take back a batch whose worker has died: any of its games may be the cause.

        After `_SUSPECT` such batches a game is handed out alone; if alone, it is set aside after `_GUILTY`.
        VoidRun: too many games are set aside.
        """
        for fixture in fixtures:
            self._deaths[fixture.id] += 1
            if self._deaths[fixture.id] >= _GUILTY and len(fixtures) == 1:
                del self._in_flight[fixture.id]
                self.set_aside.append(fixture)
            elif self._deaths[fixture.id] >= _SUSPECT:
                del self._in_flight[fixture.id]
                self._alone.append(fixture)
            else:
                self.give_back([fixture])
        if len(self.set_aside) > _MOST_SET_ASIDE:
            raise VoidRun(f"workers die again and again; {self.missing()}")

    def missing(self) -> str:
        """A message that names the games that were set aside."""
        names = ", ".join(f"{game.id} of {' '.join(game.bots)}" for game in self.set_aside)
        count = "1 game was" if len(self.set_aside) == 1 else f"{len(self.set_aside)} games were"
        return f"{count} set aside, because each killed {_GUILTY} workers: {names}"

    def proceed(self) -> None:
        """Read on after a `WAIT`. All games that were handed out must have been played."""
        self._waiting = False

    def counts(self, id: str) -> bool:
        """Note that a game has ended; returns whether it counts.

        It does not if its seed group became void meanwhile; it is then queued again.
        """
        fixture = self._in_flight.pop(id)
        if fixture.attempt == self._attempts[fixture.group, fixture.lineup]:
            return True
        self._games_like(fixture).append(fixture)
        return False

    def void(self, game: Fixture, group: Iterable[Fixture], played: Collection[str]) -> list[Fixture]:
        """Queue the seed group of a void game again, with another deal; returns its games that were `played`.

        `group` has all fixtures of the group, `played` the ids of all games played.
        """
        self._attempts[game.group, game.lineup] += 1
        self._voids[game.group, game.lineup] += 1
        done = [fixture for fixture in group if fixture.id in played]  # those in flight will not count
        for fixture in (game, *done):
            self._games_like(fixture).append(fixture)
        self._requeued.update(fixture.id for fixture in done)
        return done

    def check_voids(self, game: Fixture) -> None:
        """VoidRun: the seed group of this game has been void too often."""
        if self._voids[game.group, game.lineup] > MAX_VOIDS:
            raise VoidRun(f"seed group {game.group} was void {MAX_VOIDS + 1} times")
