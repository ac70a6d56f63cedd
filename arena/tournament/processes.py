"""Worker processes that make calls, each with a pipe of its own.

In `concurrent.futures` all processes share a pipe, and threads share locks with the caller. A process that
dies while it writes (Ctrl-C, the OOM killer) leaves half a message there, and an exception of a signal
handler may leave a lock locked: the pool then waits forever. Here a process that dies costs only the call
that it was making, and the caller has no threads.

While a worker makes a call, it may ask the caller something, and then waits for the answer. Its side of the
pipe is `worker_process`.
"""

import multiprocessing
import multiprocessing.resource_tracker
import os
import pickle
import signal
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from itertools import islice
from math import inf
from multiprocessing.connection import wait
from time import monotonic
from typing import Any, TypeVar

from arena.config.document import MachineError
from arena.programs.machine import describe_status
from arena.tournament.worker_process import ANSWER, INTERRUPTS, End, Question, Told, work

_T = TypeVar("_T")
_R = TypeVar("_R")

_KILL_TIMEOUT_S = 10.0  # for a worker to end all that it has started
_POLL_S = 0.5  # a signal that comes just before a wait is noticed after this time
AHEAD = 2  # calls for each worker: one that it makes, and one in reserve


class WorkerDied(Exception):
    """A worker process died while it made a call."""


@dataclass(eq=False)
class WorkerCall:
    """A call of a function in a worker; when it has ended, it has its `value` or its `error`.

    While its worker waits for the answer to a question, the call has that as its `question`, and has not
    ended.
    """

    pickled: bytes  # the function and its arguments
    among: range  # the numbers of the workers that may make it
    value: Any = None
    error: Exception | None = None
    told: dict[str, Any] = field(default_factory=dict)  # what `tell_caller` of the worker has said meanwhile
    question: Any = None

    def result(self) -> Any:
        """The value of a call that has ended; raises its error if it has one."""
        if self.error:
            raise self.error
        return self.value


class _Worker:
    """A worker process, the caller's end of its pipe, and its calls that have not ended, in order."""

    def __init__(self) -> None:
        # The parent may have threads, of a progress bar or of Dask, which fork does not copy.
        context = multiprocessing.get_context("spawn")
        self.calls: deque[WorkerCall] = deque()
        self.pipe, other = context.Pipe()
        self.process = context.Process(target=work, args=(other,), daemon=True)
        self.process.start()
        other.close()

    def tell(self, message: bytes) -> None:
        with suppress(OSError):  # it has died, which `Workers.take_completed` finds
            self.pipe.send_bytes(message)

    def finish(self) -> None:
        """Let it make the calls that it has, drop their results, and wait until it exits."""
        with suppress(OSError, EOFError):
            self.pipe.send_bytes(b"")
            while True:  # its last answers are dropped: it could not exit while it writes into a full pipe
                self.pipe.recv_bytes()

    def end(self) -> int | None:
        """Make it exit at once, or kill it if it does not; returns its exit status, -N after signal N."""
        self.pipe.close()
        self.process.join(_KILL_TIMEOUT_S)
        if self.process.exitcode is None:
            self.process.kill()
            self.process.join()
        return self.process.exitcode


class Workers:
    """At most `count` workers, numbered from 0. Each starts with its first call, and is replaced if it dies.

    Each worker first calls `set_up` with its number and the `arguments`; that returns a function which ends
    what the worker has started.
    """

    on_wait: Callable[[], object] = staticmethod(lambda: None)
    """Is called every `_POLL_S` while this process waits for workers, to show that it does not hang."""

    def __init__(self, count: int, set_up: Callable[..., End] | None = None, *arguments: Any):
        self._set_up, self._arguments = set_up or _nothing_to_set_up, arguments
        self._workers: list[_Worker | None] = [None] * count

    def submit(self, function: Callable[..., Any], *arguments: Any, among: range | None = None) -> WorkerCall:
        """Have a function called by the worker that has the fewest calls; functions are pickled by name.

        `among` are the numbers of the workers that may make the call, if not all.

        Raises:
            MachineError: The worker cannot be started.
        """
        call = WorkerCall(pickle.dumps((function, arguments)), among or range(len(self._workers)))
        self._send(call)
        return call

    @property
    def started(self) -> list[int]:
        """The numbers of the workers that have started, and have not been found dead."""
        return [number for number, worker in enumerate(self._workers) if worker]

    def take_completed(self, most_s: float = inf) -> list[WorkerCall]:
        """Wait until calls have ended, or a worker tells or asks something, or `most_s` seconds have passed.

        Returns the calls that have ended, each once; it may be none. The error of a call whose worker died
        is WorkerDied. The time is checked every `_POLL_S`; without calls it does not wait.
        """
        until = monotonic() + most_s
        busy = {worker.pipe: number for number, worker in enumerate(self._workers) if worker and worker.calls}
        ready: list[Any] = []
        while busy and not ready:  # a signal that came just before the wait takes effect between two of them
            ready = wait(list(busy), _POLL_S)
            Workers.on_wait()
            if monotonic() > until:
                break
        taken = [self._take(number) for pipe, number in busy.items() if pipe in ready]
        return [call for call in taken if call]

    def result(self, call: WorkerCall) -> Any:
        """Wait for a call; returns its value or raises its error. Other calls that end meanwhile are lost."""
        while call not in self.take_completed():
            pass
        return call.result()

    def answer(self, call: WorkerCall, answer: Any) -> None:
        """Answer the question of a call, so that its worker goes on."""
        call.question = None
        for worker in self._workers:
            if worker and worker.calls and worker.calls[0] is call:
                worker.tell(ANSWER + pickle.dumps(answer))

    def close(self, at_once: bool = False) -> None:
        """End all workers after the calls that they have, or `at_once`. A later `submit` starts new ones."""
        started = [worker for worker in self._workers if worker]
        try:
            for worker in started if not at_once else ():
                worker.finish()
        finally:
            with interrupts_blocked():
                for worker in started:
                    worker.pipe.close()  # all at once: ending takes each some time
                for worker in started:
                    worker.end()
                self._workers = [None] * len(self._workers)

    def _send(self, call: WorkerCall) -> None:
        number = min(call.among, key=self._load)
        worker = self._workers[number]
        if not worker:
            try:
                with safe_path():
                    multiprocessing.resource_tracker.ensure_running()  # first: its start unblocks signals
                    with interrupts_blocked():
                        worker = self._workers[number] = _Worker()
            except OSError as error:
                raise MachineError(f"a process of the arena cannot be started: {error.strerror}") from None
            # As arguments of the process these would go through a pipe of which the parent has both ends
            # open: if the process died before it read them, the parent would wait forever.
            worker.tell(pickle.dumps((self._set_up, (number, *self._arguments))))
        worker.calls.append(call)
        worker.tell(call.pickled)

    def _load(self, number: int) -> tuple[int, bool]:
        worker = self._workers[number]
        return len(worker.calls) if worker else 0, worker is None

    def _take(self, number: int) -> WorkerCall | None:
        """Read one message of a worker; returns the call that has ended.

        None: the worker has only told or asked something. If it has died, the call that it was making has
        ended, and its other calls are submitted again.
        """
        worker = self._workers[number]
        assert worker
        try:
            answer = worker.pipe.recv_bytes()
        except (EOFError, OSError):
            self._workers[number] = None
            call, *reserve = worker.calls
            call.error = WorkerDied(f"a process of the arena died: {describe_status(worker.end() or 0)}")
            for each in reserve:
                self._send(each)
            return call
        said = pickle.loads(answer)
        if isinstance(said, Told):
            if worker.calls:  # else a thread that its call has left behind has told it
                worker.calls[0].told[said.name] = said.value
            return None
        if isinstance(said, Question):
            worker.calls[0].question = said.content
            return None
        call = worker.calls.popleft()
        call.value, call.error = said
        return call


def _nothing_to_set_up(number: int) -> End:
    return lambda: None


def parallel(function: Callable[[_T], _R], items: Iterable[_T], jobs: int) -> Iterator[_R]:
    """Yields `function(item)` for each item, in order, computed by `jobs` processes; one job is this process.

    Other processes get items and return results pickled. An exception of the function is raised here, and
    ends the work.

    Raises:
        MachineError: A process died.
    """
    if jobs == 1:
        yield from map(function, items)
        return
    workers, running, ended = Workers(jobs), deque[WorkerCall](), set[WorkerCall]()
    waiting, at_once = iter(items), True
    try:
        while True:
            for item in islice(waiting, AHEAD * jobs - len(running)):
                running.append(workers.submit(function, item))
            if not running:
                break
            while running[0] not in ended:
                ended.update(workers.take_completed())
            ended.remove(call := running.popleft())
            yield call.result()
        at_once = False
    except WorkerDied as error:
        raise MachineError(str(error)) from None
    finally:
        workers.close(at_once)


@contextmanager
def interrupts_blocked() -> Iterator[None]:
    """Hold back the signals `INTERRUPTS` until the end of the block.

    Processes that are started in the block begin with these signals blocked.
    """
    masked = signal.pthread_sigmask(signal.SIG_BLOCK, ())
    noted: list[int] = []
    handlers: dict[signal.Signals, Any] = {}
    try:
        signal.pthread_sigmask(signal.SIG_BLOCK, INTERRUPTS)  # calls the handlers of signals that came before
        # If another thread gets a signal, Python calls the handler in the main thread: here it is only noted
        for number in INTERRUPTS if threading.current_thread() is threading.main_thread() else ():
            if callable(handler := signal.getsignal(number)):
                handlers[number] = handler
                signal.signal(number, lambda number, _: noted.append(number))
        yield
    finally:
        # What was blocked is noted first, too; then the old handlers come back, and get all of it.
        signal.pthread_sigmask(signal.SIG_SETMASK, masked)
        for number, handler in handlers.items():
            signal.signal(number, handler)
        for each in noted:
            signal.raise_signal(each)


@contextmanager
def safe_path() -> Iterator[None]:
    """Python processes that are started in the block do not import from the current folder."""
    # A bot there may have the name of a Python module. It would run outside the sandbox.
    before = os.environ.get("PYTHONSAFEPATH")
    os.environ["PYTHONSAFEPATH"] = "1"
    try:
        yield
    finally:
        del os.environ["PYTHONSAFEPATH"]
        if before is not None:
            os.environ["PYTHONSAFEPATH"] = before
