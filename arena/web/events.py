"""Server-sent events: one channel for each page that changes, with the clients that listen to it.

An event is encoded once and then sent to all clients (https://html.spec.whatwg.org/#server-sent-events). Each
client has a queue of its own. A client that does not read is dropped when its queue is full, or when one
write takes too long; the others notice nothing. A browser then connects again and sends the id of its last
event, so the page can send the missing ones.
"""

import asyncio
from collections.abc import Callable

from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

HEARTBEAT_S = 15  # proxies close connections on which nothing is sent for a minute
_RETRY_MS = 1000  # then a browser connects again
_MAX_EVENTS, _MAX_BYTES = 256, 1 << 20  # in the queue of one client
_STALLED_S = 30  # for one write
_HEADERS = {
    "content-type": "text/event-stream",
    "cache-control": "no-store",
    "x-accel-buffering": "no",  # nginx would wait for more
}


def encode(data: str, id: str | None = None, name: str | None = None) -> bytes:
    """A server-sent event as bytes, without the fields that are None. The `id` must have no line ends."""
    lines = [f"event: {name}"] if name else []
    if id is not None:
        lines.append(f"id: {id}")
    # A carriage return would end a line; in data of JSON and HTML it means nothing.
    lines += [f"data: {line}" for line in data.replace("\r", "").split("\n")]
    return ("\n".join(lines) + "\n\n").encode()


def last_id(request: Request) -> str | None:
    """The id of the last event that this client has seen; None if the request has none."""
    return request.headers.get("last-event-id")


class Streams:
    """All channels of one web process."""

    def __init__(self) -> None:
        self._clients: set[_Client] = set()
        self._is_closed = False

    def __len__(self) -> int:
        """The number of clients of all channels."""
        return len(self._clients)

    def close(self) -> None:
        """End all streams: the server stops, and must not wait for its spectators."""
        self._is_closed = True
        for client in list(self._clients):
            client.end()

    def add(self, client: "_Client") -> None:
        self._clients.add(client)
        if self._is_closed:
            client.end()

    def remove(self, client: "_Client") -> None:
        self._clients.discard(client)


class Channel:
    """The clients of one page. Use it only in the event loop."""

    def __init__(self, streams: Streams):
        self._streams = streams
        self._clients: set[_Client] = set()

    def __len__(self) -> int:
        return len(self._clients)

    def publish(self, event: bytes) -> None:
        """Send an event, or several that were encoded and joined, to each client."""
        for client in list(self._clients):
            if not client.put(event):
                self._remove(client)
                client.drop()

    def listen(self, first: bytes = b"") -> Response:
        """The response to a client: `first`, its own events, then every event published from now on."""
        client = _Client(self._remove)
        client.put(f"retry: {_RETRY_MS}\n\n".encode() + first)
        self._clients.add(client)
        self._streams.add(client)
        return client

    def close(self) -> None:
        """End the streams of these clients when their queues are sent."""
        for client in list(self._clients):
            client.end()

    def _remove(self, client: "_Client") -> None:
        self._clients.discard(client)
        self._streams.remove(client)


class _Client(Response):
    """The response to one client, an ASGI application. It ends when the client has gone, or by `end`."""

    def __init__(self, leave: Callable[["_Client"], None]):
        super().__init__(headers=_HEADERS)
        del self.headers["content-length"]  # it is the length of the empty body
        self._leave = leave
        self._waiting: list[bytes] = []
        self._bytes = 0
        self._is_over = False
        self._woken = asyncio.Event()
        self._abort: Callable[[], None] = self.end

    def put(self, event: bytes) -> bool:
        """Queue an event; returns False if too much is waiting: then drop the client."""
        self._waiting.append(event)
        self._bytes += len(event)
        self._woken.set()
        return len(self._waiting) <= _MAX_EVENTS and (self._bytes <= _MAX_BYTES or len(self._waiting) == 1)

    def end(self) -> None:
        """End the stream when the queue is sent."""
        self._is_over = True
        self._woken.set()

    def drop(self) -> None:
        """End the stream at once, with its connection: a write that waits for the client would never end."""
        self._waiting.clear()
        self.end()
        self._abort()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        # Set by `arena.web.protocol`; a server without it closes the connection only after the last write.
        self._abort = scope.get("state", {}).get("abort", self.end)
        gone = asyncio.create_task(self._wait_for_end(receive))
        try:
            await send({"type": "http.response.start", "status": 200, "headers": self.raw_headers})
            if scope["method"] != "HEAD":
                await self._send_all(send)
            await send({"type": "http.response.body", "body": b""})
        finally:
            gone.cancel()
            self._leave(self)

    async def _send_all(self, send: Send) -> None:
        loop = asyncio.get_running_loop()
        while data := await self._take():
            # A task that was cancelled in `send` could not complete the response, so the connection ends.
            stalled = loop.call_later(_STALLED_S, self.drop)
            await send({"type": "http.response.body", "body": data, "more_body": True})
            stalled.cancel()

    async def _take(self) -> bytes:
        """Wait for events; returns the queued ones, or a heartbeat, or b"" when the stream is over."""
        try:
            async with asyncio.timeout(HEARTBEAT_S):
                await self._woken.wait()
        except TimeoutError:
            return b":\n\n"
        data = b"".join(self._waiting)
        self._waiting, self._bytes = [], 0
        if not self._is_over:
            self._woken.clear()
        return data

    async def _wait_for_end(self, receive: Receive) -> None:
        while (await receive())["type"] != "http.disconnect":
            pass
        self.end()
