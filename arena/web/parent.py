"""The parent of the processes of a server: starts them, and restarts those that die."""

import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from threading import Event, Thread
from time import monotonic

from arena.web.settings import Settings, python

_MODULES = ("arena.web.process", "arena.web.host")
_STOP_TIMEOUT_S = 8
_BACK_OFF_S = (0.1, 10.0)  # before a restart: the first, and the longest; each is twice the one before
_STEADY_S = 30  # a child that lived as long is restarted at once


class _Child:
    """One process, replaced whenever it ends until `stop` is called."""

    def __init__(self, module: str, settings: Settings):
        self._module, self._settings = module, settings
        self._is_stopping = Event()
        self._process = self._start()
        self._thread = Thread(target=self._watch, daemon=True)
        self._thread.start()

    def _start(self) -> "subprocess.Popen[str]":
        process = subprocess.Popen(
            python(self._module),
            stdin=subprocess.PIPE,
            text=True,
            pass_fds=[self._settings.socket],
            start_new_session=True,  # Ctrl-C is for the parent, which then closes stdin
        )
        assert process.stdin
        process.stdin.write(self._settings.to_line())
        process.stdin.flush()
        return process

    def _watch(self) -> None:
        wait = _BACK_OFF_S[0]
        while not self._is_stopping.is_set():
            began = monotonic()
            self._process.wait()
            if monotonic() - began > _STEADY_S:
                wait = _BACK_OFF_S[0]
            if self._is_stopping.wait(wait):
                return
            wait = min(2 * wait, _BACK_OFF_S[1])
            self._process = self._start()

    def stop(self) -> None:
        self._is_stopping.set()
        if self._process.stdin:
            self._process.stdin.close()

    def join(self) -> None:
        try:
            self._process.wait(_STOP_TIMEOUT_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()


@contextmanager
def children(settings: Settings) -> Iterator[None]:
    """The web process and the host of tables run meanwhile."""
    modules = [each for each in _MODULES if find_spec(each)]
    started: Sequence[_Child] = [_Child(module, settings) for module in modules]
    try:
        yield
    finally:
        for child in started:
            child.stop()
        for child in started:
            child.join()
