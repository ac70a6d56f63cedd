"""The JSON Schema of a plan, by which editors complete and check what people write."""

import re
from dataclasses import is_dataclass
from typing import Any

from pydantic import TypeAdapter
from pydantic.json_schema import GenerateJsonSchema

from arena import games
from arena.plan.game import find_game
from arena.plan.keys import PlanKeys


def schema() -> dict[str, Any]:
    """Of draft 2020-12. What needs the files that a plan names is checked by `arena plan` alone."""
    made = TypeAdapter(PlanKeys).json_schema(schema_generator=Plain)
    for kind in PlanKeys.__mro__[1:-1]:  # pydantic finds the help of a key only where it is declared
        if is_dataclass(kind):
            declared = TypeAdapter(kind).json_schema(schema_generator=Plain)["properties"]
            for name, key in declared.items():
                made["properties"][name] |= {word: key[word] for word in ("description",) if word in key}
    made["properties"]["game"]["enum"] = games.names()
    made |= {
        "title": "A tournament plan of arena",
        "anyOf": [{"required": [key]} for key in ("bots", "include")],
    }
    return {"$schema": Plain.schema_dialect} | made | {"allOf": [options_of(name) for name in games.names()]}


def options_of(name: str) -> dict[str, Any]:
    """The options of a game, for the plans that play it."""
    options: dict[str, Any] = {}
    for key, option in find_game(name).options.items():
        values: dict[str, Any] = {"enum": list(option.values)} if option.values else {}
        if option.minimum is not None:
            number = {"type": "integer", "minimum": option.minimum}
            values = {"anyOf": [number, values]} if values else number
        options[key] = {"description": option.meaning, "default": option.default, **values}
    keys = {"options": {"properties": options, "additionalProperties": False}}
    return {
        "if": {"properties": {"game": {"const": name}}, "required": ["game"]},
        "then": {"properties": keys},
    }


class Plain(GenerateJsonSchema):
    """The schema without what is pydantic's and ours: titles, nulls, the names of classes."""

    def field_title_should_be_set(self, schema: Any) -> bool:
        return False

    def normalize_name(self, name: str) -> str:
        return super().normalize_name(re.sub(r"(Keys|Config)$", "", name))

    def nullable_schema(self, schema: Any) -> dict[str, Any]:
        return self.generate_inner(schema["schema"])

    def default_schema(self, schema: Any) -> dict[str, Any]:
        """Without defaults that say nothing, or say it in our units (times and sizes are words in a plan)."""
        made = super().default_schema(schema)
        default = made.get("default")
        if not isinstance(default, bool | int | float | str) or (
            made.get("type") == "string" and not isinstance(default, str)
        ):
            made.pop("default", None)
        return made

    def dataclass_schema(self, schema: Any) -> dict[str, Any]:
        made = super().dataclass_schema(schema)
        made.pop("title", None)
        return made
