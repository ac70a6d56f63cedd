"""The runs that a web process shows: their files, their pages, and the processes that read them."""

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple, TypeVar
from urllib.parse import quote

from arena.web.access import Access
from arena.web.events import Streams
from arena.web.live_games import LiveGames, LivePage
from arena.web.reading import Busy, GamesView, GameView, Unreadable
from arena.web.reports import report_folder
from arena.web.requests import Refusal
from arena.web.run_page import Readers, RunPage, RunSource, render
from arena.web.settings import ServerSettings

_LISTED = 50  # games on a page of all games
_KEPT = 64  # scripts of games

_View = TypeVar("_View")


class ShownRun(NamedTuple):
    """A run that a visitor may see, and whether it is only for the operator now."""

    name: str
    path: Path
    is_reserved: bool = False

    @property
    def address(self) -> str:
        """The address of its page."""
        return f"/runs/{quote(self.name, safe='')}"


class ShownRuns:
    """The runs of a server. Reserved runs have pages only for the operator."""

    def __init__(self, settings: ServerSettings, access: Access, streams: Streams):
        self._settings, self._access, self._streams = settings, access, streams
        self._readers = Readers()
        self._pages: dict[ShownRun, RunPage] = {}
        self._live: dict[tuple[ShownRun, int], LivePage] = {}
        self._scripts: dict[tuple[str, ...], GameView] = {}

    async def close(self) -> None:
        for run in self._pages.values():
            run.close()
        for game in self._live.values():
            game.close()
        await self._readers.close()

    def files(self, for_operator: bool = False) -> Mapping[str, Path]:
        """The run files that are shown now, by name of the run; `for_operator` adds the reserved ones."""
        runs, access = self._settings.runs, self._access
        found = sorted(runs.glob("*.db")) if runs.is_dir() else [runs]
        withheld, reserved = access.withheld(), () if for_operator else access.reserved()
        return {
            path.stem: path
            for path in found
            if path.is_file() and path.stem not in withheld and path.stem not in reserved
        }

    def find(self, name: str, for_operator: bool = False) -> ShownRun:
        """The run with this name.

        Raises:
            Refusal: There is no such run, or only the operator may see it.
        """
        if path := self.files(for_operator).get(name):
            return ShownRun(name, path, for_operator)
        raise Refusal(404, "There is no such run.")

    def report(self, run: ShownRun) -> Path:
        """The folder of the pages of `arena report`, once there are any."""
        return report_folder(self._settings.folder, run.path)

    def page(self, run: ShownRun) -> RunPage:
        if run not in self._pages:
            source = RunSource(run.path, run.address, self.report(run))
            served = partial(self._is_served, run)
            self._pages[run] = RunPage(self._streams, self._readers, source, self._access.aliases, served)
        return self._pages[run]

    def live(self, run: ShownRun, number: int) -> LivePage:
        """The page for the games of a worker, even if it plays none now."""
        if (run, number) not in self._live:
            served = partial(self._is_served, run)
            self._live[run, number] = LivePage(self._streams, LiveGames(run.path), number, served)
        return self._live[run, number]

    def _is_served(self, run: ShownRun) -> bool:
        return run.name in self.files(run.is_reserved)

    async def game(self, path: Path, id: str) -> GameView:
        """A game of a run file.

        Raises:
            Refusal: The file cannot be read, or too many visitors ask for games.
        """
        aliases = self._access.aliases()
        key = (str(path), id, *aliases)
        known = self._scripts.get(key) if path.is_file() else GameView()
        if known is None:
            known = await self._read(GameView, "game", str(path), id, aliases)
            if known.script:
                self._scripts[key] = known
            if len(self._scripts) > _KEPT:
                del self._scripts[next(iter(self._scripts))]
        return known

    async def games(self, path: Path, address: str, before: int | None) -> GamesView:
        """A list of the games of a run file. Raises as `game`."""
        if not path.is_file():  # no game of people is over
            return GamesView(render("games.html", table=None), None)
        aliases = self._access.aliases()
        return await self._read(GamesView, "games", str(path), address, _LISTED, before, aliases)

    async def _read(self, view: type[_View], function: str, *arguments: Any) -> _View:
        try:
            return (await self._readers.games.read(view, function, *arguments)).view
        except Busy:
            raise Refusal(503, "Too many visitors ask for games; try again.") from None
        except Unreadable as error:
            raise Refusal(500, str(error)) from None
