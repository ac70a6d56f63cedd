"""Plays many games as a round robin: every player on every seat with the same deals."""

import secrets
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from inspect import signature
from itertools import islice
from math import ceil
from pathlib import Path
from typing import Any, NamedTuple

from arena.config.document import ConfigError
from arena.library.errors import LibraryError
from arena.library.game import make_player, play_here
from arena.library.played import Played
from arena.library.players import Program, distinct_names, name_of
from arena.library.playing import OnFaults, check_faults
from arena.library.refereed import RefereedTable, bots_of
from arena.library.tables import Table, check_table
from arena.programs.bot import Bot
from arena.programs.reading import read_bot
from arena.referee.deals import deal
from arena.referee.fixture import Fixture
from arena.tournament import formats, schedule
from arena.tournament.formats.plan import Plan
from arena.tournament.processes import parallel
from arena.tournament.run import commit
from arena.tournament.runs.store import Store
from arena.tournament.runs.stored_game import StoredGame, pack

Factory = Callable[[], Any] | Program
"""A function that makes a player for one game, or a program. No player plays two games of a deal."""

_BATCH = 64  # games that a process plays at once
_SECRET_BYTES = 32


@dataclass
class Tally:
    """The results of a player in its games."""

    games: int = 0
    firsts: float = 0.0  # a shared first place counts as a fraction
    share: float = 0.0  # the sum of its points
    faults: int = 0
    places: list[int] = field(default_factory=list)  # how often it was first, second, …

    @property
    def points(self) -> float:
        """The mean share of opponents below it, 0 to 1; the same place counts half. 0 without games."""
        return self.share / self.games if self.games else 0.0

    def add(self, places: Sequence[int], seat: int, faults: int) -> None:
        own, others = places[seat], len(places) - 1
        equal = places.count(own) - 1
        self.games += 1
        self.firsts += (own == 1) / (equal + 1)
        self.share += (sum(place > own for place in places) + equal / 2) / others
        self.faults += faults
        self.places[own - 1] += 1


class Results(dict[str, Tally]):
    """The results of each player, by name; `games` is the number of games played."""

    games = 0

    def count(self, row: "_Row") -> None:
        self.games += 1
        for seat, name in enumerate(row.names):
            self[name].add(row.places, seat, row.faults[seat])

    def __repr__(self) -> str:
        lines = [f"{name}: {tally.points:.1%} of the points" for name, tally in self.best_first()]
        return f"{self.games} games; {'; '.join(lines)}"

    def best_first(self) -> list[tuple[str, Tally]]:
        return sorted(self.items(), key=lambda item: -item[1].points)


class _Row(NamedTuple):
    """The result of a game, from the process that played it."""

    names: tuple[str, ...]
    places: tuple[int, ...]
    faults: tuple[int, ...]  # by seat
    stored: StoredGame | None


@dataclass(frozen=True)
class _Setting:
    """What a process needs to play games of a plan."""

    table: Table
    bots: Mapping[str, Bot]
    factories: Mapping[str, Factory]
    faults: OnFaults
    is_stored: bool

    @property
    def is_refereed(self) -> bool:
        return self.faults == "play" or any(isinstance(each, Program) for each in self.factories.values())


def play_many(
    table: Table,
    factories: Sequence[Factory] | Mapping[str, Factory],
    games: int,
    seed: str | int | None = None,
    jobs: int = 1,
    out: str | Path | None = None,
    faults: OnFaults = "raise",
) -> Results:
    """Play this many games, and return the results of each player, by name.

    Their number is rounded up: with each deal, every player of a line-up plays on every seat. The keys of a
    mapping name the players. `jobs` processes play the games; for several processes, factories must be
    functions or classes of modules. `out` is a new run file, for `arena table` and `arena report`; None: no
    file is written. The other arguments and errors are those of `play`.

    Raises:
        ConfigError: The file `out` has games already.
    """
    check_table(table)
    check_faults(faults)
    if type(jobs) is not int or jobs < 1:
        raise LibraryError(f"jobs: should be a whole number from 1, not {jobs!r}")
    if not isinstance(factories, Sequence | Mapping):
        raise LibraryError(f"factories: should be a list or a dictionary of factories, not {factories!r}")
    made = _by_name(factories)
    if len(made) < table.seats:
        raise LibraryError(f"a table of {table.seats} seats needs as many players, not {len(made)}")
    setting = _Setting(table, _bots(table, made), made, faults, out is not None)
    plan = _plan(setting, games, seed)
    results = Results({name: Tally(places=[0] * table.seats) for name in setting.bots})
    with _new_store(out) as store:
        if store:
            commit(plan, store, "library")
        for rows in _play_all(setting, plan, games, jobs):
            if store:
                store.append([row.stored for row in rows if row.stored])
            for row in rows:
                results.count(row)
    return results


def _by_name(factories: Sequence[Factory] | Mapping[str, Factory]) -> dict[str, Factory]:
    """The factories by the distinct names of their players.

    Raises:
        LibraryError: A value is not a factory.
    """
    is_named = isinstance(factories, Mapping)
    each: list[Factory] = list(factories.values()) if isinstance(factories, Mapping) else list(factories)
    for factory in each:
        if not isinstance(factory, Program) and not _is_factory(factory):
            should = "a function without arguments, or a class, that makes a player for one game"
            raise LibraryError(f"{factory!r} is not a factory: {should}")
    names = distinct_names(tuple(map(str, factories) if is_named else map(_name_of, each)))
    return dict(zip(names, each, strict=True))


def _name_of(factory: Factory) -> str:
    if isinstance(factory, Program):
        return read_bot(Path(factory.path)).name
    return name_of(factory.func if isinstance(factory, partial) else factory)


def _is_factory(factory: Any) -> bool:
    if not callable(factory):
        return False
    try:
        signature(factory).bind()
    except TypeError:
        return False
    except ValueError:  # the signature of something built in may be unknown
        pass
    return True


def _bots(table: Table, made: Mapping[str, Factory]) -> dict[str, Bot]:
    players = [each if isinstance(each, Program) else name for name, each in made.items()]
    return {bot.name: bot for bot in bots_of(table, players, list(made))}


def _plan(setting: _Setting, games: int, seed: str | int | None) -> Plan:
    """A round robin of the players with at least so many games.

    Raises:
        LibraryError: `games` is below 1.
    """
    table, bots = setting.table, setting.bots
    if type(games) is not int or games < 1:
        raise LibraryError(f"games: should be a whole number from 1, not {games!r}")
    groups = ceil(games / table.seats)  # for one line-up; with several, only the first groups are played
    form = formats.find("round-robin")
    return Plan(
        name="library",
        game=table.game,
        seats=(table.seats,),
        options=table.options,
        bots=bots,
        format=form,
        config=form.config(groups=groups),
        seed=secrets.token_hex(_SECRET_BYTES) if seed is None else str(seed),
    )


@contextmanager
def _new_store(out: str | Path | None) -> Iterator[Store | None]:
    """The new run file `out`, open for writing; None without a path.

    Raises:
        ConfigError: The file has games already.
    """
    if out is None:
        yield None
        return
    with Store(Path(out), writer=True) as store:
        if store.count():
            raise ConfigError(f"{out}: has games already; another run needs another file")
        yield store


def _play_all(setting: _Setting, plan: Plan, games: int, jobs: int) -> Iterator[list[_Row]]:
    """Play the games with `jobs` processes. Yields the rows of each batch, in the order of the plan."""
    due = (fixture for fixture in schedule.due(plan, {}) if fixture)
    whole = islice(due, ceil(games / setting.table.seats) * setting.table.seats)
    dealt = (deal(fixture, plan.secret, 0) for fixture in whole)
    return parallel(partial(_play_batch, setting), _batches(dealt), jobs)


def _batches(fixtures: Iterator[Fixture]) -> Iterator[list[Fixture]]:
    while batch := list(islice(fixtures, _BATCH)):
        yield batch


def _play_batch(setting: _Setting, batch: Sequence[Fixture]) -> list[_Row]:
    if not setting.is_refereed:
        return [_row(setting, _play_here(setting, fixture)) for fixture in batch]
    makers = {name: make for name, make in setting.factories.items() if not isinstance(make, Program)}
    refereed = RefereedTable(setting.bots, makers, raises=setting.faults == "raise")
    with refereed:
        refereed.start_all()
        return [_row(setting, refereed.play_game(fixture)) for fixture in batch]


def _play_here(setting: _Setting, fixture: Fixture) -> Played:
    makers = [setting.factories[name] for name in fixture.bots]
    players = [make_player(make, seat) for seat, make in enumerate(makers) if not isinstance(make, Program)]
    made = partial(_itself, fixture)
    match = fixture.match(setting.table.game)
    return Played(made, play_here(setting.table, match, fixture.seed, players, made))


def _itself(fixture: Fixture) -> Fixture:
    return fixture


def _row(setting: _Setting, played: Played) -> _Row:
    faults = [0] * len(played.names)
    for fault in played.faults:
        faults[fault.seat] += 1
    stored = pack(played.record) if setting.is_stored else None
    return _Row(played.names, played.places, tuple(faults), stored)
