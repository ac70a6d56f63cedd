"""Connections that are too many, too slow, or not read."""

import asyncio
from collections import Counter
from contextlib import suppress
from functools import partial

import pytest
import uvicorn
from uvicorn.server import ServerState

from arena.web import protocol

LONG = b"x" * 20_000_000  # more than the buffers of a connection


async def app(scope, receive, send) -> None:
    body = LONG if scope["path"] == "/long" else b"short"
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": body})


@pytest.fixture
def limits(monkeypatch):
    """Limits that a test need not wait for."""

    def set_limits(**values: float) -> None:
        for name, value in values.items():
            monkeypatch.setattr(protocol, name, value)

    return set_limits


def play(scenario) -> "Counter[str]":
    """Run a scenario. It gets what opens a connection to a server of this process, and all that are open.

    Returns what was dropped, and how often.
    """
    counts = Counter()

    async def run() -> None:
        config = uvicorn.Config(app, log_config=None, ws="none", access_log=False)
        config.load()
        state, shared = ServerState(), {"counts": counts}
        loop = asyncio.get_running_loop()
        make = partial(protocol.BoundedProtocol, config, state, shared)
        server = await loop.create_server(make, "127.0.0.1", 0)
        port, writers = server.sockets[0].getsockname()[1], []

        async def connect() -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            writers.append(writer)
            return reader, writer

        await scenario(connect, state.connections)
        for each in writers:
            each.transport.abort()
        server.close()
        await until(lambda: not state.connections)

    asyncio.run(asyncio.wait_for(run(), 30))
    return counts


async def until(is_so) -> None:
    while not is_so():
        await asyncio.sleep(0.001)


async def is_closed(reader: asyncio.StreamReader) -> bool:
    """Wait until the server closes the connection, whatever it sends before."""
    with suppress(ConnectionError):
        while await reader.read(2**20):
            pass
    return True


GET = b"GET / HTTP/1.1\r\nHost: x\r\n\r\n"


def test_a_client_that_does_not_finish_its_headers_is_dropped(limits):
    limits(HEAD_TIMEOUT_S=0.05)

    async def scenario(connect, connections) -> None:
        silent, _ = await connect()
        begun, writer = await connect()
        writer.write(GET[:-2])
        later, writer = await connect()
        writer.write(GET)
        assert await later.readuntil(b"short")
        writer.write(GET[:-2])  # of a second request
        assert await is_closed(silent) and await is_closed(begun) and await is_closed(later)

    assert play(scenario) == {"dropped: slow headers": 3}


def test_a_client_that_reads_nothing_is_dropped(limits):
    limits(READ_TIMEOUT_S=0.05)

    async def scenario(connect, connections) -> None:
        _, writer = await connect()
        writer.transport.pause_reading()
        writer.write(GET.replace(b"/ ", b"/long "))
        await until(lambda: connections)
        await until(lambda: not connections)

    assert play(scenario) == {"dropped: reads nothing": 1}


def test_there_are_so_many_connections_of_the_server_and_of_a_client(limits, monkeypatch):
    limits(MAX_CONNECTIONS=3, MAX_OF_A_CLIENT=2)

    async def scenario(connect, connections) -> None:
        kept = [await connect() for _ in range(3)]
        assert await is_closed((await connect())[0])
        kept[0][1].write(GET)
        assert await kept[0][0].readuntil(b"short")
        for _, writer in kept:
            writer.transport.abort()
        await until(lambda: not connections)
        monkeypatch.setattr(protocol, "is_loopback", lambda host: False)
        kept = [await connect() for _ in range(2)]
        assert await is_closed((await connect())[0]) and len(connections) == len(kept)

    play(scenario)
