"""The web process of a contest without a network: its organiser, its entrants and visitors."""

import json
from pathlib import Path
from typing import Any
from urllib.parse import quote

from asgi import ORIGIN, PORT, Answer, get, post, request

from arena.contest import create, entrants
from arena.contest.pages.server import contest_server
from arena.contest.web_process import ROUTES
from arena.games import GAMES
from arena.web.address import address_of
from arena.web.app import create_app
from arena.web.sessions import OPERATOR
from arena.web.settings import ServerSettings

DEADLINE = "2036-12-01 18:00 Europe/Paris"


class Pages:
    """A contest with these entrants, new unless its folder is there; who acts has a cookie or a token."""

    def __init__(self, folder: Path, *names: str):
        if not folder.exists():
            create.create(folder, GAMES["complots"], DEADLINE)
        server, address = folder / "server", address_of("127.0.0.1", PORT, None)
        settings = ServerSettings(server, server, folder / "runs", address, -1, -1, 4)
        self.server = contest_server(settings)
        self.app = create_app(self.server, ROUTES)
        self.state = self.server.state
        entrants.add(self.state, [entrants.NewEntrant(name, f"Team {name}") for name in names])
        self.tokens = {name: entrants.new_token(self.server.database, name) for name in names}
        self.operator = f"operator-8080={self.server.tokens.issue(OPERATOR, 'cookie')}"

    def cookie(self, name: str) -> str:
        """The cookie of an entrant who opens its link."""
        answer = post(self.app, "/entrant/open", {"token": self.tokens[name]})
        assert answer.status == 200, answer.body
        return answer.headers["set-cookie"].partition(";")[0]

    def get(self, path: str, **headers: str) -> Answer:
        return get(self.app, path, **headers)

    def order(self, what: str, /, **values: Any) -> Answer:
        """What the organiser's page posts."""
        return post(self.app, f"/organiser/{what}", values, cookie=self.operator)

    def act(self, name: str, what: str, **values: Any) -> Answer:
        """What the page of an entrant posts."""
        return post(self.app, f"/entrant/{what}?as={quote(name)}", values, cookie=self.cookie(name))

    def put(self, data: bytes, path: str = "/entry", **headers: str) -> Answer:
        return request(self.app, "PUT", path, data, {"content-length": str(len(data)), **headers})

    def hand_in(self, name: str, data: bytes = b"archive") -> Answer:
        """As by curl, with the token in a header."""
        return self.put(data, authorization=f"Bearer {self.tokens[name]}")

    def page(self, path: str, cookie: str = "") -> str:
        answer = self.get(path, cookie=cookie, accept="text/html")
        assert answer.status == 200, answer.body
        return answer.body.decode()

    def json(self, path: str, cookie: str = "") -> Any:
        answer = self.get(path, cookie=cookie)
        assert answer.status == 200, answer.body
        return json.loads(answer.body)


__all__ = ["DEADLINE", "ORIGIN", "Pages"]
