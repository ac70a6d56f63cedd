"""The facts about a run as a whole, checked: a run file may come from a stranger.

Free texts are escaped, as the author of a bot may choose some of them. The plan stays as it is, because the
commitment is a hash of it.
"""

import re
from collections.abc import Mapping
from typing import Any

from arena.core.config import but_found
from arena.core.text import one_line

NAME = re.compile(r"[\w.+-]{1,64}")  # of a bot; in a plan the limit is 32, `arena play` adds a number
FINGERPRINT = NAME
AS_THEY_ARE = ("secret", "plan", "committed")
MOST_FACTS = 64
NUMBER = (int, float)
ANY = object

# A dictionary is the shape of a mapping; the key `...` is that of all other keys.
PLAN = {  # none is required: plans of earlier versions may lack some
    "game": str,
    "version": int,
    "options": {...: (str, bool, *NUMBER)},
    "seats": [int],
    "format": str,
    "clock": {...: NUMBER},
    "bots": {...: FINGERPRINT},
}
SHAPES: Mapping[str, Any] = {  # of all facts but switches
    "plan": PLAN,
    "committed": PLAN,
    "rating": {...: ANY},
    "secret": str,
    "commitment": (str, type(None)),
    "excluded": {...: str},
    "skipped": {...: str},
    "authors": {...: {"author": str, "version": str}},
    "sessions": [{"arena": str, "sandbox": str}],
}
WORDS = {str: "text", int: "a whole number", FINGERPRINT: "letters, digits and . + - _"}


def facts_problem(about: Mapping[str, Any]) -> str:
    """What is wrong with the first fact that is not what the arena writes; empty if nothing."""
    for key, shape in SHAPES.items():
        if key in about and (problem := _problem(about[key], shape, key)):
            return problem
    for plan in ("plan", "committed"):
        for name in about.get(plan, {}).get("bots", {}):
            if not NAME.fullmatch(name):
                return f"{plan}: bots: {name!a}: a name has letters, digits and . + - _ alone"
    return ""


def check_name(text: str) -> str:
    """The name of a bot. ValueError or TypeError: it is none."""
    if not NAME.fullmatch(text):
        raise ValueError(f"not the name of a bot: {ascii(text)[:80]}")
    return text


def check_fingerprint(text: str) -> str:
    """The fingerprint of a bot. ValueError or TypeError: it is none."""
    if not FINGERPRINT.fullmatch(text):
        raise ValueError(f"not the fingerprint of a bot: {ascii(text)[:80]}")
    return text


def escaped(about: Mapping[str, Any]) -> dict[str, Any]:
    """The facts with the control characters of free texts escaped."""
    return {key: value if key in AS_THEY_ARE else _escaped(value) for key, value in about.items()}


def _escaped(value: Any) -> Any:
    if isinstance(value, str):
        return one_line(value)
    if isinstance(value, list):
        return [_escaped(each) for each in value]
    if isinstance(value, dict):
        return {_escaped(key): _escaped(each) for key, each in value.items()}
    return value


def _problem(value: Any, shape: Any, where: str) -> str:
    if isinstance(shape, dict):
        if not isinstance(value, dict):
            return f"{where}: should be keys and values{but_found(value)}"
        if missing := [key for key in shape if key is not ... and key not in value and shape is not PLAN]:
            return f"{where}: lacks {missing[0]}"
        inner = {key: shape.get(key, shape.get(..., ANY)) for key in value}
        return next(filter(None, (_problem(value[key], inner[key], f"{where}: {key}") for key in value)), "")
    if isinstance(shape, list):
        if not isinstance(value, list):
            return f"{where}: should be a list{but_found(value)}"
        return next(filter(None, (_problem(each, shape[0], where) for each in value)), "")
    if isinstance(shape, re.Pattern):
        good = isinstance(value, str) and bool(shape.fullmatch(value))
    else:
        good = isinstance(value, shape)
    return "" if good else f"{where}: should be {WORDS.get(shape, 'something else')}{but_found(value)}"
