"""The keys of a plan, as dataclasses that pydantic reads.

A key is a field of a dataclass, with its type, its bounds, its default and, below it, its help. `Conditions`
has the keys that decide how a game is played, `RunConfig` the keys for running and rating, `EntrantKeys` the
keys that name the bots, and the `Config` of each format its own keys. The rest are declared here. In a file
all keys are on one level, so `_by_part` sorts them. `arena schema` prints the JSON Schema.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from functools import reduce
from operator import or_
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import Field, Strict

from arena.config.document import Document
from arena.config.text import suggestion
from arena.config.values import KEYS, Count, Text
from arena.referee.conditions import Conditions
from arena.tournament import formats
from arena.tournament.formats.config import FormatConfig, RunConfig
from arena.tournament.formats.plan import Format
from arena.tournament.plan.entrant_keys import EntrantKeys

DEFAULT_FORMAT = "round-robin"
if TYPE_CHECKING:
    AnyConfig = FormatConfig
else:
    _configs = [form.config for form in formats.planned().values()]
    AnyConfig = Annotated[reduce(or_, _configs), Field(discriminator="format")]


@dataclass(frozen=True, kw_only=True)
class PlanKeys:
    """A tournament: which bots play what, under which conditions."""

    __pydantic_config__ = KEYS

    game: Text
    """The game; `arena games` lists them."""
    seats: Count | list[Count] | None = None
    """Bots at a table, or a list, for tables of several sizes; by default at most 4."""
    options: dict[str, Any] = field(default_factory=dict)
    """Options of the game; `arena games NAME` explains them."""
    seed: Annotated[int, Strict()] | Text | None = None
    """Fixes all deals, which can be computed from it. Without it they follow from a secret of the run."""
    entrants: EntrantKeys
    conditions: Conditions
    run: RunConfig
    config: AnyConfig

    @property
    def format(self) -> Format:
        return formats.planned()[self.config.format]


def _keys_of(part: type) -> list[str]:
    return [each.name for each in fields(part)]


PARTS = {"entrants": EntrantKeys, "conditions": Conditions, "run": RunConfig}
OWN_KEYS = [name for name in _keys_of(PlanKeys) if name not in (*PARTS, "config")]
SHARED_KEYS = [*OWN_KEYS, *(key for part in PARTS.values() for key in _keys_of(part)), "format"]


def read_keys(document: Document) -> PlanKeys:
    """Read and check the keys of a plan.

    Raises:
        ConfigError: The plan has a problem; the message is one line on the first one.
    """
    _refuse_unknown(document)
    return document.check(PlanKeys, _by_part(document.data))


def _by_part(data: Mapping[str, Any]) -> dict[str, Any]:
    """The data of a plan file, with its keys nested as the fields of `PlanKeys` are."""
    own = {key: data[key] for key in OWN_KEYS if key in data}
    parts = {name: {key: data[key] for key in _keys_of(part) if key in data} for name, part in PARTS.items()}
    others = {key: value for key, value in data.items() if key not in SHARED_KEYS}
    return {**own, **parts, "config": {"format": data.get("format", DEFAULT_FORMAT), **others}}


def _refuse_unknown(document: Document) -> None:
    """Check that the format has these keys.

    Raises:
        ConfigError: A key does not exist, or only another format has it.
    """
    given, planned = document.data.get("format", DEFAULT_FORMAT), formats.planned()
    form = planned.get(given) if isinstance(given, str) else None
    for key in document.data:
        others = [other.name for other in planned.values() if key in other.keys]
        if key in SHARED_KEYS or (form.name in others if form else others):
            continue
        if others:
            message = f"does not apply here; it needs format: {' or '.join(others)}"
            raise document.error((key,), message)
        known = [*SHARED_KEYS, *sorted(form.keys if form else ())]
        raise document.error((key,), f"unknown key{suggestion(str(key), known)}")
