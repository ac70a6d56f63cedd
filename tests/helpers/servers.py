"""`arena serve` as a process of its own."""

import http.client
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import psutil

_TIMEOUT_S = 60


class Served:
    """A server that runs: its address, its operator's link and its processes."""

    def __init__(self, process: "subprocess.Popen[str]", log: Path):
        assert process.stdout
        self.process, self._log = process, log
        self.url = process.stdout.readline().strip()
        assert self.url.startswith("http"), self.said()
        self.operator = process.stdout.readline().partition(": ")[2].strip()
        self.port = urlsplit(self.url).port or 0

    def said(self) -> str:
        return self._log.read_text()

    def get(self, path: str, **headers: str) -> tuple[int, bytes]:
        """The status and the body of one request, on a connection of its own."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=_TIMEOUT_S)
        try:
            connection.request("GET", path, headers=headers)
            answer = connection.getresponse()
            return answer.status, answer.read()
        finally:
            connection.close()

    def child(self, module: str) -> psutil.Process:
        """The process that runs this module of the arena, once there is one."""
        return wait_for(lambda: next(iter(self._children(module)), None), f"no process of {module}")

    def _children(self, module: str) -> list[psutil.Process]:
        found = []
        for each in psutil.Process(self.process.pid).children(recursive=True):
            try:
                if module in each.cmdline() and each.status() != psutil.STATUS_ZOMBIE:
                    found.append(each)
            except psutil.NoSuchProcess:
                pass
        return found

    def stop(self, number: int = signal.SIGTERM) -> int:
        """Ask it to end; returns its exit status."""
        if self.process.poll() is None:
            os.kill(self.process.pid, number)
        return self.process.wait(_TIMEOUT_S)


@contextmanager
def served(
    folder: Path, target: str, *options: str, command: Sequence[str] = ("serve",), within: Sequence[str] = ()
) -> Iterator[Served]:
    """A server at any free port, started in this folder; it ends with the test.

    `within` stands before its command.
    """
    log = folder / "said.txt"
    with log.open("a") as said:
        process = subprocess.Popen(
            [*within, sys.executable, "-m", "arena", *command, target, "--port", "0", *options],
            cwd=folder,
            stdout=subprocess.PIPE,
            stderr=said,
            text=True,
        )
    with process:
        try:
            yield (found := Served(process, log))
            found.stop()
        finally:
            process.kill()


def has_ended(process: psutil.Process) -> bool:
    """Whether a process does nothing more. If this one is a subreaper, nobody reaps what it has inherited."""
    try:
        return process.status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return True


def wait_for(what, message: str):
    """The value of a function, once it is true."""
    end = time.monotonic() + _TIMEOUT_S
    while time.monotonic() < end:
        if found := what():
            return found
        time.sleep(0.02)
    raise AssertionError(message)
