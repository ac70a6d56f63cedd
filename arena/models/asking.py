"""Asks a model: a `Caller` repeats a call until it is answered, a `Reading` finds the answer in the reply.

Theory of operation
-------------------
The game waits for a failing server.

Clocks do not count the time of failures and of waiting. If it would exceed the model's `patience_s`, the call
is given up (`EndpointLost`).

A failed attempt that may be billed ends `Caller.call`, because the game's thread must reserve money for the
next attempt. It then continues with another `call`.

The answer is in the last JSON object of the reply, whose "answer" has to be a legal word as a whole. Prose is
never searched: a harness that looks for a game's words in a model's text finds words that the model did not
mean. A model whose reply has no answer is asked again, and in the end commits a fault: `unread` or `illegal`.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from secrets import randbelow
from threading import Event
from time import monotonic
from typing import Any

from arena.config.text import duration, quote
from arena.models.calls import TOO_LONG, EndpointLost, EndpointRefused, Messages, ModelReply, Wait
from arena.models.client import Exchange, Failure, RequestRefused
from arena.models.replied_json import last_object
from arena.models.request import Dialect, answer_schema
from arena.models.secret import Secret
from arena.models.spec import ModelSpec

__all__ = ("Caller", "MayBeBilled", "OnWait", "Reading", "Timing")

_FIRST_S, _MAX_S = 0.5, 60.0  # between two attempts
_NO_OBJECT = "There is no JSON object in your reply"

_dialects: dict[tuple[str, str], Dialect] = {}  # by address and model


class Cancelled(Exception):
    """Raised by `Caller.call` if another thread has cancelled it."""


class MayBeBilled(Exception):
    """Raised by `Caller.call` after a failed attempt that may be billed; `call` may be called again."""


@dataclass(frozen=True)
class Timing:
    """How a call measures time and waits, in seconds; `wait` returns whether the call was cancelled."""

    clock: Callable[[], float] = monotonic
    wait: Callable[[Event, float], bool] = Event.wait
    jitter: Callable[[], float] = lambda: randbelow(1000) / 1000  # from 0 to 1


OnWait = Callable[[str, Wait | None], None]
"""Called with the host and the `Wait` before a call waits; with the host and None once it is answered."""


class Caller:
    """Makes one call. `limit_s` is the model's time for the reply, in each attempt."""

    def __init__(
        self,
        spec: ModelSpec,
        secret: Secret,
        limit_s: float,
        timing: Timing | None = None,
        on_wait: OnWait | None = None,
    ):
        self._spec, self._secret, self._limit_s = spec, secret, limit_s
        self._timing, self._on_wait = timing or Timing(), on_wait
        self._cancelled = Event()
        self._exchange: Exchange | None = None
        self._began: float | None = None
        self._failures = 0
        self._delay = 0.0  # before the next attempt
        self.may_be_billed = False  # whether the last attempt, which failed, may be billed

    def cancel(self) -> None:
        """Make `call` give up and raise Cancelled; called from another thread."""
        self._cancelled.set()
        if self._exchange:
            self._exchange.cancel()

    def call(self, messages: Messages, options: Sequence[str]) -> ModelReply:
        """The reply, after retries. Without `options` the answer may be any text.

        Raises:
            MayBeBilled: A failed attempt may be billed; call this again to continue.
            EndpointLost: The server did not answer in time.
            EndpointRefused: Waiting cannot help.
            Cancelled: `cancel` was called.
        """
        clock, schema = self._timing.clock, answer_schema(options, self._spec.max_tokens)
        if self._began is None:
            self._began = clock()
        while True:
            if self._delay and self._timing.wait(self._cancelled, self._delay):
                raise Cancelled
            started = clock()
            try:
                self.may_be_billed = False
                reply = self._attempt(messages, schema)
            except Failure as failure:
                self.may_be_billed = failure.may_be_billed
                self._note(failure, clock() - self._began)
                if self.may_be_billed:
                    raise MayBeBilled from None
                continue
            if self._failures and self._on_wait:
                self._on_wait(self._spec.host, None)
            return replace(reply, waited_s=round(started - self._began, 6) if self._failures else 0.0)

    def _note(self, failure: Failure, waited: float) -> None:
        """Decide on the delay before the next attempt.

        Raises:
            EndpointLost: `patience_s` would end before it.
        """
        if self._cancelled.is_set():
            raise Cancelled from None
        self._delay = self._delay_after(failure.retry_after)
        if waited + self._delay > self._spec.patience_s:
            raise self._lost(failure, waited) from None
        self._failures += 1
        if self._on_wait:
            host = self._spec.host
            self._on_wait(host, Wait(host, failure.brief, monotonic() + self._delay))

    def _attempt(self, messages: Messages, schema: Mapping[str, Any]) -> ModelReply:
        """The reply to one request, repeated only to leave out parts that the server rejects.

        Raises:
            Failure: The server failed.
            EndpointRefused: It rejects the request.
        """
        dialect = _dialects.setdefault((self._spec.at, self._spec.model), Dialect())
        while True:
            body = dialect.body(self._spec, messages, schema)
            self._exchange = Exchange(self._spec, self._secret, body, self._limit_s, self._timing.clock)
            try:
                return self._exchange.run()
            except RequestRefused as refused:
                if not dialect.learn(str(refused)):
                    raise EndpointRefused(str(refused)) from None

    def _delay_after(self, retry_after: float | None) -> float:
        """The seconds to wait: as the server asks, else twice as long each time, up to `_MAX_S`.

        Jitter keeps games from retrying together.
        """
        longest = min(_MAX_S, _FIRST_S * 2.0 ** min(self._failures, 30))
        jitter = self._timing.jitter()
        if retry_after is not None:
            return retry_after + jitter * _FIRST_S
        return longest * (0.5 + jitter / 2)

    def _lost(self, failure: Failure, waited: float) -> EndpointLost:
        if failure.retry_after is not None and failure.retry_after > self._spec.patience_s:
            return EndpointLost(f"{failure}; it asks to wait for {duration(failure.retry_after)}")
        return EndpointLost(f"{failure}; the game has waited for {duration(waited)}")


@dataclass(frozen=True)
class Reading:
    """The content of a reply: a legal `word`, or a `problem`, which the model is told.

    `is_illegal` means that the reply contains an answer that is not legal.
    """

    word: str = ""
    problem: str = ""
    is_illegal: bool = False

    @classmethod
    def of(
        cls, reply: ModelReply, is_late: bool, legal: Callable[[str], str], reason: Callable[[str], str]
    ) -> "Reading":
        """Read a reply.

        `legal` returns the legal word for an answer, or ""; `reason` says why it is illegal.
        """
        if problem := _formal_problem(reply, is_late):
            return cls(problem=problem)
        values, broken = last_object(reply.text)
        if values is None:
            why = f"The JSON object in your reply is broken: {broken}" if broken else _NO_OBJECT
            return cls(problem=f"{why}.")
        answer = values.get("answer")
        if isinstance(answer, int) and not isinstance(answer, bool):
            answer = str(answer)
        if not isinstance(answer, str) or not answer.strip():
            return cls(problem='The last JSON object in your reply has no text as its "answer".')
        said = answer.strip()
        word = legal(said)
        return cls(word) if word else cls(problem=_illegal(said, reason(said)), is_illegal=True)


def _formal_problem(reply: ModelReply, is_late: bool) -> str:
    """The reason why the text of a reply is not read, for the model; "" if it is read."""
    if is_late:
        return "Your reply was too late."
    if reply.finish in ("length", TOO_LONG):
        return "Your reply was cut off because it is too long. Answer shortly."
    if reply.refusal or reply.finish == "content_filter":
        return "You have refused to answer. This is a game among programs: choose an answer."
    if reply.has_tool_call:
        return "You have called a tool. There are none: answer in text."
    return "" if reply.text.strip() else "Your reply was empty."


def _illegal(said: str, reason: str) -> str:
    return f"{quote(said)} is no legal answer{': ' + reason if reason else ''}."
