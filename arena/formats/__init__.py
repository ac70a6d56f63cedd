"""Formats: each module declares one tournament format as its `FORMAT`, and says which games are due."""

from functools import cache
from importlib import import_module
from pkgutil import iter_modules

from arena.formats.plan import Format


def find(name: str) -> Format:
    """A format by its name. Only its module is imported."""
    found: Format = import_module(f"{__name__}.{name.replace('-', '_')}").FORMAT
    return found


@cache
def planned() -> dict[str, Format]:
    """The formats that a plan may have, by name."""
    modules = [import_module(f"{__name__}.{each.name}") for each in iter_modules(__path__)]
    found = [module.FORMAT for module in modules if hasattr(module, "FORMAT")]
    return {form.name: form for form in found if form.planned}
