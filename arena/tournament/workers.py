"""Worker processes, which play the games of a run, each with its own table."""

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
from arena.tournament.work_queue import MAX_VOIDS, VoidRun, WorkQueue

BATCH_TIME_S = 0.05  # after this time a worker returns the games that it has played


def no_stop() -> bool:
    return False


class Workers:
    """A pool of worker processes.

    If a worker dies, the games in flight are lost, and a new pool plays them again.
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

    def change(self, bots: Mapping[str, Bot]) -> None:
        """Play with these bots from now on, in new processes."""
        self.close()
        self._bots = bots

    def greet(self, limit: float) -> None:
        """Start every bot once, in one of the workers. Unstarted: some bots do not start."""
        failures, faults = 0, None
        while faults is None:
            try:
                faults = self._submit(greet_all, limit).result()
            except (BrokenProcessPool, SupervisorLost) as error:
                failures = self._count(failures, f"a process of the arena died: {error}")
                self.close(at_once=True)
        if faults:
            raise Unstarted(faults, self._bots)

    def play(
        self, queue: WorkQueue, should_stop: Callable[[], bool] = no_stop
    ) -> Iterator[list["BatchResult"]]:
        """Play all games of the queue, in any order. Yields the results that are there, again and again.

        When `should_stop` returns True, no more batches are handed out.
        """
        running: dict[Future[BatchResult], list[Fixture]] = {}
        failures = 0
        while True:
            try:
                stopping = should_stop()
                if not stopping:
                    self._hand_out(queue, running)
                if not running:
                    if stopping or queue.ended:
                        return
                    queue.proceed()
                    continue
                ended = wait(running, return_when=FIRST_COMPLETED).done
                done = []
                for future in [future for future in ended if not future.exception()]:
                    done.append(future.result())
                    queue.give_back(running.pop(future)[done[-1].finished :])
                yield done
                for each in done:
                    failures = self._count(failures, each.failure) if each.failure else 0
                for future in ended:
                    future.result()  # raises BrokenProcessPool if its worker has died
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
                self._alive.close()  # ends the workers (`leave_with`)
            self._pool.shutdown(wait=True, cancel_futures=True)
            self._alive.close()
            self._pool = None
            # The supervisors of workers that were killed may still be killing their bots.
            subreaper.kill_orphans(grace=1.0)

    def _submit(self, function: Callable[..., Any], *arguments: Any) -> Future[Any]:
        """Submit a task. This may start a worker, with SIGINT blocked until it ignores Ctrl-C."""
        with safe_path():
            pool = self._open()  # first, because the start of multiprocessing's tracker unblocks SIGINT
            masked = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
            try:
                return pool.submit(function, *arguments)
            finally:
                signal.pthread_sigmask(signal.SIG_SETMASK, masked)

    @staticmethod
    def _count(failures: int, message: str) -> int:
        if failures + 1 >= MAX_VOIDS:
            raise VoidRun(message)
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
    """The result of a batch: the number of `finished` fixtures, and the failure that ended it, if any.

    `void` is a game in which the arena itself failed; it is the last of the finished ones. If there is only a
    `failure`, the next game was interrupted or could not begin, and is played again with the same deal.
    """

    finished: int = 0
    games: list[StoredGame] = field(default_factory=list)
    void: Fixture | None = None
    failure: str = ""


@contextmanager
def safe_path() -> Iterator[None]:
    """Processes that Python starts in this context do not import from the current folder.

    A bot there may have the name of a Python module. It would run outside the sandbox.
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
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
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


def play_batch(fixtures: list[Fixture]) -> BatchResult:
    """Play games of a batch for `BATCH_TIME_S`. The coordinator queues the others again.

    An interrupted game is played again with the same deal, as after a `kill -9`: no process that has seen the
    deal is left. It is not void, so its seed group is not played again, and a bot that causes the
    interruption gets the same cards again.
    """
    done, end = BatchResult(), time.monotonic() + BATCH_TIME_S
    for fixture in fixtures:
        try:
            done.games.append(pack(_table.play(fixture)))
        except SupervisorLost as error:
            done.failure = f"game {fixture.id} of {' '.join(fixture.bots)}: {error}"
            break
        except Exception:
            done.void = fixture
            done.failure = f"game {fixture.id} of {' '.join(fixture.bots)}: {traceback.format_exc()}"
        done.finished += 1
        if done.void:
            break
        if time.monotonic() > end:
            break
    return done
