"""Lists the games of runs with their bots' names in the standings, and reads their records."""

from collections.abc import Container, Iterable, Iterator
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

from arena.config.document import ConfigError
from arena.referee.record import Record, Summary
from arena.tournament.runs.sources import is_results, namer, read_run, versions
from arena.tournament.runs.store import Store
from arena.tournament.runs.stored_game import fixture_order


class PlayedGame(NamedTuple):
    """A game: its run file, its number there, and the names of its bots in the standings, by seat."""

    run: Path
    number: int
    names: tuple[str, ...]
    game: Summary


def played_games(paths: Iterable[Path]) -> Iterator[PlayedGame]:
    """The games of these runs, each once, run after run in fixture order (`fixture_order`).

    Raises:
        ConfigError: A file has only results, or is not a run, or a game is damaged.
    """
    paths = list(paths)
    for path in paths:
        if is_results(path):
            raise ConfigError(f"{path}: has only results; this needs the records of a run")
    runs = [read_run(path) for path in paths]
    name = namer(versions((run.plan, run.coded.seatings) for run in runs))
    seen: set[str] = set()
    for path in paths:
        with Store(path) as store:
            for number, game in sorted(store.numbered(), key=lambda each: fixture_order(each[1])):
                if game.id not in seen:
                    seen.add(game.id)
                    yield PlayedGame(path, number, name(game.bots, game.fingerprints), game)


def shown_records(
    paths: Iterable[Path], among: Container[str] | None = None
) -> Iterator[tuple[PlayedGame, Record]]:
    """The `played_games` of these runs with their records, without seeds that are still secret.

    `among` has the ids of the games to read; None: all.

    Raises:
        ConfigError: A file has no records, or is not a run, or a game is damaged.
    """
    for path, games in groupby(played_games(paths), key=lambda played: played.run):
        with Store(path) as store:
            for played in games:
                if among is None or played.game.id in among:
                    yield played, shown_record(store, played.game.id)


def records(paths: Iterable[Path]) -> Iterator[tuple[tuple[str, ...], Record]]:
    """The records of `shown_records`, each after the names of its bots in the standings, by seat."""
    return ((played.names, record) for played, record in shown_records(paths))


def shown_record(store: Store, id: str) -> Record:
    """A record of a run, without its seed while that is secret.

    Raises:
        ConfigError: The record is missing or damaged.
    """
    record = store.record(id)
    return record.without_seed() if store.hides_seeds else record
