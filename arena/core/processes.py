"""Calls a function for many items in other processes, with the results in the order of the items.

A future is queried with the signals of `INTERRUPTS` blocked. Their handlers raise an exception wherever the
main thread happens to be. If that is between the acquisition of the lock of a future and the `with` that
releases it, the thread that fills the futures waits for the lock forever, and so does the end of the pool.
"""

import multiprocessing
import os
import signal
import threading
from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from typing import TypeVar

from arena.core.config import MachineError

T = TypeVar("T")
R = TypeVar("R")

INTERRUPTS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
POLL_S = 0.2  # after which Ctrl-C has an effect, at the latest
AHEAD = 3  # items for each process that are submitted ahead; the others take no memory yet


def parallel(function: Callable[[T], R], items: Iterable[T], jobs: int) -> Iterator[R]:
    """The function of each item, in order. Items and results are pickled. One job needs no other process.

    An exception of the function is raised here, and ends the work. MachineError: a process died.
    """
    if jobs == 1:
        yield from map(function, items)
        return
    context = multiprocessing.get_context("spawn")  # the parent may have threads, which fork does not copy
    pool = ProcessPoolExecutor(jobs, context, initializer=begin)
    running: deque[Future[R]] = deque()
    try:
        for item in items:
            with safe_path(), interrupts_blocked():
                running.append(pool.submit(function, item))
            if len(running) >= AHEAD * jobs:
                yield result_of(running.popleft())
        while running:
            yield result_of(running.popleft())
    except BrokenProcessPool as error:
        raise MachineError(f"a process of the arena died: {error}") from None
    finally:
        with interrupts_blocked():
            pool.shutdown(wait=True, cancel_futures=True)


@contextmanager
def interrupts_blocked() -> Iterator[None]:
    """Signals that end this process take effect afterwards.

    Threads and processes that are started in this context have the signals blocked, too.
    """
    masked = signal.pthread_sigmask(signal.SIG_BLOCK, INTERRUPTS)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, masked)


def completed(futures: Collection[Future[R]]) -> set[Future[R]]:
    """Wait until some of these have ended, for `POLL_S` at most. Call it with interrupts blocked."""
    return wait(futures, POLL_S, return_when=FIRST_COMPLETED).done


def result_of(future: Future[R]) -> R:
    """Wait for the result of a future."""
    while True:
        with interrupts_blocked():
            if completed([future]):
                return future.result()


def begin() -> None:
    """Set up a process of the pool. It ignores Ctrl-C, which the parent handles, and ends with the parent."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, INTERRUPTS)
    threading.Thread(target=end_with_parent, daemon=True).start()


def end_with_parent() -> None:
    """A pool does not end if its parent is killed: each process holds the pipe open for the others."""
    parent = multiprocessing.parent_process()
    if parent:
        parent.join()
        os._exit(1)


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
