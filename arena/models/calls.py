"""The calls of models, the interface to the ledger, which keeps them, and cassettes, which replay them.

Theory of operation
-------------------
A call is named by its game, its seat, the hash of its content, and how often this content was sent before in
this game. So a replayed game finds the same answers, after a kill or from a cassette, however many games run
beside it. For each call the player

1. looks whether the ledger has it (`find`): then no server is asked;
2. reserves the greatest cost at the ledger (`reserve`), which may raise `BudgetSpent`;
3. asks the server;
4. stores the answer (`store`) before using it. Without an answer it ends the reservation (`release`).
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import NamedTuple, Protocol

from arena.config.document import ConfigError
from arena.models.replied_json import last_object
from arena.rules import seat_name

__all__ = (
    "BudgetSpent",
    "CallId",
    "Cassette",
    "CassetteMiss",
    "EndpointLost",
    "EndpointRefused",
    "Ledger",
    "Messages",
    "ModelCall",
    "ModelReply",
    "Wait",
)

LATE, TOO_LONG = "late", "too long"  # why the arena itself cut a reply off

Messages = Sequence[tuple[str, str]]
"""A conversation: roles and texts."""


class BudgetSpent(Exception):
    """Raised if a call may exceed the budget; a larger budget lets the run go on."""


class EndpointLost(Exception):
    """Raised if a server did not answer while the game could wait. The message contains no API key."""


class EndpointRefused(EndpointLost):
    """Raised if waiting cannot help: for example, the server wants another key, model, address or request."""


class CassetteMiss(Exception):
    """Raised if the cassette of a replayed run does not contain a call."""


class CallId(NamedTuple):
    """The name of a call in its run."""

    game: str  # the id of its fixture
    seat: int
    key: str  # SHA-256 of path, model, messages and parameters, in hex
    n: int  # counts from 0 how often this content was sent in this game


@dataclass(frozen=True)
class Usage:
    """The tokens of a call, as counted by the server."""

    tokens_in: int
    tokens_out: int  # includes `reasoning`
    cached: int = 0  # part of `tokens_in`
    reasoning: int = 0  # part of `tokens_out`


@dataclass(frozen=True)
class ModelReply:
    """The reply of a server to one call; an API key in its text is replaced."""

    text: str = ""
    thoughts: str = ""  # sent apart from the text, or in <think> tags
    finish: str = ""  # why it ended: `stop`, `length`, …, or `late` if the move limit cut it off
    refusal: str = ""
    has_tool_call: bool = False
    usage: Usage | None = None  # None if the server did not report it
    model: str = ""  # as returned by the server
    system_fingerprint: str = ""
    latency_s: float = 0.0  # from the request to the end of the reply
    waited_s: float = 0.0  # for a failing server, before the request

    @property
    def is_late(self) -> bool:
        return self.finish == LATE

    @property
    def values(self) -> Mapping[str, object]:
        """The last JSON object in the text, with its keys in lower case; {} without one."""
        return last_object(self.text).values or {}


@dataclass(frozen=True)
class ModelCall:
    """One call as it is recorded."""

    id: CallId
    ask: int  # the id of the ask
    at: int  # the number of earlier replies in the match, as `reply` of a `Fault`
    attempt: int  # 1, or more if the model was asked again
    again: str  # why the model was asked again; "" at the first attempt
    first: int  # the index of `messages` in the conversation: 0 if it begins or restarts
    messages: tuple[tuple[str, str], ...]  # role and text of the messages since the last call
    version: str  # of the prompt template
    reply: ModelReply
    answer: str = ""  # the legal word in the reply; "" if there was none
    problem: str = ""  # why there was no legal word

    @classmethod
    def from_line(cls, line: str) -> "ModelCall":
        """Read a line that `line` made.

        Raises:
            AttributeError, KeyError, RecursionError, TypeError, ValueError: It is not the line of a call.
        """
        values = json.loads(line)
        reply = values["reply"]
        usage = None if reply["usage"] is None else Usage(**reply["usage"])
        return cls(
            **{
                **values,
                "id": CallId(**values["id"]),
                "messages": tuple((role, text) for role, text in values["messages"]),
                "reply": ModelReply(**{**reply, "usage": usage}),
            }
        )

    @property
    def line(self) -> str:
        """The call as a line of a cassette, JSON without the newline."""
        return json.dumps(asdict(self) | {"id": self.id._asdict()}, separators=(",", ":"))


class Wait(NamedTuple):
    """A game waits for the server of a model."""

    host: str
    reason: str  # in a few words, without the API key
    until: float  # the next attempt, by `time.monotonic`, which all processes of a machine share


class Ledger(Protocol):
    """Keeps the calls of a run. All methods are called by the thread that plays the game."""

    def find(self, call: CallId) -> ModelCall | None:
        """The answered call with this id, or None.

        Raises:
            CassetteMiss: The ledger is a cassette without this call.
        """

    def reserve(self, call: CallId, cost: float) -> int:
        """Reserve `cost`, the greatest cost of the call; returns the number of the reservation.

        Raises:
            BudgetSpent: Less than `cost` is left.
        """

    def store(self, reservation: int, call: ModelCall) -> None:
        """Keep an answered call, with the cost of its tokens; once this returns, the call survives a kill."""

    def release(self, reservation: int, billed: bool) -> None:
        """End the reservation of an unanswered call.

        If it is `billed`, its cost counts, because the server may have begun to answer.
        """


class Cassette:
    """The calls of a run in a file of JSON lines: a ledger that replays it without a network.

    A missing call raises `CassetteMiss`, and calls cannot be added.

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
        return ModelCall.from_line(line)
    except (AttributeError, KeyError, RecursionError, TypeError, ValueError):
        raise ConfigError(f"{path}, line {number}: no call; `arena export` writes a cassette") from None
