"""The results of a check of a bot."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

Verdict = Literal["ok", "note", "fault"]


@dataclass(frozen=True)
class Finding:
    """The result of one check; a `note` is worth knowing, but not a fault."""

    check: str
    verdict: Verdict
    words: str
    details: tuple[str, ...] = ()  # further lines of the text
    advice: str = ""  # what to change
    figures: Mapping[str, float] = field(default_factory=dict)  # for programs
    game: str = ""  # its name

    def to_json(self) -> dict[str, Any]:
        """The finding as JSON values, by field; `advice`, `figures` and `game` only if they are not empty."""
        return {name: value for name, value in vars(self).items() if value or name in _ALWAYS}


_ALWAYS = ("check", "verdict", "words", "details")
