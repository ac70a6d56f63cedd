"""Formats: each module declares one tournament format as its `FORMAT`, and decides which games are due.

The name of a format is the literal `format` of its `Config`, whose fields are its keys; keys of several
formats are in a shared class of `config`. Seed groups are named by `group_name`, which verification
reads back; `most_groups` and `group_size` say how many it may expect.
"""

from functools import cache
from importlib import import_module
from pkgutil import iter_modules

from arena.config.document import ConfigError
from arena.config.text import suggestion
from arena.tournament.formats.plan import Format


def find(name: str) -> Format:
    """The format with this name; only its module is imported.

    Raises:
        ConfigError: There is no such format.
    """
    try:
        found: Format = import_module(f"{__name__}.{name.replace('-', '_')}").FORMAT
    except (ModuleNotFoundError, AttributeError):
        raise ConfigError(f"no format {name!r}{suggestion(name, list(planned()))}") from None
    return found


@cache
def planned() -> dict[str, Format]:
    """The formats that a plan may have, by name. The module of a format has its name, with `_` for `-`."""
    names = [each.name for each in iter_modules(__path__)]
    found = {name: getattr(import_module(f"{__name__}.{name}"), "FORMAT", None) for name in names}
    formats = {name.replace("_", "-"): form for name, form in found.items() if form}
    for name, form in formats.items():
        if form.name != name:
            raise TypeError(f"the format {form.name} should be called {name}, as its module is")
    return {name: form for name, form in formats.items() if form.planned}
