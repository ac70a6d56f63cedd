"""What the processes that play a contest share: runs that spectators see, and how the process ends."""

import sqlite3
from _thread import interrupt_main
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from threading import Event, Thread
from time import monotonic, sleep
from typing import NamedTuple

from arena.config.document import ConfigError, MachineError
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

LOOK_S = 1.0  # between two looks at what is due
_AGAIN_S = 30.0  # before what has failed is tried again
_PAUSE_S = 10.0  # before a bot that has not started is started once more
PROBLEMS = (ConfigError, MachineError, BotError, VoidRun, OSError, ValueError, sqlite3.Error)


class OpenRun(NamedTuple):
    """A run file to write, what opens the engine that plays its games, and the report for spectators.

    `sandbox` is None if the games are played on a Dask cluster.
    """

    store: Store
    open_engine: OpenEngine
    sandbox: Sandbox | None
    report: tournament.OnProgress


@contextmanager
def open_run(
    path: Path, plan: Plan, jobs: int, say: tournament.Notify, engine: str = "local", gate: Path | None = None
) -> Iterator[OpenRun]:
    """Open the run file at `path` to play it, with `jobs` workers, as spectators see it.

    `engine` is local, dask, or the address of a Dask scheduler. With a `gate`, the Unix socket of the web
    process for workers, remote bots may play; the run does not wait for those that are not there.
    """
    how = choose_engine(plan, engine, jobs, say, gate, live_folder(path), waits=False)
    with how as (open_engine, sandbox), Store(path, writer=True) as store, show_live(path) as folder:
        started = open_engine if gate else partial(start_twice, open_engine, say)
        yield OpenRun(store, started, sandbox, with_live_progress(folder, lambda progress: None))


def start_twice(
    open_engine: OpenEngine, say: tournament.Notify, setup: Setup, pause: float = _PAUSE_S
) -> Engine:
    """Open an engine; bots that fail to build or start get a second attempt, after `pause` seconds.

    BotError: some fail again.

    They have passed their checks, so perhaps the machine was busy for a while: that must not cost an entry
    its place on the ladder, or all its games in the final.
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
            {name: f"{why} (at the second attempt, too)" for name, why in found.items()}
            for found in (error.unbuilt, error.unstarted)
        )
        raise BotError(setup.bots, unbuilt, unstarted, error.said) from None


def write_exclusions(store: Store, excluded: Mapping[str, str]) -> None:
    """Write into the run file which entrants do not count there, and why, by name."""
    if dict(store.facts.excluded) != excluded:
        store.write_facts(replace(store.facts, excluded=dict(excluded)))


class ContestPlayer(ABC):
    """Plays what is due, one thing after another. After a failure it raises an alarm, and tries again."""

    stop: Event
    _reports: Reports

    def run(self) -> None:
        """Play until `end` is called."""
        try:
            while not self.stop.is_set():
                self._reports.beat()
                try:
                    self._play_next()
                except PROBLEMS as error:
                    self._reports.alarm(str(error) or repr(error))
                    self._pause(_AGAIN_S)
        finally:
            self._close()

    def _pause(self, seconds: float) -> None:
        until = monotonic() + seconds
        while monotonic() < until and not self.stop.wait(LOOK_S):
            self._reports.pulse()

    def end(self) -> None:
        """Tell the player to stop; any thread may call this."""
        self.stop.set()

    def begin(self, settings: ServerSettings) -> None:
        """Beat from now on wherever this process waits; tell the organiser if it replaces one that hung."""
        self._reports.pulse = Workers.on_wait = settings.beat
        if settings.is_after_hang:
            self._reports.alarm("the process that plays hung, and was replaced")

    def watch(self) -> None:
        """End the process if nothing goes on for long (`Reports.watch`). Call it in a thread of its own."""
        self._reports.watch(self.stop)

    @abstractmethod
    def _play_next(self) -> None:
        """Play what is due, or wait a little."""

    @abstractmethod
    def _close(self) -> None:
        """Close what the player has opened."""


def run_process(make: Callable[[ServerSettings], ContestPlayer]) -> None:
    """Run the player that `make` gives, until the parent ends. Unfinished games are played anew next time."""
    use_log()
    settings = read_settings()
    player = make(settings)
    player.begin(settings)

    def end() -> None:
        player.end()
        interrupt_main()

    when_parent_ends(end)
    Thread(target=player.watch, daemon=True).start()
    with suppress(KeyboardInterrupt):
        player.run()
