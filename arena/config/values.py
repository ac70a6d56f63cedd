"""Values as people write them in a plan: times such as `500ms`, sizes such as `256M`, each with its bounds.

The types here are annotations of dataclass fields. Python code does not check them. Pydantic does when it
reads a file (`arena.config.document.Document.check`), and `arena schema` gives them to editors.
"""

import re
from collections.abc import Callable
from functools import partial
from typing import Annotated

from pydantic import BeforeValidator, ConfigDict, Field, Strict, WithJsonSchema

# For each dataclass of keys: other keys are errors, and the text below a field is its help.
KEYS = ConfigDict(extra="forbid", use_attribute_docstrings=True)

MB = 2**20
_TIME_UNITS = {"ms": 0.001, "s": 1.0, "m": 60.0}
_SIZE_UNITS = {"K": 2**10, "M": MB, "G": 2**30}
_WEEK = "10080m"
MOST = 10_000_000  # of what is counted: a run of as many games takes weeks


def seconds(value: object) -> float:
    """A time such as `500ms`, `1.5s` or `2m`, or 0, in seconds."""
    if value == 0 and type(value) is int:  # needs no unit
        return 0.0
    found = re.fullmatch(r"(\d+(?:\.\d+)?)(ms|s|m)", value) if isinstance(value, str) else None
    if not found:
        raise ValueError(f"should be a time such as 500ms, 1s or 2m, not {value!r}")
    return float(found[1]) * _TIME_UNITS[found[2]]


def size_of(value: object) -> int:
    """A size such as `256M`, in bytes."""
    found = re.fullmatch(r"(\d+(?:\.\d+)?)([KMG])", value) if isinstance(value, str) else None
    if not found:
        raise ValueError(f"should be a size such as 512K, 256M or 1G, not {value!r}")
    return int(min(float(found[1]), 2.0**60) * _SIZE_UNITS[found[2]])  # the cap keeps the number finite


def _bounded(read: Callable[[object], float], low: str, high: str, value: object) -> float:
    """A time or a size within these bounds. The system calls cannot take larger numbers."""
    if not read(low) <= (found := read(value)) <= read(high):
        raise ValueError(f"should be from {low} to {high}, not {value}")
    return found


def move_time(value: object) -> float:
    """A time limit for an answer, in seconds."""
    return _bounded(seconds, "1ms", _WEEK, value)


def _between(read: Callable[[object], float], low: str, high: str) -> BeforeValidator:
    return BeforeValidator(partial(_bounded, read, low, high))


def _text(pattern: str, *examples: str) -> WithJsonSchema:
    return WithJsonSchema({"type": "string", "pattern": pattern, "examples": list(examples)})


_TIME = _text(r"^\d+(\.\d+)?(ms|s|m)$", "500ms", "1s", "2m")
_SIZE = _text(r"^\d+(\.\d+)?[KMG]$", "512K", "256M", "1G")
MoveTime = Annotated[float, BeforeValidator(move_time), _TIME]
_OR_0 = {"type": ["string", "integer"], "minimum": 0, "maximum": 0}
_TIME_OR_0 = WithJsonSchema({**(_TIME.json_schema or {}), **_OR_0})
TimeOrNone = Annotated[float, _between(seconds, "0s", _WEEK), _TIME_OR_0]
CpuTime = Annotated[float, _between(seconds, "1s", _WEEK), _TIME]
MemorySize = Annotated[
    int, _between(size_of, "16M", "1024G"), _SIZE
]  # an interpreter does not start with less
FileSize = Annotated[int, _between(size_of, "1M", "1024G"), _SIZE]
Count = Annotated[int, Field(strict=True, ge=1, le=MOST)]
MoreThanZero = Annotated[float, Field(strict=True, gt=0, allow_inf_nan=False)]
Switch = Annotated[bool, Strict()]
Text = Annotated[str, Strict()]
