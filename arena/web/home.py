"""The first page, which is at /play if a server has another first page; and the health of the server."""

import sqlite3

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

import arena
from arena.web.disk import FULL, has_room
from arena.web.live_games import LiveGames
from arena.web.pages import page
from arena.web.server import server_of
from arena.web.sessions import is_operator


async def _home(request: Request) -> Response:
    server = server_of(request)
    operator = is_operator(server, request)
    runs = {name: LiveGames(path).progress() for name, path in server.runs.files().items()}
    return page(request, "home.html", "Arena", runs=runs, is_operator=operator)


async def _healthz(request: Request) -> Response:
    """The answer to checks of health: 503 if the server cannot read its database or the disk is full."""
    server = server_of(request)
    try:
        server.database.rows("SELECT 1 FROM token LIMIT 1")
    except sqlite3.Error as error:
        return JSONResponse({"ok": False, "error": f"server.db: {error}"}, 503)
    if not has_room(server.folder):
        return JSONResponse({"ok": False, "error": FULL}, 503)
    return JSONResponse({"ok": True, "arena": arena.__version__, "counts": dict(server.counts)})


ROUTES = [Route("/", _home), Route("/play", _home), Route("/healthz", _healthz)]
