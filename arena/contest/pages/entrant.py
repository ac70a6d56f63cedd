"""The page of an entrant, and its actions: hand in, read verdicts and own games, ask, withdraw."""

import asyncio
from collections.abc import AsyncIterator
from urllib.parse import quote

from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from arena.config.document import ConfigError
from arena.contest import entrants, entries, handin, questions, scrimmages
from arena.contest.pages.own import games_page, own_file
from arena.contest.pages.server import HAND_IN, ContestServer, contest_of, entrant_of, find_entrant
from arena.contest.pages.views import contest_view, entrant_view, entry_views, to_json
from arena.web.pages import page
from arena.web.requests import Refusal, read_json, read_text
from arena.web.sessions import is_from, open_link

_MAX_QUESTION = 2000  # characters
_MAX_OPEN = 10  # questions of an entrant without an answer
_DRAIN_S = 20.0  # for the rest of an archive that is refused


async def _enter(request: Request) -> Response:
    server = contest_of(request)
    return page(request, "open.html", "Entrant", at="/entrant/open", known=_known(server, request))


async def _open_entrant(request: Request) -> Response:
    server = contest_of(request)
    return await open_link(server, request, "entrant", lambda holder: f"/entrant/{quote(holder.subject)}")


async def _show(request: Request) -> Response:
    server, name = contest_of(request), request.path_params["name"]
    if not is_from(server, request, entrants.holder(name)):
        return page(request, "open.html", "Entrant", 403, at="/entrant/open")
    me = to_json(server, entrant_view(server, find_entrant(server, name)))
    found, url = to_json(server, contest_view(server)), server.settings.address.url
    return page(request, "entrant.html", name, me=me, contest=found, at=HAND_IN, url=url)


async def _games(request: Request) -> Response:
    server, name = contest_of(request), request.path_params["name"]
    if not is_from(server, request, entrants.holder(name)):
        raise Refusal(403, "These games are only for their entrant.")
    return await games_page(server, request, name)


async def _hand_in(request: Request) -> Response:
    server = contest_of(request)
    name = entrant_of(server, request)
    try:
        length = int(request.headers["content-length"])  # `security` has checked it
        id = await handin.receive(server.contest, server.state, name, _chunks(request), length)
    except handin.HandInRefused as refused:
        await _drain(request)
        raise Refusal(refused.status, str(refused), {"connection": "close"}) from None
    except ClientDisconnect:
        raise Refusal(400, "The connection was closed before the end of the archive.") from None
    entry = entries.find(server.state, id)
    assert entry
    return JSONResponse(to_json(server, entry_views(server, [entry])[0]), 201)


async def _withdraw(request: Request) -> Response:
    server = contest_of(request)
    name = await _acting(server, request)
    entries.withdraw(server.state, name)
    return JSONResponse({})


async def _declines(request: Request) -> Response:
    server = contest_of(request)
    name = await _acting(server, request)
    wanted = (await read_json(request)).get("declines") is True
    scrimmages.decline(server.state, name, wanted)
    return JSONResponse({"declines": wanted})


async def _scrimmage(request: Request) -> Response:
    server = contest_of(request)
    name, values = await _acting(server, request), await read_json(request)
    opponent, games = read_text(values, "opponent"), values.get("games")
    if not isinstance(games, int):
        raise Refusal(400, "games should be a number")
    try:
        return JSONResponse({"id": scrimmages.ask(server.state, name, opponent, games)})
    except ConfigError as error:
        raise Refusal(409, str(error)) from None


async def _question(request: Request) -> Response:
    server = contest_of(request)
    name = await _acting(server, request)
    _ask(server, name, read_text(await read_json(request), "text").strip())
    return JSONResponse({})


async def _file(request: Request) -> Response:
    server = contest_of(request)
    return await own_file(server, request, entrant_of(server, request))


async def _api_entrant(request: Request) -> Response:
    server = contest_of(request)
    entrant = find_entrant(server, entrant_of(server, request))
    return JSONResponse(to_json(server, entrant_view(server, entrant)))


async def _api_entries(request: Request) -> Response:
    server = contest_of(request)
    found = entries.of(server.state, entrant_of(server, request))
    return JSONResponse({"entries": to_json(server, entry_views(server, found))})


def _known(server: ContestServer, request: Request) -> dict[str, str]:
    """The names of the entrants for which this browser has a cookie, by the addresses of their pages."""
    names = [each.name for each in entrants.all_entrants(server.state)]
    return {
        f"/entrant/{quote(name)}": name for name in names if is_from(server, request, entrants.holder(name))
    }


async def _chunks(request: Request) -> AsyncIterator[bytes]:
    async for chunk in request.stream():
        if chunk:
            yield chunk


async def _drain(request: Request) -> None:
    """Read the rest of an archive, for at most `_DRAIN_S`: a browser first sends everything.

    A client that asked first (`Expect: 100-continue`, as curl does) has not sent anything.
    """
    if "expect" in request.headers:
        return
    try:
        async with asyncio.timeout(_DRAIN_S):
            async for _ in request.stream():
                pass
    except (TimeoutError, ClientDisconnect, RuntimeError):  # or it was read to its end
        pass


async def _acting(server: ContestServer, request: Request) -> str:
    """The entrant that sends a request to change something.

    Raises:
        Refusal: The sender has no token, or has withdrawn.
    """
    name = entrant_of(server, request)
    if find_entrant(server, name).withdrawn:
        raise Refusal(409, f"{name} has withdrawn; the organiser can tell how to come back.")
    return name


def _ask(server: ContestServer, name: str, text: str) -> None:
    if not 0 < len(text) <= _MAX_QUESTION:
        raise Refusal(400, f"A question has at most {_MAX_QUESTION} characters, and is not empty.")
    if questions.unanswered(server.state, name) >= _MAX_OPEN:
        raise Refusal(429, f"{_MAX_OPEN} of your questions wait for an answer; ask more afterwards.")
    questions.ask(server.state, name, text)


ROUTES = [
    Route("/entrant", _enter),
    Route("/entrant/open", _open_entrant, methods=["POST"]),
    Route(HAND_IN, _hand_in, methods=["PUT"]),
    Route("/entrant/withdraw", _withdraw, methods=["POST"]),
    Route("/entrant/declines", _declines, methods=["POST"]),
    Route("/entrant/scrimmage", _scrimmage, methods=["POST"]),
    Route("/entrant/question", _question, methods=["POST"]),
    Route("/entrant/{name}", _show),
    Route("/entrant/{name}/games", _games),
    Route("/api/entrant", _api_entrant),
    Route("/api/entries", _api_entries),
    Route("/api/games/{id}/{what}", _file),
]
