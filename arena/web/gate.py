"""The gate: the seats of people in the web process, between their pages and the games.

A game is played in another process, the *table process*. For each person it has a link
(`arena/programs/play/link.py`), which connects to the gate by a Unix socket: one line of JSON for a message.
The link sends views, and the gate keeps them for the pages of the seat, which may be loaded anew at any time.

Each side may be killed. A link connects again, and sends all its views once more, with the same numbers. The
gate passes only new ones to the pages. An answer stays here until a view shows that it has arrived: the id of
its ask makes it count once.
"""

import asyncio
import json
import os
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

from arena.web.database import Database
from arena.web.events import Channel, Streams, encode
from arena.web.seatings import Seating, SeatView, find_seating, last_view, take_chair

_MAX_LINE = 2**22  # bytes of a message
_MAX_TRIES = 3  # to send an answer: it may end the process each time
_WATCH_S = 1.0
_KEPT_S = 3600.0  # then the views of a game that is over are forgotten


class GateSeat:
    """The seat of one person at a table, with its `views` so far."""

    def __init__(self, seating: Seating, number: int, streams: Streams):
        self.seating, self.number = seating, number
        self.views: list[SeatView] = []
        self.channel = Channel(streams)
        self._writer: asyncio.StreamWriter | None = None
        self._answered, self._word = 0, ""  # an answer that no view has confirmed; 0: none
        self._tries = 0  # how often it was sent
        self._is_leaving = False

    @property
    def is_linked(self) -> bool:
        """Whether its table process is connected."""
        return self._writer is not None

    @property
    def is_over(self) -> bool:
        return bool(self.views and self.views[-1].over)

    def answer(self, ask: int, word: str) -> None:
        """Pass the answer to the ask with this id to the game; keep it until a view shows that it arrived."""
        self._answered, self._word, self._tries = ask, word, 1
        self._send_answer()

    def leave(self) -> None:
        """Make the person leave the game, which is a forfeit; a link that connects later hears it as well."""
        self._is_leaving = True
        self._send({"leave": True})

    def _send_answer(self) -> None:
        self._send({"answer": self._answered, "word": self._word})

    def _send(self, message: Mapping[str, object]) -> None:
        if self._writer:
            self._writer.write(json.dumps(message).encode() + b"\n")

    def link(self, writer: asyncio.StreamWriter) -> None:
        """Note the connection of a table process; it hears if the person has left the game."""
        self._writer = writer
        if self._is_leaving:
            self._send({"leave": True})

    def unlink(self, writer: asyncio.StreamWriter) -> None:
        if self._writer is writer:
            self._writer = None

    def show(self, view: SeatView) -> None:
        """Keep a view; send it to the pages if it is new. Then forget or send again a pending answer."""
        latest = len(self.views) - 1
        if view.n < latest:
            self.views[view.n] = replace(view, ask=None)
        elif view.n == latest:
            self.views[latest] = view
        elif view.n == latest + 1:
            if self.views:
                self.views[latest] = replace(self.views[latest], ask=None)
            self.views.append(view)
            self.channel.publish(encode_view(view))
        self._settle(view)

    def end(self, view: SeatView) -> None:
        """Show the last view of a game; blank views replace any that this web process has not seen."""
        last = max(view.n, len(self.views))
        self.views += map(SeatView, range(len(self.views), last))
        self.show(replace(view, n=last))

    def _settle(self, view: SeatView) -> None:
        """Forget the answer if this view has a later ask, a refusal, or the end of the game.

        If it still has the same ask, send the answer again, until that was sent `_MAX_TRIES` times.
        """
        if not self._answered or view.n < len(self.views) - 1:
            return
        if view.ask_id > self._answered or view.refused or view.over:
            self._answered = 0
        elif view.ask_id == self._answered and self._tries < _MAX_TRIES:
            self._tries += 1
            self._send_answer()


class Gate:
    """All seats of people of one web process."""

    def __init__(self, database: Database, streams: Streams):
        self._database, self._streams = database, streams
        self._seats: dict[tuple[str, int], GateSeat] = {}

    def seat(self, table: str, number: int) -> GateSeat | None:
        """Take the seat of a person, and return it; None: this is no seat of a person.

        Its game can begin when all people have taken their seats, so call it only if this one is there.
        """
        if found := self._seats.get((table, number)):
            return found
        seating = find_seating(self._database, table)
        if not seating or not take_chair(self._database, table, number):
            return None
        seat = self._seats[table, number] = GateSeat(seating, number, self._streams)
        self._look_for_end(table, number, seat)
        return seat

    @asynccontextmanager
    async def listen(self, path: Path) -> AsyncIterator[None]:
        """Listen for links at the Unix socket `path`, as long as the context lasts."""
        path.unlink(missing_ok=True)  # left by a web process that was killed
        listening = await asyncio.start_unix_server(self._serve_link, path, limit=_MAX_LINE)
        os.chmod(path, 0o600)
        watching = asyncio.create_task(self._watch())
        try:
            yield
        finally:
            watching.cancel()
            listening.close()

    async def _watch(self) -> None:
        """Check the database every second for the ends of games without a connected table process."""
        # The last view gets lost if the web process, or the link, was killed just then.
        while True:
            await asyncio.sleep(_WATCH_S)
            for (table, number), seat in list(self._seats.items()):
                if not seat.is_linked and not seat.is_over:
                    self._look_for_end(table, number, seat)

    def _look_for_end(self, table: str, number: int, seat: GateSeat) -> None:
        if view := last_view(self._database, table, number):
            seat.end(view)

    def find(self, table: str, number: int) -> GateSeat | None:
        """The seat if this web process has it already (`seat`), else None."""
        return self._seats.get((table, number))

    async def _serve_link(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Serve the connection of one link, until it is closed."""
        seat: GateSeat | None = None
        try:
            first = json.loads(await reader.readline() or b"null")
            seat = first and self.seat(first["table"], first["seat"])
            if not seat:
                return
            seat.link(writer)
            while line := await reader.readline():
                seat.show(SeatView(**json.loads(line)["view"]))
            if seat.is_over:
                asyncio.get_running_loop().call_later(_KEPT_S, self._forget, first["table"], first["seat"])
        except (ConnectionError, ValueError, LookupError, TypeError):
            pass  # the table process was killed, maybe in the middle of a line
        finally:
            if seat:
                seat.unlink(writer)
            writer.close()

    def _forget(self, table: str, number: int) -> None:
        seat = self._seats.get((table, number))
        if seat and not len(seat.channel):
            del self._seats[table, number]


def encode_view(view: SeatView) -> bytes:
    """A view as an event of a stream, with its number as id."""
    return encode(json.dumps(vars(view)), id=str(view.n), name="view")
