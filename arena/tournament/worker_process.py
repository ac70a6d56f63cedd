"""The worker's side of `processes`: a process that makes the calls which come through its pipe.

While it makes a call, it may tell the caller something, or ask it and wait for the answer.
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
"""Ends what a worker has started. If the caller closes the pipe, a thread calls it, and the process exits.

It is not called when the worker exits after its last call: `multiprocessing.util.Finalize` is for that.
"""

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
    """The main function of a worker process: make the calls that come through the pipe, until b"" comes.

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
    """Tell the caller something during a call: it becomes `WorkerCall.told[name]`. Any thread may call this.

    In a process that is not a worker it does nothing.
    """
    _send(pickle.dumps(Told(name, value)))


def ask(question: Any) -> Any:
    """Ask the caller something during a call; waits for the answer (`Workers.answer`) and returns it."""
    _send(pickle.dumps(Question(question)))  # if the caller is gone, `_receive` ends this process
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
    """Read calls and answers into queues, so that the parent never waits to send one.

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
        with suppress(Exception):  # some errors cannot be pickled, or not be made again from their arguments
            pickle.loads(exact := pickle.dumps((None, error)))
            pickled = exact
        return pickled
