"""The organiser's page, and the actions of its buttons: the *orders*. The organiser is the server's operator.

An order takes the JSON that the page sends, and returns the JSON of the answer; None: an empty object.
Refusal and ConfigError carry the reason of a failure.
"""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from arena.config.document import ConfigError
from arena.contest import alarms, entrants, entries, notices, questions
from arena.contest.contest import deadline
from arena.contest.moments import read_moment, show_moment
from arena.contest.pages.organiser_view import organiser_view
from arena.contest.pages.server import ContestServer, contest_of, find_entrant
from arena.contest.pages.views import to_json
from arena.contest.settings import Settings, change_settings
from arena.web.pages import page
from arena.web.requests import Refusal, read_id, read_json, read_text
from arena.web.sessions import is_operator, revoke

_MAX_TEXT = 5000  # characters of a notice or an answer

Values = dict[str, Any]
_Order = Callable[[ContestServer, Values], Values | None]


async def _show(request: Request) -> Response:
    server = contest_of(request)
    if not is_operator(server, request):
        return page(request, "open.html", "Organiser", at="/operator/open")
    found = to_json(server, organiser_view(server))
    return page(request, "organiser.html", "Organiser", found=found, contest=server.contest)


async def _api(request: Request) -> Response:
    server = contest_of(request)
    _check(server, request)
    return JSONResponse(to_json(server, organiser_view(server)))


async def _act(request: Request) -> Response:
    """Carry out the order that the address names."""
    server, order = contest_of(request), ORDERS.get(request.path_params["order"])
    if not order:
        raise Refusal(404, "There is no such order.")
    _check(server, request)
    values = await read_json(request)
    try:
        return JSONResponse(order(server, values) or {})
    except ConfigError as error:
        raise Refusal(400, str(error)) from None


def _check(server: ContestServer, request: Request) -> None:
    if not is_operator(server, request):
        raise Refusal(403, "Only the organiser may do this.")


def _pause(server: ContestServer, values: Values) -> None:
    with change_settings(server.state) as settings:
        settings.paused = values.get("paused") is True


def _extend(server: ContestServer, values: Values) -> Values:
    """Move the deadline, and put up a notice of it.

    Raises:
        Refusal: The new deadline is in the past, or the final has begun.
    """
    moment = _moment(values, "deadline")
    if moment <= datetime.now(UTC):
        raise Refusal(400, f"{show_moment(moment)} is in the past.")
    with change_settings(server.state) as settings:  # the player may begin the final now
        if settings.final:
            raise Refusal(409, "The final has begun, so the deadline stays.")
        settings.deadline = moment
        notices.add(server.state, f"The deadline was moved to {show_moment(moment)}.")
    return {"deadline": show_moment(deadline(server.contest, server.state))}


def _freeze(server: ContestServer, values: Values) -> Values:
    """Set the freeze of the public standings.

    Raises:
        Refusal: The freeze is after the deadline.
    """
    moment = _moment(values, "freeze")
    if moment > deadline(server.contest, server.state):
        raise Refusal(400, "The freeze should be before the deadline.")
    with change_settings(server.state) as settings:
        settings.freeze = moment
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
    entrants.exclude(server.state, name, why[:_MAX_TEXT])


def _readmit(server: ContestServer, values: Values) -> None:
    entrants.readmit(server.state, _name(server, values))


def _delete(server: ContestServer, values: Values) -> None:
    """Delete all data of an entrant, and revoke its tokens.

    Raises:
        Refusal: `again` does not repeat its name.
    """
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
    """Let the intake judge one entry again.

    Raises:
        Refusal: There is no such entry, or it was replaced or withdrawn.
    """
    if not entries.rejudge(server.state, read_id(values, "entry")):
        raise Refusal(409, "There is no such entry, or it was replaced or withdrawn.")


def _rejudge(server: ContestServer, values: Values) -> Values:
    """Let the intake judge the newest entry of each entrant again; returns their number."""
    return {"entries": entries.rejudge(server.state)}


def _requeue(server: ContestServer, values: Values) -> Values:
    """Let the intake judge all entries again that failed by a fault of the arena; returns their number."""
    return {"entries": entries.requeue(server.state)}


def _notice(server: ContestServer, values: Values) -> None:
    notices.add(server.state, _text(values, "text"))


def _take_back(server: ContestServer, values: Values) -> None:
    """Remove a notice."""
    if not notices.remove(server.state, read_id(values, "notice")):
        raise Refusal(404, "There is no such notice.")


def _answer(server: ContestServer, values: Values) -> None:
    """Answer a question, for its entrant or for all; a second answer replaces the first."""
    is_public, question = values.get("is_public") is True, read_id(values, "question")
    if not questions.answer(server.state, question, _text(values, "answer"), is_public):
        raise Refusal(404, "There is no such question.")


def _text(values: Values, key: str) -> str:
    text = read_text(values, key).strip()
    if not 0 < len(text) <= _MAX_TEXT:
        raise Refusal(400, f"{key} should have 1 to {_MAX_TEXT} characters")
    return text


def _see(server: ContestServer, values: Values) -> None:
    """Mark all alarms up to the one with this id as seen: they are shown only if they are raised again."""
    alarms.see(server.state, read_id(values, "alarm"))


def _tell(server: ContestServer, values: Values) -> Values:
    """Reveal the next place of the final, from the last one upwards; returns the number revealed."""
    with change_settings(server.state) as settings:
        places = _count_places(settings)
        settings.podium = min(places, settings.podium + 1)
    return {"told": settings.podium, "places": places}


def _publish(server: ContestServer, values: Values) -> None:
    """Reveal all places, and let the player process publish the result and its files."""
    with change_settings(server.state) as settings:
        settings.podium, settings.publish = _count_places(settings), True


def _count_places(settings: Settings) -> int:
    """The number of places of the final.

    Raises:
        Refusal: The final is not over.
    """
    if not settings.places:
        raise Refusal(409, "The final is not over.")
    return len(settings.places)


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


ROUTES = [
    Route("/operator", _show),
    Route("/api/organiser", _api),
    Route("/organiser/{order}", _act, methods=["POST"]),
]
