"""Changes the values of plans and fixtures for a test."""

from dataclasses import fields, replace
from typing import TypeVar

from arena.referee.fixture import Fixture
from arena.tournament.formats import find
from arena.tournament.formats.plan import Plan

Value = TypeVar("Value", Plan, Fixture)


def changed(value: Value, **changes: object) -> Value:
    """The plan or fixture with these changes, also to its format, its conditions or its `run` keys."""
    if "format" in changes:
        form = find(changes.pop("format"))
        kept = {each.name: getattr(value.config, each.name) for each in fields(value.config)}
        value = value.in_format(form, **{name: kept[name] for name in kept if name in form.keys})
    for part in ("config", "conditions", "run"):
        whole = getattr(value, part, None)
        names = {each.name for each in fields(whole)} if hasattr(whole, "__dataclass_fields__") else set()
        own = {name: changes.pop(name) for name in names & changes.keys() if not hasattr(value, name)}
        value = replace(value, **{part: replace(whole, **own)}) if own else value
    return replace(value, **changes)
