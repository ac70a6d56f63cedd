"""The keys of a plan that belong to its format, each allowed only where it means something."""

from collections.abc import Collection, Mapping
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from arena.core.config import Document, suggestion

FORMATS = ("round-robin", "series", "gauntlet", "swiss", "knockout", "adaptive", "ladder")

# The formats in which a key means something; the keys that are not here do so in all of them.
MEANT = {
    "groups": ("round-robin", "series", "gauntlet", "swiss", "knockout"),
    "lineups": ("round-robin", "gauntlet"),
    "teams": ("round-robin", "gauntlet", "swiss", "knockout", "adaptive", "ladder"),
    "challengers": ("gauntlet",),
    "rounds": ("swiss",),
    "advance": ("knockout",),
    "seeds": ("swiss", "knockout"),
    "games": ("adaptive", "ladder"),
    "hours": ("ladder",),
    "target_error": ("adaptive",),
    "focus": ("adaptive",),
}
Positive = Annotated[int, Field(ge=1)]


class Keys(BaseModel):
    """A group of keys in a plan: no others, and no type is bent into another."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, use_attribute_docstrings=True)


class FormatKeys(Keys):
    """The keys at the top of a plan that say who meets whom."""

    format: Literal[FORMATS] = "round-robin"
    """Which bots meet; tournaments/README.md explains the formats."""
    groups: Positive = 10
    """Seed groups of a line-up: games with the same deal, one for each rotation of the seats."""
    lineups: Positive = 500
    """With more line-ups than this, a balanced sample of about as many."""
    teams: Literal["apart"] | None = None
    """Bots with the same author never sit at one table; in a knockout, as long as the draw can avoid it."""
    challengers: Annotated[list[str], Field(min_length=1)] | None = None
    """The bots of a gauntlet that meet all others."""
    rounds: Positive | None = None
    """Rounds of a swiss; by default log2 of the bots."""
    advance: Positive | None = None
    """How many of a knockout's table go on; by default half."""
    seeds: list[str] = []
    """Bots from the best down, for the draw of a swiss or a knockout."""
    games: Positive | None = None
    """An adaptive tournament or a ladder ends after so many games."""
    hours: Annotated[float, Field(gt=0)] | None = None
    """How long a ladder runs each time that it is started."""
    target_error: Annotated[float, Field(gt=0)] | None = None
    """An adaptive tournament ends when the error of every bot is at most so many Elo."""
    focus: str | None = None
    """The bot whose error counts in an adaptive tournament, instead of all."""


def check_format(
    keys: FormatKeys,
    seats: tuple[int, ...],
    options: Mapping[str, Any],
    bots: Collection[str],
    document: Document,
) -> None:
    """ConfigError: a key that the format has no use for, or one that does not fit the field."""
    for key, formats in MEANT.items():
        if key in keys.model_fields_set and keys.format not in formats:
            raise document.error((key,), f"means nothing here; it needs format: {' or '.join(formats)}")
    for key, names in {"challengers": keys.challengers, "seeds": keys.seeds, "focus": [keys.focus]}.items():
        check_names(key, [name for name in names or () if name is not None], bots, document)
    if keys.format != "series" and options.get("starter") == "winner":
        raise document.error(("options", "starter"), "winner needs format: series")
    if keys.format == "series" and (len(seats) > 1 or seats[0] != len(bots)):
        words = f"a series is played at one table: {len(bots)} bots need seats: {len(bots)}"
        raise document.error(("format",), words)
    if keys.format in ("swiss", "knockout") and len(seats) > 1:
        raise document.error(("seats",), f"a {keys.format} has tables of one size")
    if keys.format == "knockout" and (keys.advance or 1) >= seats[0]:
        raise document.error(("advance",), f"should be less than the {seats[0]} seats of a table")
    if keys.format == "gauntlet":
        check_gauntlet(keys, max(seats), bots, document)
    if keys.format == "ladder" and "seats" not in keys.model_fields_set:
        raise document.error(("format",), "a ladder needs seats:, since its bots come and go")
    if keys.format == "adaptive" and keys.games is None and keys.target_error is None:
        raise document.error(("format",), "adaptive needs games: or target_error:, to know when to stop")


def check_names(key: str, names: Collection[str], bots: Collection[str], document: Document) -> None:
    for name in names:
        if name not in bots:
            raise document.error((key,), f"no bot {name!r}{suggestion(name, list(bots))}")
    if len(set(names)) < len(names):
        raise document.error((key,), "names a bot twice")


def check_gauntlet(keys: FormatKeys, seats: int, bots: Collection[str], document: Document) -> None:
    if not keys.challengers:
        raise document.error(("format",), "gauntlet needs challengers:, the bots that meet all others")
    field = len(bots) - len(keys.challengers)
    if field < seats - 1:
        words = f"leave a field of {field}; a challenger at a table of {seats} needs {seats - 1}"
        raise document.error(("challengers",), words)


def rounds_of(keys: FormatKeys, seats: int, bots: int, team: int = 1) -> int | None:
    """The rounds of a swiss: log2 of the bots, but no more than can go without meeting anyone again.

    `team` is the number of bots in the largest one, which never meet each other.
    """
    if keys.format != "swiss":
        return None
    return keys.rounds or max(1, min((bots - 1).bit_length(), (bots - team) // (seats - 1)))


def advance_of(keys: FormatKeys, seats: int) -> int | None:
    """How many of a knockout's table go on: half of them."""
    return (keys.advance or seats // 2) if keys.format == "knockout" else None
