"""The keys of a plan, each with its type and what it means: what `arena schema` tells editors."""

import re
from collections.abc import Callable
from functools import partial
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, WithJsonSchema

from arena.core.limits import Limits, size_of
from arena.plan.entrants import EntrantKeys
from arena.plan.format_keys import Keys

UNITS = {"ms": 0.001, "s": 1.0, "m": 60.0}


def seconds(value: object) -> float:
    """A time such as `500ms`, `1.5s` or `2m`, in seconds."""
    found = re.fullmatch(r"(\d+(?:\.\d+)?)(ms|s|m)", value) if isinstance(value, str) else None
    if not found:
        raise ValueError(f"should be a time such as 500ms, 1s or 2m, not {value!r}")
    return float(found[1]) * UNITS[found[2]]


def bounded(read: Callable[[object], float], low: str, high: str, given: object) -> float:
    """A time or a size within these bounds; beyond the upper ones the system has no numbers."""
    if not read(low) <= (found := read(given)) <= read(high):
        raise ValueError(f"should be from {low} to {high}, not {given}")
    return found


def between(read: Callable[[object], float], low: str, high: str) -> BeforeValidator:
    return BeforeValidator(partial(bounded, read, low, high))


def text(pattern: str, *examples: str) -> WithJsonSchema:
    return WithJsonSchema({"type": "string", "pattern": pattern, "examples": list(examples)})


TIME = text(r"^\d+(\.\d+)?(ms|s|m)$", "500ms", "1s", "2m")
SIZE = text(r"^\d+(\.\d+)?[KMG]$", "512K", "256M", "1G")
WEEK = "10080m"
MOVE = ("1ms", WEEK)
MOST = "1024G"
Time = Annotated[float, between(seconds, "0s", WEEK), TIME]
MoreThanNothing = Annotated[float, between(seconds, *MOVE), TIME]
Elo = Annotated[float, Field(ge=-1e6, le=1e6)]


class ClockKeys(Keys):
    """Times such as 500ms, 1s or 2m."""

    move: MoreThanNothing = 1.0
    """Time for an answer; 1s by default."""
    bank: Time = 0.0
    """Time for a whole game, taken when an answer needs more than `move`; none by default."""
    game: MoreThanNothing | None = None
    """Time for all answers of a game together; no limit by default."""
    start: MoreThanNothing = 10.0
    """Time for a process to start and say ready; 10s by default."""


class LimitKeys(Keys):
    """What one bot may use, with all its processes; sizes such as 512K, 256M or 1G."""

    # Less than these bounds and no interpreter starts, or the arena itself does not.
    memory: Annotated[int, between(size_of, "16M", MOST), SIZE] = Limits.memory
    """Memory; 256M by default."""
    processes: Annotated[int, Field(ge=1)] = Limits.processes
    """Processes at a time, and eight times as many threads; 32 by default."""
    cpu: Annotated[float, between(seconds, "1s", WEEK), TIME] = Limits.cpu
    """CPU time of each process while it lives; 20m by default."""
    disk: Annotated[int, between(size_of, "1M", MOST), SIZE] = Limits.disk
    """Files in $TMPDIR; 16M by default."""
    output: Annotated[int, between(size_of, "1M", MOST), SIZE] = Limits.output
    """What may be written to stdout in a game; 16M by default."""


class AnchorKeys(Keys):
    """The bot whose Elo is given, so that those of others are measured from it."""

    bot: str
    """Its name."""
    elo: Elo
    """Its Elo."""


class RatingKeys(Keys):
    """How the table is made."""

    # The keys and their meaning are those of `arena.rating.estimate.Settings`.
    method: Literal["pairs", "plackett-luce", "winner"] = "pairs"
    """How a game is read: as results of all pairs at the table, as an order of places, or by its winner."""
    prior: Annotated[float, Field(ge=0, le=1e6)] = 0.5
    """Wins and losses against a ghost that every bot begins with; 0 for none."""
    average: Elo = 1500
    """Mean Elo, where there is no anchor."""
    anchor: AnchorKeys | None = None
    """The bot whose Elo is given."""
    seats: Literal["report", "fit"] = "report"
    """Whether the worth of each seat is only reported, or also accounted for in the Elo."""
    confidence: Annotated[float, Field(gt=0, lt=1)] = 0.95
    """That of the intervals."""
    forfeits: Literal["count", "exclude"] = "count"
    """Whether games with a forfeit count."""


class PlanKeys(EntrantKeys):
    """A tournament: which bots play what, under which conditions."""

    game: str
    """The game; `arena games` lists them."""
    seats: int | list[int] | None = None
    """Bots at a table, or several numbers, for tables of each size."""
    options: dict[str, Any] = {}
    """Options of the game; `arena games NAME` explains them."""
    seed: int | str | None = None
    """Repeats the deals of a tournament, and lets them be computed. Without it they follow from a secret."""
    clock: ClockKeys = ClockKeys()
    """How long a bot may think."""
    strikes: Annotated[int, Field(ge=1)] = 3
    """Faults that cost the game."""
    reuse: bool = True
    """Whether a process plays many games, or each game has fresh ones."""
    names: bool = False
    """Whether bots are told who they play with."""
    ponder: bool = True
    """Whether bots may think while it is not their turn."""
    rating: RatingKeys = RatingKeys()
    """How the table is made."""
    sandbox: Literal["auto", "limits", "bubblewrap"] = "auto"
    """What holds the bots: the best that this machine has, limits without a box, or a box by bubblewrap."""
    require: Literal["limits", "bubblewrap"] = "limits"
    """The least that must hold the bots; the plan is not played where it cannot be had."""
    limits: LimitKeys = LimitKeys()
    """What one bot may use."""
