"""The worker's side of `processes`: a process that makes the calls that arrive through its pipe.

During a call, it may send the caller a message, or ask a question and wait for the answer.
"""

import os
import pickle
import queue
import signal
import threading
import traceback
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection
from typing import Any

INTERRUPTS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
ANSWER = b"A"  # the prefix of an answer; no pickle begins with it

End = Callable[[], None]
"""Ends the processes that a worker has started.

If the caller closes the pipe, a thread calls it, and the process exits. It is not called when the worker
exits after its last call: `multiprocessing.util.Finalize` is for that.
"""

_answers: "queue.SimpleQueue[bytes]" = queue.SimpleQueue()
_caller: Connection | None = None
_sending = threading.Lock()


@dataclass(frozen=True)
class Told:
    """A message of a worker to the caller during a call, with a name and a value."""

    name: str
    value: Any


@dataclass(frozen=True)
class Question:
    """A question of a worker to the caller; the worker waits for the answer."""

    content: Any


def work(pipe: Connection) -> None:
    """The main function of a worker process: make the calls that arrive through the pipe, until b"" arrives.

    The first message is the function that sets it up, with its arguments. Ctrl-C is ignored here: the parent
    handles it.
    """
    global _caller
    _caller = pipe
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, INTERRUPTS)
    first = b""
    with suppress(EOFError, OSError):
        first = pipe.recv_bytes()
    if not first:  # The parent is gone, or was interrupted before it could send more.
        return
    set_up, arguments = pickle.loads(first)
    end = set_up(*arguments)
    calls: queue.SimpleQueue[bytes] = queue.SimpleQueue()
    receiver = threading.Thread(target=_receive, args=(pipe, calls, end), daemon=True)
    receiver.start()
    while call := calls.get():
        if not _send(_answer(call)):  # The parent is gone.
            receiver.join()  # It ends this process.


def tell_caller(name: str, value: Any) -> None:
    """Send a value to the caller during a call: it becomes `WorkerCall.told[name]`. Any thread may call this.

    In a process that is not a worker it does nothing.
    """
    _send(pickle.dumps(Told(name, value)))


def ask(question: Any) -> Any:
    """Ask the caller a question during a call; waits for the answer (`Workers.answer`) and returns it."""
    _send(pickle.dumps(Question(question)))  # If the caller is gone, `_receive` ends this process.
    return pickle.loads(_answers.get())


def _send(message: bytes) -> bool:
    """Send a message to the caller, if this is a worker; returns False if the caller is gone."""
    try:
        with _sending:
            if _caller:
                _caller.send_bytes(message)
    except OSError:
        return False
    return True


def _receive(pipe: Connection, calls: "queue.SimpleQueue[bytes]", end: End) -> None:
    """Read calls and answers into queues. So the parent never waits to send one.

    When the parent closes the pipe, call `end`, and exit this process.
    """
    with suppress(EOFError, OSError):
        while True:
            message = pipe.recv_bytes()
            if message.startswith(ANSWER):
                _answers.put(message[len(ANSWER) :])
            else:
                calls.put(message)
    end()
    os._exit(1)


def _answer(call: bytes) -> bytes:
    """Make a pickled call; returns its value and its error, one of them None, as a pickled pair.

    The error has the traceback as a note; if it cannot be pickled, a RuntimeError with the traceback is sent.
    """
    try:
        function, arguments = pickle.loads(call)
        return pickle.dumps((function(*arguments), None))
    except Exception as error:
        error.add_note(traceback.format_exc())
        pickled = pickle.dumps((None, RuntimeError(traceback.format_exc())))
        with suppress(Exception):  # Some errors cannot be pickled, or cannot be rebuilt from their arguments.
            pickle.loads(exact := pickle.dumps((None, error)))
            pickled = exact
        return pickled
