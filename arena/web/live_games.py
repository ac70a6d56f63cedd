"""The games of a run that are played now, for spectators: the public news.

The files of the workers (`arena.programs.play.live`) are read while a page has clients. New entries go to all
clients of the page, with the sentences of the game's prose.
"""

import asyncio
import json
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from starlette.responses import Response

from arena.games import find
from arena.referee.protocol import option_words
from arena.tournament.live import LiveProgress, live_folder
from arena.web.events import Channel, Streams, encode

_LOOK_S = 0.25  # between two looks at the file of a worker


@dataclass(frozen=True)
class WatchedGame:
    """A game that is played now, from the file of its worker (`arena.programs.play.live`)."""

    id: str
    game: str
    options: Mapping[str, Any]
    bots: Sequence[str]
    news: Sequence[str]  # heard by all seats
    view: Sequence[str] | None  # of the table; None: the rules have none for spectators
    places: Sequence[int] | None
    scores: Sequence[Any] | None


class LiveGames:
    """Reads the live folder of a run (`arena.tournament.live`). A server keeps it while it plays the run."""

    def __init__(self, run: Path):
        self._folder = live_folder(run)

    def progress(self) -> LiveProgress | None:
        """The progress of the run (`arena.tournament.live`); None if it is not played now."""
        return LiveProgress.read(self._folder)

    def state(self) -> object:
        """Each worker's number with its game's id: equal while the same workers play the same games."""
        return [(number, game.id) for number, game in self.games().items()]

    def games(self) -> dict[int, WatchedGame]:
        """The games that are played now, by number of the worker."""
        with suppress(OSError):
            if not self.progress():
                return {}
            numbers = sorted(int(path.stem) for path in self._folder.iterdir() if _is_worker(path))
            return {number: game for number in numbers if (game := self.game(number))}
        return {}

    def game(self, number: int) -> WatchedGame | None:
        """The game that the worker with this number plays; None if it plays none."""
        return _read(self._folder / f"{number}.json") if self.progress() else None


def _is_worker(path: Path) -> bool:
    return path.suffix == ".json" and path.stem.isdecimal()


def _read(path: Path) -> WatchedGame | None:
    with suppress(OSError, ValueError, TypeError):
        return WatchedGame(**json.loads(path.read_bytes()))
    return None


class LivePage:
    """The page of the game that one worker plays, for all of its clients, as long as `served()` is true."""

    def __init__(self, streams: Streams, games: LiveGames, number: int, served: Callable[[], bool]):
        self._games, self._number, self._served = games, number, served
        self._channel = Channel(streams)
        self._game: WatchedGame | None = None  # the game that was sent last
        self._task: asyncio.Task[None] | None = None

    def listen(self) -> Response:
        """The stream of a client: first the whole game so far."""
        self._look()
        if not self._task or self._task.done():
            self._task = asyncio.create_task(self._watch())
        return self._channel.listen(_event(self._game, 0))

    def close(self) -> None:
        if self._task:
            self._task.cancel()

    async def _watch(self) -> None:
        while len(self._channel):
            if not self._served():
                return self._channel.close()
            self._look()
            await asyncio.sleep(_LOOK_S)

    def _look(self) -> None:
        """Send new entries to all clients."""
        game, before = self._games.game(self._number), self._game
        if game != before:
            self._game = game
            known = len(before.news) if before and game and game.id == before.id else 0
            self._channel.publish(_event(game, known))


def _event(game: WatchedGame | None, known: int) -> bytes:
    """The event with the game and its news after the first `known`; `null` without a game."""
    if not game:
        return encode("null", name="game")
    rules = find(game.game)
    tell = rules.prose.tell if rules else str
    news = [(text, tell(text)) for text in game.news[known:]]
    options = option_words(game.options.items())
    data = json.dumps({**vars(game), "options": options, "known": known, "news": news})
    return encode(data, game.id, "game")
