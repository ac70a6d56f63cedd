"""The settings of a contest: the organiser's choices, and the facts that its processes share."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from typing import Annotated, Literal

from pydantic import Field, PlainSerializer, TypeAdapter

from arena.contest.database import read_value
from arena.contest.moments import Moment, show_moment
from arena.web.database import Database

_Moment = Annotated[Moment, PlainSerializer(show_moment)]


@dataclass(frozen=True)
class Commitment:
    """The SHA-256 of the contest's secret, published on the first day."""

    sha256: str


@dataclass(frozen=True)
class Frozen:
    """The beginning of the freeze of the standings."""

    at: datetime


@dataclass(frozen=True, kw_only=True)
class VoidDeal:
    """A deal of a seed group that the final has given up, with the reason."""

    group: str
    deal: int
    games: int
    why: str


@dataclass(frozen=True, kw_only=True)
class FixedFinal:
    """The final as it was fixed at the deadline, and its progress."""

    state: Literal["playing", "over"] = "playing"
    at: datetime
    plan: str  # the text of its file
    listed: Annotated[tuple[tuple[str, str], ...], Field(alias="list")]  # entrants, and fingerprints
    text: str  # the list: the plan and the entries, from which the deals follow
    list_sha256: str
    played: int = 0
    total: int | None = None
    why: str = ""
    voids: tuple[VoidDeal, ...] = ()
    failures: int = 0  # attempts in a row without a new game


@dataclass(frozen=True, kw_only=True)
class Place:
    """The place of an entrant in the final; without an Elo if its games are too few."""

    place: int
    range: tuple[int, int]  # the first and the last possible place by its games
    may_be_first: bool = False  # these two ask less of the games: each holds by itself
    may_be_on_podium: bool = False
    name: str
    team: str
    elo: float | None
    error: float | None
    score: float
    games: int


@dataclass(frozen=True)
class Published:
    """The publication of the result: its time, and the SHA-256 of its list of files."""

    at: datetime
    sha256: str


@dataclass(frozen=True, kw_only=True)
class PlayerState:
    """The last report of a process that plays: its games, and the reason why it waits."""

    games: int = 0
    waits: str = ""
    last_game: datetime | None = None


@dataclass(frozen=True)
class KnownClock:
    """The clocks of the machine in one start of the server (`steady_clock`)."""

    start: str
    offset: float


@dataclass(kw_only=True)
class Settings:
    """All settings at one moment."""

    url: str = ""  # the address of the server, for the links of entrants
    paused: bool = False
    deadline: _Moment | None = None  # replaces the one in contest.yaml
    freeze: _Moment | None = None
    commitment: Commitment | None = None
    frozen: Frozen | None = None
    final: FixedFinal | None = None
    places: tuple[Place, ...] = ()  # the best first; none before the final is over
    prize: str = ""  # which entrants may be first
    podium: int = 0  # the number of public places, from the last one upwards
    publish: bool = False  # the organiser wants the result published
    published: Published | None = None
    players: dict[str, PlayerState] = field(default_factory=dict)  # by the name of the process
    clock: KnownClock | None = None

    def player(self, name: str) -> PlayerState:
        """The last report of the process `name`."""
        return self.players.get(name, PlayerState())

    @property
    def is_frozen(self) -> bool:
        """Whether the public sees the frozen standings."""
        return bool(self.frozen and not self.published)

    @property
    def public_places(self) -> tuple[Place, ...]:
        """The places that are public: the last ones, or all once the result is published."""
        return self.places if self.published else self.places[max(0, len(self.places) - self.podium) :]


_SETTINGS = TypeAdapter(Settings)


def settings_of(database: Database) -> Settings:
    """The present settings.

    Raises:
        DamagedDatabase: A setting has a wrong type.
    """
    rows = database.rows("SELECT name, value FROM setting")
    text = ", ".join(f"{json.dumps(row['name'])}: {row['value']}" for row in rows)
    return read_value(database, Settings, f"{{{text}}}")


@contextmanager
def change_settings(database: Database) -> Iterator[Settings]:
    """Write the block's changes of these settings, and its other writes, all or none."""
    with database.transaction():
        settings = settings_of(database)
        before = _SETTINGS.dump_python(settings, mode="json", by_alias=True)
        yield settings
        sql = "INSERT INTO setting VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value"
        for name, value in _SETTINGS.dump_python(settings, mode="json", by_alias=True).items():
            if value != before[name]:
                database.write(sql, name, json.dumps(value))
