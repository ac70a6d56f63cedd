"""Games that were played, and the fixtures of single games."""

import secrets
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any

from arena.library.tables import Table
from arena.referee.deals import check_seed, deal_alone
from arena.referee.fixture import Fixture
from arena.referee.record import Record
from arena.referee.seat import Fault
from arena.rules.match import Match

LIBRARY = "library"
"""The fingerprint of a player of this process: its files are not known."""


class Played:
    """A game that was played: its `places` (1 is first) and `scores` by seat, or None if it has no scores.

    `match` is at its end; `trace` has the times and the stderr of programs.
    """

    def __init__(
        self, made: Callable[[], Fixture], match: Match, faults: Sequence[Fault] = (), trace: Any = None
    ):
        assert match.result
        self.match, self.trace = match, trace or {}
        self._made = made  # makes the fixture: its many hashes take time, and most games do not need it
        self.faults = tuple(faults)
        """The faults of all seats, if the game was played with `faults="play"` or with programs; else ()."""
        self.places, self.scores = match.result

    def __repr__(self) -> str:
        return f"Played(places={self.places}, scores={self.scores}, faults={len(self.faults)})"

    @cached_property
    def fixture(self) -> Fixture:
        """The fixture: the rules, the players and the deal."""
        return self._made()

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the players, by seat."""
        return self.fixture.bots

    @cached_property
    def digest(self) -> str:
        """A hash of the whole log, as 64 hex digits: equal for equal games, wherever they are played."""
        return self.match.digest()

    @property
    def log(self) -> list[str]:
        """The news, draws and answers of the game, one a line, with everything hidden from the seats."""
        return self.match.lines

    @property
    def record(self) -> Record:
        """The record of the game for a run file."""
        result = self.places, self.scores
        replies = tuple(self.match.replies)
        return Record(self.fixture, replies, self.faults, result, self.digest, self.trace)


def fixture_of(table: Table, names: Sequence[str], fingerprints: Sequence[str], seed: str) -> Fixture:
    """The fixture of a single game, with the same deal as `arena play` with this seed."""
    fixture = Fixture(
        game=table.name,
        version=table.game.version,
        options=table.options,
        bots=tuple(names),
        fingerprints=tuple(fingerprints),
        group=f"{' '.join(sorted(names))} /{seed}",
    )
    return deal_alone(fixture, seed)


def seed_text(seed: str | int | None) -> str:
    """The seed of a deal as text; for None a new random one.

    Raises:
        ConfigError: The seed cannot be encoded as UTF-8.
    """
    return secrets.token_hex(16) if seed is None else check_seed(str(seed))
