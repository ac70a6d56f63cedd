"""The formats: each says which games are due, in a module of its own.

A format is `fixtures(plan, played)`, which yields its games in order and `WAIT` where it must know how
they ended; `size(plan)`, how many games there are at most; `describe(plan)`, a few lines for people; and
`GROWS`, what of a plan may grow in a run that goes on. It is a pure function of what it is given: to go
on after a kill, it is simply run again. One with rounds also has `ranking(plan, played)`, the bots by
their final places, and `placings(plan, played)`, lines on how that came.
"""

from importlib import import_module
from types import ModuleType


def find(name: str) -> ModuleType:
    """The module of a format; loaded when it is needed, since not every worker needs every library."""
    return import_module(f"{__name__}.{name.replace('-', '_')}")
