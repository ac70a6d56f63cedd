"""A referee for games of bluff and bargaining between external programs; and a library of its games.

The names of the library (`arena/library`) are loaded when they are used; `__init__.pyi` names them for
type checkers, `docs/library.md` explains them.
"""

from importlib import import_module
from typing import Any

__version__ = "0.3.0"
__distribution__ = "bot-arena"  # `arena` on PyPI is a package of others


def __getattr__(name: str) -> Any:
    places = import_module("arena.library").PLACES if not name.startswith("_") else {}
    if name in places:
        return getattr(import_module(places[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*globals(), *import_module("arena.library").PLACES])
