"""The interface of engines, which make workers play games and collect the results.

`arena/tournament/batches.py` handles lost and void games for all engines.
"""

import uuid
from collections.abc import Callable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from itertools import count
from typing import NamedTuple, Protocol

from arena.models.calls import Wait
from arena.programs.bot import Bot
from arena.referee.fixture import Fixture
from arena.tournament.models.access import ModelAccess
from arena.tournament.runs.stored_game import StoredGame

Batch = list[Fixture]

BATCH = 128  # games for a worker at once, unless an engine chooses another number


@dataclass
class BatchResult:
    """The result of a batch: its first `finished` fixtures were played, the others come back unplayed.

    Bots may have seen the deals of the first `interrupted` unplayed ones. `games` are the played ones, in
    order, without a void one. `void` is a game in which the arena itself failed, the last finished one; then
    `failure` is the traceback. If only `failure` is set, a game was interrupted; it comes back unplayed, and
    is played again with the same deal. If `server_failed`, the server of a language model failed. If
    `killed`, a worker of a cluster died while it played this batch and no other, so one of its games may be
    the cause. `stop` and `refused` are reasons to stop the run and leave the unplayed games for later:
    `stop`, because its budget is spent; `refused`, because a server or a cassette does not fit the plan.
    """

    finished: int = 0
    games: list[StoredGame] = field(default_factory=list)
    void: Fixture | None = None
    failure: str = ""
    server_failed: bool = False
    stop: str = ""
    refused: str = ""
    seconds: float = 0.0
    killed: bool = False
    interrupted: int = 0


class Setup(NamedTuple):
    """The bots and conditions that an engine needs before it can play.

    `bots` are by name. When the engine is opened, each bot that is not broken has to start within
    `start_limit` seconds. `excused` bots may fail to start; bots that were `tried` before on this machine are
    not started then. With `reuse`, processes are kept for later games. `seats` is the number of seats of the
    largest games. `models` is the access for language models, if some are among the bots. `run` is a name
    that no other run file has; without one the engine shares its deals with no other.
    """

    bots: Mapping[str, Bot]
    reuse: bool
    start_limit: float
    excused: AbstractSet[str] = frozenset()
    tried: AbstractSet[str] = frozenset()
    seats: int = 2
    models: ModelAccess | None = None
    run: str = ""


def generations(run: str) -> Iterator[str]:
    """Endless names for the generations of an engine's processes (`arena.programs.sandbox.stale`).

    A later engine for the same run file has other names.
    """
    engine = uuid.uuid4().hex
    return (f"{run or engine} {engine}-{number}" for number in count())


class Engine(Protocol):
    """Plays batches with the bots of one `Setup`."""

    @property
    def sandbox(self) -> str:
        """The name of the tier in which the bots play, or of the weakest tier that a worker may have."""

    @property
    def workers(self) -> int:
        """The number of workers that can play at present; it may change, and may be 0 for a while."""

    @property
    def batch_size(self) -> int:
        """The number of games that a batch may have now. If a worker's time is up, it returns the rest."""

    @property
    def has_room(self) -> bool:
        """Whether another batch can be submitted now. Workers may hold batches in reserve."""

    def waits(self, fixture: Fixture) -> bool:
        """Whether a language model plays in this game, and the engine has separate workers for such games."""

    @property
    def has_waiting_room(self) -> bool:
        """Whether another game that `waits` can be submitted now."""

    @property
    def waits_for(self) -> list[Wait]:
        """The games that wait now for a failing server of language models, once for each such server.

        A cluster does not know them: [].
        """

    def submit(self, batch: Batch) -> None:
        """Give a batch to any worker. The caller checks `has_room` first.

        A game that `waits` is its own batch; for it the caller checks `has_waiting_room`.
        """

    def take_completed(self) -> list[tuple[Batch, BatchResult]]:
        """The batches that have ended, each exactly once, with their results.

        It waits until one ends; some engines return without any after a while.
        """

    def end_processes(self) -> None:
        """End all processes of bots, on all machines, while no batch is submitted.

        When it returns, no process that has seen a deal can pass it on to a later process.
        """

    def close(self, at_once: bool = False) -> None:
        """End the workers and their bots. With `at_once`, do not wait for games in flight."""


OpenEngine = Callable[[Setup], Engine]
"""Opens an engine: builds the bots and starts each once where they will play; BotError if some fail there."""
