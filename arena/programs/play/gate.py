"""The connection of a link to the gate of the web process, which may be killed and restarted meanwhile."""

import json
import os
import socket
from collections import deque
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from threading import Event, Thread
from typing import Any

_RETRY_S = 0.3
_CHUNK = 65536


class GateConnection:
    """Connects, again whenever the connection is lost, and says `first` each time.

    A thread reads, so that the loop of a game has one descriptor to poll for the whole time. Among the
    messages are {"gate": true} after each connection, and {"gate": false} when there is none (any more).
    """

    def __init__(self, path: Path, first: Mapping[str, Any]):
        self._path, self._first = path, _encode(first)
        self.descriptor, self._bell = os.pipe()
        for each in (self.descriptor, self._bell):
            os.set_blocking(each, False)
        self._socket: socket.socket | None = None
        self._inbox: deque[dict[str, Any]] = deque()
        self._is_closed = Event()
        self._thread = Thread(target=self._run, daemon=True)
        self._thread.start()

    def take(self) -> list[dict[str, Any]]:
        """The messages that have come since the last call."""
        with suppress(BlockingIOError):
            os.read(self.descriptor, _CHUNK)
        found = []
        while self._inbox:
            found.append(self._inbox.popleft())
        return found

    def send(self, message: Mapping[str, Any]) -> None:
        """Send a message, without waiting. If that fails, the connection is replaced by a new one."""
        # A web process that does not read must not stop the game of all.
        if connected := self._socket:
            data = _encode(message)
            try:
                if connected.send(data, socket.MSG_DONTWAIT) < len(data):
                    raise BlockingIOError
            except OSError:
                with suppress(OSError):
                    connected.shutdown(socket.SHUT_RDWR)  # the thread notices the end

    def close(self) -> None:
        self._is_closed.set()
        if connected := self._socket:
            with suppress(OSError):
                connected.shutdown(socket.SHUT_RDWR)
        self._thread.join()
        os.close(self.descriptor)
        os.close(self._bell)

    def _run(self) -> None:
        is_known_lost = False
        while not self._is_closed.is_set():
            with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connected:
                with suppress(OSError):
                    connected.connect(os.fspath(self._path))
                    connected.sendall(self._first)
                    is_known_lost = False
                    self._socket = connected
                    self._put({"gate": True})
                    self._read(connected)
                self._socket = None
            if not is_known_lost:
                is_known_lost = True
                self._put({"gate": False})
            self._is_closed.wait(_RETRY_S)

    def _read(self, connected: socket.socket) -> None:
        """Read messages until the connection ends."""
        rest = b""
        while not self._is_closed.is_set() and (data := connected.recv(_CHUNK)):
            *lines, rest = (rest + data).split(b"\n")
            for line in lines:
                self._put(json.loads(line))

    def _put(self, message: dict[str, Any]) -> None:
        self._inbox.append(message)
        with suppress(BlockingIOError):  # it has rung often enough
            os.write(self._bell, b"!")


def _encode(message: Mapping[str, Any]) -> bytes:
    return json.dumps(message, separators=(",", ":")).encode() + b"\n"
