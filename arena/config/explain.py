"""Explains the errors of pydantic in the terms of YAML, and fixes one kind: a number that should be text."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import fields, is_dataclass
from typing import TYPE_CHECKING, Any, get_args

from arena.config.text import but_found, list_words, nearest

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails

_QUOTED = re.compile("'([^']*)'")
# The type or bound that pydantic expected, in the terms of YAML, by the types of pydantic's errors.
_TYPES = {
    "bool_type": "true or false",
    "int_type": "a whole number",
    "int_from_float": "a whole number",
    "float_type": "a number",
    "finite_number": "a finite number",
    "string_type": "text",
    "list_type": "a list",
    "tuple_type": "a list",
    "dict_type": "keys and values",
    "model_type": "keys and values",
    "dataclass_type": "keys and values",
}
_BOUNDS = {
    "greater_than": "more than {gt:.15g}",
    "greater_than_equal": "at least {ge:.15g}",
    "less_than": "less than {lt:.15g}",
    "less_than_equal": "at most {le:.15g}",
    "literal_error": "{expected}",
    "union_tag_invalid": "{expected_tags}",
}
_LENGTHS = {
    "too_short": "should have {min_length} or more values, not {actual_length}",
    "too_long": "should have {max_length} or fewer values, not {actual_length}",
}
_SAID = {
    "missing": "is missing",
    "extra_forbidden": "unknown key",
    "unexpected_keyword_argument": "unknown key",
}


def is_unknown_key(details: "ErrorDetails") -> bool:
    return _SAID.get(details["type"]) == "unknown key"


def located(details: "ErrorDetails") -> tuple[Any, ...]:
    """The place of the error in the values; for a union, the key that distinguishes its members."""
    key = details.get("ctx", {}).get("discriminator")
    return (*details["loc"], key.strip("'")) if key else details["loc"]


def explain(details: "ErrorDetails", same: "Sequence[ErrorDetails]" = ()) -> str:
    """The message about a wrong value, with the right form; `same` are all errors about this value."""
    kind, context, value = details["type"], dict(details.get("ctx", {})), details["input"]
    if kind in _SAID:
        return _SAID[kind]
    if kind in _TYPES:
        kinds = dict.fromkeys(_TYPES[each["type"]] for each in same or [details] if each["type"] in _TYPES)
        return f"should be {list_words(kinds, 'or')}{but_found(value)}"
    if kind in _LENGTHS:
        return _LENGTHS[kind].format(**context)
    if kind not in _BOUNDS:
        message = str(context.get("error", details["msg"]))
        return message[:1].lower() + message[1:]
    if kind == "union_tag_invalid":  # as in a literal_error: 'a', 'b' or 'c'
        value = value[context["discriminator"].strip("'")]
        context["expected_tags"] = " or ".join(context["expected_tags"].rsplit(", ", 1))
    expected = _BOUNDS[kind].format(**context)
    near = nearest(value, _QUOTED.findall(expected)) if isinstance(value, str) else ""
    return f"should be {expected}{but_found(value)}{near}"


def innermost(model: type, path: Sequence[Any]) -> type:
    """The model of the keys at this pydantic location, within `model`."""
    tagged: dict[Any, type] = {}
    for part in path:
        if annotation := annotations_of(model).get(str(part)):
            model = next(_models_in(annotation), model)
            tagged = dict(_tagged_in(annotation))
        model = tagged.get(part, model)
    return model


def _tagged_in(annotation: Any) -> Iterator[tuple[str, type]]:
    """The tags and the models of the unions with tags that a type annotation names."""
    for mark in getattr(annotation, "__metadata__", ()):
        if hasattr(mark, "tag") and annotations_of(annotation.__origin__):
            yield mark.tag, annotation.__origin__
    for part in get_args(annotation):
        yield from _tagged_in(part)


def annotations_of(model: type) -> dict[str, Any]:
    """The types of the keys of a model, by name; {} if it is no model."""
    if is_dataclass(model):
        return {each.name: each.type for each in fields(model)}
    found: Any = getattr(model, "model_fields", {})
    return {name: each.annotation for name, each in found.items()}


def _models_in(annotation: Any) -> Iterator[type]:
    """The models that a type annotation such as `dict[str, str | BotKeys]` names."""
    if isinstance(annotation, type) and annotations_of(annotation):
        yield annotation
    for part in get_args(annotation):
        yield from _models_in(part)


def put_text(values: Any, path: Sequence[Any], text: str) -> None:
    """Replace the value at a pydantic location, of which some parts are tags of unions."""
    place = key = None
    for part in path:
        known = range(len(values)) if isinstance(values, list) else values if isinstance(values, dict) else ()
        if part in known:
            place, key, values = values, part, values[part]
    assert place is not None, "the location is that of a value"
    place[key] = text
