"""The first page, and the health of the server."""

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from arena.web.pages import page
from arena.web.server import Server


def routes(server: Server) -> list[Route]:
    async def home(request: Request) -> Response:
        return page("home.html", "Arena", runs=list(server.run_files()))

    async def healthz(request: Request) -> Response:
        return JSONResponse({"ok": True})

    return [Route("/", home), Route("/healthz", healthz)]
