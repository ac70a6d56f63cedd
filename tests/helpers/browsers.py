"""A browser of a person at a table, without its pages: it has cookies, and asks for views and answers."""

import http.client
import json
import time

from seats import WAIT_S
from servers import Served

_AGAIN_S = 3.0  # after which an answer is sent again: the web process may have been killed


class Browser:
    """Plays over HTTP. While a process of the server is being replaced, it tries again, as a page does."""

    def __init__(self, server: Served):
        self.server = server
        self._cookies: dict[str, str] = {}
        self.at = ""  # the address of its seat
        self.views: list[dict] = []
        self._said_at: dict[int, float] = {}

    def call(self, method: str, path: str, data: object = None) -> tuple[int, dict]:
        end = time.monotonic() + WAIT_S
        while True:
            try:
                return self._call(method, path, data)
            except (OSError, http.client.HTTPException):
                assert time.monotonic() < end, "the server does not answer"
                time.sleep(0.05)

    def _call(self, method: str, path: str, data: object) -> tuple[int, dict]:
        connection = http.client.HTTPConnection("127.0.0.1", self.server.port, timeout=WAIT_S)
        headers = {"Cookie": "; ".join(f"{name}={value}" for name, value in self._cookies.items())}
        if method == "POST":
            headers |= {"Origin": self.server.url, "Content-Type": "application/json"}
        try:
            connection.request(method, path, json.dumps(data), headers)
            answer = connection.getresponse()
            for cookie in answer.headers.get_all("Set-Cookie", []):
                name, _, rest = cookie.partition("=")
                self._cookies[name] = rest.partition(";")[0]
            body = answer.read()
        finally:
            connection.close()
        try:
            return answer.status, json.loads(body)
        except ValueError:
            return answer.status, {"error": body.decode()}

    def open(self, link: str) -> None:
        """Open the link of a seat."""
        token = link.partition("#")[2]
        status, found = self.call("POST", "/seat/open", {"token": token})
        assert status == 200, found
        self.at, self.views = found["to"], []

    def look(self) -> None:
        """Get the views that it does not have."""
        status, found = self.call("GET", f"{self.at}/views?after={len(self.views) - 1}")
        assert status == 200, found
        if found:
            self.views += found
        else:
            time.sleep(0.02)

    @property
    def is_over(self) -> bool:
        return bool(self.views and self.views[-1]["over"])

    def move_to(self, server: Served) -> None:
        """Go on at another server, with the cookies of the one before."""
        self.server, self.views = server, []

    def next_ask(self, after: int = 0) -> dict:
        """Wait for an ask with an id above this."""
        while not (self.views and self.views[-1]["ask"] and self.views[-1]["ask"]["id"] > after):
            assert not self.is_over, "the game is over"
            self.look()
        return self.views[-1]["ask"]

    def due(self) -> dict | None:
        """The ask that is to be answered: a new one, or one that still waits though it was answered."""
        ask = self.views[-1]["ask"] if self.views else None
        if not ask or time.monotonic() < self._said_at.get(ask["id"], 0.0) + _AGAIN_S:
            return None
        return ask

    def answer(self, ask: int, word: str) -> None:
        self._said_at[ask] = time.monotonic()
        status, found = self.call("POST", f"{self.at}/answer", {"ask": ask, "word": word})
        assert status == 200, found
