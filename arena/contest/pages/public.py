"""The public pages of a contest: the first page, its rules, its final."""

from typing import Any

from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, Response
from starlette.routing import Route

from arena.contest.contest import REMOTE
from arena.contest.pages.final_view import final_view, published_files
from arena.contest.pages.server import ContestServer, of
from arena.contest.pages.views import contest_view, remote_view
from arena.web.games import html_of
from arena.web.pages import page
from arena.web.requests import Refusal
from arena.web.runs import run_page
from arena.web.server import Server
from arena.web.sessions import is_operator


def routes(server: Server) -> list[Route]:
    contest = of(server)

    async def home(request: Request) -> Response:
        found = contest_view(contest)
        standings = await _standings_html(contest, contest.public_run())
        remote = await _standings_html(contest, contest.public_run(REMOTE))
        return page(
            "contest.html",
            found["title"],
            contest=found,
            final=final_view(contest),
            standings=standings,
            run=contest.public_run(),
            remote=remote.partition("<details>")[0]
            if standings and remote
            else remote,  # it has the same columns
            remote_run=contest.public_run(REMOTE),
            url=server.settings.address.url,
            is_operator=is_operator(server, request),
        )

    async def rules(request: Request) -> Response:
        try:
            text = contest.contest.rules.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError):
            raise Refusal(404, "This contest has no page of rules yet.") from None
        heading, _, rest = text.partition("\n")
        title = heading.lstrip("# ").strip() if heading.startswith("# ") else "Rules"
        body = rest if heading.startswith("# ") else text
        return page("contest_rules.html", title or "Rules", body=html_of(body), contest=contest_view(contest))

    async def final(request: Request) -> Response:
        url = server.settings.address.url
        view = contest_view(contest)
        return page("final.html", "The final", final=final_view(contest), contest=view, url=url)

    async def published(request: Request) -> Response:
        """A file of the published result, found by its name: no path of a request becomes one of the disk."""
        for path in published_files(contest):
            if path.name == request.path_params["name"]:
                return FileResponse(path, media_type="application/octet-stream", filename=path.name)
        raise Refusal(404, "There is no such file.")

    async def api_contest(request: Request) -> Response:
        return JSONResponse(contest_view(contest))

    async def api_standings(request: Request) -> Response:
        return JSONResponse(await _standings(contest, contest.public_run()))

    async def api_remote(request: Request) -> Response:
        found = await _standings(contest, contest.public_run(REMOTE))
        return JSONResponse(found | {"entrants": remote_view(contest)})

    async def api_final(request: Request) -> Response:
        return JSONResponse(final_view(contest))

    return [
        Route("/", home),
        Route("/rules", rules),
        Route("/final", final),
        Route("/published/{name}", published),
        Route("/api/contest", api_contest),
        Route("/api/standings", api_standings),
        Route("/api/remote", api_remote),
        Route("/api/final", api_final),
    ]


async def _standings(server: ContestServer, name: str) -> dict[str, Any]:
    """The standings of a run, for programs (`RunPage.standings`); empty before its first game."""
    if name not in server.run_files():
        return {"games": 0, "standings": [], "run": name}
    return await run_page(server, name).standings() | {"run": name}


async def _standings_html(server: ContestServer, name: str) -> Markup | None:
    """The standings of a run as HTML, empty if they take long and come later. None: it has not begun."""
    if name not in server.run_files():
        return None
    return (await run_page(server, name).html())["standings"]
