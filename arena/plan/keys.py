"""All keys of a plan in one dataclass, joined from the dataclasses that declare them.

A key is a field of a dataclass, with its type, its bounds, its default and, below it, its help. `Conditions`
has the keys that decide how a game is played, `RunConfig` the keys on running and rating, `EntrantKeys` the
keys that name the bots. Each format declares its own (`Config` in its module). The rest is declared here.
`arena schema` prints the JSON Schema.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, make_dataclass
from typing import Annotated, Any, Literal

from pydantic import Strict

from arena import formats
from arena.core.conditions import Conditions
from arena.core.values import KEYS, Count, Text
from arena.formats.config import RunConfig
from arena.plan.entrants import EntrantKeys


@dataclass(frozen=True, kw_only=True)
class CommonKeys(EntrantKeys, RunConfig, Conditions):
    """A tournament: which bots play what, under which conditions."""

    __pydantic_config__ = KEYS

    game: Text
    """The game; `arena games` lists them."""
    seats: Count | list[Count] | None = None
    """Bots at a table, or several numbers, for tables of each size."""
    options: dict[str, Any] = field(default_factory=dict)
    """Options of the game; `arena games NAME` explains them."""
    seed: Annotated[int, Strict()] | Text | None = None
    """Repeats the deals of a tournament, and lets them be computed. Without it they follow from a secret."""


@dataclass(frozen=True, kw_only=True)
class PlannedFormat:
    __pydantic_config__ = KEYS

    format: Literal[tuple(formats.planned())] = "round-robin"  # type: ignore[valid-type]  # known at run time
    """Which bots meet; tournaments/README.md explains the formats."""


def joined(name: str, parts: Sequence[type]) -> type:
    """A dataclass with the keys of all parts. TypeError: two of them declare the same key."""
    declared: dict[str, type] = {}
    for part in parts:
        for base in part.__mro__:
            for key in vars(base).get("__annotations__", {}):
                if declared.setdefault(key, base) is not base:
                    message = f"the key {key} is declared by {declared[key].__module__}, too"
                    raise TypeError(f"{base.__module__}: {message}; share it in arena.formats.config")
    return make_dataclass(name, [], bases=tuple(parts), frozen=True, kw_only=True)


CONFIGS = [form.config for form in formats.planned().values()]
PlanKeys: type[CommonKeys] = joined("PlanKeys", [CommonKeys, PlannedFormat, *CONFIGS])
PlanKeys.__doc__ = CommonKeys.__doc__
