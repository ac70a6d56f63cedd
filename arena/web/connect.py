"""`/connect`, the WebSocket of remote bots, and the Unix socket by which the workers of a run reach them."""

import asyncio
import json
import os
import sqlite3
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any

from starlette.responses import PlainTextResponse
from starlette.routing import WebSocketRoute
from starlette.websockets import WebSocket, WebSocketDisconnect

from arena.web.database import DamagedDatabase
from arena.web.limits import Rates
from arena.web.log import log
from arena.web.remotes import Client, Link, Misbehaved, Remotes, Send
from arena.web.requests import Refusal
from arena.web.server import Server, server_of
from arena.web.sessions import bearer, bearer_holder

_HELLO_TIMEOUT_S = 10.0
_PING_EVERY_S = 2.0
_FIRST_PINGS = 5  # one after another: the first answers need a fair clock
_PONG_TIMEOUT_S = 20.0  # afterwards the connection is dropped
_MAX_QUEUED = 10_000  # messages for a client that does not read
_MAX_SESSION = 64  # characters of a session's id
_MAX_LINK_LINE = 2**22  # bytes of a message from a worker
_REFUSED, _MISBEHAVED, _DISMISSED = 4001, 4002, 4003  # codes with which a connection is closed


@asynccontextmanager
async def listen(remotes: Remotes, path: Path) -> AsyncIterator[None]:
    """Listen for the links of workers at the Unix socket `path`, as long as the context lasts."""
    listening = await asyncio.start_unix_server(partial(_serve_link, remotes), path, limit=_MAX_LINK_LINE)
    os.chmod(path, 0o600)
    try:
        yield
    finally:
        listening.close()


async def _serve_link(remotes: Remotes, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    def send(message: dict[str, Any]) -> None:
        writer.write(_encode(message) + b"\n")

    link = None
    try:
        first = json.loads(await reader.readline() or b"null")
        if first and first["kind"] == "watcher":
            await _serve_watcher(remotes, reader, send)
        elif first:
            link = Link(first["table"], first["name"], send, writer.transport.get_write_buffer_size)
            remotes.add(link)
            while line := await reader.readline():
                remotes.take_from_link(link, json.loads(line))
    except (ConnectionError, ValueError):  # the worker was killed, maybe in the middle of a line
        pass
    except asyncio.CancelledError:  # the server stops; Python 3.11 would log this as an error
        pass
    finally:
        if link:
            remotes.remove(link)
        writer.close()


async def _serve_watcher(remotes: Remotes, reader: asyncio.StreamReader, send: Send) -> None:
    """Tell a playing process the connected remote bots, until that process is gone."""
    remotes.watch(send)
    try:
        while await reader.readline():
            pass
    finally:
        remotes.unwatch(send)


async def _connect(websocket: WebSocket) -> None:
    server = server_of(websocket)
    try:
        name = server.access.bot_of(bearer(server, websocket))
    except Refusal as refusal:
        await websocket.send_denial_response(PlainTextResponse(f"{refusal.detail}\n", refusal.status_code))
        return
    await websocket.accept()
    queue: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
    client = Client(name, await _session(websocket), queue.put_nowait)
    writing = asyncio.create_task(_write(websocket, queue, client))
    reading = asyncio.create_task(_read(websocket, client, server.remotes))
    pinging = asyncio.create_task(_ping(server, websocket, client))
    try:
        why = await server.remotes.join(client)
        if why:
            client.end(_REFUSED, why)
        else:
            log("bot connected", name=client.name)
        code, reason = await client.over
    finally:
        for task in (writing, reading, pinging):
            task.cancel()
        server.remotes.leave(client)
    log("bot disconnected", name=client.name, why=reason)
    with suppress(RuntimeError, WebSocketDisconnect):  # it has closed the connection itself
        await websocket.close(code, reason)


async def _session(websocket: WebSocket) -> str:
    """The id of the client's session, from its first message; "" without an id or a message."""
    with suppress(TimeoutError, ValueError, WebSocketDisconnect, KeyError, RecursionError):
        async with asyncio.timeout(_HELLO_TIMEOUT_S):
            hello = json.loads(await websocket.receive_text())
        if isinstance(hello, dict) and isinstance(hello.get("session"), str):
            return str(hello["session"])[:_MAX_SESSION]
    return ""


async def _read(websocket: WebSocket, client: Client, remotes: Remotes) -> None:
    rates = Rates()
    try:
        while True:
            text = await websocket.receive_text()
            if not rates.take(client.name, "message"):
                raise Misbehaved("too many messages a second")
            remotes.take_from_client(client, json.loads(text))
    except (WebSocketDisconnect, RuntimeError):  # RuntimeError if it was closed before its hello
        client.end(1000, "the connection was closed")
    except (Misbehaved, ValueError, KeyError, RecursionError) as error:
        client.end(_MISBEHAVED, f"{error}"[:100])


async def _write(websocket: WebSocket, queue: "asyncio.Queue[dict[str, Any]]", client: Client) -> None:
    with suppress(RuntimeError, WebSocketDisconnect):
        while True:
            message = await queue.get()
            if queue.qsize() > _MAX_QUEUED:
                client.end(_MISBEHAVED, "reads too slowly")
            await websocket.send_text(_encode(message).decode())


async def _ping(server: Server, websocket: WebSocket, client: Client) -> None:
    """Measure round trips, until the client does not answer or is no longer allowed to play; then end it."""
    for _ in range(_FIRST_PINGS):
        await client.ping(_PONG_TIMEOUT_S)
    while await client.ping(_PONG_TIMEOUT_S):
        await asyncio.sleep(_PING_EVERY_S)
        try:
            # Another process may have revoked the token.
            server.access.bot_of(bearer_holder(server, websocket))
        except Refusal as refusal:
            return client.end(_DISMISSED, refusal.detail)
        except (sqlite3.OperationalError, DamagedDatabase):  # the database is busy, for example
            continue
    client.end(_MISBEHAVED, f"answered no ping within {_PONG_TIMEOUT_S:g} s")


def _encode(message: dict[str, Any]) -> bytes:
    return json.dumps(message, separators=(",", ":")).encode()


ROUTES = [WebSocketRoute("/connect", _connect)]
