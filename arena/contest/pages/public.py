"""The public pages of a contest: the first page, its rules, its final."""

from typing import Any

from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, Response
from starlette.routing import Route

from arena.contest.contest import REMOTE
from arena.contest.pages.final_view import final_view, published_files
from arena.contest.pages.server import ContestServer, contest_of
from arena.contest.pages.views import contest_view, remote_view, to_json
from arena.web.games import html_of
from arena.web.pages import page
from arena.web.requests import Refusal
from arena.web.sessions import is_operator


async def _home(request: Request) -> Response:
    server = contest_of(request)
    found = contest_view(server)
    standings = await _standings_html(server, server.public_run())
    remote = await _standings_html(server, server.public_run(REMOTE))
    return page(
        request,
        "contest.html",
        found.title,
        contest=to_json(server, found),
        final=to_json(server, final_view(server)),
        standings=standings,
        run=server.public_run(),
        remote=remote.partition("<details>")[0]
        if standings and remote
        else remote,  # it has the same columns
        remote_run=server.public_run(REMOTE),
        url=server.settings.address.url,
        is_operator=is_operator(server, request),
    )


async def _rules(request: Request) -> Response:
    server = contest_of(request)
    try:
        text = server.contest.rules.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        raise Refusal(404, "This contest has no page of rules yet.") from None
    heading, _, rest = text.partition("\n")
    title = heading.lstrip("# ").strip() if heading.startswith("# ") else "Rules"
    body = rest if heading.startswith("# ") else text
    found = to_json(server, contest_view(server))
    return page(request, "contest_rules.html", title or "Rules", body=html_of(body), contest=found)


async def _final(request: Request) -> Response:
    server = contest_of(request)
    found, shown = to_json(server, final_view(server)), to_json(server, contest_view(server))
    url = server.settings.address.url
    return page(request, "final.html", "The final", final=found, contest=shown, url=url)


async def _published(request: Request) -> Response:
    """A file of the published result, found by name: no path of a request becomes a path on the disk."""
    server = contest_of(request)
    for path in published_files(server):
        if path.name == request.path_params["name"]:
            return FileResponse(path, media_type="application/octet-stream", filename=path.name)
    raise Refusal(404, "There is no such file.")


async def _api_contest(request: Request) -> Response:
    server = contest_of(request)
    return JSONResponse(to_json(server, contest_view(server)))


async def _api_standings(request: Request) -> Response:
    server = contest_of(request)
    return JSONResponse(await _standings(server, server.public_run()))


async def _api_remote(request: Request) -> Response:
    server = contest_of(request)
    found = await _standings(server, server.public_run(REMOTE))
    return JSONResponse(found | {"entrants": to_json(server, remote_view(server))})


async def _api_final(request: Request) -> Response:
    server = contest_of(request)
    return JSONResponse(to_json(server, final_view(server)))


async def _standings(server: ContestServer, name: str) -> dict[str, Any]:
    """The standings of a run, for programs (`RunPage.standings`); empty before its first game."""
    if name not in server.runs.files():
        return {"games": 0, "standings": [], "run": name}
    return await server.runs.page(server.runs.find(name)).standings() | {"run": name}


async def _standings_html(server: ContestServer, name: str) -> Markup | None:
    """The standings of a run as HTML, empty if they are slow and follow later. None: it has not begun."""
    if name not in server.runs.files():
        return None
    return (await server.runs.page(server.runs.find(name)).html())["standings"]


ROUTES = [
    Route("/", _home),
    Route("/rules", _rules),
    Route("/final", _final),
    Route("/published/{name}", _published),
    Route("/api/contest", _api_contest),
    Route("/api/standings", _api_standings),
    Route("/api/remote", _api_remote),
    Route("/api/final", _api_final),
]
