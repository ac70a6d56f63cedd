"""A worker process: makes the calls that come through its pipe, and tells or asks the caller meanwhile.

The caller's side is `processes`.
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
ANSWER = b"A"  # before an answer; no pickle begins with it

End = Callable[[], None]
"""Ends what a worker has started. A thread calls it before the process exits because the pipe was closed."""

_answers: "queue.SimpleQueue[bytes]" = queue.SimpleQueue()
_caller: Connection | None = None  # of this worker
_sending = threading.Lock()


@dataclass(frozen=True)
class Told:
    """A message of a worker to the caller, with a name and a value, while it makes a call."""

    name: str
    value: Any


@dataclass(frozen=True)
class Question:
    """A question of a worker to the caller, for whose answer it waits."""

    content: Any


def work(pipe: Connection) -> None:
    """Make the calls that come through the pipe. It ignores Ctrl-C, which the parent handles."""
    global _caller
    _caller = pipe
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, INTERRUPTS)
    first = b""
    with suppress(EOFError, OSError):
        first = pipe.recv_bytes()
    if not first:  # the parent is gone, or was interrupted before it could say more
        return
    set_up, arguments = pickle.loads(first)
    end = set_up(*arguments)
    calls: queue.SimpleQueue[bytes] = queue.SimpleQueue()
    receiver = threading.Thread(target=_receive, args=(pipe, calls, end), daemon=True)
    receiver.start()
    while call := calls.get():
        if not _send(_answer(call)):  # the parent is gone
            receiver.join()  # it ends this process


def tell_caller(name: str, value: Any) -> None:
    """Tell the caller something while a worker makes its call (`Call.told`), from any thread of it.

    Nothing happens in a process that is no worker.
    """
    _send(pickle.dumps(Told(name, value)))


def ask(question: Any) -> Any:
    """Ask the caller something while a worker makes its call, and wait for the answer (`Workers.answer`)."""
    _send(pickle.dumps(Question(question)))  # if the caller is gone, `_receive` ends this process
    return pickle.loads(_answers.get())


def _send(message: bytes) -> bool:
    """Send a message to the caller; returns whether it is there."""
    try:
        with _sending:
            if _caller:
                _caller.send_bytes(message)
    except OSError:
        return False
    return True


def _receive(pipe: Connection, calls: "queue.SimpleQueue[bytes]", end: End) -> None:
    """Queue calls and answers, so that the parent never waits to send one. Exit when it closes the pipe."""
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
    """Make a call; returns its value, or its error with the traceback as a note."""
    try:
        function, arguments = pickle.loads(call)
        return pickle.dumps((function(*arguments), None))
    except Exception as error:
        error.add_note(traceback.format_exc())
        pickled = pickle.dumps((None, RuntimeError(traceback.format_exc())))
        with suppress(Exception):  # some errors cannot be pickled, or not be made again from their arguments
            pickle.loads(exact := pickle.dumps((None, error)))
            pickled = exact
        return pickled
