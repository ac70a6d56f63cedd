"""The application of the web process: the routes of its modules, behind the checks of `security`."""

import sqlite3
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute

from arena.web import connect, games, home, operator, runs, seats, static_files, wheel
from arena.web.database import DamagedDatabase
from arena.web.log import log
from arena.web.pages import page
from arena.web.security import Security
from arena.web.server import Server

_ROUTES = [
    *connect.ROUTES,
    *games.ROUTES,
    *home.ROUTES,
    *operator.ROUTES,
    *runs.ROUTES,
    *seats.ROUTES,
    *static_files.ROUTES,
    *wheel.ROUTES,
]


def create_app(server: Server, routes: Sequence[BaseRoute] = ()) -> Security:
    """The application. `routes` come before ours and may replace them."""
    handlers = {
        HTTPException: _show_error,
        sqlite3.OperationalError: _show_failure,
        DamagedDatabase: _show_failure,
    }
    app = Starlette(routes=[*routes, *_ROUTES], lifespan=_lifespan, exception_handlers=handlers)
    app.state.server = server
    return Security(app, server)


@asynccontextmanager
async def _lifespan(app: Starlette) -> AsyncIterator[Mapping[str, object]]:
    """Listen for games, and give the connections their common state (`BoundedProtocol`)."""
    server: Server = app.state.server
    settings = server.settings
    async with connect.listen(server.remotes, settings.bots_path), server.gate.listen(settings.gate_path):
        try:
            yield {"counts": server.counts}
        finally:
            await server.runs.close()


async def _show_failure(request: Request, error: Exception) -> Response:
    """Answer 503: the database is damaged, cannot be written, or was busy. A later try may succeed."""
    log("error", path=request.url.path, message=str(error))
    why = "its database is damaged" if isinstance(error, DamagedDatabase) else error
    return await _show_error(request, HTTPException(503, f"The server cannot do this now: {why}."))


async def _show_error(request: Request, error: Exception) -> Response:
    """The answer to a request that fails: a page for a browser that opens one, or else JSON with `error`."""
    assert isinstance(error, HTTPException)
    if request.method in ("GET", "HEAD") and "text/html" in request.headers.get("accept", ""):
        title = "No such page" if error.status_code == 404 else "Not possible"
        return page(request, "error.html", title, error.status_code, why=error.detail)
    return JSONResponse({"error": error.detail}, error.status_code, error.headers)
