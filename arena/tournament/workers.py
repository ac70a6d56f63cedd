"""The processes that play the games of a run, each with a table of its own."""

import itertools
import multiprocessing
import multiprocessing.util
import os
import signal
import threading
import time
import traceback
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from typing import Any

from arena.core.bot import Bot
from arena.play.table import Table, Unstarted
from arena.records.fixture import Fixture
from arena.results.stored_game import StoredGame, pack
from arena.sandbox.client import SupervisorLost
from arena.sandbox.linux import subreaper
from arena.sandbox.policy import LIMITS_ONLY, Sandbox
from arena.tournament.work_queue import MOST_VOIDS, VoidRun, WorkQueue

SLICE = 0.05  # seconds after which a worker hands back what it has played


def never() -> bool:
    return False


class Workers:
    """A pool of processes, each with a table of its own.

    A worker that dies takes the games in flight with it; they are played again by a new pool.
    """

    def __init__(self, bots: Mapping[str, Bot], reuse: bool, jobs: int, sandbox: Sandbox = LIMITS_ONLY):
        self._bots, self._reuse, self._jobs, self._sandbox = bots, reuse, jobs, sandbox
        self._context = multiprocessing.get_context("spawn")
        self._pool: ProcessPoolExecutor | None = None
        self._alive: Connection  # once there is a pool

    def __enter__(self) -> "Workers":
        return self

    def __exit__(self, error: type[BaseException] | None, *_: object) -> None:
        self.close(at_once=error is not None)

    def greet(self, limit: float) -> None:
        """Start every bot once, in one of the workers. Unstarted: some do not."""
        failures, faults = 0, None
        while faults is None:
            try:
                faults = self._submit(greet_all, limit).result()
            except (BrokenProcessPool, SupervisorLost) as error:
                failures = self._count(failures, f"a process of the arena died: {error}")
                self.close(at_once=True)
        if faults:
            raise Unstarted(faults, self._bots)

    def play(self, queue: WorkQueue, enough: Callable[[], bool] = never) -> Iterator[list["BatchResult"]]:
        """Play all that is on it, in any order; yields what has been played as it comes, all that is there.

        Once there is `enough`, only games that have begun are played.
        """
        running: dict[Future[BatchResult], list[Fixture]] = {}
        failures = 0
        while True:
            try:
                over = enough()
                if not over:
                    self._hand_out(queue, running)
                if not running:
                    if over or queue.ended:
                        return
                    queue.proceed()
                    continue
                ended = wait(running, return_when=FIRST_COMPLETED).done
                done = []
                for future in [future for future in ended if not future.exception()]:
                    done.append(future.result())
                    queue.give_back(running.pop(future)[done[-1].tried :])
                yield done
                for each in done:
                    failures = self._count(failures, each.failure) if each.failure else 0
                for future in ended:
                    future.result()  # of a worker that has died there is none
            except BrokenProcessPool as error:
                failures = self._count(failures, f"a worker process died: {error}")
                queue.give_back(itertools.chain(*running.values()))
                running.clear()
                self.close(at_once=True)

    def _hand_out(self, queue: WorkQueue, running: dict[Future["BatchResult"], list[Fixture]]) -> None:
        while len(running) < 2 * self._jobs and (batch := queue.take()):
            try:
                running[self._submit(play_batch, batch)] = batch
            except BrokenProcessPool:
                queue.give_back(batch)
                raise

    def close(self, at_once: bool = False) -> None:
        """End the workers and all that they have started."""
        if self._pool:
            if at_once:
                self._alive.close()  # they wait for this to end, as it does when this process is killed
            self._pool.shutdown(wait=True, cancel_futures=True)
            self._alive.close()
            self._pool = None
            subreaper.kill_orphans(
                grace=1.0
            )  # supervisors of workers that were killed are busy ending their bots

    def _submit(self, function: Callable[..., Any], *arguments: Any) -> Future[Any]:
        """A task for the pool. A worker may start now: it must not see a Ctrl-C before it ignores them."""
        with safe_path():
            pool = self._open()  # before the signal is blocked: multiprocessing's tracker lets it in again
            masked = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
            try:
                return pool.submit(function, *arguments)
            finally:
                signal.pthread_sigmask(signal.SIG_SETMASK, masked)

    @staticmethod
    def _count(failures: int, words: str) -> int:
        if failures + 1 >= MOST_VOIDS:
            raise VoidRun(words)
        return failures + 1

    def _open(self) -> ProcessPoolExecutor:
        if self._pool is None:
            subreaper.become()
            listener, self._alive = self._context.Pipe(duplex=False)
            cores = self._context.SimpleQueue()
            for core in cores_for(self._jobs):
                cores.put(core)
            self._pool = ProcessPoolExecutor(
                self._jobs,
                self._context,
                initializer=open_table,
                initargs=(self._bots, self._reuse, self._sandbox, listener, cores),
            )
        return self._pool


@dataclass
class BatchResult:
    """What a worker has made of a batch: the fixtures it is done with, and what went wrong after them.

    `void` is a game in which the arena itself failed, the last of the `tried`. With a `failure` alone the
    next game was interrupted, or could not begin, and is played again with the same deal.
    """

    tried: int = 0
    rows: list[StoredGame] = field(default_factory=list)
    void: Fixture | None = None
    failure: str = ""


@contextmanager
def safe_path() -> Iterator[None]:
    """Python that is started now does not import from the current folder.

    There may be an entry with the name of a module, which would run with all our rights.
    """
    before = os.environ.get("PYTHONSAFEPATH")
    os.environ["PYTHONSAFEPATH"] = "1"
    try:
        yield
    finally:
        del os.environ["PYTHONSAFEPATH"]
        if before is not None:
            os.environ["PYTHONSAFEPATH"] = before


def cores_for(jobs: int) -> list[int | None]:
    """A core for each worker, where there are as many workers as cores.

    A worker and its bots then stay on one core. They take turns anyhow, a wake-up on the same core
    costs a third, and the bots of one game cannot slow down those of another. With fewer workers
    than cores, bots that are asked at the same moment should rather have the idle ones.
    """
    cores = sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else []
    return [*cores] if jobs == len(cores) else [None] * jobs


_table: Table  # of this worker process


def open_table(bots: Mapping[str, Bot], reuse: bool, sandbox: Sandbox, alive: Connection, cores: Any) -> None:
    """Begin a worker process."""
    global _table
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the coordinator's to handle
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    core = cores.get()
    if core is not None:
        os.sched_setaffinity(0, {core})
    _table = Table(bots, reuse, sandbox)
    for ending in (signal.SIGTERM, signal.SIGHUP):  # of the whole group, when a terminal closes
        signal.signal(ending, lambda *_: threading.Thread(target=leave, args=(_table,)).start())
    multiprocessing.util.Finalize(None, _table.close, exitpriority=10)
    threading.Thread(target=leave_with, args=(alive, _table), daemon=True).start()


def leave_with(alive: Connection, table: Table) -> None:
    """End this worker and its bots when the coordinator closes the pipe, or is killed."""
    try:
        alive.recv()
    except (EOFError, OSError):
        leave(table)


def leave(table: Table) -> None:
    table.kill()
    os._exit(1)


def greet_all(limit: float) -> dict[str, str]:
    return _table.greet(limit)


def play_batch(fixtures: list[Fixture]) -> BatchResult:
    """Play for a moment; the rest goes back.

    A game that was interrupted is played again from the same deal, as after a `kill -9`: all processes that
    have seen it are gone. It is not void, so nothing else of its seed group is played again, and a bot that
    could bring this about would meet the same cards.
    """
    done, end = BatchResult(), time.monotonic() + SLICE
    for fixture in fixtures:
        try:
            done.rows.append(pack(_table.play(fixture)))
        except SupervisorLost as error:
            done.failure = f"game {fixture.id} of {' '.join(fixture.bots)}: {error}"
            break
        except Exception:
            done.void = fixture
            done.failure = f"game {fixture.id} of {' '.join(fixture.bots)}: {traceback.format_exc()}"
        done.tried += 1
        if done.void:
            break
        if time.monotonic() > end:
            break
    return done
