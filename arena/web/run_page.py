"""The page of a run, whose parts change while the run is played.

While the page has clients, a task looks every `_LOOK_S` whether the files of the run have changed. If so, the
parts that show them are rendered once, and those that differ go to all clients. A part that took much CPU
time is rendered again only after a pause in proportion, however many clients there are.
"""

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from time import monotonic
from typing import Any

from markupsafe import Markup
from starlette.responses import Response

from arena.referee.placings import Placing, Placings
from arena.show.tables.page import environment
from arena.show.tables.placings import places_table
from arena.web.events import Channel, Streams, encode
from arena.web.live_games import LiveGames
from arena.web.log import log
from arena.web.reading import Busy, ReadingProcess
from arena.web.reports import has_report

_LOOK_S = 0.5  # between two looks at the files
_SHARE = 20  # rendering a part may take at most 1/SHARE of the time of a core
_PAUSE_S = 1.0  # between two renderings of a part, at least
_FIRST_S = 3.0  # that a page waits for its parts; those that take longer come by an event
_PROGRAM_S = 60.0  # that a program waits for the standings
_LATEST = 10  # games on the page of a run

State = object
"""What a part of a page is rendered from: while it is equal, the part need not be rendered again."""


_Rendered = tuple[str, float]  # HTML, and the CPU seconds of another process that it took


class Readers:
    """The processes that read run files: one for ratings, which may take long, and one for games."""

    def __init__(self) -> None:
        self.ratings, self.games = ReadingProcess(), ReadingProcess()

    async def close(self) -> None:
        await self.ratings.close()
        await self.games.close()


class _Part:
    """A part of a page, which `render` makes anew when what `state` gives has changed, after a pause."""

    def __init__(self, state: Callable[[], State], render: Callable[[], Awaitable[_Rendered]]):
        self._state, self._render = state, render
        self.html = ""
        self._seen: State = None
        self._again = 0.0

    async def refresh(self) -> bool:
        """Render the part if its state changed and the pause is over; returns whether its HTML changed."""
        state, before = self._state(), self.html
        if state == self._seen or monotonic() < self._again:
            return False
        self.html, cpu_s = await self._render()
        self._seen, self._again = state, monotonic() + max(_PAUSE_S, _SHARE * cpu_s)
        return self.html != before


@dataclass(frozen=True)
class RunSource:
    """Where a run is: its file, the address of its page, and the folder of its `arena report`, if any."""

    path: Path
    address: str
    report: Path


class RunPage:
    """The page of one run file, for all of its clients.

    `aliases` gives names of bots with the names that are shown in their place. When `served()` is False, the
    streams of the clients end.
    """

    def __init__(
        self,
        streams: Streams,
        readers: Readers,
        source: RunSource,
        aliases: Callable[[], Mapping[str, str]],
        served: Callable[[], bool],
    ):
        self._source, self._readers, self._aliases, self._served = source, readers, aliases, served
        self._live = LiveGames(source.path)
        self._channel = Channel(streams)
        self._parts = {
            "progress": _Part(self._progress_state, self._progress),
            "tables": _Part(self._live.state, self._tables),
            "games": _Part(self._file_state, self._games),
            "standings": _Part(self._file_state, self._standings),
        }
        self._found: dict[str, Any] = {"games": 0, "data": []}  # the standings, for programs
        self._version = 0
        self._began = f"{monotonic():.3f}"  # ids of an earlier process mean nothing to this one
        self._turns = {name: asyncio.Lock() for name in self._parts}
        self._task: asyncio.Task[None] | None = None

    async def html(self) -> dict[str, Markup]:
        """The HTML of the parts of the page, by name, after at most `_FIRST_S` seconds.

        A part that takes longer is as it was before, or empty, and comes later by an event.
        """
        tasks = [asyncio.ensure_future(self._refresh(name)) for name in self._parts]
        await asyncio.wait(tasks, timeout=_FIRST_S)  # the others go on
        return {name: Markup(part.html) for name, part in self._parts.items()}

    async def standings(self) -> dict[str, Any]:
        """The standings for programs: `games`, how many, and `standings`, a list, one for each kind of game.

        They are those of the last reading if a new one takes longer than `_PROGRAM_S`.
        """
        await asyncio.wait([asyncio.ensure_future(self._refresh("standings"))], timeout=_PROGRAM_S)
        return {"games": self._found["games"], "standings": self._found["data"]}

    def listen(self, seen: str | None) -> Response:
        """The stream of a client: first all parts, unless the client has them, then those that change.

        `seen` is the id of the last event that it has seen; None: it has seen none.
        """
        if not self._task or self._task.done():
            self._task = asyncio.create_task(self._watch())
        return self._channel.listen(b"" if seen == self._id else b"".join(map(self._event, self._parts)))

    def close(self) -> None:
        if self._task:
            self._task.cancel()

    @property
    def _id(self) -> str:
        return f"{self._began}-{self._version}"

    def _event(self, name: str) -> bytes:
        return encode(json.dumps({"name": name, "html": self._parts[name].html}), self._id, "part")

    async def _watch(self) -> None:
        while len(self._channel):
            if not self._served():
                return self._channel.close()
            refreshing = [asyncio.ensure_future(self._refresh(name)) for name in self._parts]
            await asyncio.wait(refreshing, timeout=_LOOK_S)  # ratings may take long, the others do not wait
            await asyncio.sleep(_LOOK_S)

    async def _refresh(self, name: str) -> None:
        async with self._turns[name]:
            try:
                if await self._parts[name].refresh():
                    self._version += 1
                    self._channel.publish(self._event(name))
            except (Busy, OSError) as error:  # it stays as it is until the next look
                log("part not rendered", part=name, run=str(self._source.path), error=repr(error))

    def _file_state(self) -> State:
        files = (self._source.path, self._source.path.with_name(f"{self._source.path.name}-wal"))
        return [_stamp(path) for path in files], self._aliases()

    def _progress_state(self) -> State:
        return self._file_state(), self._live.progress(), has_report(self._source.report)

    async def _standings(self) -> _Rendered:
        found = await self._readers.ratings.ask("standings", str(self._source.path), self._aliases())
        if "data" in found:
            self._found = found
        return _html(found)

    async def _games(self) -> _Rendered:
        arguments = (str(self._source.path), self._source.address, _LATEST, None, self._aliases())
        return _html(await self._readers.games.ask("games", *arguments))

    async def _progress(self) -> _Rendered:
        known = await self._readers.games.ask("progress", str(self._source.path), self._aliases())
        if "error" in known:
            return _html(known)
        live = self._live.progress()
        places = places_table(Placings(tuple(Placing(**place) for place in live["places"]))) if live else None
        context = {"live": live, "places": places, "is_reported": has_report(self._source.report)}
        html = render("progress.html", known=known, address=self._source.address, **context)
        return html, known.get("cpu_s", 0.0)

    async def _tables(self) -> _Rendered:
        playing = [(number, game["bots"]) for number, game in self._live.games().items()]
        return render("tables.html", tables=playing, address=self._source.address), 0.0


def render(template: str, **context: object) -> str:
    """The HTML of a template for a part of a page."""
    return environment("arena.web").get_template(template).render(**context)


def _html(found: dict[str, Any]) -> _Rendered:
    html = found["html"] if "html" in found else render("problem.html", problem=found["error"])
    return html, found.get("cpu_s", 0.0)


def _stamp(path: Path) -> tuple[int, int] | None:
    """The time of the last change of a file, in ns, and its size in bytes; None: it is missing or empty."""
    with suppress(OSError):
        status = path.stat()
        if status.st_size:  # SQLite makes an empty log while it reads
            return status.st_mtime_ns, status.st_size
    return None
