"""Cookies and bearer tokens: they identify the sender of a request. Links are exchanged for cookies.

Wrong links and wrong bearer tokens are counted by address, and refused with 429 if they are many. A valid
token is never refused for them, because others at its address may have sent them. A wrong cookie is not
counted: each request of a browser has one once it has expired.
"""

from collections.abc import Callable
from urllib.parse import quote

from starlette.requests import HTTPConnection, Request
from starlette.responses import JSONResponse, Response

from arena.web.requests import Refusal, client_of, read_json, read_text
from arena.web.server import Server
from arena.web.tokens import Holder, Role

OPERATOR = Holder("operator")
_AGE_S = 30 * 86400
_MAX_COOKIES = 64  # of one request that are looked up


def seat(table: str, number: int) -> Holder:
    """The holder of a seat, counted from 0."""
    return Holder("seat", f"{table}/{number}")


async def open_link(
    server: Server, request: Request, role: Role, page_of: Callable[[Holder], str]
) -> Response:
    """Exchange the token of a link for a cookie; returns the answer to the script of `open.html`.

    `page_of` gives the address of the next page.

    Raises:
        Refusal: The link is not valid for this role.
    """
    token = read_text(await read_json(request), "token")
    if not (found := server.tokens.exchange(token, role)):
        _count_wrong(server, request)
        raise Refusal(403, "This link is not valid: it was used already, revoked, or copied in part.")
    holder, cookie = found
    response = JSONResponse({"to": page_of(holder)})
    _set_cookie(server, response, holder, cookie)
    return response


def _set_cookie(server: Server, response: Response, holder: Holder, token: str) -> None:
    """Set the cookie of a holder: SameSite=Strict for requests of our own pages, HttpOnly against scripts."""
    response.set_cookie(
        _name(server, holder),
        token,
        max_age=_AGE_S,
        path="/",
        secure=server.settings.address.is_https,
        httponly=True,
        samesite="strict",
    )


def is_from(server: Server, request: HTTPConnection, holder: Holder) -> bool:
    """Whether the request has the cookie of this holder. If so, `revoke` will end its connection."""
    token = request.cookies.get(_name(server, holder), "")
    if not token or server.tokens.holder(token, "cookie") != holder:
        return False
    server.connections.hold(request.scope, holder)
    return True


def is_operator(server: Server, request: HTTPConnection) -> bool:
    return is_from(server, request, OPERATOR)


def bearer(server: Server, request: HTTPConnection) -> Holder | None:
    """The holder of the token in `Authorization: Bearer TOKEN`; None: there is no valid one.

    If there is one, `revoke` will end the connection.

    Raises:
        Refusal: This address sent too many wrong tokens.
    """
    holder = bearer_holder(server, request)
    if holder:
        server.connections.hold(request.scope, holder)
    elif "authorization" in request.headers:
        _count_wrong(server, request)
    return holder


def bearer_holder(server: Server, request: HTTPConnection) -> Holder | None:
    """Like `bearer`, without any effect."""
    scheme, _, token = request.headers.get("authorization", "").partition(" ")
    return server.tokens.holder(token.strip(), "bearer") if scheme.lower() == "bearer" else None


def holder_of(server: Server, request: HTTPConnection) -> Holder | None:
    """The holder of any valid token that a request has, to count its requests; None: it has no valid one."""
    if holder := bearer_holder(server, request):
        return holder
    end = _end_of_names(server)
    ours = [pair for pair in request.cookies.items() if pair[0].endswith(end)]
    for name, token in ours[:_MAX_COOKIES]:
        holder = server.tokens.holder(token, "cookie")
        if holder and name == _name(server, holder):
            return holder
    return None


def _count_wrong(server: Server, request: HTTPConnection) -> None:
    """Count a wrong token.

    Raises:
        Refusal: This address sent too many.
    """
    if not server.rates.take(client_of(request), "wrong token"):
        raise Refusal(429, "Too many wrong links or tokens came from your address. Wait a minute.")


def revoke(server: Server, holder: Holder) -> None:
    """End all tokens of a holder, and the connections that were opened with them, except the present one."""
    server.tokens.revoke(holder)
    server.connections.end(holder)


def _name(server: Server, holder: Holder) -> str:
    """The name of a holder's cookie: a browser may have several. `__Host-` restricts it to this host.

    It ends with the port: browsers send cookies to all ports of a host, which may have other arenas.
    """
    # The names of entrants may have letters that those of cookies must not.
    name = quote("-".join(filter(None, (holder.role, *holder.subject.split("/")))))
    name += _end_of_names(server)
    return f"__Host-{name}" if server.settings.address.is_https else name


def _end_of_names(server: Server) -> str:
    """The end of the names of all cookies of this server: its port for browsers."""
    return f"-{server.settings.address.port}"
