"""The organiser's page, and what its buttons do: the *orders*. The organiser is the server's operator.

An order takes the JSON that the page sends, and returns the JSON of the answer; None: an empty object.
Refusal and ConfigError say why it cannot be done.
"""

from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from time import time
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from arena.config.document import ConfigError
from arena.contest import entrants, entries
from arena.contest.contest import deadline
from arena.contest.database import put_setting, setting
from arena.contest.moments import read_moment, show_moment
from arena.contest.pages.expected import ExpectedFinal
from arena.contest.pages.final_view import all_places
from arena.contest.pages.organiser_view import organiser_view
from arena.contest.pages.server import ContestServer, find_entrant, of
from arena.web.pages import page
from arena.web.requests import Refusal, read_id, read_json, read_text
from arena.web.server import Server
from arena.web.sessions import is_operator, revoke

_MOST_TEXT = 5000  # characters of a notice or an answer

Values = dict[str, Any]
_Order = Callable[[ContestServer, Values], Values | None]


def routes(server: Server) -> list[Route]:
    contest = of(server)
    expected = ExpectedFinal(contest)

    def view() -> Values:
        return {**organiser_view(contest), "forecast": expected.newest()}

    async def show(request: Request) -> Response:
        if not is_operator(server, request):
            return page("open.html", "Organiser", at="/operator/open")
        return page("organiser.html", "Organiser", found=view(), contest=contest.contest)

    async def api(request: Request) -> Response:
        _check(server, request)
        return JSONResponse(view())

    def route_of(order: _Order) -> Callable[[Request], Awaitable[Response]]:
        async def act(request: Request) -> Response:
            _check(server, request)
            values = await read_json(request)
            try:
                return JSONResponse(order(contest, values) or {})
            except ConfigError as error:
                raise Refusal(400, str(error)) from None

        return act

    orders = [
        Route(f"/organiser/{name}", route_of(order), methods=["POST"]) for name, order in ORDERS.items()
    ]
    return [Route("/operator", show), Route("/api/organiser", api), *orders]


def _check(server: Server, request: Request) -> None:
    if not is_operator(server, request):
        raise Refusal(403, "Only the organiser may do this.")


def _pause(server: ContestServer, values: Values) -> None:
    put_setting(server.state, "paused", values.get("paused") is True)


def _extend(server: ContestServer, values: Values) -> Values:
    """Move the deadline, and put up a notice of it. Refusal: it is in the past, or the final has begun."""
    moment = _moment(values, "deadline")
    if moment <= datetime.now(UTC):
        raise Refusal(400, f"{show_moment(moment)} is in the past.")
    with server.state.transaction():  # the player may begin the final now
        if setting(server.state, "final"):
            raise Refusal(409, "The final has begun, so the deadline stays.")
        put_setting(server.state, "deadline", show_moment(moment))
        _put_up(server, f"The deadline was moved to {show_moment(moment)}.")
    return {"deadline": show_moment(deadline(server.contest, server.state))}


def _freeze(server: ContestServer, values: Values) -> Values:
    """Set when the public standings freeze. Refusal: that is after the deadline."""
    moment = _moment(values, "freeze")
    if moment > deadline(server.contest, server.state):
        raise Refusal(400, "The freeze should be before the deadline.")
    put_setting(server.state, "freeze", show_moment(moment))
    return {"freeze": show_moment(moment)}


def _moment(values: Values, key: str) -> datetime:
    try:
        return read_moment(read_text(values, key))
    except ValueError as error:
        raise Refusal(400, f"{key}: {error}") from None


def _add(server: ContestServer, values: Values) -> Values:
    """Add an entrant; returns its link, which the page shows once."""
    name, team, author = (read_text(values, key).strip() for key in ("name", "team", "author"))
    is_remote = values.get("remote") is True
    entrants.add(server.state, [entrants.NewEntrant(name, team, author, is_remote)])
    return _link(server, name)


def _renew(server: ContestServer, values: Values) -> Values:
    """Make a new link for an entrant; its earlier link and its cookies are revoked."""
    name = _name(server, values)
    revoke(server, entrants.holder(name))
    return _link(server, name)


def _link(server: ContestServer, name: str) -> Values:
    token = server.tokens.issue(entrants.holder(name), "bearer")
    return {"name": name, "link": f"/entrant#{token}"}


def _exclude(server: ContestServer, values: Values) -> None:
    name, why = _name(server, values), read_text(values, "why").strip()
    if not why:
        raise Refusal(400, "An exclusion needs a reason, which the entrant reads.")
    entrants.exclude(server.state, name, why[:_MOST_TEXT])


def _readmit(server: ContestServer, values: Values) -> None:
    entrants.readmit(server.state, _name(server, values))


def _delete(server: ContestServer, values: Values) -> None:
    """Delete all data of an entrant, and revoke its tokens. Refusal: `again` does not repeat its name."""
    name = _name(server, values)
    if read_text(values, "again") != name:
        raise Refusal(400, f"To delete all data of {name}, write its name.")
    revoke(server, entrants.holder(name))
    entrants.delete(server.state, name)


def _name(server: ContestServer, values: Values) -> str:
    name = read_text(values, "entrant")
    find_entrant(server, name)
    return name


def _judge(server: ContestServer, values: Values) -> None:
    """Have one entry unpacked, built and checked again. Refusal: no such entry, or replaced or withdrawn."""
    if not entries.rejudge(server.state, read_id(values, "entry")):
        raise Refusal(409, "There is no such entry, or it was replaced or withdrawn.")


def _rejudge(server: ContestServer, values: Values) -> Values:
    """Have the newest entry of each entrant judged again; returns how many."""
    return {"entries": entries.rejudge(server.state)}


def _requeue(server: ContestServer, values: Values) -> Values:
    """Have all entries judged again that failed by a fault of the arena; returns how many."""
    return {"entries": entries.requeue(server.state)}


def _notice(server: ContestServer, values: Values) -> None:
    _put_up(server, _text(values, "text"))


def _put_up(server: ContestServer, text: str) -> None:
    server.state.write("INSERT INTO notice (at, text) VALUES (?, ?)", time(), text)


def _take_back(server: ContestServer, values: Values) -> None:
    """Remove a notice."""
    if not server.state.write("DELETE FROM notice WHERE id = ?", read_id(values, "notice")):
        raise Refusal(404, "There is no such notice.")


def _answer(server: ContestServer, values: Values) -> None:
    """Answer a question, for its entrant alone or for all; a second answer replaces the first."""
    sql = "UPDATE question SET answer = ?, answered = ?, is_public = ? WHERE id = ?"
    is_public, question = values.get("is_public") is True, read_id(values, "question")
    if not server.state.write(sql, _text(values, "answer"), time(), is_public, question):
        raise Refusal(404, "There is no such question.")


def _text(values: Values, key: str) -> str:
    text = read_text(values, key).strip()
    if not 0 < len(text) <= _MOST_TEXT:
        raise Refusal(400, f"{key} should have 1 to {_MOST_TEXT} characters")
    return text


def _see(server: ContestServer, values: Values) -> None:
    """Mark all alarms up to the one with this id as seen: they are shown only if they are raised again."""
    server.state.write("UPDATE alarm SET is_seen = 1 WHERE id <= ?", read_id(values, "alarm"))


def _tell(server: ContestServer, values: Values) -> Values:
    """Show the public the next place of the final, from the last one upwards; returns how many it sees."""
    places = len(all_places(server))
    if not places:
        raise Refusal(409, "The final is not over.")
    with server.state.transaction():
        told = min(places, int(setting(server.state, "podium") or 0) + 1)
        put_setting(server.state, "podium", told)
    return {"told": told, "places": places}


def _publish(server: ContestServer, values: Values) -> None:
    """Show the public all places, and have the player process publish the result and its files."""
    places = len(all_places(server))
    if not places:
        raise Refusal(409, "The final is not over.")
    put_setting(server.state, "podium", places)
    put_setting(server.state, "publish", True)


ORDERS: dict[str, _Order] = {
    "pause": _pause,
    "deadline": _extend,
    "freeze": _freeze,
    "add": _add,
    "link": _renew,
    "exclude": _exclude,
    "readmit": _readmit,
    "delete": _delete,
    "judge": _judge,
    "rejudge": _rejudge,
    "requeue": _requeue,
    "notice": _notice,
    "take-back": _take_back,
    "answer": _answer,
    "see": _see,
    "tell": _tell,
    "publish": _publish,
}
"""The orders, by the last part of the address to which the page posts them."""
