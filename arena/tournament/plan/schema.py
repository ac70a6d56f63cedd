"""The JSON Schema of a plan. Editors use it to complete and check a plan."""

import re
from collections.abc import Iterable
from dataclasses import is_dataclass
from typing import Any

from pydantic import TypeAdapter
from pydantic.json_schema import GenerateJsonSchema

from arena.rules import Game
from arena.tournament.formats import planned
from arena.tournament.plan.keys import DEFAULT_FORMAT, OWN_KEYS, PARTS, PlanKeys


def schema(games: Iterable[Game]) -> dict[str, Any]:
    """The schema of plans of these games, of draft 2020-12.

    A schema cannot check the files that a plan names: `arena plan` does.
    """
    known = {game.name: game for game in games}
    own = TypeAdapter(PlanKeys).json_schema(schema_generator=_Plain)["properties"]
    properties = {key: own[key] for key in OWN_KEYS}
    shared: dict[str, Any] = {}
    configs = [base for form in planned().values() for base in form.config.__mro__ if is_dataclass(base)]
    # The bases are included because pydantic does not inherit the help of a key.
    for part in (*PARTS.values(), *configs):
        generated = TypeAdapter(part).json_schema(schema_generator=_Plain)
        for key, value in generated["properties"].items():
            properties[key] = value | properties.get(key, {})
        shared |= generated.get("$defs", {})
    properties["game"]["enum"] = list(known)
    properties["format"] = {
        "description": "Which bots meet; tournaments/README.md explains the formats.",
        "type": "string",
        "enum": list(planned()),
        "default": DEFAULT_FORMAT,
    }
    return {
        "$schema": _Plain.schema_dialect,
        "title": "A tournament plan of arena",
        "description": PlanKeys.__doc__,
        "type": "object",
        "properties": properties,
        "required": ["game"],
        "additionalProperties": False,
        "anyOf": [{"required": [key]} for key in ("bots", "include")],
        "allOf": [_options_of(game) for game in known.values()],
        "$defs": shared,
    }


def _options_of(game: Game) -> dict[str, Any]:
    options: dict[str, Any] = {}
    for key, option in game.options.items():
        values: dict[str, Any] = {"enum": list(option.values)} if option.values else {}
        if option.minimum is not None:
            number = {"type": "integer", "minimum": option.minimum}
            values = {"anyOf": [number, values]} if values else number
        options[key] = {"description": option.meaning, "default": option.default, **values}
    keys = {"options": {"properties": options, "additionalProperties": False}}
    return {
        "if": {"properties": {"game": {"const": game.name}}, "required": ["game"]},
        "then": {"properties": keys},
    }


class _Plain(GenerateJsonSchema):
    """Generates a schema without titles, nulls and the names of our classes."""

    def field_title_should_be_set(self, schema: Any) -> bool:
        return False

    def normalize_name(self, name: str) -> str:
        return super().normalize_name(re.sub(r"(Keys|Config)$", "", name))

    def nullable_schema(self, schema: Any) -> dict[str, Any]:
        return self.generate_inner(schema["schema"])

    def default_schema(self, schema: Any) -> dict[str, Any]:
        """Leaves out defaults that are not plain values, or look different in a plan (`500ms`, not 0.5)."""
        generated = super().default_schema(schema)
        plain = str if "string" in generated.get("type", ()) else bool | int | float | str
        if not isinstance(generated.get("default"), plain):
            generated.pop("default", None)
        return generated

    def dataclass_schema(self, schema: Any) -> dict[str, Any]:
        generated = super().dataclass_schema(schema)
        generated.pop("title", None)
        return generated
