"""What a run has still to play: the games of a format, in order, and those of void seed groups once more."""

from collections import Counter, defaultdict, deque
from collections.abc import Callable, Collection, Iterable, Mapping

from arena.formats.plan import WAIT, Due
from arena.records.fixture import Fixture

BATCH = 32  # fixtures handed to a worker at once
AHEAD = 16  # times as many are looked at, for each worker, to find some of the same rotation
MOST_VOIDS = 3  # times that a seed group is begun anew, or failures in a row, before the run gives up


class VoidRun(Exception):
    """The arena itself fails again and again; the message has the last traceback."""


class WorkQueue:
    """Hands out fixtures: those given back first, then new ones up to the next `WAIT`.

    `deal(fixture, attempt)` adds the deal to a fixture when it is handed out. A seed group that is void is
    due again with another deal: `attempts` has how often this has happened, by group and line-up.
    """

    def __init__(
        self,
        fixtures: Due,
        jobs: int,
        deal: Callable[[Fixture, int], Fixture],
        attempts: Mapping[tuple[str, str], int],
    ):
        self._fixtures, self._jobs, self._deal = fixtures, jobs, deal
        self._attempts = Counter(attempts)
        self._ready: dict[int, deque[Fixture]] = defaultdict(deque)  # by rotation
        self._rotation = 0  # that is played at present
        self._in_flight: dict[str, Fixture] = {}
        self._waiting = self.ended = False
        self._voids: Counter[tuple[str, str]] = Counter()  # likewise, in this session
        self._again: set[str] = set()  # ids of games that no longer count; the format may yield them again

    def take(self) -> list[Fixture]:
        """A batch for a worker, which has two at a time; where little is left, each gets its share.

        The batches have games of one rotation until no more are ready, then of the next. A process plays
        games of one rotation only, so a worker that goes through many of one starts fewer processes.
        """
        ready = self._ready
        while sum(map(len, ready.values())) < AHEAD * BATCH * self._jobs and not (
            self._waiting or self.ended
        ):
            try:
                fixture = next(self._fixtures)
            except StopIteration:
                self.ended = True
                break
            if fixture is WAIT:
                self._waiting = True
            elif fixture.id in self._again:
                self._again.remove(fixture.id)
            else:
                ready[fixture.rotation].append(fixture)
        if not ready[self._rotation]:
            later = [rotation for rotation in sorted(ready) if ready[rotation]]
            self._rotation = next((each for each in later if each > self._rotation), min(later, default=0))
        alike = ready[self._rotation]
        share = min(BATCH, -(-len(alike) // (2 * self._jobs)))
        batch = [alike.popleft() for _ in range(share)]
        dealt = [self._deal(fixture, self._attempts[fixture.group, fixture.lineup]) for fixture in batch]
        self._in_flight |= {fixture.id: fixture for fixture in dealt}
        return dealt

    def give_back(self, fixtures: Iterable[Fixture]) -> None:
        """Handed out, but not played: next in turn."""
        for fixture in reversed(list(fixtures)):
            del self._in_flight[fixture.id]
            self._ready[fixture.rotation].appendleft(fixture)

    def proceed(self) -> None:
        """All that was handed out has been played: the format need not wait any longer."""
        self._waiting = False

    def counts(self, id: str) -> bool:
        """Whether a game that has just ended counts.

        A game does not count, and is due again, if its seed group became void while it was played.
        """
        fixture = self._in_flight.pop(id)
        if fixture.attempt == self._attempts[fixture.group, fixture.lineup]:
            return True
        self._ready[fixture.rotation].append(fixture)
        return False

    def void(self, game: Fixture, group: Iterable[Fixture], played: Collection[str]) -> list[Fixture]:
        """A game was void, so its whole seed group becomes due again; those of it that were `played`.

        Games of the group that are in flight at this moment will not count.
        """
        self._attempts[game.group, game.lineup] += 1
        self._voids[game.group, game.lineup] += 1
        done = [fixture for fixture in group if fixture.id in played]
        for fixture in (game, *done):
            self._ready[fixture.rotation].append(fixture)
        self._again.update(fixture.id for fixture in done)
        return done

    def check_voids(self, game: Fixture) -> None:
        """VoidRun: the seed group of this game was void too often."""
        if self._voids[game.group, game.lineup] > MOST_VOIDS:
            raise VoidRun(f"seed group {game.group} was void {MOST_VOIDS + 1} times")
