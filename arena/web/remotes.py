"""Passes the lines of remote bots between their links, in the workers of a run, and their clients.

It keeps no lines: the two ends send again what was lost (`arena/programs/remote/exchange.py`). A *path* leads
from a link to the client of its bot. It gets a new number whenever one of the two has connected. Lines pass
only after the client has said on this path which lines it has; lines of an earlier path are dropped.
"""

import asyncio
from collections.abc import Callable, Mapping
from itertools import count
from time import monotonic
from typing import Any

from arena.programs.remote.exchange import RoundTrips

Send = Callable[[dict[str, Any]], None]
Message = Mapping[str, Any]
_MAX_NUMBER = 2**53
_MAX_BACKLOG = 2**20  # bytes
_ANSWERS_WITHIN_S = 5.0  # a silent client loses its place to another session after that time


class Misbehaved(Exception):
    """Raised for a message that no client of the arena sends; the text describes a right one."""


class Link:
    """One seat of a remote bot in a worker's game. `backlog` gives the bytes that the worker has not read."""

    def __init__(self, id: str, name: str, send: Send, backlog: Callable[[], int] = lambda: 0):
        self.id, self.name, self.send, self.backlog = id, name, send, backlog
        self.path = 0  # 0: its client is not connected
        self.is_open = False  # the client has said on this path which lines it has


class Client:
    """One connection of a remote bot's client. It ends when `over` gets a WebSocket code and a reason."""

    def __init__(self, name: str, session: str, send: Send, clock: Callable[[], float] = monotonic):
        self.name, self.session, self.send = name, session, send
        self.trips = RoundTrips()
        self.over: asyncio.Future[tuple[int, str]] = asyncio.get_running_loop().create_future()
        self._clock, self._numbers = clock, count(1)
        self._pinged: tuple[int, float] = (0, 0.0)  # the number of the last ping, and when it was sent
        self._pong = asyncio.Event()

    async def ping(self, within: float) -> bool:
        """Send a ping, and note the round trip; returns False if no answer comes `within` these seconds."""
        self._pong.clear()
        self._pinged = (next(self._numbers), self._clock())
        self.send({"ping": self._pinged[0]})
        try:
            async with asyncio.timeout(within):
                await self._pong.wait()
        except TimeoutError:
            return False
        return True

    def answer_ping(self, number: object) -> None:
        if number == self._pinged[0]:
            self.trips.add(self._clock() - self._pinged[1])
            self._pong.set()

    def end(self, code: int, reason: str) -> None:
        if not self.over.done():
            self.over.set_result((code, reason))


class Remotes:
    """All links and clients of a web process, and the paths between them.

    A link may still send on a path of an earlier web process, which was killed. So each web process numbers
    its paths from a number of its own, `first`.
    """

    def __init__(self, first: int) -> None:
        self._links: dict[str, Link] = {}
        self._clients: dict[str, Client] = {}  # by name of their bot
        self._paths, self._joins = count(first), count(first)
        self._connected: dict[str, tuple[int, float]] = {}
        self._watchers: list[Send] = []

    @property
    def connected(self) -> Mapping[str, tuple[int, float]]:
        """The number and the beginning (by `monotonic`) of each bot's connection, by bot name."""
        return self._connected

    def watch(self, send: Send) -> None:
        """Call `send` with the connected clients: now, and whenever they change."""
        self._watchers.append(send)
        send({"connected": self._connected})

    def unwatch(self, send: Send) -> None:
        self._watchers.remove(send)

    def _tell(self) -> None:
        for send in self._watchers:
            send({"connected": self._connected})

    async def join(self, client: Client) -> str:
        """Let a client play its bot; returns the reason if it may not, or "".

        It replaces an old connection of the same session, or a client that has stopped answering.
        """
        while (old := self._clients.get(client.name)) and old.session != client.session:
            if await old.ping(_ANSWERS_WITHIN_S):
                return f"another client plays as {client.name}, and answers; stop it first"
            self.leave(old, "does not answer, and another client plays now")
        if old:
            self.leave(old, "has connected again")
        self._clients[client.name] = client
        self._connected[client.name] = next(self._joins), monotonic()
        self._tell()
        for link in self._links.values():
            if link.name == client.name:
                self._open(link, client)
        return ""

    def leave(self, client: Client, reason: str = "") -> None:
        client.end(1000, reason)
        if self._clients.get(client.name) is client:
            del self._clients[client.name], self._connected[client.name]
            self._tell()
            for link in self._links.values():
                if link.name == client.name:
                    _close(link)

    def add(self, link: Link) -> None:
        self._links[link.id] = link
        if client := self._clients.get(link.name):
            self._open(link, client)
        else:
            _close(link)

    def remove(self, link: Link) -> None:
        """Forget a link whose connection is gone, and tell its client. The link may connect again."""
        if self._links.get(link.id) is link:
            del self._links[link.id]
            if client := self._clients.get(link.name):
                client.send({"link": link.id, "gone": True})

    def _open(self, link: Link, client: Client) -> None:
        link.path, link.is_open = next(self._paths), False
        client.send({"link": link.id, "open": link.path})

    def take_from_link(self, link: Link, message: Message) -> None:
        client = self._clients.get(link.name)
        if client and "over" in message:
            client.send({"link": link.id, "over": True})
        elif client and link.is_open and message["path"] == link.path:
            client.send({"link": link.id, **{key: message[key] for key in message if key != "path"}})

    def take_from_client(self, client: Client, message: object) -> None:
        """Pass a message of a client to its link, or take its pong.

        Raises:
            Misbehaved: The message is malformed, or the worker has too much to read.
        """
        if not isinstance(message, dict):
            raise Misbehaved("a message should be an object")
        if "pong" in message:
            client.answer_ping(message["pong"])
            return
        link = self._links.get(_text(message, "link"))
        if link is None or link.name != client.name or self._clients.get(client.name) is not client:
            return  # it has ended meanwhile
        rtt = client.trips.allowance
        if "got" in message:
            # This is done once for each path: the link sends the whole game if the client has none of it.
            path, got = _number(message, "path"), _number(message, "got")
            if path == link.path and not link.is_open:
                link.is_open = True
                link.send({"here": path, "got": got, "rtt": rtt})
        elif link.is_open:
            if link.backlog() > _MAX_BACKLOG:  # a worker reads what its bots write while they play
                raise Misbehaved("too many lines that nothing asked for")
            kind = "exit" if "exit" in message else "line"
            link.send({"m": _number(message, "m"), kind: _text(message, kind), "rtt": rtt})


def _close(link: Link) -> None:
    link.path, link.is_open = 0, False
    link.send({"here": 0, "got": 0, "rtt": 0.0})


def _number(message: Message, key: str) -> int:
    value = message.get(key)
    if type(value) is not int or not 0 <= value < _MAX_NUMBER:
        raise Misbehaved(f"{key} should be a whole number")
    return value


def _text(message: Message, key: str) -> str:
    value = message.get(key)
    if not isinstance(value, str):
        raise Misbehaved(f"{key} should be text")
    return value
