"""The pages of runs, `/runs/NAME` and below, and of the games of people, `/people` and below.

The address of a game, `games/ID` below these, redirects to the viewer, `game#ID`, which loads `games/ID.js`.
"""

from pathlib import Path
from typing import NamedTuple

from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, RedirectResponse, Response
from starlette.routing import Route

from arena.web.events import last_id
from arena.web.pages import page
from arena.web.reports import file_of_report
from arena.web.requests import Refusal
from arena.web.run_page import RunPage
from arena.web.server import server_of
from arena.web.sessions import is_operator
from arena.web.shown_runs import ShownRun
from arena.web.static_files import drawings

_MAX_WORKERS = 1000  # the maximum of `--jobs`
_MAX_DIGITS = 12
_SCRIPT = {"content-type": "text/javascript; charset=utf-8", "cache-control": "private, max-age=3600"}


# Runs


def _run_of(request: Request) -> ShownRun:
    """The run that a request names.

    Raises:
        Refusal: This visitor may see no such run.
    """
    server, name = server_of(request), request.path_params["run"]
    try:
        return server.runs.find(name)
    except Refusal:
        if not is_operator(server, request):
            raise
        return server.runs.find(name, for_operator=True)


def _page_of(request: Request) -> RunPage:
    return server_of(request).runs.page(_run_of(request))


async def _run(request: Request) -> Response:
    run = _run_of(request)
    parts = await server_of(request).runs.page(run).html()
    return page(request, "run.html", run.name, parts=parts, address=run.address)


async def _run_events(request: Request) -> Response:
    return _page_of(request).listen(last_id(request))


async def _standings(request: Request) -> Response:
    return JSONResponse(await _page_of(request).standings())


async def _live(request: Request) -> Response:
    number, run = _worker(request), _run_of(request)
    title = f"Table {number + 1}"
    return page(request, "live.html", title, address=run.address, run=run.name, drawings=drawings())


async def _live_events(request: Request) -> Response:
    number = _worker(request)
    return server_of(request).runs.live(_run_of(request), number).listen()


def _worker(request: Request) -> int:
    """The number of the worker that the address names.

    Raises:
        Refusal: The address has no possible number.
    """
    number = _number(request.path_params["number"])
    if number is None or number >= _MAX_WORKERS:
        raise Refusal(404, "There is no such table.")
    return number


def _number(text: str) -> int | None:
    return int(text) if text.isascii() and text.isdecimal() and len(text) <= _MAX_DIGITS else None


async def _report(request: Request) -> Response:
    folder = server_of(request).runs.report(_run_of(request))
    if path := file_of_report(folder, request.path_params["file"]):
        return FileResponse(path, headers={"cache-control": "no-cache"})
    raise Refusal(404, "There is no such page.")


# Games, of a run or of people


class _Games(NamedTuple):
    """A file with games, the address above their pages, and the title of their list."""

    path: Path
    address: str
    title: str


def _games_of(request: Request) -> _Games:
    """The games that a request names: those of its run, or of people. Raises as `_run_of`."""
    if "run" in request.path_params:
        run = _run_of(request)
        return _Games(run.path, run.address, "All games")
    return _Games(server_of(request).folder / "people.db", "/people", "Games of people")


async def _list(request: Request) -> Response:
    path, address, title = _games_of(request)
    before = _number(request.query_params.get("before", ""))
    found = await server_of(request).runs.games(path, address, before)
    games = Markup(found.html)
    return page(request, "run_games.html", title, games=games, more=found.more, address=address)


async def _script(request: Request) -> Response:
    found = await server_of(request).runs.game(_games_of(request).path, request.path_params["id"])
    if found.script:
        return Response(found.script, headers=_SCRIPT)
    raise Refusal(404, found.refused or None)


async def _game(request: Request) -> Response:
    path, address, _ = _games_of(request)
    id = request.path_params["id"]
    found = await server_of(request).runs.game(path, id)
    if found.script:
        return RedirectResponse(f"{address}/game#{id}", 303)
    if found.refused:
        title = "A game that is not shown yet"
        return page(request, "closed.html", title, 404, why=found.refused, address=address)
    raise Refusal(404, "There is no such game.")


async def _viewer(request: Request) -> Response:
    return page(request, "game.html", "Game", address=_games_of(request).address, drawings=drawings())


def _routes_of_games(above: str) -> list[Route]:
    return [
        Route(f"{above}/games", _list),
        Route(f"{above}/games/{{id}}.js", _script),
        Route(f"{above}/games/{{id}}", _game),
        Route(f"{above}/game", _viewer),
    ]


ROUTES = [
    Route("/runs/{run}", _run),
    Route("/runs/{run}/events", _run_events),
    Route("/runs/{run}/standings.json", _standings),
    Route("/runs/{run}/live/{number}", _live),
    Route("/runs/{run}/live/{number}/events", _live_events),
    Route("/runs/{run}/report/{file:path}", _report),
    *_routes_of_games("/runs/{run}"),
    Route("/people", _list),
    *_routes_of_games("/people"),
]
