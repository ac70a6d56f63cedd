"""The common part of a contest's pages: its folder, its database, and the sender of a request."""

from collections.abc import Container, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from starlette.requests import Request

from arena.contest import entrants, handin
from arena.contest.contest import FINAL, FROZEN, LADDER, SCRIMMAGES, Contest, open_contest
from arena.contest.pages import reading
from arena.contest.pages.expected import ExpectedFinal
from arena.contest.settings import settings_of
from arena.web.access import Access
from arena.web.database import Database
from arena.web.reading import ReadingProcess
from arena.web.requests import Refusal
from arena.web.server import Server, WebSite
from arena.web.sessions import bearer, is_from
from arena.web.settings import ServerSettings
from arena.web.tokens import Holder

HAND_IN = "/entry"
_LINKS = {"/": "Standings", "/rules": "Rules", "/final": "Final", "/play": "Play", "/entrant": "Entrants"}


class ContestAccess(Access):
    """Runs are hidden while their standings are frozen; entrants play remote bots with their own tokens."""

    uploads = {HAND_IN: handin.MAX_BYTES}

    def __init__(self, state: Database):
        self._state = state

    def withheld(self) -> Container[str]:
        """The names of runs without pages: scrimmages, unused frozen copies, and the unpublished final."""
        known = settings_of(self._state)
        if known.published:
            return (SCRIMMAGES, *FROZEN.values())
        return (SCRIMMAGES, FINAL, *(() if known.is_frozen else FROZEN.values()))

    def reserved(self) -> Container[str]:
        """The ladders, while the standings are frozen."""
        return FROZEN.keys() if settings_of(self._state).is_frozen else ()

    def aliases(self) -> Mapping[str, str]:
        return entrants.aliases(self._state)

    def bot_of(self, holder: Holder | None) -> str:
        name = holder.subject if holder and holder.role == "entrant" else ""
        if problem := entrants.no_remote_bot(self._state, name):
            raise Refusal(401, problem)
        return name


@dataclass(frozen=True, eq=False)
class ContestServer(Server):
    """The web process of a contest. It changes contest.db, server.db and the archives, and no other file.

    `state` is the database of the contest, for the thread of the event loop.
    """

    contest: Contest = field(kw_only=True)
    state: Database = field(kw_only=True)

    @cached_property
    def own_games(self) -> ReadingProcess:
        """The process that reads run files for entrants' pages about their own games."""
        return ReadingProcess(reading.MODULE)

    @cached_property
    def expected(self) -> ExpectedFinal:
        """The forecast of the final for the organiser."""
        return ExpectedFinal(self.contest, self.state)

    def public_run(self, name: str = LADDER) -> str:
        """The name of the run with the public standings of the ladder `name`; while frozen, it is a copy."""
        return FROZEN[name] if settings_of(self.state).is_frozen else name


def contest_server(settings: ServerSettings) -> ContestServer:
    """The server of the contest whose state is in `settings.folder`."""
    contest = open_contest(settings.folder.parent)
    state = contest.database()
    site = WebSite(contest.keys.title, _LINKS, "arena.contest.pages")
    return ContestServer(settings, ContestAccess(state), site, contest=contest, state=state)


def contest_of(request: Request) -> ContestServer:
    """The server that answers a request."""
    server: ContestServer = request.app.state.server
    return server


def entrant_of(server: ContestServer, request: Request) -> str:
    """The name of the entrant that sends a request, with its token, or with `as=NAME` and its cookie.

    Raises:
        Refusal: The request has neither of these, or there is no such entrant.
    """
    if "authorization" in request.headers:
        found = bearer(server, request)
        name = found.subject if found and found.role == "entrant" else ""
    else:
        name = request.query_params.get("as", "")
        name = name if name and is_from(server, request, entrants.holder(name)) else ""
    if not name:
        raise Refusal(401, "This needs the token of an entrant: it is missing, wrong, or was revoked.")
    find_entrant(server, name)
    return name


def find_entrant(server: ContestServer, name: str) -> entrants.Entrant:
    """The entrant with this name.

    Raises:
        Refusal: There is no such entrant.
    """
    if found := entrants.get(server.state, name):
        return found
    raise Refusal(404, "There is no such entrant.")
