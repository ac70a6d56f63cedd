"""HTTP connections with bounds: their number, the time for headers, the time of a client that reads nothing.

Uvicorn has none of these: a connection that sends a byte now and then, or does not take what it asked for,
would stay open for ever.
"""

import asyncio

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from arena.web.address import is_loopback
from arena.web.limits import HEAD_TIMEOUT_S, MOST_CONNECTIONS, MOST_OF_A_CLIENT, READ_TIMEOUT_S


class _Timeout:
    """Ends a connection if it is not stopped in time. To start it again while it runs changes nothing."""

    def __init__(self, seconds: float):
        self._seconds = seconds
        self._timer: asyncio.TimerHandle | None = None

    def start(self, transport: asyncio.Transport) -> None:
        if not self._timer:
            self._timer = asyncio.get_running_loop().call_later(self._seconds, transport.abort)

    def stop(self) -> None:
        if self._timer:
            self._timer.cancel()
            self._timer = None


class BoundedProtocol(H11Protocol):
    """One connection. Those beyond the bounds are closed at once."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as uvicorn's
        super().connection_made(transport)
        self.app_state = {**self.app_state, "abort": transport.abort}  # `events` drops silent clients by it
        self._head, self._reading = _Timeout(HEAD_TIMEOUT_S), _Timeout(READ_TIMEOUT_S)
        if self._is_too_much():
            transport.abort()
        else:
            self._head.start(transport)

    def _is_too_much(self) -> bool:
        """Whether there are too many connections. A proxy on this machine has those of many clients."""
        if len(self.connections) > MOST_CONNECTIONS or not self.client:
            return len(self.connections) > MOST_CONNECTIONS
        clients = [getattr(each, "client", None) or ("",) for each in self.connections]  # WebSockets, too
        same = sum(host == self.client[0] for host, *_ in clients)
        return same > MOST_OF_A_CLIENT and not is_loopback(self.client[0])

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        if self.conn.their_state is h11.IDLE:  # a part of the headers of a request
            self._head.start(self.transport)
        else:
            self._head.stop()

    def connection_lost(self, exc: Exception | None) -> None:
        self._head.stop()
        self._reading.stop()
        super().connection_lost(exc)

    def pause_writing(self) -> None:
        """Asyncio calls this when the buffer is full, because the client does not read."""
        self._reading.start(self.transport)
        super().pause_writing()

    def resume_writing(self) -> None:
        self._reading.stop()
        super().resume_writing()
