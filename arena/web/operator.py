"""The operator's page: a form for new tables, and buttons for new links, closing tables, revoking tokens."""

import json
from collections.abc import Iterator
from typing import Any, NamedTuple

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from arena.games import loadable
from arena.programs.bot import HOUSE
from arena.programs.house import HOUSE_BOTS
from arena.rules import Game, Option
from arena.web.pages import page
from arena.web.requests import Refusal, read_json, read_text, read_word
from arena.web.seatings import end_seating, find_seating, open_seatings
from arena.web.server import Server, server_of
from arena.web.sessions import OPERATOR, is_operator, open_link, revoke
from arena.web.sessions import seat as seat_holder
from arena.web.tokens import ROLES, Holder


async def _show(request: Request) -> Response:
    server = server_of(request)
    if not is_operator(server, request):
        return page(request, "open.html", "Operator", at="/operator/open")
    return page(
        request,
        "operator.html",
        "Operator",
        games=[*_games()],
        tables=open_seatings(server.database),
        holders=server.tokens.holders(),
    )


async def _open(request: Request) -> Response:
    return await open_link(server_of(request), request, "operator", lambda holder: "/operator")


async def _new_link(request: Request) -> Response:
    """Make a new link to a person's seat, for another browser, and revoke its earlier tokens."""
    server = server_of(request)
    values = await _read(server, request)
    table, number = read_text(values, "table"), values.get("seat")
    seating = find_seating(server.database, table)
    if not seating or number not in seating.people:
        raise Refusal(404, "There is no such seat of a person.")
    holder = seat_holder(table, number)
    revoke(server, holder)
    return JSONResponse({"link": f"/seat#{server.tokens.issue(holder, 'link')}"})


async def _close_table(request: Request) -> Response:
    """Close a table, and end its game without a record."""
    server = server_of(request)
    table = read_text(await _read(server, request), "table")
    if table not in [each.id for each in open_seatings(server.database)]:
        raise Refusal(404, "There is no such table.")
    end_seating(server.database, table, {"closed": "The operator has closed the table."}, {})
    return JSONResponse({})


async def _revoke(request: Request) -> Response:
    server = server_of(request)
    values = await _read(server, request)
    holder = Holder(read_word(values, "role", ROLES), read_text(values, "subject"))
    if holder == OPERATOR:  # the link that was printed stays valid
        server.tokens.revoke(holder, "cookie")
        server.connections.end(holder)
    else:
        revoke(server, holder)
    return JSONResponse({"revoked": list(holder)})


async def _read(server: Server, request: Request) -> dict[str, Any]:
    """The JSON of a request from the operator's page.

    Raises:
        Refusal: The request is not from the operator, or its body is not a JSON object.
    """
    if not is_operator(server, request):
        raise Refusal(403, "Only the operator may do this.")
    return await read_json(request)


class _Value(NamedTuple):
    """A value that an option may have, as JSON and as text."""

    json: str
    text: str
    is_default: bool


class _Form(NamedTuple):
    """The form for a new table of a game: house bots, and options that have a list of values."""

    game: Game
    bots: list[str]
    options: dict[str, list[_Value]]


def _games() -> Iterator[_Form]:
    for game in loadable()[0]:
        bots = [HOUSE + name for name, bot in HOUSE_BOTS.items() if bot.game in (game.name, "")]
        yield _Form(game, bots, {name: _values(each) for name, each in game.options.items() if each.values})


def _values(option: Option) -> list[_Value]:
    return [_Value(json.dumps(each), str(each), each == option.default) for each in option.values]


ROUTES = [
    Route("/operator", _show),
    Route("/operator/tables", _show),  # a contest has another page for its operator
    Route("/operator/open", _open, methods=["POST"]),
    Route("/operator/link", _new_link, methods=["POST"]),
    Route("/operator/close", _close_table, methods=["POST"]),
    Route("/operator/revoke", _revoke, methods=["POST"]),
]
