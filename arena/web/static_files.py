"""The style, the scripts and the drawings of the pages: `/static/NAME`.

They are read from the packages and found by name: no path of a request is ever used as a path on the disk.
"""

import mimetypes
from collections.abc import Iterator
from functools import cache
from hashlib import sha256
from importlib.resources import files
from typing import NamedTuple

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from arena.games import folder_of, loadable
from arena.show.tables.page import style
from arena.web.server import server_of

_SHARED = "arena.show.pages"  # with a folder `static`, like the packages of a site


class _File(NamedTuple):
    content: bytes
    kind: str
    tag: str


async def _serve(request: Request) -> Response:
    file = _static_files(*server_of(request).site.packages).get(request.path_params["name"])
    if not file:
        return Response("no such file\n", 404, media_type="text/plain")
    headers = {"etag": file.tag, "cache-control": "no-cache"}
    if request.headers.get("if-none-match") == file.tag:
        return Response(status_code=304, headers=headers)
    return Response(file.content, headers=headers, media_type=file.kind)


def drawings() -> list[str]:
    """The names of the files (`GAME.css`, `GAME.js`) that draw tables, in the order that pages need."""
    return [name for name, _ in _drawing_files()]


@cache
def _static_files(*packages: str) -> dict[str, _File]:
    found = dict(_drawing_files())
    for package in (*packages, _SHARED):
        found |= {each.name: each.read_bytes() for each in (files(package) / "static").iterdir()}
    found["style.css"] = style().encode()
    return {name: _file(name, content) for name, content in found.items()}


def _file(name: str, content: bytes) -> _File:
    kind = mimetypes.guess_type(name)[0] or "application/octet-stream"
    return _File(content, kind, f'"{sha256(content).hexdigest()[:20]}"')


def _drawing_files() -> Iterator[tuple[str, bytes]]:
    games, _ = loadable()
    for game in games:
        folder = folder_of(game)
        paths = [folder / f"{game.name}{suffix}" for suffix in (".css", ".js")] if folder else []
        yield from ((path.name, path.read_bytes()) for path in paths if path.is_file())


ROUTES = [Route("/static/{name}", _serve)]
