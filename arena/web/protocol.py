"""HTTP connections with bounds: their number, the time for headers, the time in which a client reads nothing.

Uvicorn has none of these bounds: a connection whose client sends a byte now and then, or does not read the
answer, would stay open for ever.
"""

import asyncio
from collections import Counter
from collections.abc import Callable
from functools import partial

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from arena.web.address import is_loopback
from arena.web.limits import HEAD_TIMEOUT_S, MAX_CONNECTIONS, MAX_OF_A_CLIENT, READ_TIMEOUT_S


class _Timeout:
    """Calls `act` some seconds after `start`, unless `stop` comes first. A second `start` changes nothing."""

    def __init__(self, seconds: float, act: Callable[[], None]):
        self._seconds, self._act = seconds, act
        self._timer: asyncio.TimerHandle | None = None

    def start(self) -> None:
        if not self._timer:
            self._timer = asyncio.get_running_loop().call_later(self._seconds, self._act)

    def stop(self) -> None:
        if self._timer:
            self._timer.cancel()
            self._timer = None


class BoundedProtocol(H11Protocol):
    """One connection. If it exceeds a bound, it is closed, and `counts` in the lifespan's state counts it."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as uvicorn's
        super().connection_made(transport)
        self._counts: Counter[str] = self.app_state["counts"]
        self.app_state = {**self.app_state, "abort": transport.abort}  # `events` drops silent clients with it
        self._head = _Timeout(HEAD_TIMEOUT_S, partial(self._drop, "slow headers"))
        self._reading = _Timeout(READ_TIMEOUT_S, partial(self._drop, "reads nothing"))
        if self._is_too_much():
            self._drop("too many connections")
        else:
            self._head.start()

    def _drop(self, why: str) -> None:
        self._counts[f"dropped: {why}"] += 1
        self.transport.abort()

    def _is_too_much(self) -> bool:
        """Whether there are too many connections, in all or of this client; a local proxy may have many."""
        if len(self.connections) > MAX_CONNECTIONS:
            return True
        if not self.client or is_loopback(self.client[0]):
            return False
        clients = [getattr(each, "client", None) for each in self.connections]  # WebSockets are among them
        hosts: list[str] = [client[0] for client in clients if client]
        return hosts.count(self.client[0]) > MAX_OF_A_CLIENT

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        if self.conn.their_state is h11.IDLE:  # a part of the headers of a request
            self._head.start()
        else:
            self._head.stop()

    def connection_lost(self, exc: Exception | None) -> None:
        self._head.stop()
        self._reading.stop()
        super().connection_lost(exc)

    def pause_writing(self) -> None:
        """Asyncio calls this when the buffer is full, because the client does not read."""
        self._reading.start()
        super().pause_writing()

    def resume_writing(self) -> None:
        self._reading.stop()
        super().resume_writing()
