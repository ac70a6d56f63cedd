"""The common part of the processes that play a contest: each opens a run, plays it, stops and ends."""

import sqlite3
from _thread import interrupt_main
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from threading import Event, Thread
from time import monotonic, sleep, time
from typing import ClassVar, NamedTuple

from arena.config.document import ConfigError, MachineError
from arena.contest import entrants
from arena.contest.contest import Contest
from arena.contest.reports import Reports
from arena.programs.bot import BotError
from arena.programs.sandbox.policy import Sandbox
from arena.tournament import run as tournament
from arena.tournament.engine.choice import choose_engine
from arena.tournament.engine.interface import Engine, OpenEngine, Setup
from arena.tournament.formats.plan import Plan
from arena.tournament.live import live_folder, show_live, with_live_progress
from arena.tournament.processes import Workers
from arena.tournament.runs.store import Store
from arena.tournament.work_queue import VoidRun
from arena.web.log import use_log
from arena.web.settings import ServerSettings, read_settings, when_parent_ends

LOOK_S = 1.0  # between two looks at the tasks that are due
_AGAIN_S = 30.0  # before another try after a failure
_PAUSE_S = 10.0  # before the second start of a bot
OnGames = Callable[[Store, tournament.Progress, bool], None]
"""Called when games have ended, with the run and its progress, and whether the pages were updated now."""
PROBLEMS = (ConfigError, MachineError, BotError, VoidRun, OSError, ValueError, sqlite3.Error)


class OpenRun(NamedTuple):
    """A run file to write, its plan, and the engine of its games.

    `sandbox` is None if the games are played on a Dask cluster.
    """

    plan: Plan
    store: Store
    open_engine: OpenEngine
    sandbox: Sandbox | None
    on_progress: tournament.OnProgress


def start_twice(
    open_engine: OpenEngine, say: tournament.Notify, setup: Setup, pause: float = _PAUSE_S
) -> Engine:
    """Open an engine; bots that fail to build or start get a second attempt, after `pause` seconds.

    They have passed their checks, so perhaps the machine was busy for a while. That must not cost an entry
    its place on the ladder, or all its games in the final.

    Raises:
        BotError: Some bots fail again.
    """
    try:
        return open_engine(setup)
    except BotError as error:
        failed = {**error.unbuilt, **error.unstarted}
    for name, why in failed.items():
        say(f"{name} is started once more in {pause:g} s: {why}")
    sleep(pause)
    try:
        return open_engine(setup._replace(tried=frozenset(setup.bots.keys() - failed)))
    except BotError as error:
        unbuilt, unstarted = (
            {name: f"{why} (at the second attempt as well)" for name, why in found.items()}
            for found in (error.unbuilt, error.unstarted)
        )
        raise BotError(setup.bots, unbuilt, unstarted, error.said) from None


@dataclass
class ContestPlayer(ABC):
    """A process that plays what is due, one run after another.

    After a failure it raises an alarm, and tries again. It may be killed at any moment: the next run to play
    follows from contest.db and the run files.
    """

    contest: Contest
    stop: Event = field(default_factory=Event, kw_only=True)
    clock: Callable[[], float] = field(default=time, kw_only=True)  # compared with the deadline
    name: ClassVar[str]
    _excluded: Mapping[str, str] = field(default_factory=dict, init=False)  # the exclusions in the run

    def __post_init__(self) -> None:
        self._database = self.contest.database()
        self.reports = Reports(self.contest, self.name)

    @abstractmethod
    def _play_next(self) -> None:
        """Play what is due, or wait a little."""

    @abstractmethod
    def _close(self) -> None:
        """Close the files that the player has opened."""

    def _exclusions(self) -> dict[str, str]:
        """The reasons for which entrants do not count, by name."""
        return entrants.excluded(self._database)

    @contextmanager
    def _open_run(
        self, name: str, plan: Plan, jobs: int, note: OnGames, gate: Path | None = None
    ) -> Iterator[OpenRun]:
        """Open the run `name` to play it, with `jobs` workers, for spectators, without excluded entrants.

        `note` is called when games have ended. With a `gate`, the Unix socket of the web process for workers,
        remote bots may play; the run does not wait for absent ones.
        """
        path, say = self.contest.run(name), self.reports.say
        engine = "local" if gate else self.contest.keys.engine
        how = choose_engine(plan, engine, jobs, say, gate, live_folder(path), waits=False)
        with how as (open_engine, sandbox), Store(path, writer=True) as store, show_live(path) as folder:

            def on_progress(progress: tournament.Progress) -> None:
                note(store, progress, self.reports.note(progress))
                report(progress)

            report = with_live_progress(folder, lambda progress: None)
            opener = open_engine if gate else partial(start_twice, open_engine, say)
            self._exclude(store)
            yield OpenRun(tournament.prepare(plan, store), store, opener, sandbox, on_progress)

    def _exclude(self, store: Store) -> None:
        """Write the excluded entrants and the reasons into the run file."""
        self._excluded = self._exclusions()
        if dict(store.facts.excluded) != self._excluded:
            store.write_facts(replace(store.facts, excluded=self._excluded))

    def _play_games(self, run: OpenRun, should_stop: Callable[[], bool]) -> None:
        say = self.reports.say
        tournament.run(run.plan, run.store, run.open_engine, run.on_progress, say, should_stop, run.sandbox)

    def _stops(self, is_due: Callable[[], bool]) -> Callable[[], bool]:
        """A function that says whether a run must stop; it may be called often.

        A run stops if the process ends, the exclusions change, or `is_due` says that something else is due.
        The last two are checked once a second.
        """
        next_look, must_stop = 0.0, False

        def should_stop() -> bool:
            nonlocal next_look, must_stop
            if monotonic() >= next_look:
                next_look = monotonic() + LOOK_S
                must_stop = is_due() or self._exclusions() != self._excluded
            return must_stop or self.stop.is_set()

        return should_stop

    def run(self) -> None:
        """Play until `stop` is set."""
        try:
            while not self.stop.is_set():
                self.reports.beat()
                try:
                    self._play_next()
                except PROBLEMS as error:
                    self.reports.alarm(str(error) or repr(error))
                    self._pause(_AGAIN_S)
        finally:
            self._close()

    def _pause(self, seconds: float) -> None:
        until = monotonic() + seconds
        while monotonic() < until and not self.stop.wait(LOOK_S):
            self.reports.pulse()

    def begin(self, settings: ServerSettings) -> None:
        """Beat from now on wherever this process waits; raise an alarm if it replaces one that hung."""
        self.reports.pulse = Workers.on_wait = settings.beat
        if settings.is_after_hang:
            self.reports.alarm("the process that plays hung, and was replaced")


def run_process(make: Callable[[ServerSettings], ContestPlayer]) -> None:
    """Run the player that `make` gives, until the parent ends. Unfinished games are played anew next time."""
    use_log()
    settings = read_settings()
    player = make(settings)
    player.begin(settings)

    def end() -> None:
        player.stop.set()
        interrupt_main()

    when_parent_ends(end)
    Thread(target=player.reports.watch, args=(player.stop,), daemon=True).start()
    with suppress(KeyboardInterrupt):
        player.run()
