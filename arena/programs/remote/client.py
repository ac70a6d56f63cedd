"""The client of a remote bot: connects it to a server, and reconnects after a loss."""

import asyncio
import json
import os
import secrets
import ssl
from collections.abc import Mapping, Sequence
from contextlib import suppress
from time import monotonic
from typing import Any
from urllib.parse import urlsplit

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidStatus, InvalidURI, WebSocketException

from arena.config.document import ConfigError
from arena.config.text import one_line
from arena.programs.remote.bridge import ITEM, Bridge, Tell
from arena.programs.remote.messages import BrokenServer, read_message

_FINAL = (4001, 4003)  # codes of the server: another client plays this bot, or it may no longer play
_SILENCE_S = 8.0  # without a ping, due every two seconds, the connection is lost
_OPEN_TIMEOUT_S = 10.0
_CLOSE_TIMEOUT_S = 1.0
_MAX_MESSAGE = 2**20  # bytes; a game sends much less at once
_MAX_COMING = 4  # unread frames
_MAX_UNSENT = 2**23  # characters for a server that does not read
_VIOLATIONS = (1002, 1007, 1009)  # our close codes if the server breaks the WebSocket protocol
_BACK_OFF_S = (0.25, 15.0)
_SCHEMES = {"http": "ws", "https": "wss", "ws": "ws", "wss": "wss"}
_NOT_VALID = 401
_MAX_REASON = 300  # characters of the server's reason
_PERMANENT = {
    _NOT_VALID: "the token is not valid there (or not any more)",
    403: "no arena server answers at this address",
    404: "no arena server answers at this address",
    421: "the server does not go by this name",
}


def address_of(url: str) -> str:
    """The WebSocket address of the server at `url`.

    Raises:
        ConfigError: `url` is not the address of a server.
    """
    try:
        parts = urlsplit(url)
        is_known = parts.scheme in _SCHEMES and parts.hostname and parts.port != 0
    except ValueError:  # from the port, or an address in brackets
        is_known = False
    if not is_known:
        raise ConfigError(f"{url}: should be the address of a server, such as https://arena.example.org")
    return f"{_SCHEMES[parts.scheme]}://{parts.netloc}{parts.path.rstrip('/')}/connect"


async def play(url: str, token: str, command: Sequence[str], tell: Tell) -> None:
    """Play with the bot that `command` starts, for a server, until cancelled; `tell` gets lines for the user.

    Raises:
        ConfigError: The first connection fails for good, or the server refuses the bot or breaks the
            protocol, or the bot does not start or exits before any answer.
    """
    bridge = Bridge(command, tell)
    try:
        await _Connecting(url, token, bridge, tell).run()
    finally:
        bridge.disconnect()
        await bridge.end_all()


class _Connecting:
    """Keeps a bridge connected to its server."""

    def __init__(self, url: str, token: str, bridge: Bridge, tell: Tell):
        self._url, self._bridge, self._tell = url, bridge, tell
        self._address = address_of(url)
        self._headers = {"Authorization": f"Bearer {token}"}
        self._session = secrets.token_hex(8)
        self._was_connected = False
        self._wait = _BACK_OFF_S[0]

    async def run(self) -> None:
        while True:
            try:
                await self._connect_once()
            except BrokenServer as error:
                raise ConfigError(f"{self._url}: {error}") from None
            except ConnectionClosed as closed:
                received, sent = closed.rcvd, closed.sent
                if not received and sent and sent.code in _VIOLATIONS:
                    raise ConfigError(f"{self._url}: breaks the protocol: {one_line(sent.reason)}") from None
                if received and received.code in _FINAL:
                    raise ConfigError(f"{self._url}: {one_line(received.reason)}") from None
                why = one_line(received.reason) if received and received.reason else "the connection was lost"
            # ValueError: the server redirects to something that is not an address.
            except (OSError, WebSocketException, TimeoutError, ImportError, ValueError) as error:
                self._raise_if_permanent(error)
                why = _reason(error)
            pause = self._wait * (0.5 + secrets.randbelow(500) / 1000)  # clients must not return together
            self._tell(f"{self._url}: {why}; connecting again in {pause:.1f} s")
            self._wait = min(2 * self._wait, _BACK_OFF_S[1])
            await asyncio.sleep(pause)

    async def _connect_once(self) -> None:
        """Connect, and carry messages until the connection ends, always with an error."""
        connection = await connect(
            self._address,
            additional_headers=self._headers,
            open_timeout=_OPEN_TIMEOUT_S,
            ping_interval=None,  # the server pings, and we notice if it does not
            close_timeout=_CLOSE_TIMEOUT_S,
            max_size=_MAX_MESSAGE,
            max_queue=_MAX_COMING,
            compression=None,
        )
        try:
            await connection.send(json.dumps({"session": self._session}))
            await self._carry(connection)
        finally:
            self._bridge.disconnect()
            with suppress(TimeoutError):  # the server does not read
                async with asyncio.timeout(_CLOSE_TIMEOUT_S):
                    await connection.close()
            connection.transport.abort()

    async def _carry(self, connection: ClientConnection) -> None:
        messages = _Messages(self._bridge)
        self._bridge.send = messages.put
        writing = asyncio.create_task(messages.write(connection))
        reading = asyncio.create_task(self._read(connection))
        every = (writing, reading, self._bridge.failure)
        try:
            done, _ = await asyncio.wait(every, return_when=asyncio.FIRST_COMPLETED)
            errors = [error for each in done if (error := each.exception())]
            raise min(errors, key=lambda error: not isinstance(error, ConfigError | BrokenServer))
        finally:
            writing.cancel()
            reading.cancel()

    async def _read(self, connection: ClientConnection) -> None:
        began = monotonic()
        while True:
            # `recv` does not yield while messages are waiting: a flood would keep this client from ending.
            await asyncio.sleep(0)
            async with asyncio.timeout(_SILENCE_S):
                message = read_message(await connection.recv())
            if "ping" in message:
                self._bridge.send({"pong": message["ping"]})
                self._note_connected()
                await self._bridge.end_lost(began)
            else:
                await self._bridge.take(message)

    def _note_connected(self) -> None:
        """Note the server's first ping, which means that it accepts us; the user learns of it once."""
        if self._wait > _BACK_OFF_S[0] or not self._was_connected:
            self._tell(f"{self._url}: connected")
        self._was_connected, self._wait = True, _BACK_OFF_S[0]

    def _raise_if_permanent(self, error: Exception) -> None:
        """Raise ConfigError if retrying is useless after this error."""
        status = error.response.status_code if isinstance(error, InvalidStatus) else 0
        is_permanent = status == _NOT_VALID or not self._was_connected
        may_pass = status == 429 or status >= 500
        if is_permanent and not may_pass:
            raise ConfigError(f"{self._url}: {_reason(error)}") from None


class _Messages:
    """The unsent messages to a server, up to a limit."""

    def __init__(self, bridge: Bridge):
        self._bridge = bridge
        self._texts: asyncio.Queue[str] = asyncio.Queue()
        self._unsent = 0

    def put(self, message: Mapping[str, Any]) -> None:
        text = json.dumps(message)
        self._unsent += len(text) + ITEM
        if self._unsent > _MAX_UNSENT:
            self._bridge.fail(BrokenServer(f"has not read {_MAX_UNSENT // 2**20} MB of our messages"))
        else:
            self._texts.put_nowait(text)

    async def write(self, connection: ClientConnection) -> None:
        with suppress(ConnectionClosed):  # `_read` raises it as well
            while True:
                text = await self._texts.get()
                await connection.send(text)
                self._unsent -= len(text) + ITEM
        await asyncio.Event().wait()


def _reason(error: Exception) -> str:
    match error:
        case InvalidStatus():
            status, said = error.response.status_code, error.response.body or b""
            if status == _NOT_VALID and (text := one_line(said.decode(errors="replace").strip())):
                return text[:_MAX_REASON]
            return _PERMANENT.get(status, f"no arena server answers there (HTTP status {status})")
        case ssl.SSLCertVerificationError():
            return f"its certificate cannot be verified: {error.verify_message}"
        case ssl.SSLError():
            return f"cannot speak TLS: {error.reason or error}"
        case InvalidURI():
            return "leads to something that is not an address"
        case ImportError():  # a SOCKS proxy in the environment
            return one_line(str(error))
        case TimeoutError():
            return "does not answer"
        case OSError():
            number = error.errno or 0  # below 0 for errors of the name resolver
            return f"cannot connect: {os.strerror(number) if number > 0 else error.strerror or error}"
    return "no arena server answers there"
