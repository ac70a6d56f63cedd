#!/usr/bin/env python3
"""Counts how often a reader of the code changes modules on the way of an entry through `arena check`.

    python benchmarks/walk.py [BOT]

Checks BOT (default: `bots/c/liar`, a folder with a bot.yaml and a build), and follows the calls between the
functions of the arena. Each function counts the first time that it is called. A *stay* is a row of such calls
in one module. A *climb* is a call from one module to another whose package is above its own in the map
(`pyproject.toml`).

Some modules are left out, with their calls to others: those on the way of an answer (play, sandbox, referee,
rules), and `config`, which every package uses. So are properties: they read like fields.
"""

import sys
from functools import cached_property
from pathlib import Path
from types import FrameType

import arena
from arena.programs.reading import read_bot
from arena.referee.conditions import TimeControl
from arena.tournament.check_entries import check_entry, read_request

_ROOT = f"{Path(arena.__file__).parent}/"
_LAYERS = (
    ("rules", "rating", "config"), ("games",), ("referee",), ("models",), ("programs",), ("tournament",),
    ("show", "library"), ("web", "bench"), ("contest",), ("cli",),
)  # fmt: skip
_RANKS = {package: rank for rank, packages in enumerate(_LAYERS) for package in packages}
_ANSWER = ("programs/play/", "programs/sandbox/", "referee/", "rules/", "games/")


class Walk:
    """A function for `sys.setprofile` that notes the modules on the way."""

    def __init__(self) -> None:
        self.stays: list[str] = []
        self.climbs: dict[tuple[str, str], str] = {}  # the function called first, by the two modules
        self._functions: set[tuple[str, str]] = set()

    def __call__(self, frame: FrameType, event: str, _: object) -> None:
        module, name = _module(frame), frame.f_code.co_qualname
        if event != "call" or not module or module.startswith(_ANSWER) or _is_part_of_another(frame):
            return
        callers = _modules_above(frame)
        if any(caller.startswith(_ANSWER) for caller in callers):
            return
        if callers and _rank(module) > _rank(callers[0]):
            self.climbs.setdefault((callers[0], module), name)
        if (module, name) in self._functions or any(_rank(each) == 0 for each in (module, *callers)):
            return
        self._functions.add((module, name))
        if self.stays[-1:] != [module]:
            self.stays.append(module)


def _is_part_of_another(frame: FrameType) -> bool:
    """Whether a call is that of a comprehension or of a property."""
    name, owner = frame.f_code.co_name, frame.f_locals.get("self")
    return name in ("<listcomp>", "<genexpr>", "<setcomp>", "<dictcomp>", "<module>") or isinstance(
        getattr(type(owner), name, None), property | cached_property
    )


def _module(frame: FrameType) -> str:
    """The module of a function of the arena, such as `programs/bot`; "" for others."""
    module = frame.f_code.co_filename.removeprefix(_ROOT).removesuffix(".py")
    return "" if module.startswith(("/", "<")) else module


def _modules_above(frame: FrameType) -> list[str]:
    """The modules of the arena's functions that have called this one, the nearest first."""
    found, above = [], frame.f_back
    while above:
        found += filter(None, [_module(above)])
        above = above.f_back
    return found


def _rank(module: str) -> int:
    return _RANKS[module.split("/")[0]]


def walk_through_check(bot: Path) -> Walk:
    """Check a bot, and return the walk."""
    request, walk = read_request(None, [], {}, TimeControl(), []), Walk()
    sandbox = request.sandbox()
    read_bot(bot)  # so that no module is loaded on the way
    sys.setprofile(walk)
    try:
        check_entry(bot, request, sandbox, lambda message: None)
    finally:
        sys.setprofile(None)
    return walk


if __name__ == "__main__":
    found = walk_through_check(Path(*sys.argv[1:2] or ["bots/c/liar"]))
    print(" > ".join(found.stays))
    for (caller, called), name in found.climbs.items():
        print(f"climbs: {caller} to {called}.{name}")
    print(f"{len(found.stays)} stays in {len(set(found.stays))} modules, {len(found.climbs)} climbs")
