"""The calls of models, and the interface to the ledger, which keeps them.

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

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple, Protocol


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


LATE = "late"


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


def call_as_json(call: ModelCall) -> dict[str, Any]:
    """A call as values for JSON, which `call_from_json` reads."""
    return asdict(call) | {"id": call.id._asdict()}


def call_from_json(values: Mapping[str, Any]) -> ModelCall:
    """Read a call that `call_as_json` wrote.

    Raises:
        KeyError: A key is missing.
        TypeError: A value has a wrong type.
        ValueError: A value is not one of a call.
    """
    reply = values["reply"]
    usage = None if reply["usage"] is None else Usage(**reply["usage"])
    return ModelCall(
        **{
            **values,
            "id": CallId(**values["id"]),
            "messages": tuple((role, text) for role, text in values["messages"]),
            "reply": ModelReply(**{**reply, "usage": usage}),
        }
    )


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
