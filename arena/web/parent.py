"""The parent of the processes of a server: starts them, and restarts those that end or hang.

Each child has the read end of a pipe as its stdin. When the parent is gone, however it ended, the kernel
closes the write end, and the child ends itself. The socket that listens belongs to the parent: a browser
that connects while the web process is being replaced waits a moment instead of being refused. A child that
stops to beat (`ServerSettings.beat`) hangs: it is killed, and so replaced. The lock on the folder is held by
all processes together, so that a new server starts only when the last of them is gone.
"""

import fcntl
import os
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Event, Lock, Thread
from time import monotonic, sleep

import psutil

from arena.config.document import ConfigError
from arena.web.log import log
from arena.web.pulse import Pulse
from arena.web.settings import ServerSettings, python

MODULES = ("arena.web.process", "arena.web.host")
_STOP_TIMEOUT_S = 8.0  # then a child is killed
_LOCK_TIMEOUT_S = 12.0  # for the children of a parent that was killed
_POLL_S = 0.1
_RUNTIME = "serving-arena-"  # not as the folders of supervisors, which the engine removes when they are stale
_FIRST_PAUSE_S, _LONGEST_PAUSE_S = 0.1, 10.0  # before a restart; each is twice the one before
_LOOK_S = 1.0  # at the pulse
_STEADY_S = 30.0  # a child that lived as long is restarted after the first pause


class _Child:
    """A process that is replaced whenever it ends, until `stop`. `log_file` is its stderr; None: ours."""

    def __init__(self, module: str, settings: ServerSettings, log_file: int | None):
        self._module, self._settings, self._log_file = module, settings, log_file
        self._is_stopping, self._lock = Event(), Lock()
        self._pulse, self._has_hung = Pulse(), False
        self._process = self._start()
        self._threads = [Thread(target=each, daemon=True) for each in (self._watch, self._guard)]
        for thread in self._threads:
            thread.start()

    def _start(self) -> "subprocess.Popen[str]":
        self._pulse.begin()
        process = subprocess.Popen(
            python(self._module),
            stdin=subprocess.PIPE,
            stderr=self._log_file,
            text=True,
            pass_fds=[self._settings.socket, self._settings.lock, self._pulse.write],
            process_group=0,  # Ctrl-C is for the parent, which then closes stdin
        )
        assert process.stdin
        with suppress(BrokenPipeError):  # it has died, which `_watch` notices
            settings = replace(self._settings, pulse=self._pulse.write, is_after_hang=self._has_hung)
            self._has_hung = False
            process.stdin.write(settings.to_line())
            process.stdin.flush()
        return process

    def _watch(self) -> None:
        pause = _FIRST_PAUSE_S
        while True:
            began = monotonic()
            status = self._process.wait()
            if monotonic() - began > _STEADY_S:
                pause = _FIRST_PAUSE_S
            if self._is_stopping.wait(pause):
                return
            pause = min(2 * pause, _LONGEST_PAUSE_S)
            log("restart", process=self._module, status=status)
            self._replace()

    def _guard(self) -> None:
        """Kill the process if it hangs; `_watch` then replaces it."""
        while not self._is_stopping.wait(_LOOK_S):
            if self._pulse.look(_work_of(self._process.pid)):
                log("hangs", process=self._module)
                self._has_hung = True
                self._pulse.begin()
                self._process.kill()

    def _replace(self) -> None:
        with self._lock:
            if self._is_stopping.is_set():
                return
            try:
                self._process = self._start()
            except OSError as error:  # too many processes, or no memory: the next attempt is after the pause
                log("error", process=self._module, message=f"cannot be started: {error.strerror}")

    def stop(self) -> None:
        """Ask the process to end; `join` waits for it."""
        with self._lock:
            self._is_stopping.set()
            if self._process.stdin:
                with suppress(BrokenPipeError):
                    self._process.stdin.close()

    def join(self) -> None:
        try:
            self._process.wait(_STOP_TIMEOUT_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        for thread in self._threads:
            thread.join()
        self._pulse.close()


def _work_of(pid: int) -> float:
    """The computing time of a process, in seconds; 0.0 if there is none."""
    try:
        times = psutil.Process(pid).cpu_times()
    except psutil.Error:
        return 0.0
    return float(times.user + times.system)


@contextmanager
def children(
    settings: ServerSettings, log_file: int | None = None, modules: Sequence[str] = MODULES
) -> Iterator[None]:
    """Run a process of each of `modules` as long as the block lasts, and replace those that end or hang.

    `log_file` is the descriptor of their stderr; None: they have ours.
    """
    started: list[_Child] = []
    try:
        for module in modules:
            started.append(_Child(module, settings, log_file))
        yield
    finally:
        for child in started:
            child.stop()
        for child in started:
            child.join()


@contextmanager
def lock_folder(folder: Path) -> Iterator[tuple[int, Path]]:
    """Lock a server's folder for the time of the block; yields the descriptor of the lock, and a new folder.

    The new folder is private, for sockets and temporary files. If the parent before was killed, this waits
    for its children, and removes its folder. ConfigError: another server uses the folder.
    """
    descriptor = os.open(folder / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        until = monotonic() + _LOCK_TIMEOUT_S
        while not _try_lock(descriptor):
            if _is_alive(_read_lock(descriptor)[0]) or monotonic() > until:
                raise ConfigError(f"{folder}: another `arena serve` uses it")
            sleep(_POLL_S)
        left = Path(_read_lock(descriptor)[1])
        if left.name.startswith(_RUNTIME):
            shutil.rmtree(left, ignore_errors=True)
        with TemporaryDirectory(prefix=_RUNTIME) as runtime:
            os.ftruncate(descriptor, 0)
            os.pwrite(descriptor, os.fsencode(f"{os.getpid()}\n{runtime}"), 0)
            yield descriptor, Path(runtime)
    finally:
        os.close(descriptor)


def _read_lock(descriptor: int) -> tuple[str, str]:
    """The id of the parent that wrote the lock file last, and its folder; each "" if unknown."""
    pid, _, runtime = os.fsdecode(os.pread(descriptor, 4096, 0)).partition("\n")
    return pid, runtime


def _try_lock(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _is_alive(pid: str) -> bool:
    """Whether the process with this id is alive; it is not if only its own parent has not noticed its end."""
    try:
        return pid.isdigit() and psutil.Process(int(pid)).status() != psutil.STATUS_ZOMBIE
    except psutil.Error:
        return False
