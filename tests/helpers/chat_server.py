"""A server with the chat API that plays the last of the options that it is told, on loopback."""

import json
import re
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Answer = Callable[[int, dict[str, Any]], str]
"""The text of the reply to a request, given how many there were before it and its body."""


def last_option(number: int, body: dict[str, Any]) -> str:
    """The JSON of an answer: the last of the options of the last message that lists some."""
    text = next(
        each["content"] for each in reversed(body["messages"]) if "Answer with one of" in each["content"]
    )
    listed = text.partition("Answer with one of:")[2]
    words = re.findall(r"^- (?!or )([^:\n]+)", listed, re.MULTILINE) or listed.splitlines()[0].split()
    return json.dumps({"thoughts": f"call {number} <b>", "answer": words[-1].strip()})


class ChatServer:
    """The requests so far (`bodies`, and the keys that came with them), and where it listens."""

    def __init__(self, answer: Answer):
        self.bodies: list[dict[str, Any]] = []
        self.keys: set[str] = set()
        lock, server = threading.Lock(), self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                with lock:
                    number = len(server.bodies)
                    server.bodies.append(body)
                    server.keys.add(self.headers.get("Authorization", ""))
                parts = [
                    {
                        "choices": [{"index": 0, "delta": {"content": answer(number, body)}}],
                        "model": "chat-1",
                    },
                    {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]},
                    {"choices": [], "usage": {"prompt_tokens": 1000, "completion_tokens": 100}},
                ]
                data = "".join(f"data: {json.dumps(part)}\n\n" for part in parts) + "data: [DONE]\n\n"
                self.send_response(200)
                self.send_header("Content-Type", "text/event-stream")
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data.encode())

            def log_message(self, format: str, *arguments: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True)
        self._thread.start()

    @property
    def host(self) -> str:
        return f"127.0.0.1:{self._server.server_address[1]}"

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


@contextmanager
def chat_server(answer: Answer = last_option) -> Iterator[ChatServer]:
    server = ChatServer(answer)
    try:
        yield server
    finally:
        server.close()
