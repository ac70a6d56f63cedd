"""The connection of a link to the gate of the web process, which may be restarted meanwhile."""

import json
import os
import select
import socket
from collections import deque
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from threading import Event, Lock, Thread
from typing import Any

_RETRY_S = 0.3
_CHUNK = 65536
_MAX_UNREAD = 1000  # messages kept for a loop that plays another game
_MAX_UNSENT = 2**25  # bytes kept for a web process that does not read
_FLUSH_S = 1.0  # to send the rest at the end


class GateConnection:
    """Connects to the gate at `path`, reconnects after each loss, and sends `first` each time.

    A thread reads, so the loop of a game polls the same descriptor for the whole time. The messages include
    {"gate": true} after each connection, and {"gate": false} after a failure or loss.
    """

    # `send` writes as much as the socket takes at once. The thread writes the rest: a slow web process must
    # not stop the whole game.

    def __init__(self, path: Path, first: Mapping[str, Any]):
        self._path, self._first = path, _encode(first)
        self.descriptor, self._bell = _open_pipe()
        self._woken, self._alarm = _open_pipe()  # wakes the thread
        self._socket: socket.socket | None = None
        self._unsent = b""
        self._lock = Lock()  # protects the two above
        self._inbox: deque[dict[str, Any]] = deque()
        self._is_closed, self._is_sent = Event(), Event()
        self._is_sent.set()
        self._thread = Thread(target=self._run, daemon=True)
        self._thread.start()

    def take(self) -> list[dict[str, Any]]:
        """Take the messages that arrived since the last call."""
        with suppress(BlockingIOError):
            os.read(self.descriptor, _CHUNK)
        found = []
        while self._inbox:
            found.append(self._inbox.popleft())
        return found

    def send(self, message: Mapping[str, Any]) -> None:
        """Send a message without waiting; without a connection, it is dropped."""
        data = _encode(message)
        with self._lock:
            if not self._socket:
                return
            is_waiting = bool(self._unsent)
            self._unsent += data
            if not is_waiting:
                self._write()
            if self._unsent and not is_waiting:
                _ring(self._alarm)

    def close(self) -> None:
        """End the connection, once every message is sent, or after `_FLUSH_S`."""
        self._is_sent.wait(_FLUSH_S)
        self._is_closed.set()
        _ring(self._alarm)
        self._thread.join()
        for descriptor in (self.descriptor, self._bell, self._woken, self._alarm):
            os.close(descriptor)

    def _write(self) -> None:
        """Write as much as the socket takes. The caller holds the lock."""
        assert self._socket
        try:
            self._unsent = self._unsent[self._socket.send(self._unsent, socket.MSG_DONTWAIT) :]
        except BlockingIOError:
            pass
        except OSError:
            self._unsent = b""  # the thread will notice the end of the connection
        if len(self._unsent) > _MAX_UNSENT:
            self._unsent = b""
            with suppress(OSError):
                self._socket.shutdown(socket.SHUT_RDWR)  # the next connection sends everything again
        (self._is_sent.clear if self._unsent else self._is_sent.set)()

    def _run(self) -> None:
        is_known_lost = False
        while not self._is_closed.is_set():
            with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connected:
                with suppress(OSError):
                    connected.connect(os.fspath(self._path))
                    connected.sendall(self._first)
                    is_known_lost = False
                    with self._lock:
                        self._socket = connected
                    self.put({"gate": True})
                    self._serve(connected)
                with self._lock:
                    self._socket, self._unsent = None, b""
                    self._is_sent.set()
            if not is_known_lost:
                is_known_lost = True
                self.put({"gate": False})
            self._is_closed.wait(_RETRY_S)

    def _serve(self, connected: socket.socket) -> None:
        """Read messages, and write unsent bytes, until the connection ends."""
        poller, rest = select.poll(), b""
        poller.register(self._woken, select.POLLIN)
        while not self._is_closed.is_set():
            poller.register(connected, select.POLLIN | (select.POLLOUT if self._unsent else 0))
            events = dict(poller.poll())
            if self._woken in events:
                os.read(self._woken, _CHUNK)
            with self._lock:
                if self._unsent:
                    self._write()
            if events.get(connected.fileno(), 0) & ~select.POLLOUT:
                while len(self._inbox) > _MAX_UNREAD and not self._is_closed.wait(_RETRY_S):
                    pass  # a waiting remote bot writes without end
                if not (data := connected.recv(_CHUNK)):
                    return
                *lines, rest = (rest + data).split(b"\n")
                for line in lines:
                    self.put(json.loads(line))

    def put(self, message: dict[str, Any]) -> None:
        """Add a message to the received ones. A signal handler may call it."""
        self._inbox.append(message)
        _ring(self._bell)


def _open_pipe() -> tuple[int, int]:
    ends = os.pipe()
    for each in ends:
        os.set_blocking(each, False)
    return ends


def _ring(bell: int) -> None:
    with suppress(BlockingIOError):  # the pipe is full: it has rung often enough
        os.write(bell, b"!")


def _encode(message: Mapping[str, Any]) -> bytes:
    return json.dumps(message, separators=(",", ":")).encode() + b"\n"
