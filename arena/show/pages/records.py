"""Reads the records of games for the pages; files of results (CSV, PGN) have no records."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby, islice
from math import inf
from pathlib import Path
from typing import NamedTuple

from arena.show.pages.collect import Chunk, Collected, Task, collect
from arena.show.pages.links import game_link
from arena.show.pages.notable import NotableGames, notable_games
from arena.show.tables.table import CellLink
from arena.tournament.processes import parallel
from arena.tournament.runs.game_list import PlayedGame, played_games

CHUNK = 50  # games that a process reads at once

Progress = Callable[[str, int, int], None]
"""Called with the name of the work, how much of it is done, and how much there is."""


def quiet(what: str, done: int, total: int) -> None:
    """Report no progress."""


class GamePages(NamedTuple):
    """The most games that get a page, and whether pages show the stderr of bots."""

    most: float = inf
    stderr: bool = True


@dataclass(frozen=True, eq=False)
class Records:
    """The games of the runs in fixture order, the data collected from them, and the notable ones by bot."""

    games: Sequence[PlayedGame]
    collected: Collected
    notable: Mapping[str, NotableGames]

    @property
    def with_pages(self) -> list[int]:
        """The indices of the games that have a page."""
        return sorted(self.collected.measured)

    @cached_property
    def _ids_with_pages(self) -> set[str]:
        return {self.games[index].game.id for index in self.collected.measured}

    def cell(self, at: int, moment: int | None = None, title: str = "") -> str | CellLink:
        """The cell of the game with the index `at`: `title`, or its number, with a link if it has a page.

        The link leads to a `moment`, counted from 0, or to the beginning if it is None.
        """
        title = title or f"game {self.games[at].number}"
        is_linked = at in self.collected.measured
        return CellLink(game_link(self.games[at].game.id, moment), title) if is_linked else title

    def link_of(self, id: str) -> str | None:
        """The page of the game with this id; None if it has no page."""
        return game_link(id) if id in self._ids_with_pages else None


def order_of_finish(played: PlayedGame) -> list[tuple[int, str]]:
    """The places of a game, each with its bot, the first place first."""
    return sorted(zip(played.game.places, played.names, strict=True), key=lambda seat: seat[0])


def read_records(
    runs: Sequence[Path],
    out: Path,
    elo: Mapping[str, float],
    wanted: GamePages,
    jobs: int,
    progress: Progress,
) -> Records:
    """Read the records of runs, and write the data of games with pages.

    Args:
        runs: The run files.
        out: The folder for the data.
        elo: The Elo of each bot.
        wanted: The games that get a page.
        jobs: The number of processes.
        progress: Called with the number of games so far.

    Raises:
        ConfigError: A record is damaged.
    """
    games = list(played_games(runs))
    notable = notable_games(games, elo)
    chosen = choose(games, notable, wanted.most)
    out.mkdir(parents=True, exist_ok=True)
    collected, done = Collected(), 0
    chunks = list(_chunks(games, chosen, out, wanted.stderr))
    for chunk, part in zip(chunks, parallel(collect, chunks, min(jobs, len(chunks))), strict=True):
        collected.merge(part)
        done += len(chunk.tasks)
        progress("games", done, len(games))
    return Records(games, collected, notable)


def choose(games: Sequence[PlayedGame], notable: Mapping[str, NotableGames], most: float) -> list[int]:
    """The indices of up to `most` games for pages: those with faults first, then notable, then others."""
    faulty = (at for at, played in enumerate(games) if played.game.faults)
    linked = (each.at for found in notable.values() for side in found for each in side)
    ordered = dict.fromkeys([*faulty, *linked, *range(len(games))])
    return sorted(islice(ordered, int(min(most, len(games)))))


def _chunks(
    games: Sequence[PlayedGame], chosen: Sequence[int], out: Path, shows_stderr: bool
) -> Iterator[Chunk]:
    """All games in chunks of one run. The page of a game links to its neighbours in `chosen`."""
    earlier, later = [None, *chosen[:-1]], [*chosen[1:], None]
    neighbours = dict(zip(chosen, zip(earlier, later, strict=True), strict=False))

    def facts(index: int) -> dict[str, object] | None:
        if index not in neighbours:
            return None
        played = games[index]
        before, after = (None if each is None else games[each].game.id for each in neighbours[index])
        return {
            "run": played.run.name,
            "number": played.number,
            "group": played.game.seed_group,
            "previous": before,
            "next": after,
        }

    tasks = (Task(index, played, facts(index)) for index, played in enumerate(games))
    for run, of_run in groupby(tasks, key=lambda task: task.played.run):
        while part := [*islice(of_run, CHUNK)]:
            yield Chunk(run, out, part, shows_stderr)
