"""The formats: each says which games are due, in a module of its own, which ends with its `FORMAT`."""

from functools import cache
from importlib import import_module
from pkgutil import iter_modules

from arena.formats.plan import Format


def find(name: str) -> Format:
    """A format by its name; its module is loaded when it is needed."""
    found: Format = import_module(f"{__name__}.{name.replace('-', '_')}").FORMAT
    return found


@cache
def planned() -> dict[str, Format]:
    """The formats that a plan may name, by their names."""
    modules = [import_module(f"{__name__}.{each.name}") for each in iter_modules(__path__)]
    known = [module.FORMAT for module in modules if hasattr(module, "FORMAT")]
    return {form.name: form for form in known if form.planned}
