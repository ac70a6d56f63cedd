"""One request to the server of a model, and its reply or failure.

Theory of operation
-------------------
A failing server and a slow model must be told apart. The model's clock starts when the request was *sent
whole*. From then on the model may be thinking, and the server may count its tokens, long before the status
line arrives. If the move limit passes after that, the bytes received so far are the reply, and it is late.
Any other error is a `Failure` of the server, and the call may be repeated: no connection, an unread request,
a status such as 503, half a reply. A reply is cut off at the size limit.

A failed request that was sent whole *may be billed*, unless its status shows that no model worked on it.

The request goes only to the address in the plan: the client follows no redirect and uses no proxy. It
verifies the certificate; without TLS the peer must be this machine. Every text of the server, in its body or
in an error, passes `Secret.redact` before it leaves this module.
"""

import socket
import ssl
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from email.utils import parsedate_to_datetime
from http.client import HTTPConnection, HTTPException, HTTPResponse, HTTPSConnection
from threading import Timer
from time import monotonic, time
from urllib.parse import urlsplit

import arena
from arena.config.text import one_line
from arena.models.calls import LATE, TOO_LONG, EndpointRefused, ModelReply
from arena.models.completion import Completion, NoCompletion, error_text
from arena.models.secret import Secret
from arena.models.spec import ModelSpec, address_problem, is_loopback

_MAX_BODY = 4 * 2**20
_MAX_ERROR = 2**16
_MAX_SAID = 300  # characters of a server's error text
_CHUNK = 2**16
_SEND_S = 30.0  # to connect, and again to send the request
_GUARD_S = 1.0  # after a limit: a server may send its headers byte by byte
_BUSY = frozenset((408, 409, 425, 429))  # and every status from 500
_LOST_BEHIND = frozenset((502, 504, 520, 524))  # a gateway lost the answer of the server behind it
_CUT = "the connection was lost in the middle of an answer"
_BROKEN = (OSError, HTTPException, ValueError)  # http.client raises ValueError for a bad chunk size


class Failure(Exception):
    """Raised if the server failed and may answer the same request later.

    The message begins with the host.
    """

    def __init__(self, reason: str, retry_after: float | None = None, may_be_billed: bool = False):
        super().__init__(reason)
        self.retry_after = retry_after  # seconds, as requested by the server
        self.may_be_billed = may_be_billed

    @property
    def brief(self) -> str:
        """The reason in a few words, such as `status 503`, without the host and the server's text."""
        return str(self).split(": ")[1]


class RequestRefused(Exception):
    """Raised if the server rejects the request (400, 422). The message contains its complaint."""


class Exchange:
    """One request. `limit_s` is the model's time, from the sent request to the end of the reply."""

    def __init__(
        self,
        spec: ModelSpec,
        secret: Secret,
        body: bytes,
        limit_s: float,
        clock: Callable[[], float] = monotonic,
    ):
        self._spec, self._secret, self._body, self._clock = spec, secret, body, clock
        self._limit_s = limit_s
        self._connection: HTTPConnection | None = None
        self._socket: socket.socket | None = None
        self._response: HTTPResponse | None = None
        self._completion = Completion()
        self._sent: float | None = None  # when the request was sent whole
        self._limit_passed = False

    def run(self) -> ModelReply:
        """Send the request and return the reply, which may be cut off (see its `finish`).

        Raises:
            Failure: The server failed.
            RequestRefused: The server rejects the request.
            EndpointRefused: Waiting cannot help.
        """
        try:
            self._send()
            self._sent = self._clock()
            with _guard(max(0.0, self._limit_s) + _GUARD_S, self._end_at_limit):
                return self._receive()
        except ssl.SSLCertVerificationError as error:
            raise EndpointRefused(self._say(f"has a bad certificate: {error.verify_message}")) from None
        except (NoCompletion, *_BROKEN) as error:
            was_sent = self._sent is not None
            if was_sent and (self._limit_passed or isinstance(error, TimeoutError)):
                return self._reply(LATE)
            raise Failure(self._say(_describe(error)), may_be_billed=was_sent) from None
        finally:
            self._close()

    def cancel(self) -> None:
        """End `run` by shutting the connection down, if it is open; called from any thread."""
        if self._socket:
            with suppress(OSError):
                # The `shutdown` of TLS is not for another thread: `run` may be using the connection.
                socket.socket.shutdown(self._socket, socket.SHUT_RDWR)

    def _close(self) -> None:
        for each in (self._response, self._connection, self._socket):
            if each:
                each.close()

    def _end_at_limit(self) -> None:
        self._limit_passed = True
        self.cancel()

    def _receive(self) -> ModelReply:
        assert self._connection
        self._set_timeout()
        response = self._response = self._connection.getresponse()
        if response.status != 200:
            return self._read_error(response)
        kind = response.headers.get_content_type()
        if kind == "text/event-stream":
            return self._read_events(response)
        if "json" not in kind:
            raise NoCompletion(f"sent {kind}, which is not a chat completion")
        return self._read_whole(response)

    def _send(self) -> None:
        """Connect and send the whole request.

        Raises:
            TimeoutError: The server reads it too slowly.
        """
        if problem := address_problem(self._spec.at):
            raise EndpointRefused(f"{self._spec.at} {problem}")
        parts = urlsplit(self._spec.at)
        host, port = parts.hostname or "", parts.port
        connection: HTTPConnection
        if parts.scheme == "https":
            connection = HTTPSConnection(host, port, timeout=_SEND_S, context=ssl.create_default_context())
        else:
            connection = HTTPConnection(host, port, timeout=_SEND_S)
        self._connection = connection
        connection.connect()
        self._socket = connection.sock
        if parts.scheme == "http" and not is_loopback(self._socket.getpeername()[0]):
            raise EndpointRefused(self._say("is another machine, and http is only for this one"))
        with _guard(_SEND_S + _GUARD_S, self.cancel):
            connection.putrequest("POST", self._spec.path, skip_accept_encoding=True)
            if self._secret:
                connection.putheader("Authorization", f"Bearer {self._secret.reveal()}")
            for name, value in self._headers().items():
                connection.putheader(name, value)
            connection.endheaders(self._body)

    def _headers(self) -> dict[str, str]:
        return {
            "Content-Type": "application/json",
            "Content-Length": str(len(self._body)),
            "Accept": "text/event-stream, application/json",
            "Accept-Encoding": "identity",
            "Connection": "close",
            "User-Agent": f"arena/{arena.__version__}",
        }

    # The reply

    def _set_timeout(self) -> None:
        """Let the next read end at the limit.

        Raises:
            TimeoutError: The limit has passed.
        """
        assert self._sent is not None
        left = self._sent + self._limit_s - self._clock()
        if left <= 0:
            raise TimeoutError
        assert self._socket
        self._socket.settimeout(left)

    def _read(self, response: HTTPResponse) -> bytes:
        """Some bytes of the body; none at its end.

        Raises:
            TimeoutError: The limit has passed.
        """
        self._set_timeout()
        return response.read1(_CHUNK)

    def _read_events(self, response: HTTPResponse) -> ModelReply:
        completion, rest, size = self._completion, b"", 0
        while not completion.is_done and (data := self._read(response)):
            size += len(data)
            if size > _MAX_BODY:
                return self._reply(TOO_LONG)
            *lines, rest = (rest + data).split(b"\n")
            for line in lines:
                completion.add_line(line)
        if not completion.is_complete:
            completion.add_line(rest)  # the last line may lack its newline
        if not completion.is_complete:
            raise NoCompletion(_CUT)
        return self._reply()

    def _read_whole(self, response: HTTPResponse) -> ModelReply:
        read = b""
        while data := self._read(response):
            read += data
            if len(read) > _MAX_BODY:
                return self._reply(TOO_LONG)
        if response.length:  # the server announced more
            raise NoCompletion(_CUT)
        self._completion.add_json(read.decode(errors="replace"))
        return self._reply()

    def _reply(self, finish: str = "") -> ModelReply:
        assert self._sent is not None
        return self._completion.reply(self._secret, self._clock() - self._sent, finish)

    def _read_error(self, response: HTTPResponse) -> ModelReply:
        """Raise the error for a status other than 200, or return a reply if a filter refuses the content."""
        status = response.status
        if 300 <= status < 400:
            raise EndpointRefused(self._say(f"redirects ({status}), which is not followed"))
        said = self._said(response)
        found = self._secret.redact(error_text(said))  # again: JSON may have escaped each character
        reason = f"status {status}" + (f": {found}" if found else "")
        if status in _BUSY or status >= 500 or status < 300:
            if "insufficient_quota" in said:
                raise EndpointRefused(self._say(reason))
            retry_after = _seconds(response.headers.get("Retry-After", ""))
            raise Failure(self._say(reason), retry_after, may_be_billed=status in _LOST_BEHIND)
        if status == 400 and "content_filter" in said:
            return self._reply("content_filter")
        if status in (400, 422):
            raise RequestRefused(self._say(f"status {status}: {found or said[:_MAX_SAID]}"))
        raise EndpointRefused(self._say(reason))

    def _said(self, response: HTTPResponse) -> str:
        """The body of an error without the API key; "" if it cannot be read."""
        # In one expression, because a traceback may show variables: none must contain the key.
        with suppress(*_BROKEN):
            return self._secret.redact(response.read(_MAX_ERROR).decode(errors="replace"))
        return ""

    def _say(self, text: str) -> str:
        """A text with the host before it, safe to show: without the API key, in one line, and cut."""
        clean = one_line(self._secret.redact(text))
        return f"{self._spec.host}: {clean[:_MAX_SAID]}"


@contextmanager
def _guard(seconds: float, end: Callable[[], None]) -> Iterator[None]:
    """Call `end`, in another thread, if the block takes longer.

    The timeout of a socket covers one read or write: a server that sends a byte now and then never exceeds
    it.
    """
    guard = Timer(seconds, end)
    guard.daemon = True
    guard.start()
    try:
        yield
    finally:
        guard.cancel()


def _describe(error: Exception) -> str:
    if isinstance(error, TimeoutError):
        return "did not read the request in time"
    if isinstance(error, HTTPException):
        return f"sent no HTTP ({type(error).__name__})"
    return getattr(error, "strerror", None) or str(error) or type(error).__name__


def _seconds(retry_after: str) -> float | None:
    """The seconds to wait by a Retry-After header, a number or a date; None if the header is invalid."""
    text = retry_after.strip()
    with suppress(ValueError, OverflowError):
        return max(0.0, min(float(text), 1e6))
    with suppress(ValueError, TypeError, OverflowError):
        return max(0.0, parsedate_to_datetime(text).timestamp() - time())
    return None
