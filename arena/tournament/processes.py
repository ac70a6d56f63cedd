"""Worker processes that make calls, each with its own pipe.

In `concurrent.futures` all processes share a pipe, and threads share locks with the caller. A process that
dies while it writes (Ctrl-C, the OOM killer) leaves half a message there, and an exception in a signal
handler may leave a lock locked. Then the pool waits forever. Here a dead process costs only its current call,
and the caller has no threads.

During a call, a worker may ask the caller a question, and waits for the answer. `worker_process` is the
worker's side of the pipe.
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

_KILL_TIMEOUT_S = 10.0  # for a worker to end the processes that it has started
_POLL_S = 0.5  # A signal just before a wait is noticed after this time.
AHEAD = 2  # calls for each worker: a current one, and one in reserve


class WorkerDied(Exception):
    """A worker process died while it made a call."""


@dataclass(eq=False)
class WorkerCall:
    """A call of a function in a worker; when it has ended, it has its `value` or its `error`.

    While its worker waits for the answer to a question, `question` has it, and the call has not ended.
    """

    pickled: bytes  # the function and its arguments
    among: range  # the numbers of the workers that may make it
    value: Any = None
    error: Exception | None = None
    told: dict[str, Any] = field(default_factory=dict)  # messages of the worker's `tell_caller`
    question: Any = None

    def result(self) -> Any:
        """The value of a call that has ended; raises its error if it has one."""
        if self.error:
            raise self.error
        return self.value


class _Worker:
    """A worker process, the caller's end of its pipe, and its calls that have not ended, in order."""

    def __init__(self) -> None:
        # The parent may have threads of a progress bar or of Dask, which fork does not copy.
        context = multiprocessing.get_context("spawn")
        self.calls: deque[WorkerCall] = deque()
        self.pipe, other = context.Pipe()
        self.process = context.Process(target=work, args=(other,), daemon=True)
        self.process.start()
        other.close()

    def tell(self, message: bytes) -> None:
        with suppress(OSError):  # `Workers.take_completed` finds out that it has died.
            self.pipe.send_bytes(message)

    def finish(self) -> None:
        """Let it make its remaining calls, drop their results, and wait until it exits."""
        with suppress(OSError, EOFError):
            self.pipe.send_bytes(b"")
            # Its last answers are read and dropped, because a full pipe would keep it from exiting.
            while True:
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

    Each worker first calls `set_up` with its number and the `arguments`. The call returns a function that
    ends the processes that the worker has started.
    """

    on_wait: Callable[[], object] = staticmethod(lambda: None)
    """Is called every `_POLL_S` while this process waits for workers, to show that it does not hang."""

    def __init__(self, count: int, set_up: Callable[..., End] | None = None, *arguments: Any):
        self._set_up, self._arguments = set_up or _nothing_to_set_up, arguments
        self._workers: list[_Worker | None] = [None] * count

    def submit(self, function: Callable[..., Any], *arguments: Any, among: range | None = None) -> WorkerCall:
        """Let the worker with the fewest calls call a function; functions are pickled by name.

        `among` has the numbers of the workers that may make the call; None: all.

        Raises:
            MachineError: The worker cannot be started.
        """
        call = WorkerCall(pickle.dumps((function, arguments)), among or range(len(self._workers)))
        self._send(call)
        return call

    @property
    def started(self) -> list[int]:
        """The numbers of the workers that have started and are not known to be dead."""
        return [number for number, worker in enumerate(self._workers) if worker]

    def take_completed(self, most_s: float = inf) -> list[WorkerCall]:
        """Wait until calls end, a worker sends a message or question, or `most_s` seconds have passed.

        Returns the calls that have ended, each once; there may be none. The error of a call whose worker died
        is WorkerDied. The time is checked every `_POLL_S`; without calls it does not wait.
        """
        until = monotonic() + most_s
        busy = {worker.pipe: number for number, worker in enumerate(self._workers) if worker and worker.calls}
        ready: list[Any] = []
        while busy and not ready:  # A signal just before a wait takes effect after it.
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
        """Answer the question of a call; its worker goes on."""
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
                    worker.pipe.close()  # All end at the same time, because each takes a while.
                for worker in started:
                    worker.end()
                self._workers = [None] * len(self._workers)

    def _send(self, call: WorkerCall) -> None:
        number = min(call.among, key=self._load)
        worker = self._workers[number]
        if not worker:
            try:
                with safe_path():
                    # This comes first, because its start unblocks signals.
                    multiprocessing.resource_tracker.ensure_running()
                    with interrupts_blocked():
                        worker = self._workers[number] = _Worker()
            except OSError as error:
                raise MachineError(f"a process of the arena cannot be started: {error.strerror}") from None
            # As arguments of the process, these would go through a pipe of which the parent has both ends
            # open: if the process died before it read them, the parent would wait forever.
            worker.tell(pickle.dumps((self._set_up, (number, *self._arguments))))
        worker.calls.append(call)
        worker.tell(call.pickled)

    def _load(self, number: int) -> tuple[int, bool]:
        worker = self._workers[number]
        return len(worker.calls) if worker else 0, worker is None

    def _take(self, number: int) -> WorkerCall | None:
        """Read one message of a worker; returns the call that has ended.

        None: the worker has only sent a message or a question. If it has died, its current call has ended,
        and its other calls are submitted again.
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
            if worker.calls:  # Otherwise a thread that its call left behind has sent it.
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
        signal.pthread_sigmask(signal.SIG_BLOCK, INTERRUPTS)  # This calls the handlers of earlier signals.
        # If another thread gets a signal, Python calls the handler in the main thread: it is only noted here.
        for number in INTERRUPTS if threading.current_thread() is threading.main_thread() else ():
            if callable(handler := signal.getsignal(number)):
                handlers[number] = handler
                signal.signal(number, lambda number, _: noted.append(number))
        yield
    finally:
        # Blocked signals are noted first. Then the old handlers are restored, and get all of them.
        signal.pthread_sigmask(signal.SIG_SETMASK, masked)
        for number, handler in handlers.items():
            signal.signal(number, handler)
        for each in noted:
            signal.raise_signal(each)


@contextmanager
def safe_path() -> Iterator[None]:
    """Keep Python processes that are started in the block from importing from the current folder."""
    # A bot there may have the name of a Python module, and would run outside the sandbox.
    before = os.environ.get("PYTHONSAFEPATH")
    os.environ["PYTHONSAFEPATH"] = "1"
    try:
        yield
    finally:
        del os.environ["PYTHONSAFEPATH"]
        if before is not None:
            os.environ["PYTHONSAFEPATH"] = before
