"""Requests to an ASGI application without a network: what the server would pass on, byte for byte."""

import asyncio
import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from arena.web.address import address_of
from arena.web.app import create_app
from arena.web.server import Server
from arena.web.settings import ServerSettings

App = Any  # what is called with a scope, `receive` and `send`
PORT = 8080
HOST = f"127.0.0.1:{PORT}"
ORIGIN = f"http://{HOST}"


def server_for(folder: Path, runs: Path | None = None, guests: int = 4, url: str | None = None) -> Server:
    """A server whose state is in `folder`, as the web process makes it."""
    folder.mkdir(exist_ok=True)
    address = address_of("127.0.0.1", PORT, url)
    return Server(ServerSettings(folder, folder, runs or folder, address, socket=-1, lock=-1, guests=guests))


@dataclass
class Answer:
    status: int = 0
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes = b""

    def json(self) -> Any:
        return json.loads(self.body)


def get(app: App, path: str, **headers: str) -> Answer:
    return request(app, "GET", path, headers=headers)


def post(app: App, path: str, data: object, **headers: str) -> Answer:
    """A POST of JSON, as a script of one of our pages sends it."""
    return request(app, "POST", path, json.dumps(data).encode(), {"origin": ORIGIN, **headers})


def request(
    app: App, method: str, path: str, body: bytes = b"", headers: dict[str, str] | None = None
) -> Answer:
    """The whole answer to one request; `_` in the name of a header is `-`."""
    return asyncio.run(answer(app, method, path, body, headers))


async def answer(
    app: App, method: str, path: str, body: bytes = b"", headers: dict[str, str] | None = None
) -> Answer:
    found = Answer()
    messages = [{"type": "http.request", "body": body, "more_body": False}]

    async def receive() -> dict[str, Any]:
        return messages.pop(0) if messages else {"type": "http.disconnect"}

    async def send(message: Any) -> None:
        if message["type"] == "http.response.start":
            found.status = message["status"]
            found.headers = {key.decode(): value.decode() for key, value in message["headers"]}
        else:
            found.body += message.get("body", b"")

    await app(scope_of(method, path, headers), receive, send)
    return found


def scope_of(method: str, path: str, headers: dict[str, str] | None = None) -> dict[str, Any]:
    path, _, query = path.partition("?")
    sent = {"host": HOST, "content-type": "application/json"} | (headers or {})
    return {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": method,
        "scheme": "http",
        "path": unquote(path),
        "raw_path": path.encode(),
        "query_string": query.encode(),
        "root_path": "",
        "headers": [(key.replace("_", "-").encode(), value.encode()) for key, value in sent.items()],
        "client": ("127.0.0.1", 40000),
        "server": ("127.0.0.1", PORT),
        "state": {},
    }


def app_for(folder: Path, **options: Any) -> App:
    return create_app(server_for(folder, **options))
