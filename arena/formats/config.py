"""The keys of a plan on how it is run and rated, and those that several formats have."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from typing import Annotated, Any, Literal

from pydantic import Field as Constraint

from arena.core.config import suggestion
from arena.core.values import KEYS, Count, Elo, Switch, Word
from arena.rating.methods import METHODS

Problem = tuple[str, str]
"""A key of a plan, and what is wrong with it."""


@dataclass(frozen=True, kw_only=True)
class FormatConfig:
    """The keys of a plan that belong to its format. Each field is a key, the text below it its help."""

    __pydantic_config__ = KEYS

    def identity(self) -> dict[str, Any]:
        """The keys as JSON has them; `teams` is that of the plan."""
        values = {each.name: getattr(self, each.name) for each in fields(self) if each.name != "teams"}
        lists = {name: list(value) or None for name, value in values.items() if isinstance(value, tuple)}
        return values | lists


@dataclass(frozen=True, kw_only=True)
class Groups(FormatConfig):
    groups: Count = 10
    """Seed groups of a line-up: games with the same deal, one for each rotation of the seats."""


@dataclass(frozen=True, kw_only=True)
class Lineups(FormatConfig):
    lineups: Count = 500
    """With more line-ups than this, a balanced sample of about as many."""


@dataclass(frozen=True, kw_only=True)
class Teams(FormatConfig):
    teams: Literal["apart"] | None = None
    """Bots with the same author never sit at one table; in a knockout, as long as the draw can avoid it."""


@dataclass(frozen=True, kw_only=True)
class Seeds(FormatConfig):
    seeds: tuple[Word, ...] = ()
    """Bots from the best down, for the draw of a swiss or a knockout."""


@dataclass(frozen=True, kw_only=True)
class Games(FormatConfig):
    games: Count | None = None
    """An adaptive tournament or a ladder ends after so many games."""


Names = Annotated[tuple[Word, ...], Constraint(min_length=1)]


@dataclass(frozen=True)
class Field:
    """What plays: with this the keys of a format have to fit together. On a ladder, bots come later.

    `teams` has the team of each bot if teams are kept apart.
    """

    seats: tuple[int, ...]
    bots: Collection[str]
    teams: Mapping[str, str]

    def unknown(self, key: str, names: Sequence[str]) -> Iterator[Problem]:
        """What is wrong with the names of bots under a key."""
        for name in names:
            if name not in self.bots:
                yield key, f"no bot {name!r}{suggestion(name, list(self.bots))}"
        if len(set(names)) < len(names):
            yield key, "names a bot twice"


@dataclass(frozen=True, kw_only=True)
class AnchorConfig:
    """The bot whose Elo is given, so that those of others are measured from it."""

    __pydantic_config__ = KEYS

    bot: Word
    """Its name."""
    elo: Elo
    """Its Elo."""


@dataclass(frozen=True, kw_only=True)
class RatingConfig:
    """How the table is made."""

    __pydantic_config__ = KEYS

    # The keys and their meaning are those of `arena.rating.estimate.Settings`.
    method: Literal[tuple(METHODS)] = "pairs"  # type: ignore[valid-type]  # known at run time
    """How a game is read: as results of all pairs at the table, as an order of places, or by its winner."""
    prior: Annotated[float, Constraint(strict=True, ge=0, le=1e6)] = 0.5
    """Wins and losses against a virtual opponent that every bot begins with; 0 for none."""
    average: Elo = 1500
    """Mean Elo, where there is no anchor."""
    anchor: AnchorConfig | None = None
    """The bot whose Elo is given."""
    seats: Literal["report", "fit"] = "report"
    """Whether the worth of each seat is only reported, or also accounted for in the Elo."""
    confidence: Annotated[float, Constraint(strict=True, gt=0, lt=1)] = 0.95
    """That of the intervals."""
    forfeits: Literal["count", "exclude"] = "count"
    """Whether games with a forfeit count."""

    def plain(self) -> dict[str, Any]:
        """The keys as JSON has them."""
        return asdict(self)


@dataclass(frozen=True, kw_only=True)
class RunConfig:
    """The keys of a plan that change none of its games: how they are run, and rated."""

    __pydantic_config__ = KEYS

    reuse: Switch = True
    """Whether a process plays many games, or each game has fresh ones."""
    rating: RatingConfig = RatingConfig()
    """How the table is made."""
    sandbox: Literal["auto", "limits", "bubblewrap"] = "auto"
    """What holds the bots: the best that this machine has, limits without a box, or a box by bubblewrap."""
    require: Literal["limits", "bubblewrap"] = "limits"
    """The least that must hold the bots; the plan is not played where it cannot be had."""
