"""The pages on which an entrant sees its own games: the lines of its seats, and the stderr of its bots.

A process of its own reads the run files (`arena/contest/pages/reading.py`). As on public pages, a game is
shown when all games of its seed group are over.
"""

from typing import Any

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response

from arena.contest.contest import FINAL, LADDER, REMOTE, SCRIMMAGES
from arena.contest.pages.server import ContestServer, find_entrant
from arena.contest.settings import settings_of
from arena.web.pages import page
from arena.web.reading import Busy
from arena.web.requests import Refusal

_LISTED = 50
_MAX_DIGITS = 12
_KINDS = ("lines", "stderr")


async def games_page(server: ContestServer, request: Request, name: str) -> Response:
    """A page with at most `_LISTED` games of an entrant in the run that the request names, newest first."""
    run, before = _run(server, request, name), request.query_params.get("before", "")
    number = int(before) if before.isascii() and before.isdecimal() and len(before) <= _MAX_DIGITS else None
    found = await _ask(server, run, "games", name, _LISTED, number, server.access.aliases())
    context = {"name": name, "run": run, "runs": _runs(server, name), "remote_run": REMOTE, **found}
    return page(request, "own_games.html", f"Games of {name}", **context)


async def own_file(server: ContestServer, request: Request, name: str) -> Response:
    """The answer of `/api/games/ID/lines` or `/api/games/ID/stderr`, a text file.

    Raises:
        Refusal: There is none.
    """
    id, what = request.path_params["id"], request.path_params["what"]
    if what not in _KINDS:
        raise Refusal(404, f"There is no such file; there are {' and '.join(_KINDS)}.")
    found = await _ask(server, _run(server, request, name), "own_text", name, id, what)
    if "text" not in found:
        raise Refusal(404, found["refused"])
    headers = {"content-disposition": f'attachment; filename="{found["id"]}-{what}.txt"'}
    return PlainTextResponse(found["text"], headers=headers)


def _runs(server: ContestServer, name: str) -> list[str]:
    """The names of the runs whose games an entrant may see, first its ladder; the final once published."""
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


async def _ask(server: ContestServer, run: str, function: str, *arguments: Any) -> dict[str, Any]:
    path = server.contest.run(run)
    if not path.is_file():
        return {"games": [], "more": None, "refused": "There is no such game."}
    try:
        found = await server.own_games.ask(function, str(path), *arguments)
    except Busy:
        raise Refusal(503, "Too many entrants ask for games; try again.") from None
    if "error" in found:
        raise Refusal(500, found["error"])
    return found
