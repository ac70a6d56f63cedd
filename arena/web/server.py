"""`Server`: the state of a web process, which its handlers find in `app.state`."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from secrets import randbelow

from starlette.requests import HTTPConnection

from arena.web.access import Access
from arena.web.connections import Connections
from arena.web.database import Database
from arena.web.events import Streams
from arena.web.gate import Gate
from arena.web.limits import Rates
from arena.web.remotes import Remotes
from arena.web.settings import ServerSettings
from arena.web.shown_runs import ShownRuns
from arena.web.tokens import Tokens

_OUR_PACKAGE = "arena.web"


@dataclass(frozen=True)
class WebSite:
    """The common part of a web process's pages: its name, and links at the head of each page."""

    name: str = "Arena"
    links: Mapping[str, str] = field(default_factory=lambda: {"/": "Play", "/people": "People"})
    package: str = _OUR_PACKAGE  # with more templates and static files

    @property
    def packages(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys((self.package, _OUR_PACKAGE)))


@dataclass(frozen=True, eq=False)
class Server:
    """One web process. It plays no games, and opens run files only to read them."""

    settings: ServerSettings
    access: Access = field(default_factory=Access)
    site: WebSite = field(default_factory=WebSite)
    connections: Connections = field(default_factory=Connections)
    rates: Rates = field(default_factory=Rates)
    # Refused requests and dropped connections, by reason.
    counts: Counter[str] = field(default_factory=Counter)

    @property
    def folder(self) -> Path:
        """The folder of the state: server.db, people.db, tables/."""
        return self.settings.folder

    @cached_property
    def database(self) -> Database:
        return Database(self.folder / "server.db")

    @cached_property
    def tokens(self) -> Tokens:
        return Tokens(self.database)

    @cached_property
    def streams(self) -> Streams:
        """All event streams, which end when the server stops."""
        return Streams()

    @cached_property
    def gate(self) -> Gate:
        """The seats of people."""
        return Gate(self.database, self.streams)

    @cached_property
    def runs(self) -> ShownRuns:
        return ShownRuns(self.settings, self.access, self.streams)

    @cached_property
    def remotes(self) -> Remotes:
        return Remotes(randbelow(2**32) + 1)


def server_of(connection: HTTPConnection) -> Server:
    """The server that answers a request or serves a WebSocket."""
    server: Server = connection.app.state.server
    return server
