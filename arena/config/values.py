"""The values that people write in a plan: times such as `500ms`, sizes such as `256M`, each with bounds.

The types here are annotations of dataclass fields. Python code does not check them. Pydantic does when it
reads a file (`arena.config.document.Document.check`), and `arena schema` gives them to editors. For that,
pydantic calls methods of the classes here. This module does not import pydantic: with it a worker, which
reads no files, would need a third more memory.
"""

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, Any

if TYPE_CHECKING:
    from pydantic import ConfigDict, GetCoreSchemaHandler
    from pydantic_core import CoreSchema

__all__ = ("KEYS", "MAX_COUNT", "MB", "Checked", "Count", "Size", "Switch", "Text", "Time")

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

    def __init__(self, convert: Callable[[object], float], low: str, high: str, schema: dict[str, Any]):
        self._convert, self._low, self._high, self._schema = convert, low, high, schema

    def read(self, value: object) -> float:
        """The value as a number. The bounds are converted in the same way.

        Raises:
            ValueError: The value is not of this kind, or out of bounds.
        """
        # Larger values would fail later, in system calls.
        convert = self._convert
        if not convert(self._low) <= (found := convert(value)) <= convert(self._high):
            raise ValueError(f"should be from {self._low} to {self._high}, not {value}")
        return found

    def __get_pydantic_core_schema__(self, source: Any, handler: "GetCoreSchemaHandler") -> "CoreSchema":
        from pydantic_core import core_schema

        return core_schema.no_info_before_validator_function(self.read, handler(source))

    def __get_pydantic_json_schema__(self, schema: "CoreSchema", handler: object) -> dict[str, Any]:
        return self._schema.copy()


class Time(_Written):
    """For `Annotated`: a time such as `500ms`, in seconds, from `low` to a week."""

    def __init__(self, low: str):
        super().__init__(seconds, low, "10080m", _TIME_OR_0 if low == "0s" else _TIME)


class Size(_Written):
    """For `Annotated`: a size such as `256M`, in bytes, from `low` to 1024G."""

    def __init__(self, low: str):
        super().__init__(size_of, low, "1024G", _SIZE)


MB = 2**20  # bytes
_TIME_UNITS = {"ms": 0.001, "s": 1.0, "m": 60.0}
_SIZE_UNITS = {"K": 2**10, "M": MB, "G": 2**30}
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


def _text(pattern: str, *examples: str) -> dict[str, Any]:
    return {"type": "string", "pattern": pattern, "examples": list(examples)}


_TIME = _text(r"^\d+(\.\d+)?(ms|s|m)$", "500ms", "1s", "2m")
_SIZE = _text(r"^\d+(\.\d+)?[KMG]$", "512K", "256M", "1G")
_TIME_OR_0 = _TIME | {"type": ["string", "integer"], "minimum": 0, "maximum": 0}
Count = Annotated[int, Checked(strict=True, ge=1, le=MAX_COUNT)]
"""A whole number from 1 to `MAX_COUNT`."""
Switch = Annotated[bool, Checked(strict=True)]
"""`true` or `false`, nothing else."""
Text = Annotated[str, Checked(strict=True)]
"""A text; no other value is converted to one."""
