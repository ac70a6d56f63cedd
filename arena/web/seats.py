"""The seats of people: their pages, the views on these, and the answers from them.

The page of a seat shows views in the order of their `n`. The event stream begins with the latest view, or
after a break with the first that was missed. A page that was loaded anew or was asleep asks for earlier views
by `/views?after=N`.
"""

from collections.abc import Mapping
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from arena import games
from arena.programs.house import LEVELS
from arena.web.events import last_id
from arena.web.gate import GateSeat, encode_view
from arena.web.pages import page
from arena.web.requests import Refusal, client_of, read_json, read_text, read_word
from arena.web.seatings import PERSON
from arena.web.server import Server, server_of
from arena.web.sessions import is_from, is_operator, open_link
from arena.web.sessions import seat as seat_holder
from arena.web.static_files import drawings
from arena.web.tables import check_room, guest_table, open_guest, open_table, rematch
from arena.web.tokens import Holder

_MAX_WORD = 1000  # characters of an answer; Intrigue's free text has 280, each up to 12 when encoded


# Links


async def _show_link(request: Request) -> Response:
    return page(request, "open.html", "Your seat", at="/seat/open")


async def _open_link(request: Request) -> Response:
    return await open_link(server_of(request), request, "seat", _seat_address)


def _seat_address(holder: Holder) -> str:
    """The address of the page of a seat."""
    return f"/tables/{holder.subject}"


# Pages and views


async def _show(request: Request) -> Response:
    seat = _own_seat(request)
    seating = seat.seating
    return page(
        request,
        "seat.html",
        seating.game.capitalize(),
        game=seating.game,
        names=seating.shown_names,
        seat=seat.number,
        turns=_most_turns(seating.game, seating.options),
        drawings=drawings(),
    )


def _most_turns(name: str, options: Mapping[str, Any]) -> int | None:
    """The limit of turns (`max_turns`) of a game with these options; None: it has none."""
    game = games.find(name)
    return {**(game.defaults() if game else {}), **options}.get("max_turns")


async def _send_views(request: Request) -> Response:
    seat = _own_seat(request)
    first = _first_missing(request.query_params.get("after"))
    return JSONResponse([vars(view) for view in seat.views[first:]])


async def _send_events(request: Request) -> Response:
    seat = _own_seat(request)
    known = last_id(request)
    missing = seat.views[-1:] if known is None else seat.views[_first_missing(known) :]
    return seat.channel.listen(b"".join(map(encode_view, missing)))


def _first_missing(known: str | None) -> int:
    """The number of the first view that a page lacks; `known` is the number of its last one."""
    return int(known) + 1 if known and known.isdecimal() and len(known) < 8 else 0


def _own_seat(request: Request) -> GateSeat:
    """The seat that the address names.

    Raises:
        Refusal: The request is not from its person, or the seat is gone.
    """
    server, (table, number) = server_of(request), _place(request)
    if not is_from(server, request, seat_holder(table, number)):
        raise Refusal(403, "This is the seat of another player. Open it by the link that you were given.")
    seat = server.gate.seat(table, number)
    if not seat:
        raise Refusal(404, "This table is closed.")
    return seat


def _place(request: Request) -> tuple[str, int]:
    """The table's id and the seat's number in an address.

    Raises:
        Refusal: The address cannot be of a seat.
    """
    table, number = request.path_params["table"], request.path_params["seat"]
    if not (number.isascii() and number.isdecimal() and len(number) < 3):
        raise Refusal(404, "There is no such seat.")
    return table, int(number)


# The actions of a player


async def _answer(request: Request) -> Response:
    seat = _own_seat(request)
    check_room(server_of(request))
    values = await read_json(request)
    ask, word = values.get("ask"), read_text(values, "word")
    if type(ask) is not int or len(word) > _MAX_WORD or "\n" in word:
        raise Refusal(400, f"an answer is the id of an ask, and a line of at most {_MAX_WORD} characters")
    seat.answer(ask, word)
    return JSONResponse({})


async def _leave(request: Request) -> Response:
    _own_seat(request).leave()
    return JSONResponse({})


async def _rematch(request: Request) -> Response:
    """Answer with `seat`, the link of the person's seat at the new table; empty until all have asked."""
    _own_seat(request)
    server = server_of(request)
    _check_rate(server, request)
    found = await rematch(server, request, *_place(request))
    return JSONResponse({"seat": _link(server, *found)} if found else {})


# New tables


def _check_rate(server: Server, request: Request) -> None:
    """Count a new game of this visitor.

    Raises:
        Refusal: The visitor has begun too many in a short time.
    """
    if not server.rates.take(client_of(request), "game"):
        raise Refusal(429, "You have begun many games. Wait a minute.")


async def _open_guest(request: Request) -> Response:
    """Answer with `seat`: the link of a seat in a new game, or the address of the guest's game."""
    server, values = server_of(request), await read_json(request)
    if found := guest_table(server, request):
        return JSONResponse({"seat": _seat_address(seat_holder(*found))})
    _check_rate(server, request)
    level = read_word(values, "level", tuple(LEVELS)) if "level" in values else "medium"
    table = await open_guest(server, request, read_text(values, "game"), level)
    return JSONResponse({"seat": _link(server, table, 0)})


async def _open_table(request: Request) -> Response:
    server = server_of(request)
    if not is_operator(server, request):
        raise Refusal(403, "Only the operator opens tables for several people.")
    values = await read_json(request)
    seats, options = values.get("seats"), values.get("options", {})
    if not isinstance(seats, list) or not all(isinstance(each, str) for each in seats):
        raise Refusal(400, "seats should be a list of texts")
    if not isinstance(options, dict):
        raise Refusal(400, "options should be an object")
    times = [_seconds(values, key) for key in ("move", "bank")]
    table = await open_table(server, read_text(values, "game"), options, seats, *times)
    people = [number for number, seat in enumerate(seats) if seat.partition(":")[0] == PERSON]
    links = [{"seat": number, "link": _link(server, table, number)} for number in people]
    return JSONResponse({"table": table, "seats": links})


def _seconds(values: dict[str, object], key: str) -> float | None:
    value = values.get(key)
    if value is not None and type(value) not in (int, float):
        raise Refusal(400, f"{key} should be a number of seconds")
    return None if value is None else float(str(value))


def _link(server: Server, table: str, number: int) -> str:
    """Make a link to a seat: an address with a token, by which one browser can take the seat, once."""
    return f"/seat#{server.tokens.issue(seat_holder(table, number), 'link')}"


_SEAT = "/tables/{table}/{seat}"
ROUTES = [
    Route("/seat", _show_link),
    Route("/seat/open", _open_link, methods=["POST"]),
    Route(_SEAT, _show),
    Route(f"{_SEAT}/views", _send_views),
    Route(f"{_SEAT}/events", _send_events),
    Route(f"{_SEAT}/answer", _answer, methods=["POST"]),
    Route(f"{_SEAT}/leave", _leave, methods=["POST"]),
    Route(f"{_SEAT}/rematch", _rematch, methods=["POST"]),
    Route("/guest", _open_guest, methods=["POST"]),
    Route("/tables", _open_table, methods=["POST"]),
]
