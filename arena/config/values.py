"""The values that people write in a plan: times such as `500ms`, sizes such as `256M`, each with bounds.

The types here are annotations of dataclass fields. Python code does not check them. Pydantic does when it
reads a file (`arena.config.document.Document.check`), and `arena schema` gives them to editors. For that,
pydantic calls methods of the classes here. This module does not import pydantic: with it a worker, which
reads no files, would need a third more memory.
"""

import re
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any

if TYPE_CHECKING:
    from pydantic import ConfigDict, GetCoreSchemaHandler
    from pydantic_core import CoreSchema

# For each dataclass of keys: other keys are errors, and the text below a field is its help.
KEYS: "ConfigDict" = {"extra": "forbid", "use_attribute_docstrings": True}


class Checked:
    """For `Annotated`: adds keys such as `strict` and `ge` to pydantic's core schema of the type."""

    def __init__(self, **keys: Any):
        self._keys = keys

    def __get_pydantic_core_schema__(self, source: Any, handler: "GetCoreSchemaHandler") -> "CoreSchema":
        schema: dict[str, Any] = {**handler(source), **self._keys}
        return schema


class _Written:
    """For `Annotated`: pydantic converts the written value with `read`; `schema` is its JSON schema."""

    def __init__(self, read: Callable[[object], object], schema: dict[str, Any]):
        self._read, self._schema = read, schema

    def __get_pydantic_core_schema__(self, source: Any, handler: "GetCoreSchemaHandler") -> "CoreSchema":
        from pydantic_core import core_schema

        return core_schema.no_info_before_validator_function(self._read, handler(source))

    def __get_pydantic_json_schema__(self, schema: "CoreSchema", handler: object) -> dict[str, Any]:
        return self._schema.copy()


MB = 2**20
_TIME_UNITS = {"ms": 0.001, "s": 1.0, "m": 60.0}
_SIZE_UNITS = {"K": 2**10, "M": MB, "G": 2**30}
_WEEK = "10080m"
MAX_COUNT = 10_000_000  # a run of as many games takes weeks


def seconds(value: object) -> float:
    """A time such as `500ms`, `1.5s` or `2m`, or 0, in seconds.

    Raises:
        ValueError: The value is not such a time.
    """
    if value == 0 and type(value) is int:  # needs no unit
        return 0.0
    found = re.fullmatch(r"(\d+(?:\.\d+)?)(ms|s|m)", value) if isinstance(value, str) else None
    if not found:
        raise ValueError(f"should be a time such as 500ms, 1s or 2m, not {value!r}")
    return float(found[1]) * _TIME_UNITS[found[2]]


def size_of(value: object) -> int:
    """A size such as `256M`, in bytes.

    Raises:
        ValueError: The value is not such a size.
    """
    found = re.fullmatch(r"(\d+(?:\.\d+)?)([KMG])", value) if isinstance(value, str) else None
    if not found:
        raise ValueError(f"should be a size such as 512K, 256M or 1G, not {value!r}")
    return int(min(float(found[1]), 2.0**60) * _SIZE_UNITS[found[2]])  # the cap keeps the number finite


def _bounded(read: Callable[[object], float], low: str, high: str, value: object) -> float:
    """The value, converted by `read`. The bounds are converted in the same way.

    Raises:
        ValueError: The value is not from `low` to `high`.
    """
    # Larger values would fail later, in system calls.
    if not read(low) <= (found := read(value)) <= read(high):
        raise ValueError(f"should be from {low} to {high}, not {value}")
    return found


def move_time(value: object) -> float:
    """A time limit for an answer, such as `500ms`, in seconds.

    Raises:
        ValueError: The value is not a time, or out of bounds.
    """
    return _bounded(seconds, "1ms", _WEEK, value)


def _between(read: Callable[[object], float], low: str, high: str) -> Callable[[object], float]:
    return partial(_bounded, read, low, high)


def _text(pattern: str, *examples: str) -> dict[str, Any]:
    return {"type": "string", "pattern": pattern, "examples": list(examples)}


_TIME = _text(r"^\d+(\.\d+)?(ms|s|m)$", "500ms", "1s", "2m")
_SIZE = _text(r"^\d+(\.\d+)?[KMG]$", "512K", "256M", "1G")
_TIME_OR_0 = _TIME | {"type": ["string", "integer"], "minimum": 0, "maximum": 0}
MoveTime = Annotated[float, _Written(move_time, _TIME)]
TimeOrNone = Annotated[float, _Written(_between(seconds, "0s", _WEEK), _TIME_OR_0)]
CpuTime = Annotated[float, _Written(_between(seconds, "1s", _WEEK), _TIME)]
# An interpreter does not start with less memory.
MemorySize = Annotated[int, _Written(_between(size_of, "16M", "1024G"), _SIZE)]
FileSize = Annotated[int, _Written(_between(size_of, "1M", "1024G"), _SIZE)]
Count = Annotated[int, Checked(strict=True, ge=1, le=MAX_COUNT)]
MoreThanZero = Annotated[float, Checked(strict=True, gt=0, allow_inf_nan=False)]
Switch = Annotated[bool, Checked(strict=True)]
Text = Annotated[str, Checked(strict=True)]
