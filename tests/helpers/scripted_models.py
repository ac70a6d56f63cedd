"""A server of a model that answers by a script: one step for each request, good or bad."""

import json
import ssl
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

KEY = 'sk-canary/"0123456789+abcdef'
"""A key with characters that JSON and URLs write in another way."""

CERTIFICATE = Path(__file__).with_name("localhost.pem")
"""With its key: for 127.0.0.1, and signed by itself."""


class Handler(BaseHTTPRequestHandler):
    """One request. A step gets it, and may use these methods."""

    server: "ScriptedServer"

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.requests.append((self.path, dict(self.headers), body))
        step = self.server.next_step(body)
        with suppress(OSError):  # the client may have enough
            step(self)

    do_GET = do_POST

    def begin(self, status: int = 200, kind: str = "text/event-stream", **headers: str) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()

    def event(self, values: object) -> None:
        text = values if isinstance(values, str) else json.dumps(values)
        self.wfile.write(f"data: {text}\n\n".encode())

    def wait(self) -> None:
        """Wait until the client closes the connection."""
        self.connection.recv(1)

    def log_message(self, format: str, *args: object) -> None:
        """Nothing is logged."""


Step = Callable[[Handler], None]


class ScriptedServer(ThreadingHTTPServer):
    """Follows `steps`, and then `last` for ever."""

    daemon_threads = True

    def __init__(self, steps: Sequence[Step], last: Step | None = None, tls: bool = False):
        super().__init__(("127.0.0.1", 0), Handler)
        self._scheme = "https" if tls else "http"
        if tls:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(CERTIFICATE)
            self.socket = context.wrap_socket(self.socket, server_side=True)
        self.requests: list[tuple[str, dict[str, str], dict[str, Any]]] = []
        self._steps, self._last = [*steps], last

    @property
    def at(self) -> str:
        return f"{self._scheme}://127.0.0.1:{self.server_port}/v1"

    def next_step(self, body: dict[str, Any]) -> Step:
        if self._steps:
            return self._steps.pop(0)
        assert self._last, "more requests than steps"
        return self._last

    def handle_error(self, request: object, client_address: object) -> None:
        """A client may close the connection at any time."""


@contextmanager
def scripted(*steps: Step, last: Step | None = None, tls: bool = False) -> Iterator[ScriptedServer]:
    """A server at a free port of this machine."""
    with ScriptedServer(steps, last, tls) as server:
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()


# Steps


def delta(content: str | None = None, finish: str | None = None, **more: object) -> dict[str, Any]:
    """An event of a stream."""
    said = {**({} if content is None else {"content": content}), **more}
    return {"model": "m-2026", "choices": [{"index": 0, "delta": said, "finish_reason": finish}]}


USAGE = {
    "prompt_tokens": 100,
    "completion_tokens": 20,
    "prompt_tokens_details": {"cached_tokens": 60},
    "completion_tokens_details": {"reasoning_tokens": 5},
}


def say(text: str, finish: str = "stop", usage: object = USAGE, **more: object) -> Step:
    """A good stream, in two parts."""

    def step(handler: Handler) -> None:
        handler.begin()
        half = len(text) // 2
        handler.event(delta(text[:half], **more))
        handler.event(delta(text[half:]))
        handler.event(delta(finish=finish))
        handler.event({"choices": [], "usage": usage, "system_fingerprint": "fp1"})
        handler.event("[DONE]")

    return step


def answer(word: object) -> Step:
    """A good answer."""
    return say(json.dumps({"thoughts": "why not", "answer": word}))


def first_option(handler: Handler) -> None:
    """The first option of the prompt, by its schema."""
    body = handler.server.requests[-1][2]
    schema = body["response_format"]["json_schema"]["schema"]
    answer(schema["properties"]["answer"]["enum"][0])(handler)


def whole(values: object, kind: str = "application/json", status: int = 200, **headers: str) -> Step:
    """One body instead of a stream."""
    text = values if isinstance(values, str) else json.dumps(values)

    def step(handler: Handler) -> None:
        handler.begin(status, kind, **headers)
        handler.wfile.write(text.encode())

    return step


def status(code: int, message: str = "no", **headers: str) -> Step:
    return whole({"error": {"message": message}}, status=code, **headers)


def events(*parts: object, waits: bool = False) -> Step:
    """A stream of these events, which ends or waits for ever."""

    def step(handler: Handler) -> None:
        handler.begin()
        for part in parts:
            handler.event(part)
        if waits:
            handler.wait()

    return step


def silence(handler: Handler) -> None:
    """Says nothing at all."""
    handler.wait()


def ten_megabytes(handler: Handler) -> None:
    """A stream without an end, in effect."""
    handler.begin()
    for _ in range(160):
        handler.event(delta("x" * 2**16))


def raw(data: bytes) -> Step:
    """These bytes, whatever they are."""
    return lambda handler: handler.wfile.write(data) and None


cut_headers = raw(b"HTTP/1.1 200 OK\r\nContent-Ty")
