"""An entrant's pages about its own games: the lines of its seats, and the stderr of its bots.

A process of its own reads the run files (`arena/contest/pages/reading.py`). As on public pages, a game is
shown when all games of its seed group are over.
"""

from typing import Any, TypeVar

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response

from arena.contest.contest import FINAL, LADDER, REMOTE, SCRIMMAGES
from arena.contest.pages.reading import OwnGames, OwnText
from arena.contest.pages.server import ContestServer, find_entrant
from arena.contest.settings import settings_of
from arena.web.pages import page
from arena.web.reading import Busy, Unreadable
from arena.web.requests import Refusal

_LISTED = 50
_MAX_DIGITS = 12
_KINDS = ("lines", "stderr")

_View = TypeVar("_View")


async def games_page(server: ContestServer, request: Request, name: str) -> Response:
    """A page with at most `_LISTED` games of an entrant in the run that the request names, newest first."""
    run, before = _run(server, request, name), request.query_params.get("before", "")
    number = int(before) if before.isascii() and before.isdecimal() and len(before) <= _MAX_DIGITS else None
    found = OwnGames([], None)
    if server.contest.run(run).is_file():
        found = await _read(server, OwnGames, run, "games", name, _LISTED, number, server.access.aliases())
    return page(
        request,
        "own_games.html",
        f"Games of {name}",
        name=name,
        run=run,
        runs=_runs(server, name),
        remote_run=REMOTE,
        games=found.games,
        more=found.more,
    )


async def own_file(server: ContestServer, request: Request, name: str) -> Response:
    """The answer of `/api/games/ID/lines` or `/api/games/ID/stderr`, a text file.

    Raises:
        Refusal: There is no such file.
    """
    id, what = request.path_params["id"], request.path_params["what"]
    if what not in _KINDS:
        raise Refusal(404, f"There is no such file; there are {' and '.join(_KINDS)}.")
    run = _run(server, request, name)
    if not server.contest.run(run).is_file():
        raise Refusal(404, "There is no such game.")
    found = await _read(server, OwnText, run, "own_text", name, id, what)
    if found.refused:
        raise Refusal(404, found.refused)
    headers = {"content-disposition": f'attachment; filename="{found.id}-{what}.txt"'}
    return PlainTextResponse(found.text, headers=headers)


def _runs(server: ContestServer, name: str) -> list[str]:
    """The names of the runs whose games an entrant may see: its ladder, and the final once published."""
    if find_entrant(server, name).is_remote:
        return [REMOTE]
    names = [SCRIMMAGES, *([FINAL] if settings_of(server.state).published else [])]
    return [LADDER, *(each for each in names if server.contest.run(each).is_file())]


def _run(server: ContestServer, request: Request, name: str) -> str:
    runs = _runs(server, name)
    wanted = request.query_params.get("run", runs[0])
    if wanted not in runs:
        raise Refusal(404, "There is no such run.")
    return wanted


async def _read(server: ContestServer, view: type[_View], run: str, function: str, *arguments: Any) -> _View:
    path = str(server.contest.run(run))
    try:
        return (await server.own_games.read(view, function, path, *arguments)).view
    except Busy:
        raise Refusal(503, "Too many entrants ask for games; try again.") from None
    except Unreadable as error:
        raise Refusal(500, str(error)) from None
