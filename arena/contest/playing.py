"""What the processes that play a contest share: runs that spectators see, and how the process ends."""

import sqlite3
from _thread import interrupt_main
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from threading import Thread
from typing import NamedTuple, Protocol

from arena.config.document import ConfigError, MachineError
from arena.programs.bot import BotError
from arena.programs.sandbox.policy import Sandbox
from arena.tournament import run as tournament
from arena.tournament.engine.chosen import chosen
from arena.tournament.engine.interface import OpenEngine
from arena.tournament.formats.plan import Plan
from arena.tournament.live import live_folder, shown_live, with_live_progress
from arena.tournament.runs.store import Store
from arena.tournament.work_queue import VoidRun
from arena.web.log import use_log
from arena.web.settings import Settings, read_settings, when_parent_ends

LOOK_S = 1.0  # between two looks at what is due
AGAIN_S = 30.0  # before what has failed is tried again
PROBLEMS = (ConfigError, MachineError, BotError, VoidRun, OSError, ValueError, sqlite3.Error)


class Opened(NamedTuple):
    """A run file to write, what plays its games, and what tells spectators how far it is."""

    store: Store
    open_engine: OpenEngine
    sandbox: Sandbox | None
    report: tournament.OnProgress


@contextmanager
def opened(
    path: Path, plan: Plan, jobs: int, say: tournament.Notify, engine: str = "local", gate: Path | None = None
) -> Iterator[Opened]:
    """A run that is played meanwhile; with a `gate` by remote bots, none of which is waited for."""
    how = chosen(plan, engine, jobs, say, gate, live_folder(path), waits=False)
    with how as (open_engine, sandbox), Store(path, writer=True) as store, shown_live(path) as folder:
        yield Opened(store, open_engine, sandbox, with_live_progress(folder, lambda progress: None))


def write_exclusions(store: Store, excluded: Mapping[str, str]) -> None:
    """Write into a run who does not count there, and why."""
    if dict(store.facts.excluded) != excluded:
        store.write_facts(replace(store.facts, excluded=dict(excluded)))


class Playing(Protocol):
    """What a process does: it plays, and a watchdog in another thread looks whether it gets on."""

    def run(self) -> None: ...

    def watch(self) -> None: ...

    def end(self) -> None: ...


def run_process(make: Callable[[Settings], Playing]) -> None:
    """Play until the parent ends. The games in flight are played again at the next start."""
    use_log()
    playing = make(read_settings())

    def end() -> None:
        playing.end()
        interrupt_main()

    when_parent_ends(end)
    Thread(target=playing.watch, daemon=True).start()
    with suppress(KeyboardInterrupt):
        playing.run()
