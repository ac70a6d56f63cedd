"""The operator's page: who has a link or a cookie, and buttons that revoke them."""

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from arena.web.pages import page
from arena.web.requests import Refusal, read_json, read_text, read_word
from arena.web.server import Server
from arena.web.sessions import OPERATOR, is_operator, open_link, revoke
from arena.web.tokens import ROLES, Holder


def routes(server: Server) -> list[Route]:
    async def show(request: Request) -> Response:
        if not is_operator(server, request):
            return page("open.html", "Operator", at="/operator/open")
        return page(
            "operator.html", "Operator", holders=server.tokens.holders(), guests=server.settings.guests
        )

    async def open_operator(request: Request) -> Response:
        return await open_link(server, request, "operator", lambda holder: "/operator")

    async def revoke_holder(request: Request) -> Response:
        if not is_operator(server, request):
            raise Refusal(403, "only the operator may do this")
        values = await read_json(request)
        holder = Holder(read_word(values, "role", ROLES), read_text(values, "subject"))
        if holder == OPERATOR:  # the link that was printed stays valid
            server.tokens.revoke(holder, "cookie")
            server.connections.end(holder)
        else:
            revoke(server, holder)
        return JSONResponse({"revoked": list(holder)})

    return [
        Route("/operator", show),
        Route("/operator/open", open_operator, methods=["POST"]),
        Route("/operator/revoke", revoke_holder, methods=["POST"]),
    ]
