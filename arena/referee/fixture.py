"""Fixtures: games to play, with their bots, conditions and deals."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import sha256
from typing import Any, NamedTuple

from arena.referee.conditions import MODEL, TIMED, UNTIMED, Conditions, TimeControl
from arena.rules import Game, Reply
from arena.rules.match import Match

NO_CLOCK = TimeControl(move=7 * 86400.0)  # a week, the most that a plan may give


@dataclass(frozen=True)
class Fixture:
    """A game to play: its rules, bots, conditions and deal. The same fixture gives the same game."""

    game: str
    version: int
    options: Mapping[str, Any]
    bots: tuple[str, ...]  # by seat
    fingerprints: tuple[str, ...]  # by seat
    run: str = ""  # the name of the run, a hash of its secret
    group: str = ""  # the name of the seed group
    lineup: str = ""  # a hash of the versions of its bots
    rotation: int = 0  # numbers the games of the seed group
    # `arena.referee.deals` sets these three when the game is handed out; a format does not.
    attempt: int = 0  # how often the seed group was void before
    seed: str = ""  # the seed of the deal
    bot_seeds: tuple[int, ...] = ()  # by seat
    conditions: Conditions = Conditions()
    # These two come from a setup file: where to begin, and scripted chance.
    position: Mapping[str, Any] | None = None
    draws: Mapping[str, Sequence[str]] = field(default_factory=dict)

    @cached_property
    def id(self) -> str:
        """The id of the game, sixteen hex digits: a hash of the whole fixture except its deal."""
        parts = (self._shared.hash, self.bots, self.fingerprints, self.run, self.group, self.rotation)
        return sha256(to_json(parts).encode()).hexdigest()[:16]

    def with_deal(self, attempt: int, seed: str, bot_seeds: tuple[int, ...]) -> "Fixture":
        """A copy of the fixture with this deal, and with the same id."""
        dealt = object.__new__(Fixture)  # `replace` would lose the id, and compute it again
        vars(dealt).update(vars(self), attempt=attempt, seed=seed, bot_seeds=bot_seeds)
        return dealt

    @property
    def more_words(self) -> Mapping[str, str]:
        """The words of the game line after the options, by key: `names`, if the bots are told them."""
        return {"names": ",".join(self.bots)} if self.conditions.names else {}

    @property
    def person(self) -> int | None:
        """The seat of the person at the table; None if no person plays."""
        persons = [seat for seat, version in enumerate(self.fingerprints) if version in (TIMED, UNTIMED)]
        return persons[0] if persons else None

    def control(self, seat: int) -> TimeControl:
        """The times of a seat: `NO_CLOCK` for an untimed person, `of_models` for a language model."""
        if self.fingerprints[seat].startswith(MODEL):
            return self.conditions.clock.of_models
        return NO_CLOCK if self.fingerprints[seat] == UNTIMED else self.conditions.clock

    def json(self) -> str:
        """The fixture as JSON, with sorted keys in options, position and draws. An empty seed is left out."""
        shared = self._shared
        own = {name: getattr(self, name) for name in (*_SEATING, *_DEAL) if name != "seed" or self.seed}
        return f"{{{shared.head},{to_json(own)[1:-1]},{shared.tail}}}"

    @cached_property
    def _shared(self) -> "SharedFields":
        # The worker that gets the fixture needs it for the record.
        if self.position is not None or self.draws:
            return self._share()
        key = (*self.options.items(), self.game, self.version, self.conditions)
        if key not in _SHARED:
            _SHARED[key] = self._share()
        return _SHARED[key]

    def _share(self) -> "SharedFields":
        head = {"game": self.game, "version": self.version, "options": in_order(self.options)}
        conditions = self.conditions.as_json()
        limits = conditions.pop("limits")  # they follow the position and the draws in all stored records
        start = {"position": in_order(self.position), "draws": in_order(self.draws)}
        tail = conditions | start | {"limits": limits}
        digest = sha256(to_json(head | tail).encode()).hexdigest()[:16]
        return SharedFields(digest, to_json(head)[1:-1], to_json(tail)[1:-1])

    def match(self, game: Game, replies: Sequence[Reply] = ()) -> Match:
        """A match of this fixture, after these replies."""
        return Match(game, self.options, len(self.bots), replies, self.position)


def version_problem(game: Game, version: object) -> str:
    """The reason why a game cannot replay what was played by this version of it; "" if it can."""
    if version == game.version:
        return ""
    return f"played by version {version} of {game.name}, and this arena has version {game.version}"


_SEATING = ("bots", "fingerprints", "run", "group", "lineup", "rotation")  # fields that differ between games
_DEAL = ("attempt", "seed", "bot_seeds")  # fields that `arena.referee.deals` sets


class SharedFields(NamedTuple):
    """The fields of a fixture that many games of a run share: neither in `_SEATING` nor in `_DEAL`."""

    hash: str  # sixteen hex digits, from head and tail
    head: str  # the JSON before the rest of the fixture
    tail: str  # and after it


_SHARED: dict[tuple[object, ...], SharedFields] = {}  # a cache
_ENCODER = json.JSONEncoder(separators=(",", ":"))


def to_json(value: Any) -> str:
    """A value as JSON, without spaces and in ASCII. Mappings keep the order of their keys."""
    return _ENCODER.encode(value)


def in_order(value: Any) -> Any:
    """The value with sorted keys in mappings and in their mappings, but not in mappings inside lists."""
    if isinstance(value, Mapping):
        return {key: in_order(value[key]) for key in sorted(value)}
    return value
