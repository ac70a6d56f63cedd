"""A cassette: the calls of a run as JSON lines, to replay the run without a network."""

import json
from pathlib import Path

from arena.config.document import ConfigError
from arena.models.calls import CallId, CassetteMiss, ModelCall, call_as_json, call_from_json
from arena.rules import seat_name


class Cassette:
    """The calls of a file. A missing call raises `CassetteMiss`, and calls cannot be added.

    Raises:
        ConfigError: The file cannot be read, or is not a cassette.
    """

    def __init__(self, path: Path):
        self.path = path
        self._calls = {call.id: call for call in _read(path)}

    def find(self, call: CallId) -> ModelCall:
        if call not in self._calls:
            who = f"game {call.game}, {seat_name(call.seat)}"
            raise CassetteMiss(
                f"{self.path}: has no call {call.key[:16]} number {call.n + 1} of {who}; "
                "it was recorded with another plan, other bots, or another version of the arena"
            )
        return self._calls[call]

    def reserve(self, call: CallId, cost: float) -> int:
        raise AssertionError("every call is in the cassette")

    def store(self, reservation: int, call: ModelCall) -> None:
        raise AssertionError("the call was already stored")

    def release(self, reservation: int, billed: bool) -> None:
        raise AssertionError("nothing was reserved")


def cassette_line(call: ModelCall) -> str:
    """A call as a line of a cassette, without the newline."""
    return json.dumps(call_as_json(call), separators=(",", ":"))


def _read(path: Path) -> list[ModelCall]:
    calls = []
    try:
        with path.open(encoding="utf-8") as file:
            for number, line in enumerate(file, 1):
                calls.append(_call(path, number, line))
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path}: cannot be read: {getattr(error, 'strerror', error)}") from None
    return calls


def _call(path: Path, number: int, line: str) -> ModelCall:
    try:
        return call_from_json(json.loads(line))
    except (AttributeError, KeyError, RecursionError, TypeError, ValueError):
        raise ConfigError(f"{path}, line {number}: no call; `arena export` writes a cassette") from None
