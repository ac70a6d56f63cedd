"""The checks that every request passes: HTTP, event streams and WebSockets.

Theory of operation. A browser sends requests for *any* page, from inside the user's network and with the
user's cookies. Three headers distinguish our own pages from others:

- `Host` is a name of this server. With DNS rebinding, the name `evil.example` leads to 127.0.0.1 after its
  page has been loaded: for the browser both are one origin, but requests still have `Host: evil.example`.
- `Origin`, if there is one, is ours. Browsers send it with each POST, each WebSocket and each request from
  another origin that a script can read the answer to. So each change, and each WebSocket, needs
  one. Only a program with a bearer token, which no browser sends by itself, may leave it out.
- `Sec-Fetch-Site`, if there is one, says that our page sent the request, or the user, or a link on a page of
  another site that the user followed. Such a link has none of our cookies (SameSite=Strict).

Rates are next (`arena/web/limits.py`). A request with a valid token counts for its holder, any other for its
address. So other people at this address, and the pages that they open, shut no player out. Requests of other
sites are refused before they count.

The body is last. It is read here as a whole with a limit of size and of time, before the application sees the
request. The exception is a file that is sent by PUT. Its length has to be known and within the bound of the
path, and the application gets its parts as they arrive, each in time. Each answer gets the headers that keep
foreign content out of our pages, and our pages out of foreign ones.
"""

import asyncio
import sqlite3
from collections.abc import Awaitable, Callable, MutableMapping, Sequence
from http import HTTPStatus
from time import monotonic
from typing import Any

from starlette.requests import HTTPConnection

from arena.web.address import is_loopback
from arena.web.database import DamagedDatabase
from arena.web.limits import BODY_TIMEOUT_S, MAX_BODY, UPLOAD_PAUSE_S, UPLOAD_TIMEOUT_S, Client
from arena.web.log import log
from arena.web.requests import CLIENT
from arena.web.server import Server
from arena.web.sessions import holder_of
from arena.web.tokens import Holder

_Message = MutableMapping[str, Any]
_Receive = Callable[[], Awaitable[_Message]]
_Send = Callable[[_Message], Awaitable[None]]
_App = Callable[[_Message, _Receive, _Send], Awaitable[None]]

_SAFE = ("GET", "HEAD")
_METHODS = (*_SAFE, "POST")
_UPLOAD = "PUT"  # only where the server takes files
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self';"
    " form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
_HEADERS = {
    b"content-security-policy": _POLICY.encode(),
    b"x-content-type-options": b"nosniff",
    b"referrer-policy": b"no-referrer",
    b"cross-origin-opener-policy": b"same-origin",
    b"cross-origin-resource-policy": b"same-origin",
}
_NOT_STORED = {b"cache-control": b"no-store"}  # unless the answer says something else


class _Refused(Exception):
    """Raised to refuse a request, with the status and the reason."""

    def __init__(self, status: int, why: str):
        self.status, self.why = status, why


class _Headers:
    """The headers of a request, with lower-case names."""

    def __init__(self, scope: _Message):
        self._pairs = [(name.decode("latin-1"), value.decode("latin-1")) for name, value in scope["headers"]]

    def all(self, name: str) -> list[str]:
        return [value for key, value in self._pairs if key == name]

    def one(self, name: str) -> str | None:
        """The value of a header that may come once; None if it is missing.

        Raises:
            _Refused: The header came more than once.
        """
        values = self.all(name)
        if len(values) > 1:
            raise _Refused(400, f"the header {name} came {len(values)} times")
        return values[0].strip() if values else None


class Security:
    """The middleware that checks all requests before the application `app` sees them."""

    def __init__(self, app: _App, server: Server):
        self._app, self._server = app, server
        self._rates = server.rates
        self._has_warned = False

    async def __call__(self, scope: _Message, receive: _Receive, send: _Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        answer = _Answer(scope, send)
        client, began = "?", monotonic()
        try:
            headers = _Headers(scope)
            client = scope[CLIENT] = self._client(scope, headers)
            counted = self._check(scope, headers, client)
            if scope["type"] == "http":
                receive = await self._with_body(scope, headers, receive)
        except _Refused as refusal:
            await self._refuse(answer, refusal)
        else:
            await self._pass_on(scope, receive, answer, counted)
        self._log_answer(scope, answer.status, client, began)

    async def _pass_on(self, scope: _Message, receive: _Receive, answer: "_Answer", client: Client) -> None:
        with self._rates.answering(client) as is_allowed, self._server.connections.answering(scope) as ours:
            if is_allowed or is_loopback(str(client)):
                await self._app(scope, receive, answer.send)
            else:
                await self._refuse(answer, _Refused(429, "too many requests at once"))
        if ours.is_ended:
            await answer.end()

    async def _refuse(self, answer: "_Answer", refusal: _Refused) -> None:
        self._server.counts[f"refused {refusal.status}"] += 1
        await answer.refuse(refusal)

    def _check(self, scope: _Message, headers: _Headers, client: str) -> Client:
        """Check a request from the address `client`; returns the client for which it counts.

        Raises:
            _Refused: The request is refused, with the reason.
        """
        if scope["type"] == "http" and scope["method"] not in (allowed := self._methods(scope["path"])):
            raise _Refused(405, f"the method should be one of {', '.join(allowed)}")
        self._check_host(headers)
        is_write = scope["type"] == "websocket" or scope["method"] not in _SAFE
        self._check_origin(headers, is_write)
        _check_site(headers, is_write)
        kind = "write" if is_write else "read"
        counted = self._holder(scope) or client
        if not self._rates.take(counted, kind):
            raise _Refused(429, "too many requests")
        return counted

    def _holder(self, scope: _Message) -> Holder | None:
        try:
            return holder_of(self._server, HTTPConnection(scope))
        except (sqlite3.Error, DamagedDatabase):  # the application will say that the database cannot be read
            return None

    def _methods(self, path: str) -> Sequence[str]:
        return (*_METHODS, _UPLOAD) if path in self._server.access.uploads else _METHODS

    async def _with_body(self, scope: _Message, headers: _Headers, receive: _Receive) -> _Receive:
        if scope["method"] == _UPLOAD:
            return _with_upload(headers, receive, self._server.access.uploads[scope["path"]])
        return await _with_body(headers, receive)

    def _check_host(self, headers: _Headers) -> None:
        host = headers.one("host")
        if host is None or host.lower() not in self._server.settings.address.hosts:
            raise _Refused(421, "the header Host does not name this server")

    def _check_origin(self, headers: _Headers, is_write: bool) -> None:
        origin = headers.one("origin")
        if origin is None and is_write and headers.one("authorization") is None:
            raise _Refused(403, "the header Origin is missing, and no token in Authorization")
        if origin is not None and origin.lower() not in self._server.settings.address.origins:
            raise _Refused(403, "the header Origin is that of another site")

    def _client(self, scope: _Message, headers: _Headers) -> str:
        """The address of the client. A proxy on this machine names it, last in X-Forwarded-For."""
        peer = str((scope.get("client") or ("?",))[0])
        forwarded, address = headers.all("x-forwarded-for"), self._server.settings.address
        if forwarded and address.is_proxied and is_loopback(peer):
            return forwarded[-1].rpartition(",")[2].strip()[:64]
        if address.is_proxied and headers.all("host") == [address.url.partition("//")[2]]:
            self._warn_of_proxy(peer)
        return peer

    def _warn_of_proxy(self, peer: str) -> None:
        """Log once that all clients of the proxy count as one, because it does not name them."""
        if not self._has_warned:
            self._has_warned = True
            why = "should send X-Forwarded-For, from this machine: without it all its clients count as one"
            log("proxy", client=peer, message=f"the proxy {why}")

    def _log_answer(self, scope: _Message, status: int, client: str, began: float) -> None:
        """Log possible changes, and failures except 429, unless one client causes many."""
        method = scope.get("method", "WEBSOCKET")
        if status == 429:  # a line for each would fill the disk; they are counted
            return
        is_failure = status >= 400
        if is_failure and not self._rates.take(client, "failure"):
            return
        if is_failure or method not in _SAFE:
            seconds = round(monotonic() - began, 3)
            log("request", client=client, method=method, path=scope["path"][:200], status=status, s=seconds)


def _check_site(headers: _Headers, is_write: bool) -> None:
    site = headers.one("sec-fetch-site")
    is_link = headers.one("sec-fetch-mode") == "navigate" and headers.one("sec-fetch-dest") == "document"
    if site not in (None, "same-origin", "none") and (is_write or not is_link):
        raise _Refused(403, "another site asked for it")


def _check_length(headers: _Headers, most: int) -> tuple[str | None, str | None]:
    """The raw headers Content-Length and Transfer-Encoding, each None if it is missing.

    Raises:
        _Refused: They are wrong, or the length is more than `most` bytes.
    """
    length, coding = headers.one("content-length"), headers.one("transfer-encoding")
    if length is not None and coding is not None:  # a proxy may have believed the other one
        raise _Refused(400, "has both Content-Length and Transfer-Encoding")
    if length is not None and not (length.isascii() and length.isdecimal()):
        raise _Refused(400, "the header Content-Length should be a number")
    if length is not None and int(length[:20]) > most:
        raise _Refused(413, f"the body is longer than {most} bytes")
    return length, coding


def _with_upload(headers: _Headers, receive: _Receive, most: int) -> _Receive:
    """A `receive` that gives the application the parts of a file as they arrive.

    Raises:
        _Refused: Content-Length is missing, wrong, or more than `most` bytes. h11 lets no more bytes through
            than it declares.
    """
    length, _ = _check_length(headers, most)
    if length is None:
        raise _Refused(411, "the header Content-Length is missing: send a file, not a stream")
    end = monotonic() + UPLOAD_TIMEOUT_S
    is_complete = False

    async def receive_part() -> _Message:
        nonlocal is_complete
        if is_complete:
            return await receive()  # the end of the connection
        try:
            async with asyncio.timeout(min(UPLOAD_PAUSE_S, end - monotonic())):
                message = await receive()
        except TimeoutError:
            return {"type": "http.disconnect"}
        is_complete = not message.get("more_body")
        return message

    return receive_part


async def _with_body(headers: _Headers, receive: _Receive) -> _Receive:
    """A `receive` that gives the application the whole body at once, then waits for the connection's end.

    Raises:
        _Refused: The body is wrong, too long or too slow.
    """
    if _check_length(headers, MAX_BODY) == (None, None):
        return receive
    try:
        async with asyncio.timeout(BODY_TIMEOUT_S):
            first: _Message | None = await _read_body(receive)
    except TimeoutError:
        raise _Refused(408, f"the body took longer than {BODY_TIMEOUT_S:g} s") from None

    async def receive_again() -> _Message:
        nonlocal first
        message, first = first, None
        return message or await receive()

    return receive_again


async def _read_body(receive: _Receive) -> _Message:
    body = b""
    while True:
        message = await receive()
        if message["type"] != "http.request":
            raise _Refused(400, "the connection was closed before the end of the body")
        body += message.get("body", b"")
        if len(body) > MAX_BODY:
            raise _Refused(413, f"the body is longer than {MAX_BODY} bytes")
        if not message.get("more_body"):
            return {"type": "http.request", "body": body, "more_body": False}


class _Answer:
    """The answer to one request: `send` adds our headers, and notes the status and whether it is complete."""

    def __init__(self, scope: _Message, send: _Send):
        self._scope, self._send = scope, send
        self.status = 0
        self._is_complete = False

    async def send(self, message: _Message) -> None:
        kind = message["type"]
        if kind in ("http.response.start", "websocket.http.response.start"):
            self.status = message["status"]
            given = {name.lower() for name, _ in message.get("headers", ())}
            new = [pair for pair in (_HEADERS | _NOT_STORED).items() if pair[0] not in given]
            message = {**message, "headers": [*message.get("headers", ()), *new]}
        elif kind in ("http.response.body", "websocket.http.response.body"):
            self._is_complete = not message.get("more_body")
        elif kind == "websocket.accept":
            self.status = 101
        elif kind == "websocket.close":
            self.status, self._is_complete = self.status or 403, True
        await self._send(message)

    async def refuse(self, refusal: _Refused) -> None:
        if self._scope["type"] == "websocket":
            await self.send({"type": "websocket.close", "code": 1008, "reason": refusal.why})
            self.status = refusal.status
            return
        text = f"{HTTPStatus(refusal.status).phrase}: {refusal.why}\n".encode()
        headers = [(b"content-type", b"text/plain; charset=utf-8"), (b"content-length", b"%d" % len(text))]
        headers += [(b"connection", b"close")]  # the rest of its body is not read
        if refusal.status == 405:
            headers += [(b"allow", ", ".join(_METHODS).encode())]
        await self.send({"type": "http.response.start", "status": refusal.status, "headers": headers})
        await self.send({"type": "http.response.body", "body": text})

    async def end(self) -> None:
        """Complete an answer that was interrupted because the token of its request was revoked."""
        if self._is_complete:
            return
        if self._scope["type"] == "websocket":
            await self.send({"type": "websocket.close", "code": 1008, "reason": "revoked"})
        elif self.status:
            await self.send({"type": "http.response.body", "body": b""})
        else:
            await self.refuse(_Refused(403, "revoked"))
