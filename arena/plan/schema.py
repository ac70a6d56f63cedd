"""The JSON Schema of a plan. Editors use it to complete and check a plan."""

import re
from collections.abc import Iterable
from dataclasses import is_dataclass
from typing import Any

from pydantic import TypeAdapter
from pydantic.json_schema import GenerateJsonSchema

from arena.plan.keys import PlanKeys
from arena.rules import Game


def schema(games: Iterable[Game]) -> dict[str, Any]:
    """The schema of plans of these games, of draft 2020-12.

    Only `arena plan` checks the files that a plan names.
    """
    known = {game.name: game for game in games}
    generated = TypeAdapter(PlanKeys).json_schema(schema_generator=Plain)
    for kind in PlanKeys.__mro__[1:-1]:  # pydantic does not inherit the help of a key
        if is_dataclass(kind):
            declared = TypeAdapter(kind).json_schema(schema_generator=Plain)["properties"]
            for name, key in declared.items():
                generated["properties"][name] |= {word: key[word] for word in ("description",) if word in key}
    generated["properties"]["game"]["enum"] = list(known)
    generated |= {
        "title": "A tournament plan of arena",
        "anyOf": [{"required": [key]} for key in ("bots", "include")],
    }
    return (
        {"$schema": Plain.schema_dialect}
        | generated
        | {"allOf": [options_of(game) for game in known.values()]}
    )


def options_of(game: Game) -> dict[str, Any]:
    """The part of the schema that applies to plans of this game: its options."""
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


class Plain(GenerateJsonSchema):
    """Generates a schema without titles, nulls and the names of our classes."""

    def field_title_should_be_set(self, schema: Any) -> bool:
        return False

    def normalize_name(self, name: str) -> str:
        return super().normalize_name(re.sub(r"(Keys|Config)$", "", name))

    def nullable_schema(self, schema: Any) -> dict[str, Any]:
        return self.generate_inner(schema["schema"])

    def default_schema(self, schema: Any) -> dict[str, Any]:
        """Leaves out defaults that are not plain values or not written so in a plan (`500ms`, not 0.5)."""
        generated = super().default_schema(schema)
        default = generated.get("default")
        if not isinstance(default, bool | int | float | str) or (
            generated.get("type") == "string" and not isinstance(default, str)
        ):
            generated.pop("default", None)
        return generated

    def dataclass_schema(self, schema: Any) -> dict[str, Any]:
        generated = super().dataclass_schema(schema)
        generated.pop("title", None)
        return generated
