"""Plans and fixtures with other values than a file gives them."""

from dataclasses import fields, replace
from typing import TypeVar

from arena.formats import find
from arena.formats.plan import Plan
from arena.records.fixture import Fixture

Made = TypeVar("Made", Plan, Fixture)


def changed(made: Made, **changes: object) -> Made:
    """The same with these changes, each in its part: the format, the conditions, or how it is run."""
    if "format" in changes:
        form = find(changes.pop("format"))
        kept = {each.name: getattr(made.config, each.name) for each in fields(made.config)}
        made = made.in_format(form, **{name: value for name, value in kept.items() if name in form.keys})
    for part in ("config", "conditions", "run"):
        whole = getattr(made, part, None)
        names = {each.name for each in fields(whole)} if hasattr(whole, "__dataclass_fields__") else set()
        own = {name: changes.pop(name) for name in names & changes.keys() if not hasattr(made, name)}
        made = replace(made, **{part: replace(whole, **own)}) if own else made
    return replace(made, **changes)
