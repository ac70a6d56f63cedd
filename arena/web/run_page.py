"""The page of a run, whose parts change while the run is played.

While the page has clients, a task checks the files of the run every `_LOOK_S`. After a change the parts that
show them are rendered once, and each changed part goes to all clients. A part that took much CPU time is
rendered again only after a proportional pause, however many clients there are.
"""

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from time import monotonic
from typing import Any, NamedTuple

from markupsafe import Markup
from starlette.responses import Response

from arena.show.tables.page import environment
from arena.show.tables.placings import places_table
from arena.web.events import Channel, Streams, encode
from arena.web.live_games import LiveGames
from arena.web.log import log
from arena.web.reading import Busy, GamesView, ProgressView, ReadingProcess, StandingsView, Unreadable
from arena.web.reports import has_report

_LOOK_S = 0.5  # between two looks at the files
_SHARE = 20  # rendering a part may take at most 1/SHARE of the time of a core
_PAUSE_S = 1.0  # between two renderings of a part, at least
_FIRST_S = 3.0  # a page waits so long for its parts; a slower one is sent by an event
_PROGRAM_S = 60.0  # a program waits so long for the standings
_LATEST = 10  # games on the page of a run

_Inputs = object
"""The inputs of a part of a page: while they are equal, the part need not be rendered again."""


class _Rendered(NamedTuple):
    """HTML, and its cost in CPU seconds of another process."""

    html: str
    cpu_s: float = 0.0


class Readers:
    """The processes that read run files: one for ratings, which may take long, and one for games."""

    def __init__(self) -> None:
        self.ratings, self.games = ReadingProcess(), ReadingProcess()

    async def close(self) -> None:
        await self.ratings.close()
        await self.games.close()


class _Part:
    """A part of a page. When the result of `inputs` has changed, `render` makes it anew after a pause."""

    def __init__(self, inputs: Callable[[], _Inputs], render: Callable[[], Awaitable[_Rendered]]):
        self._inputs, self._render = inputs, render
        self.html = ""
        self._seen: _Inputs = None
        self._again = 0.0

    async def refresh(self) -> bool:
        """Render the part if its inputs changed and the pause is over; returns whether its HTML changed."""
        inputs, before = self._inputs(), self.html
        if inputs == self._seen or monotonic() < self._again:
            return False
        try:
            self.html, cpu_s = await self._render()
        except Unreadable as error:
            self.html, cpu_s = render("problem.html", problem=str(error)), error.cpu_s
        self._seen, self._again = inputs, monotonic() + max(_PAUSE_S, _SHARE * cpu_s)
        return self.html != before


@dataclass(frozen=True)
class RunSource:
    """The places of a run: its file, the address of its page, and the folder of its report, if any."""

    path: Path
    address: str
    report: Path


class RunPage:
    """The page of one run file, for all of its clients.

    `aliases` returns the names that are shown in place of bots' names. When `served()` is False, the
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
            "progress": _Part(self._progress_inputs, self._progress),
            "tables": _Part(self._live.state, self._tables),
            "games": _Part(self._file_inputs, self._games),
            "standings": _Part(self._file_inputs, self._standings),
        }
        self._found = StandingsView("", 0, [])
        self._version = 0
        self._began = f"{monotonic():.3f}"  # ids of an earlier process mean nothing to this one
        self._turns = {name: asyncio.Lock() for name in self._parts}
        self._task: asyncio.Task[None] | None = None

    async def html(self) -> dict[str, Markup]:
        """The HTML of the parts of the page, by name, after at most `_FIRST_S` seconds.

        A slower part is unchanged or empty, and an event sends it later.
        """
        tasks = [asyncio.ensure_future(self._refresh(name)) for name in self._parts]
        await asyncio.wait(tasks, timeout=_FIRST_S)  # unfinished tasks go on
        return {name: Markup(part.html) for name, part in self._parts.items()}

    async def standings(self) -> dict[str, Any]:
        """The standings for programs: `games`, how many, and `standings`, a list, one for each kind of game.

        If a new reading takes longer than `_PROGRAM_S`, they are from the last one.
        """
        await asyncio.wait([asyncio.ensure_future(self._refresh("standings"))], timeout=_PROGRAM_S)
        return {"games": self._found.games, "standings": self._found.data}

    def listen(self, seen: str | None) -> Response:
        """The stream of a client: first all parts, unless the client has them, then each that changes.

        `seen` is the id of the client's last event; None: it has seen none.
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

    def _file_inputs(self) -> _Inputs:
        files = (self._source.path, self._source.path.with_name(f"{self._source.path.name}-wal"))
        return [_stamp(path) for path in files], self._aliases()

    def _progress_inputs(self) -> _Inputs:
        return self._file_inputs(), self._live.progress(), has_report(self._source.report)

    async def _standings(self) -> _Rendered:
        arguments = (str(self._source.path), self._aliases())
        self._found, cpu_s = await self._readers.ratings.read(StandingsView, "standings", *arguments)
        return _Rendered(self._found.html, cpu_s)

    async def _games(self) -> _Rendered:
        arguments = (str(self._source.path), self._source.address, _LATEST, None, self._aliases())
        found, cpu_s = await self._readers.games.read(GamesView, "games", *arguments)
        return _Rendered(found.html, cpu_s)

    async def _progress(self) -> _Rendered:
        arguments = (str(self._source.path), self._aliases())
        known, cpu_s = await self._readers.games.read(ProgressView, "progress", *arguments)
        live = self._live.progress()
        places = places_table(live.places) if live else None
        context = {"live": live, "places": places, "is_reported": has_report(self._source.report)}
        return _Rendered(render("progress.html", known=known, address=self._source.address, **context), cpu_s)

    async def _tables(self) -> _Rendered:
        playing = [(number, game.bots) for number, game in self._live.games().items()]
        return _Rendered(render("tables.html", tables=playing, address=self._source.address))


def render(template: str, **context: object) -> str:
    """The HTML of a template for a part of a page."""
    return environment("arena.web").get_template(template).render(**context)


def _stamp(path: Path) -> tuple[int, int] | None:
    """The time of the last change of a file, in ns, and its size in bytes; None: it is missing or empty."""
    with suppress(OSError):
        status = path.stat()
        if status.st_size:  # SQLite makes an empty log while it reads
            return status.st_mtime_ns, status.st_size
    return None
