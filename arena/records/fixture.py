"""What is to be played: one game, with everything that decides it."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import sha256
from typing import Any

from arena.core.conditions import Conditions
from arena.rules import Game, Reply
from arena.rules.match import Match


@dataclass(frozen=True)
class Fixture:
    """One game to play: everything that decides it, and nothing else.

    `bots` are names by seat, `fingerprints` what those bots are made of. `run` tells runs with different
    secrets apart; `group` and `rotation` say which game of which seed group it is, and `lineup` which
    versions of its bots play that group. `position` is a position to start from and `draws` scripted chance,
    as a setup file gives them.

    A format leaves out what `arena.deals` adds when the game is handed out: the `attempt`, which is how often
    the seed group was void before, the `seed` of the deal and the `bot_seeds` by seat.
    """

    game: str
    version: int
    options: Mapping[str, Any]
    bots: tuple[str, ...]
    fingerprints: tuple[str, ...]
    run: str = ""
    group: str = ""
    lineup: str = ""
    rotation: int = 0
    attempt: int = 0
    seed: str = ""
    bot_seeds: tuple[int, ...] = ()
    conditions: Conditions = Conditions()
    position: Mapping[str, Any] | None = None
    draws: Mapping[str, Sequence[str]] = field(default_factory=dict)

    @cached_property
    def id(self) -> str:
        """Sixteen hex digits of a hash of all that could change the game; the same in each attempt."""
        parts = (self.played_under, self.bots, self.fingerprints, self.run, self.group, self.rotation)
        return sha256(to_json(parts).encode()).hexdigest()[:16]

    @property
    def played_under(self) -> str:
        """A hash of how the game is played, whichever bots play it. A run has few of them, for many games."""
        if self.position is not None or self.draws:
            return self._hash()
        known = (*self.options.items(), self.game, self.version, self.conditions)
        if known not in HASHES:
            HASHES[known] = self._hash()
        return HASHES[known]

    def _hash(self) -> str:
        plain = {name: value for name, value in self.plain().items() if name not in (*SEATING, *DEAL)}
        return sha256(to_json(plain).encode()).hexdigest()[:16]

    def plain(self) -> dict[str, Any]:
        """The fixture as JSON has it, mappings in order of their keys; without a seed that is not known."""
        what = {"game": self.game, "version": self.version, "options": in_order(self.options)}
        seating = {name: getattr(self, name) for name in (*SEATING, *DEAL) if name != "seed" or self.seed}
        conditions = self.conditions.plain()
        limits = conditions.pop("limits")  # behind the position and the draws, as in all records so far
        start = {"position": in_order(self.position), "draws": in_order(self.draws)}
        return what | seating | conditions | start | {"limits": limits}

    def match(self, game: Game, replies: Sequence[Reply] = ()) -> Match:
        """The game of this fixture, with the replies so far."""
        start = None
        if self.position is not None:
            start = game.position_from_setup(len(self.bots), self.options, self.position)
        return Match(game, self.options, len(self.bots), replies, start)


SEATING = ("bots", "fingerprints", "run", "group", "lineup", "rotation")  # what differs from game to game
DEAL = ("attempt", "seed", "bot_seeds")  # what chance gives a game
HASHES: dict[tuple[object, ...], str] = {}  # of how games are played
ENCODER = json.JSONEncoder(separators=(",", ":"))


def to_json(value: Any) -> str:
    """JSON without spaces and in ASCII, so that equal values are equal bytes."""
    return ENCODER.encode(value)


def in_order(value: Any) -> Any:
    """Mappings, and mappings within them, by their keys."""
    if isinstance(value, Mapping):
        return {key: in_order(value[key]) for key in sorted(value)}
    return value
