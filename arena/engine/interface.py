"""What a run needs of an engine: submit batches of games, take what is completed, close.

An engine only carries games to workers and results back. What becomes of lost and void games is decided above
it, in one place for all engines (`arena/tournament/batches.py`).
"""

from collections.abc import Callable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

from arena.core.bot import Bot
from arena.records.fixture import Fixture
from arena.results.stored_game import StoredGame

Batch = list[Fixture]

BATCH = 128  # games handed to a worker at once, unless an engine knows better


@dataclass
class BatchResult:
    """The result of a batch: the number of `finished` fixtures, and the failure that ended it, if any.

    `void` is a game in which the arena itself failed; it is the last of the finished ones. If there is only a
    `failure`, the next game was interrupted or could not begin, and is played again with the same deal. If
    `killed`, the worker died while it played this batch and no other, so one of its games may be the cause.
    """

    finished: int = 0
    games: list[StoredGame] = field(default_factory=list)
    void: Fixture | None = None
    failure: str = ""
    seconds: float = 0.0  # that it took
    killed: bool = False


class Setup(NamedTuple):
    """What an engine plays with. Bots have to start within `start_limit` seconds, except `excused` ones.

    `seats` are those of the largest games.
    """

    bots: Mapping[str, Bot]
    reuse: bool
    start_limit: float
    excused: AbstractSet[str] = frozenset()
    seats: int = 2


class BrokenBots(Exception):
    """Bots that cannot be built or do not start, wherever that was tried: why, by name."""

    def __init__(self, unbuilt: Mapping[str, str], unstarted: Mapping[str, str]):
        super().__init__(*unbuilt, *unstarted)
        self.unbuilt, self.unstarted = unbuilt, unstarted


class Engine(Protocol):
    """Plays batches with the bots of one `Setup`."""

    @property
    def sandbox(self) -> str:
        """The tier in which the bots play, or the weakest that a worker may have."""

    @property
    def workers(self) -> int:
        """How many play at present; it may change, and may be 0 for a while."""

    @property
    def batch_size(self) -> int:
        """How many games a batch should have at most. What a worker has no time for comes back unplayed."""

    @property
    def has_room(self) -> bool:
        """Whether another batch can be submitted now. Workers may have batches in reserve."""

    def submit(self, batch: Batch) -> None:
        """Have a batch played by any worker."""

    def take_completed(self) -> list[tuple[Batch, BatchResult]]:
        """Wait a while for batches that have ended, or for workers. Each batch comes back exactly once."""

    def close(self, at_once: bool = False) -> None:
        """End all that was started. With `at_once`, do not wait for games in flight."""


OpenEngine = Callable[[Setup], Engine]
"""Builds the bots, and starts each once, where they will play. BrokenBots: some fail there."""
