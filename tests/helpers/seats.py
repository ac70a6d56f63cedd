"""A small gate, to which the links of people connect over a Unix socket."""

import json
import shutil
import socket
import tempfile
from pathlib import Path

WAIT_S = 30  # for another process or thread, however busy the machine is


class Line:
    """The connection of one link, as the gate has it."""

    def __init__(self, connection: socket.socket):
        connection.settimeout(WAIT_S)
        self.connection = connection
        self.file = connection.makefile("rb")
        self.first = self.read()

    def read(self) -> dict:
        line = self.file.readline()
        assert line, "the link has closed its connection"
        return json.loads(line)

    def view(self) -> dict:
        return self.read()["view"]

    def until(self, wanted) -> list[dict]:
        """The views up to the first that fits."""
        views = [self.view()]
        while not wanted(views[-1]):
            views.append(self.view())
        return views

    def send(self, **message) -> None:
        self.connection.sendall(json.dumps(message).encode() + b"\n")

    def answer(self, ask: int, word: str) -> None:
        self.send(answer=ask, word=word)

    def close(self) -> None:
        self.file.close()
        self.connection.close()


class SmallGate:
    """Accepts one link after another."""

    def __init__(self):
        self.folder = Path(tempfile.mkdtemp(prefix="arena-"))  # its path is short enough for a socket
        self.path = self.folder / "gate"
        self.lines: list[Line] = []
        self.open()

    def open(self) -> None:
        self.listening = socket.socket(socket.AF_UNIX)
        self.listening.settimeout(WAIT_S)
        self.listening.bind(str(self.path))
        self.listening.listen()

    def accept(self) -> Line:
        self.lines.append(Line(self.listening.accept()[0]))
        return self.lines[-1]

    def shut(self) -> None:
        """End all connections, as the kill of the web process does."""
        self.listening.close()
        self.path.unlink()
        for line in self.lines:
            line.close()
        self.lines.clear()

    def close(self) -> None:
        self.shut()
        shutil.rmtree(self.folder)


def is_ask(view: dict) -> bool:
    return view["ask"] is not None
