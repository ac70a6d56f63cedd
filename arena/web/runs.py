"""The pages of runs, `/runs/NAME` and below, and of the games of people, `/people` and below.

The address of a game, `games/ID` below these, redirects to the viewer, `game#ID`, which loads `games/ID.js`.
"""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import quote
from weakref import WeakKeyDictionary

from markupsafe import Markup
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, RedirectResponse, Response
from starlette.routing import Route

from arena.web.events import last_id
from arena.web.live_games import LiveGames, LivePage
from arena.web.pages import page
from arena.web.reading import Busy
from arena.web.reports import file_of_report, report_folder
from arena.web.run_page import Readers, RunPage, render
from arena.web.server import Server
from arena.web.sessions import is_operator
from arena.web.static_files import drawings

_MOST_WORKERS = 1000  # as `--jobs` allows
_MOST_DIGITS = 12
_LISTED = 50  # games on a page of all games
_KEPT = 64  # scripts of games
_SCRIPT = {"content-type": "text/javascript; charset=utf-8", "cache-control": "private, max-age=3600"}


class _Runs:
    """The runs of a server, their pages, and the processes that read them."""

    def __init__(self, server: Server):
        self._server = server
        self._readers = Readers()
        self._pages: dict[tuple[str, bool], RunPage] = {}  # the operator has its own
        self._live: dict[tuple[str, bool, int], LivePage] = {}
        self._scripts: dict[tuple[str, ...], dict[str, Any]] = {}

    async def close(self) -> None:
        for run in self._pages.values():
            run.close()
        for game in self._live.values():
            game.close()
        await self._readers.close()

    def find(self, name: str, request: Request | None = None) -> tuple[Path, bool]:
        """The file of a run, and whether only the operator sees it.

        HTTPException: there is no such run, or the visitor who sends `request` may not see it. Without a
        request only public runs are found.
        """
        if path := self._server.run_files().get(name):
            return path, False
        path = self._server.run_files(for_operator=True).get(name)
        if path and request and is_operator(self._server, request):
            return path, True
        raise HTTPException(404, "There is no such run.")

    def path(self, request: Request) -> Path:
        """The file of the run that a request names. HTTPException: none that this visitor may see."""
        return self.find(request.path_params["run"], request)[0]

    def page(self, name: str, request: Request | None = None) -> RunPage:
        path, is_reserved = self.find(name, request)
        if (name, is_reserved) not in self._pages:
            report = report_folder(self._server.folder, path)
            streams, aliases = self._server.streams, self._server.aliases
            served = partial(self._is_served, name, is_reserved)
            made = RunPage(streams, self._readers, path, _address(name), report, aliases, served)
            self._pages[name, is_reserved] = made
        return self._pages[name, is_reserved]

    def live(self, name: str, number: int, request: Request) -> LivePage:
        """The page of the game that a worker plays, also if it plays none now. HTTPException: as `find`."""
        path, is_reserved = self.find(name, request)
        if (name, is_reserved, number) not in self._live:
            served = partial(self._is_served, name, is_reserved)
            made = LivePage(self._server.streams, LiveGames(path), number, served)
            self._live[name, is_reserved, number] = made
        return self._live[name, is_reserved, number]

    def _is_served(self, name: str, for_operator: bool) -> bool:
        return name in self._server.run_files(for_operator)

    async def game(self, path: Path, id: str) -> dict[str, Any]:
        """The `script` of a game, or `refused` or `missing` (`run_views.game`). HTTPException: it failed."""
        aliases = self._server.aliases()
        key = (str(path), id, *aliases)
        known = self._scripts.get(key) if path.is_file() else {"missing": True}
        if known is None:
            known = await self._ask("game", str(path), id, aliases)
            if "script" in known:
                self._scripts[key] = known
            if len(self._scripts) > _KEPT:
                del self._scripts[next(iter(self._scripts))]
        return known

    async def games(self, path: Path, address: str, before: int | None) -> dict[str, Any]:
        if not path.is_file():  # no game of people is over
            return {"html": render("games.html", table=None), "more": None}
        return await self._ask("games", str(path), address, _LISTED, before, self._server.aliases())

    async def _ask(self, function: str, *arguments: Any) -> dict[str, Any]:
        try:
            found = await self._readers.games.ask(function, *arguments)
        except Busy:
            raise HTTPException(503, "Too many visitors ask for games; try again.") from None
        if "error" in found:
            raise HTTPException(500, found["error"])
        return found


_RUNS: WeakKeyDictionary[Server, _Runs] = WeakKeyDictionary()


def _runs_of(server: Server) -> _Runs:
    if server not in _RUNS:
        _RUNS[server] = _Runs(server)
    return _RUNS[server]


def run_page(server: Server, name: str) -> RunPage:
    """The page of a run, for pages that show a part of it. HTTPException: the run is not public now."""
    return _runs_of(server).page(name)


@asynccontextmanager
async def running(server: Server) -> AsyncIterator[None]:
    try:
        yield
    finally:
        await _runs_of(server).close()


def _worker(request: Request) -> int:
    """The number of the worker that the address names. HTTPException: it cannot be one."""
    number = _number(request.path_params["number"])
    if number is None or number >= _MOST_WORKERS:
        raise HTTPException(404, "There is no such table.")
    return number


def _number(text: str) -> int | None:
    return int(text) if text.isascii() and text.isdecimal() and len(text) <= _MOST_DIGITS else None


def _address(name: str) -> str:
    return f"/runs/{quote(name, safe='')}"


def routes(server: Server) -> list[Route]:
    runs = _runs_of(server)
    people = server.folder / "people.db"

    async def run(request: Request) -> Response:
        name = request.path_params["run"]
        parts = await runs.page(name, request).html()
        return page("run.html", name, parts=parts, address=_address(name))

    async def standings(request: Request) -> Response:
        return JSONResponse(await runs.page(request.path_params["run"], request).standings())

    async def run_events(request: Request) -> Response:
        return runs.page(request.path_params["run"], request).listen(last_id(request))

    async def live(request: Request) -> Response:
        name, number = request.path_params["run"], _worker(request)
        runs.path(request)
        return page("live.html", f"Table {number + 1}", address=_address(name), run=name, drawings=drawings())

    async def live_events(request: Request) -> Response:
        return runs.live(request.path_params["run"], _worker(request), request).listen()

    async def report(request: Request) -> Response:
        folder = report_folder(server.folder, runs.path(request))
        if path := file_of_report(folder, request.path_params["file"]):
            return FileResponse(path, headers={"cache-control": "no-cache"})
        raise HTTPException(404, "There is no such page.")

    def of_run(request: Request) -> tuple[Path, str]:
        return runs.path(request), _address(request.path_params["run"])

    below = "/runs/{run}"
    return [
        Route(below, run),
        Route(f"{below}/events", run_events),
        Route(f"{below}/standings.json", standings),
        Route(f"{below}/live/{{number}}", live),
        Route(f"{below}/live/{{number}}/events", live_events),
        Route(f"{below}/report/{{file:path}}", report),
        *_routes_of_games(runs, below, of_run, "All games"),
        Route("/people", partial(_list, runs, lambda request: (people, "/people"), "Games of people")),
        *_routes_of_games(runs, "/people", lambda request: (people, "/people"), "Games of people"),
    ]


_Of = Callable[[Request], tuple[Path, str]]  # the file with the games, and the address above theirs


def _routes_of_games(runs: _Runs, below: str, of: _Of, title: str) -> list[Route]:
    """The routes, below the path `below`, of the list of games, of each game and its script, and the viewer.

    `of` gives the file of a request and the address above its games.
    """

    async def script(request: Request) -> Response:
        found = await runs.game(of(request)[0], request.path_params["id"])
        if "script" in found:
            return Response(found["script"], headers=_SCRIPT)
        raise HTTPException(404, found.get("refused"))

    async def game(request: Request) -> Response:
        path, address = of(request)
        id = request.path_params["id"]
        found = await runs.game(path, id)
        if "script" in found:
            return RedirectResponse(f"{address}/game#{id}", 303)
        if "refused" in found:
            return page(
                "closed.html", "A game that is not shown yet", 404, why=found["refused"], address=address
            )
        raise HTTPException(404, "There is no such game.")

    async def viewer(request: Request) -> Response:
        return page("game.html", "Game", address=of(request)[1], drawings=drawings())

    handlers: dict[str, Callable[[Request], Awaitable[Response]]] = {
        "games": partial(_list, runs, of, title),
        "games/{id}.js": script,
        "games/{id}": game,
        "game": viewer,
    }
    return [Route(f"{below}/{path}", handler) for path, handler in handlers.items()]


async def _list(runs: _Runs, of: _Of, title: str, request: Request) -> Response:
    path, address = of(request)
    found = await runs.games(path, address, _number(request.query_params.get("before", "")))
    context = {"games": Markup(found["html"]), "more": found["more"], "address": address}
    return page("run_games.html", title, **context)
