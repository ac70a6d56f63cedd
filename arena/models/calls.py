"""The calls of models, and the interface to the ledger, which keeps them.

Theory of operation
-------------------
A call is named by its game, its seat, the hash of its content, and how often this content was sent before in
this game. So a game that is played again, after a kill or from a cassette, finds the same answers, however
many games are played beside it. For each call the player

1. looks whether the ledger has it (`find`): then no server is asked;
2. has the ledger set aside what it may cost (`reserve`), which may raise `BudgetSpent`;
3. asks the server;
4. stores the answer (`store`), before it is used. If there was no answer, it ends the reservation
   (`release`).
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple, Protocol


class BudgetSpent(Exception):
    """Raised if a call may cost more than is left of the budget; a larger one lets the run go on."""


class EndpointLost(Exception):
    """Raised if a server gave no answer for as long as the game may wait. The message has no API key."""


class EndpointRefused(EndpointLost):
    """Raised if waiting cannot help: for example, the server wants another key, model, address or request."""


class CassetteMiss(Exception):
    """Raised if a call is not in the cassette from which a run is played."""


class CallId(NamedTuple):
    """The name of a call in its run."""

    game: str  # the id of its fixture
    seat: int
    key: str  # SHA-256 of path, model, messages and parameters, in hex
    n: int  # counts from 0 how often this content was sent in this game


@dataclass(frozen=True)
class Usage:
    """The tokens of a call, as the server has counted them."""

    tokens_in: int
    tokens_out: int  # with `reasoning`
    cached: int = 0  # part of `tokens_in`
    reasoning: int = 0  # part of `tokens_out`


@dataclass(frozen=True)
class ModelReply:
    """What a server has sent for one call; if its text repeats the API key, that is replaced."""

    text: str = ""
    thoughts: str = ""  # what the server sends apart from the text, or in <think> tags
    finish: str = ""  # why it ended: `stop`, `length`, …, or `late`: it was cut off by the move limit
    refusal: str = ""
    has_tool_call: bool = False
    usage: Usage | None = None  # None: the server did not say
    model: str = ""  # as returned
    system_fingerprint: str = ""
    latency_s: float = 0.0  # from the request to the end of the reply
    waited_s: float = 0.0  # before, for a server that failed

    @property
    def is_late(self) -> bool:
        return self.finish == LATE


LATE = "late"


@dataclass(frozen=True)
class ModelCall:
    """One call as it is recorded."""

    id: CallId
    ask: int  # the id of the ask
    at: int  # how many replies the match had by then, as `reply` of a `Fault`
    attempt: int  # 1, or more if the model was asked again
    again: str  # why the model was asked again; "": it was not
    first: int  # where `messages` begin in the conversation: 0 if it begins, or is begun anew
    messages: tuple[tuple[str, str], ...]  # role and text: what is new since the last call
    version: str  # of the prompt
    reply: ModelReply
    answer: str = ""  # the legal word that was read; "": there was none
    problem: str = ""  # why there was none


def call_as_json(call: ModelCall) -> dict[str, Any]:
    """A call as values for JSON, which `call_from_json` reads."""
    return asdict(call) | {"id": call.id._asdict()}


def call_from_json(values: Mapping[str, Any]) -> ModelCall:
    """The call that `call_as_json` wrote. KeyError, TypeError or ValueError: the values are no call."""
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
        """The answered call with this id; None: there is none. CassetteMiss: a cassette does not have it."""

    def reserve(self, call: CallId, cost: float) -> int:
        """Set `cost` aside, the most that the call may cost; returns the number of this reservation.

        BudgetSpent: the budget does not have as much left.
        """

    def store(self, reservation: int, call: ModelCall) -> None:
        """Keep an answered call, with the cost of its tokens; once this returns, the call survives a kill."""

    def release(self, reservation: int, billed: bool) -> None:
        """End the reservation of an unanswered call.

        `billed`: its cost counts, because the server may have begun to answer.
        """
