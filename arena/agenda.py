"""What a run has still to play: the games of a format, in order, and those of void seed groups once more."""

from collections import Counter, deque
from collections.abc import Collection, Iterable

from arena.formats.seating import WAIT, Due
from arena.records import Fixture

BATCH = 32  # fixtures handed to a worker at once
MOST_VOIDS = 3  # times that a seed group is begun anew, or failures in a row, before the run gives up
END = object()  # of the fixtures


class VoidRun(Exception):
    """The arena itself fails again and again; the message has the last traceback."""


class Agenda:
    """Hands out fixtures: those given back first, then new ones up to the next `WAIT`."""

    def __init__(self, fixtures: Due, jobs: int):
        self._fixtures, self._jobs = fixtures, jobs
        self._ready: deque[Fixture] = deque()
        self._waiting = self.ended = False
        self._condemned: dict[str, Fixture] = {}  # in flight when another game of their group was void
        self._voids: Counter[str] = Counter()  # by seed group

    def take(self) -> list[Fixture]:
        """A batch for a worker; where little is left, so much that the others get their share."""
        while len(self._ready) < BATCH * self._jobs and not (self._waiting or self.ended):
            fixture = next(self._fixtures, END)
            if fixture is END:
                self.ended = True
            elif fixture is WAIT:
                self._waiting = True
            else:
                self._ready.append(fixture)
        share = min(BATCH, -(-len(self._ready) // self._jobs))
        return [self._ready.popleft() for _ in range(share)]

    def give_back(self, fixtures: Iterable[Fixture]) -> None:
        """Handed out, but not played: next in turn."""
        self._ready.extendleft(reversed(list(fixtures)))

    def proceed(self) -> None:
        """All that was handed out has been played: the format need not wait any longer."""
        self._waiting = False

    def void(self, game: Fixture, group: Iterable[Fixture], played: Collection[str]) -> list[Fixture]:
        """A game was void, so its whole seed group becomes due again; those of it that were `played`.

        Games of the group that are in flight at this moment will not count. VoidRun: it is not the
        first time that this group was void.
        """
        self._voids[game.group] += 1
        if self._voids[game.group] > MOST_VOIDS:
            raise VoidRun(f"seed group {game.group} was void {MOST_VOIDS + 1} times")
        queued = {fixture.id for fixture in self._ready}
        others = [fixture for fixture in group if fixture.id not in queued and fixture.id != game.id]
        done = [fixture for fixture in others if fixture.id in played]
        self._condemned |= {fixture.id: fixture for fixture in others if fixture.id not in played}
        self._ready.extend([game, *done])
        return done

    def counts(self, id: str) -> bool:
        """Whether a game that has just ended counts; one whose group was void is due again instead."""
        fixture = self._condemned.pop(id, None)
        if fixture:
            self._ready.append(fixture)
        return fixture is None
