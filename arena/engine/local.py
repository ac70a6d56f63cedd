"""The local engine: a pool of worker processes, which play games, each with its own table."""

import multiprocessing
import multiprocessing.util
import os
import signal
import threading
import time
import traceback
from collections.abc import Callable, Mapping
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing.connection import Connection
from typing import Any

from arena.core.bot import Bot
from arena.core.config import MachineError
from arena.core.processes import INTERRUPTS, completed, interrupts_blocked, result_of, safe_path
from arena.engine.interface import BATCH, Batch, BatchResult, BrokenBots, Setup
from arena.play.build import failed_builds
from arena.play.table import Table
from arena.records.fixture import Fixture
from arena.results.stored_game import pack
from arena.sandbox.client import SupervisorLost
from arena.sandbox.linux import subreaper
from arena.sandbox.policy import LIMITS_ONLY, Sandbox

BATCH_TIME_S = 0.2  # then a worker returns the games that it has played, for one commit
MAX_FAILURES = 3  # in a row, while bots are started


class Local:
    """A pool of worker processes.

    If a worker dies, the games in flight are lost, and a new pool plays them again.
    """

    def __init__(self, setup: Setup, jobs: int, sandbox: Sandbox = LIMITS_ONLY):
        self._bots, self._reuse, self._sandbox = setup.bots, setup.reuse, sandbox
        self.workers, self.batch_time = jobs, BATCH_TIME_S
        self.batch_size = BATCH  # less if games take long: what comes back unplayed is dealt and sent in vain
        self._context = multiprocessing.get_context("spawn")
        self._pool: ProcessPoolExecutor | None = None
        self._alive: Connection  # once there is a pool
        self.deaths = 0  # of workers
        self._running: dict[Future[BatchResult], Batch] = {}
        self._lost: list[tuple[Batch, BatchResult]] = []
        failed = failed_builds(setup.bots.values(), sandbox)
        self._bots = {name: bot for name, bot in setup.bots.items() if name not in failed}
        try:
            faults = self._greet(setup.start_limit)
            unstarted = {name: why for name, why in faults.items() if name not in setup.excused}
            if failed or unstarted:
                raise BrokenBots({name: each.why for name, each in failed.items()}, unstarted)
        except BaseException:
            self.close(at_once=True)
            raise

    def _greet(self, limit: float) -> dict[str, str]:
        """Start every bot once, in one of the workers. Returns why some do not start."""
        for attempt in range(1, MAX_FAILURES + 1):
            try:
                faults: dict[str, str] = result_of(self._submit(greet_all, limit))
                return faults
            except (BrokenProcessPool, SupervisorLost) as error:
                self.close(at_once=True)
                failure = f"a process of the arena died: {error}"
                if attempt == MAX_FAILURES:
                    raise MachineError(failure) from None
        raise AssertionError

    @property
    def sandbox(self) -> str:
        return self._sandbox.title

    @property
    def has_room(self) -> bool:
        return len(self._running) < 2 * self.workers

    def submit(self, batch: Batch) -> None:
        try:
            self._running[self._submit(play_batch, batch, self.batch_time)] = batch
        except BrokenProcessPool as error:
            self._lost.append((batch, BatchResult()))
            self._replace_pool(error)

    def completed(self) -> list[tuple[Batch, BatchResult]]:
        """A pool that is broken has lost all batches in flight; the last of them has the failure."""
        while self._running and not self._lost:
            with interrupts_blocked():
                if done := self._collect():
                    return done
        return self._take_lost()

    def _collect(self) -> list[tuple[Batch, BatchResult]]:
        """The batches that end within `POLL_S`, and those that were lost with a worker."""
        ended = completed(self._running)
        good = [future for future in ended if not future.exception()]
        done = [(self._running.pop(future), future.result()) for future in good]
        for _, result in done:
            self.batch_size = min(BATCH, 1 + 2 * result.finished)
        try:
            for future in ended:
                future.result()
        except BrokenProcessPool as error:
            self._replace_pool(error)
        return done + self._take_lost()

    def _take_lost(self) -> list[tuple[Batch, BatchResult]]:
        lost, self._lost = self._lost, []
        return lost

    def _replace_pool(self, error: BrokenProcessPool) -> None:
        self.deaths += 1
        self._lost += [(batch, BatchResult()) for batch in self._running.values()]
        self._lost[-1][1].failure = f"a worker process died: {error}"
        self._running.clear()
        self.close(at_once=True)

    def close(self, at_once: bool = False) -> None:
        """End the workers and all that they have started."""
        if self._pool:
            if at_once:
                self._alive.close()  # ends the workers (`leave_with`)
            with interrupts_blocked():
                self._pool.shutdown(wait=True, cancel_futures=True)
            self._alive.close()
            self._pool = None
            # The supervisors of workers that were killed may still be killing their bots.
            subreaper.kill_orphans(grace=1.0)

    def _submit(self, function: Callable[..., Any], *arguments: Any) -> Future[Any]:
        """Submit a task. This may start a worker, with Ctrl-C blocked until it ignores it."""
        with safe_path():
            pool = self._open()  # first, because the start of multiprocessing's tracker unblocks signals
            with interrupts_blocked():
                return pool.submit(function, *arguments)

    def _open(self) -> ProcessPoolExecutor:
        if self._pool is None:
            subreaper.become()
            listener, self._alive = self._context.Pipe(duplex=False)
            cores = self._context.SimpleQueue()
            for core in cores_for(self.workers):
                cores.put(core)
            self._pool = ProcessPoolExecutor(
                self.workers,
                self._context,
                initializer=open_table,
                initargs=(self._bots, self._reuse, self._sandbox, listener, cores),
            )
        return self._pool


def cores_for(jobs: int) -> list[int | None]:
    """A core for each worker if there are as many workers as cores, else None for each.

    A worker and its bots then stay on one core. They mostly take turns anyway, a wake-up on the same core
    costs a third, and the bots of one game cannot slow down those of another. With fewer workers than cores,
    the idle cores can serve bots that are asked at the same time.
    """
    cores = sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else []
    return [*cores] if jobs == len(cores) else [None] * jobs


_table: Table  # of this worker process


def open_table(bots: Mapping[str, Bot], reuse: bool, sandbox: Sandbox, alive: Connection, cores: Any) -> None:
    """Set up a worker process."""
    global _table
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the coordinator handles Ctrl-C
    signal.pthread_sigmask(signal.SIG_UNBLOCK, INTERRUPTS)
    core = cores.get()
    if core is not None:
        os.sched_setaffinity(0, {core})
    _table = Table(bots, reuse, sandbox)
    for number in (signal.SIGTERM, signal.SIGHUP):  # the whole process group gets it when a terminal closes
        signal.signal(number, lambda *_: threading.Thread(target=leave, args=(_table,)).start())
    multiprocessing.util.Finalize(None, _table.close, exitpriority=10)
    threading.Thread(target=leave_with, args=(alive, _table), daemon=True).start()


def leave_with(alive: Connection, table: Table) -> None:
    """End this worker and its bots when the coordinator closes the pipe or is killed."""
    try:
        alive.recv()
    except (EOFError, OSError):
        leave(table)


def leave(table: Table) -> None:
    table.kill()
    os._exit(1)


def greet_all(limit: float) -> dict[str, str]:
    return _table.greet(limit)


def play_batch(fixtures: list[Fixture], seconds: float = BATCH_TIME_S) -> BatchResult:
    """Play games of a batch for some time. The coordinator queues the others again.

    An interrupted game is played again with the same deal, as after a `kill -9`: no process that has seen the
    deal is left. It is not void, so its seed group is not played again, and a bot that causes the
    interruption gets the same cards again.
    """
    done, began = BatchResult(), time.monotonic()
    records = []  # packed together at the end: each evicts less of the caches then
    for fixture in fixtures:
        try:
            records.append(_table.play(fixture))
        except SupervisorLost as error:
            done.failure = f"game {fixture.id} of {' '.join(fixture.bots)}: {error}"
            break
        except Exception:
            done.void = fixture
            done.failure = f"game {fixture.id} of {' '.join(fixture.bots)}: {traceback.format_exc()}"
        done.finished += 1
        if done.void:
            break
        if time.monotonic() > began + seconds:
            break
    done.games += map(pack, records)
    done.seconds = time.monotonic() - began
    return done
