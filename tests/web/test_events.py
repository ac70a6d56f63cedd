"""Server-sent events: encoded once, sent to all, and clients that do not read are dropped."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from asgi import scope_of

from arena.web import events
from arena.web.events import Channel, Streams, encode


@pytest.mark.parametrize(
    "event, text",
    [
        (encode("a"), "data: a\n\n"),
        (encode("a\nb", id="3", name="table"), "event: table\nid: 3\ndata: a\ndata: b\n\n"),
        (encode("a\r\n\r"), "data: a\ndata: \n\n"),
        (encode(""), "data: \n\n"),
    ],
)
def test_an_event_has_one_field_a_line(event: bytes, text: str) -> None:
    assert event.decode() == text


class _Browser:
    """A client that reads as long as `reads` is set, and keeps what it has read."""

    def __init__(self, channel: Channel, first: bytes = b""):
        self.read, self.is_aborted = b"", False
        self.reads, self.gone = asyncio.Event(), asyncio.Event()
        self.reads.set()
        scope = scope_of("GET", "/") | {"state": {"abort": self._abort}}
        self.task = asyncio.create_task(channel.listen(first)(scope, self._receive, self._send))

    def _abort(self) -> None:
        self.is_aborted = True
        self.gone.set()
        self.reads.set()  # as uvicorn: a write to a lost connection returns

    async def _receive(self) -> dict[str, Any]:
        await self.gone.wait()
        return {"type": "http.disconnect"}

    async def _send(self, message: Any) -> None:
        await self.reads.wait()
        if not self.is_aborted:
            self.read += message.get("body", b"")


def _play(test: Callable[[Streams, Channel], Awaitable[None]]) -> None:
    async def run() -> None:
        async with asyncio.timeout(20):
            streams = Streams()
            await test(streams, Channel(streams))
            assert len(streams) == 0

    asyncio.run(run())


async def _settle() -> None:
    for _ in range(10):
        await asyncio.sleep(0)


def test_all_clients_read_what_is_published_after_their_own_first_events() -> None:
    async def test(streams: Streams, channel: Channel) -> None:
        one = _Browser(channel, encode("first"))
        await _settle()
        channel.publish(encode("a"))
        two = _Browser(channel)
        await _settle()
        channel.publish(encode("b"))
        assert len(channel) == len(streams) == 2
        channel.close()
        await asyncio.gather(one.task, two.task)
        assert one.read == b"retry: 1000\n\ndata: first\n\ndata: a\n\ndata: b\n\n"
        assert two.read == b"retry: 1000\n\ndata: b\n\n"

    _play(test)


@pytest.mark.parametrize("size, count", [(10, events._MAX_EVENTS + 2), (400_000, 4)])
def test_a_client_that_does_not_read_is_dropped(size: int, count: int) -> None:
    async def test(streams: Streams, channel: Channel) -> None:
        deaf, other = _Browser(channel), _Browser(channel)
        await _settle()
        deaf.reads.clear()
        for _ in range(count):
            channel.publish(encode("x" * size))
            await _settle()
        assert deaf.is_aborted and not other.is_aborted
        await deaf.task
        channel.close()
        await other.task
        assert other.read.count(b"data") == count

    _play(test)


def test_a_client_that_stalls_one_write_is_dropped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(events, "_STALLED_S", 0.01)

    async def test(streams: Streams, channel: Channel) -> None:
        deaf = _Browser(channel)
        await _settle()
        deaf.reads.clear()
        channel.publish(encode("a"))
        await deaf.task
        assert deaf.is_aborted

    _play(test)


def test_a_heartbeat_comes_when_nothing_else_does(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(events, "HEARTBEAT_S", 0.01)

    async def test(streams: Streams, channel: Channel) -> None:
        browser = _Browser(channel)
        while b"\n:\n\n" not in browser.read:
            await asyncio.sleep(0.01)
        browser.gone.set()
        await browser.task

    _play(test)


def test_streams_end_when_the_server_stops_and_later_ones_at_once() -> None:
    async def test(streams: Streams, channel: Channel) -> None:
        early = _Browser(channel)
        await _settle()
        channel.publish(encode("last"))
        streams.close()
        late = _Browser(channel)
        await asyncio.gather(early.task, late.task)
        assert early.read.endswith(b"data: last\n\n") and not early.is_aborted

    _play(test)
