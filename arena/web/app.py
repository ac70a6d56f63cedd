"""The application of the web process: the routes of its modules, behind the checks of `security`."""

import sqlite3
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from types import ModuleType

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from arena.web import connect, games, gate, home, operator, runs, seats, static_files, wheel
from arena.web.database import DamagedDatabase
from arena.web.log import log
from arena.web.pages import WebSite, page, use_site
from arena.web.security import Security
from arena.web.server import Server

_MODULES = (connect, games, gate, home, operator, runs, seats, static_files, wheel)


def create_app(
    server: Server, more_modules: Sequence[ModuleType] = (), site: WebSite | None = None
) -> Security:
    """The application. A module may have `routes(server)`, a list, and `running(server)`, an async context.

    This context is entered when the web process starts, and left when it stops. The routes of `more_modules`
    come first, so that they may replace ours. All pages are made for the `site`; None: for `WebSite()`.
    """
    modules = (*more_modules, *_MODULES)
    use_site(site or WebSite())

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        async with AsyncExitStack() as stack:
            for module in modules:
                if hasattr(module, "running"):
                    await stack.enter_async_context(module.running(server))
            yield

    routes = [route for module in modules if hasattr(module, "routes") for route in module.routes(server)]
    handlers = {
        HTTPException: _show_error,
        sqlite3.OperationalError: _show_failure,
        DamagedDatabase: _show_failure,
    }
    return Security(Starlette(routes=routes, lifespan=lifespan, exception_handlers=handlers), server)


async def _show_failure(request: Request, error: Exception) -> Response:
    """Answer 503: the database is damaged, cannot be written, or was busy. A later try may succeed."""
    log("error", path=request.url.path, message=str(error))
    why = "its database is damaged" if isinstance(error, DamagedDatabase) else error
    return await _show_error(request, HTTPException(503, f"The server cannot do this now: {why}."))


async def _show_error(request: Request, error: Exception) -> Response:
    """The answer to a request that fails: a page for a browser that opens one, or else JSON with `error`."""
    assert isinstance(error, HTTPException)
    if request.method in ("GET", "HEAD") and "text/html" in request.headers.get("accept", ""):
        return page(
            "error.html",
            "No such page" if error.status_code == 404 else "Not possible",
            error.status_code,
            why=error.detail,
        )
    return JSONResponse({"error": error.detail}, error.status_code, error.headers)
