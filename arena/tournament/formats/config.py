"""Keys of a plan for running and rating, and keys that several formats share."""

import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field as Constraint

from arena.config.document import ConfigError, Document
from arena.config.text import suggestion
from arena.config.values import KEYS, Checked, Count, Switch, Text
from arena.rating.settings import RatingSettings

MoreThanZero = Annotated[float, Checked(strict=True, gt=0, allow_inf_nan=False)]

Problem = tuple[str, str]
"""A key of a plan, and the problem with its value."""


@dataclass(frozen=True, kw_only=True)
class FormatConfig:
    """The keys of a plan that belong to its format."""

    __pydantic_config__ = KEYS

    format: str
    """A literal in each format, with its name as the default: pydantic tells the formats apart by it."""

    def identity(self) -> dict[str, Any]:
        """The keys as JSON values, an empty tuple as None; `Plan.identity` adds `format` and `teams`."""
        values = {name: value for name, value in vars(self).items() if name not in ("format", "teams")}
        lists = {name: list(value) or None for name, value in values.items() if isinstance(value, tuple)}
        return values | lists


@dataclass(frozen=True, kw_only=True)
class Groups(FormatConfig):
    groups: Count = 10
    """Seed groups of a line-up, or of a table in each round: games with the same deal (see `deals`), one for
    each rotation of the seats. In a series: games."""


@dataclass(frozen=True, kw_only=True)
class Lineups(FormatConfig):
    lineups: Count = 500
    """If there are more line-ups than this, a balanced sample of about this many is played."""


@dataclass(frozen=True, kw_only=True)
class Teams(FormatConfig):
    teams: Literal["apart"] | None = None
    """`apart` keeps bots with the same author at different tables; in a knockout, as far as possible."""


@dataclass(frozen=True, kw_only=True)
class Games(FormatConfig):
    games: Count | None = None
    """A ladder or an adaptive tournament ends after this many games; an adaptive one plays as many again if
    its bots or focus change."""


Names = Annotated[tuple[Text, ...], Constraint(min_length=1)]


@dataclass(frozen=True)
class Participants:
    """The names of the bots and the sizes of the tables, for checks of the keys of a format.

    `teams` has the team of each bot, and is empty unless teams are kept apart. A ladder has no bots until it
    runs.
    """

    seats: tuple[int, ...]
    bots: Collection[str]
    teams: Mapping[str, str]

    def unknown(self, key: str, names: Sequence[str]) -> Iterator[Problem]:
        """The problems with the bots that a key names: unknown or repeated names."""
        for name in names:
            if name not in self.bots:
                yield key, f"no bot {name!r}{suggestion(name, list(self.bots))}"
        if len(set(names)) < len(names):
            yield key, "names a bot twice"


@dataclass(frozen=True, kw_only=True)
class TableRating(RatingSettings):
    """The keys of `arena table --rating`: those of a plan, and one more."""

    __pydantic_config__ = KEYS

    versions: Literal["apart", "together"] = "apart"
    """Whether the versions of a changed bot count as different bots."""


RATING_KEYS = tuple(each.name for each in fields(TableRating))


class _RatingWords(Document):
    """The words KEY=VALUE of `--rating` as a document, whose errors name the option instead of a place."""

    def __init__(self, words: Iterable[str]):
        self._lines: dict[str, str] = {}
        anchors: list[str] = []
        for word in words:
            key, equals, value = word.partition("=")
            bot, _, elo = value.rpartition("=")
            if not equals or (key == "anchor" and not bot):
                raise ConfigError(f"--rating {word}: should be {'anchor=BOT=ELO' if equals else 'KEY=VALUE'}")
            if key == "anchor":
                anchors.append(f"{{bot: {json.dumps(bot)}, elo: {elo}}}")
                value = anchors[0] if len(anchors) == 1 else f"[{', '.join(anchors)}]"
            self._lines[key] = f"[{value}]" if key == "points" else value
        super().__init__(Path("--rating"))

    def _read(self, max_bytes: int, regular: bool) -> str:
        return "".join(f"{key}: {value}\n" for key, value in self._lines.items())

    def where(self, path: Sequence[Any]) -> str:
        return " ".join(["--rating", *map(str, path[:1])])


def read_rating(words: Iterable[str]) -> dict[str, Any]:
    """The values of the words KEY=VALUE, by key.

    Raises:
        ConfigError: A plan could not have such a value (see `TableRating`).
    """
    document = _RatingWords(words)
    found = document.check(TableRating)
    return {key: getattr(found, key) for key in document.data}


def rating_settings(base: RatingSettings, chosen: Mapping[str, Any]) -> RatingSettings:
    """The settings with the values that `read_rating` returned, other than `versions`."""
    return replace(base, **{key: value for key, value in chosen.items() if key != "versions"})


@dataclass(frozen=True, kw_only=True)
class RunConfig:
    """The keys of a plan that do not change its games: how they are run and rated."""

    __pydantic_config__ = KEYS

    reuse: Switch = True
    """Whether a process plays many games, or each game has new processes."""
    rating: RatingSettings = RatingSettings()
    """How ratings are computed."""
    sandbox: Literal["auto", "limits", "bubblewrap"] = "auto"
    """How bots are confined: as well as this machine can, only by limits, or by limits and bubblewrap."""
    budget: MoreThanZero | None = None
    """The highest cost of all calls of models, in the currency of their prices; then the run stops."""
    broken: Literal["refuse", "skip", "forfeit"] = "refuse"
    """If a bot cannot be read, built or started: it stops the run, sits out, or loses its games."""
    require: Literal["limits", "bubblewrap"] = "limits"
    """The weakest allowed sandbox: a machine with only a weaker one does not play the plan."""
