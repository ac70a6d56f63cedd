"""Makes a call again until it is answered: the server may fail, and the game waits for it.

The time of failures and of waiting is the arena's, so no clock is charged for it. If it would exceed
`patience_s` of the model's spec, the call is given up (`EndpointLost`).
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from secrets import randbelow
from threading import Event
from time import monotonic
from typing import Any

from arena.config.text import duration
from arena.models.calls import EndpointLost, EndpointRefused, ModelReply
from arena.models.client import Exchange, Failure, RequestRefused
from arena.models.request import Dialect, Messages
from arena.models.secret import Secret
from arena.models.spec import ModelSpec
from arena.models.waiting import Wait

_FIRST_S, _MOST_S = 0.5, 60.0  # between two attempts

_dialects: dict[tuple[str, str], Dialect] = {}  # by address and model


class Cancelled(Exception):
    """Raised by `Caller.call` if another thread has cancelled it."""


@dataclass(frozen=True)
class Timing:
    """How a call measures time and waits, in seconds; `wait` returns whether the call was cancelled."""

    clock: Callable[[], float] = monotonic
    wait: Callable[[Event, float], bool] = Event.wait
    jitter: Callable[[], float] = lambda: randbelow(1000) / 1000  # from 0 to 1


OnWait = Callable[[str, Wait | None], None]
"""Called with the host and the `Wait` before a call waits; with the host and None once it is answered."""


def ignore_wait(host: str, wait: Wait | None) -> None:
    """Do nothing: an `OnWait` for callers that show no waits."""


class Caller:
    """Makes one call. Of each attempt `limit_s` is the time for the reply, `header_s` for its beginning."""

    def __init__(
        self,
        spec: ModelSpec,
        secret: Secret,
        limit_s: float,
        header_s: float,
        timing: Timing | None = None,
        on_wait: OnWait = ignore_wait,
    ):
        self._spec, self._secret, self._limit_s, self._header_s = spec, secret, limit_s, header_s
        self._timing, self._on_wait = timing or Timing(), on_wait
        self._cancelled = Event()
        self._exchange: Exchange | None = None
        self.may_be_billed = False  # a failed attempt had begun to answer

    def cancel(self) -> None:
        """Have `call` give up and raise Cancelled; called from another thread."""
        self._cancelled.set()
        if self._exchange:
            self._exchange.cancel()

    def call(self, messages: Messages, schema: Mapping[str, Any]) -> ModelReply:
        """The reply, after retries. EndpointLost, EndpointRefused: there is none. Cancelled: by `cancel`."""
        clock = self._timing.clock
        began, failures = clock(), 0
        while True:
            started = clock()
            try:
                reply = self._attempt(messages, schema)
                if failures:
                    self._on_wait(self._spec.host, None)
                return replace(reply, waited_s=round(started - began, 6) if failures else 0.0)
            except Failure as failure:
                if self._cancelled.is_set():
                    raise Cancelled from None
                self.may_be_billed |= failure.has_begun
                delay = self._delay(failures, failure.retry_after)
                if clock() - began + delay > self._spec.patience_s:
                    raise self._lost(failure, clock() - began) from None
                failures += 1
                host = self._spec.host
                self._on_wait(host, Wait(host, failure.brief, monotonic() + delay))
            if self._timing.wait(self._cancelled, delay):
                raise Cancelled

    def _attempt(self, messages: Messages, schema: Mapping[str, Any]) -> ModelReply:
        """The reply to one request, repeated only to leave out parts that the server does not accept.

        Failure: the server failed. EndpointRefused: it does not accept the request.
        """
        dialect = _dialects.setdefault((self._spec.at, self._spec.model), Dialect())
        while True:
            body = dialect.body(self._spec, messages, schema)
            self._exchange = Exchange(
                self._spec, self._secret, body, self._limit_s, self._header_s, self._timing.clock
            )
            try:
                return self._exchange.run()
            except RequestRefused as refused:
                if not dialect.learn(str(refused)):
                    raise EndpointRefused(str(refused)) from None

    def _delay(self, failures: int, retry_after: float | None) -> float:
        """Seconds to wait: what the server asks for, else twice as long each time, up to `_MOST_S`.

        With jitter, so that games do not come back together.
        """
        longest = min(_MOST_S, _FIRST_S * 2.0 ** min(failures, 30))
        jitter = self._timing.jitter()
        if retry_after is not None:
            return retry_after + jitter * _FIRST_S
        return longest * (0.5 + jitter / 2)

    def _lost(self, failure: Failure, waited: float) -> EndpointLost:
        if failure.retry_after is not None and failure.retry_after > self._spec.patience_s:
            return EndpointLost(f"{failure}; it asks to wait for {duration(failure.retry_after)}")
        return EndpointLost(f"{failure}; the game has waited for {duration(waited)}")
