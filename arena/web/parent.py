"""Keeps child processes: starts them, and replaces any that ends or hangs.

Theory of operation
-------------------
Each child has the read end of a pipe as its stdin. When the parent is gone, however it ended, the kernel
closes the write end, and the child ends itself (`when_parent_ends`). A child that no longer beats
(`ServerSettings.beat`) hangs: it is killed, and so replaced.

`children` keeps the processes of a server. The host keeps those of tables in the same way. The intake of a
contest gives an entry back to its queue when the process that works on it has ended.

Three modules start processes that are not kept here. `arena/web/reading.py` starts one for a request. In
`arena/tournament/processes.py` a worker that dies is replaced when its games are played again. A supervisor
that dies (`arena/programs/sandbox/client.py`) ends the game of its worker.

The socket that listens belongs to the parent of a server: a browser that connects while the web process is
being replaced waits a moment instead of being refused. All processes hold the lock on the folder together. So
a new server starts only when the last of them is gone.
"""

import fcntl
import os
import shutil
import signal
import subprocess
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Event, Thread
from time import monotonic, sleep

import psutil

from arena.config.document import ConfigError
from arena.web.log import log
from arena.web.pulse import Pulse
from arena.web.settings import ServerSettings, python

MODULES = ("arena.web.process", "arena.web.host")
_STOP_TIMEOUT_S = 8.0  # afterwards a child is killed
_LOCK_TIMEOUT_S = 12.0  # until the children of a killed parent are gone
_POLL_S = 0.1
_RUNTIME = "serving-arena-"  # differs from the folders of supervisors, which the engine removes when stale
_MIN_PAUSE_S, _MAX_PAUSE_S = 0.1, 10.0  # before a restart; each is twice the one before
_LOOK_S = 1.0  # between two looks at the pulse
_STEADY_S = 30.0  # a child that lived so long is restarted after the first pause


class Child:
    """The process that runs a module, and its replacements.

    Its stdin has the settings and then the line `task`. Its stderr is the descriptor `log_file`, or ours if
    that is None. A child that `beats` is killed if it hangs. Call `look` a few times a second, and `start`
    whenever there should be a process and `look` says that there is none.
    """

    def __init__(
        self,
        module: str,
        settings: ServerSettings,
        task: str = "",
        log_file: int | None = None,
        beats: bool = False,
        clock: Callable[[], float] = monotonic,
    ):
        self._module, self._settings, self._task, self._log_file = module, settings, task, log_file
        self._clock = clock
        self._pulse = Pulse() if beats else None
        self._process: subprocess.Popen[str] | None = None
        self._has_hung = False
        self._next_look = self._started = self._next_start = 0.0
        self._pause = _MIN_PAUSE_S
        self.failures = 0  # starts of processes that have ended, since one last lived for `_STEADY_S`
        self.status: int | None = None  # the exit status of the last process; None: it could not be started

    @property
    def pid(self) -> int | None:
        """The PID of the process; None if there is none, or `look` has noticed its end."""
        return self._process.pid if self._process else None

    def start(self) -> bool:
        """Start a process, and return True; False: it is too early after the last one, or impossible."""
        if self._process or self._clock() < self._next_start:
            return False
        self._started = self._clock()
        settings = replace(self._settings, pulse=-1, is_after_hang=self._has_hung)
        if self._pulse:
            self._pulse.begin()
            settings = replace(settings, pulse=self._pulse.write)
        try:
            self._process = subprocess.Popen(
                python(self._module),
                stdin=subprocess.PIPE,
                stderr=self._log_file,
                text=True,
                pass_fds=settings.descriptors,
                process_group=0,  # Ctrl-C is for the parent, which then closes stdin
            )
        except OSError as error:  # too many processes, or no memory
            log("error", process=self._module, message=f"cannot be started: {error.strerror}")
            self._note_end(None)
            return False
        if self._next_start:
            log("restart", process=self._module, status=self.status)
        self._has_hung = False
        with suppress(BrokenPipeError):  # it has died, which `look` notices
            assert self._process.stdin
            self._process.stdin.write(settings.to_line() + (f"{self._task}\n" if self._task else ""))
            self._process.stdin.flush()
        return True

    def look(self) -> bool:
        """Notice whether the process has ended, and kill it if it hangs; returns whether there is one."""
        if self._process and self._has_exited():
            self._note_end(self._reap())
        elif self._process and self._pulse and self._clock() >= self._next_look:
            self._next_look = self._clock() + _LOOK_S
            if self._pulse.look(_work_of(self._process.pid)):
                log("hangs", process=self._module)
                self._has_hung = True
                self._pulse.begin()
                self._kill()
        return self._process is not None

    def _note_end(self, status: int | None) -> None:
        now, self.status = self._clock(), status
        if now - self._started > _STEADY_S:
            self.failures, self._pause = 0, _MIN_PAUSE_S
        else:
            self.failures += 1
        self._next_start = now + self._pause
        self._pause = min(2 * self._pause, _MAX_PAUSE_S)

    def _has_exited(self) -> bool:
        """Whether the process has exited. Until its group is killed, it is not reaped, and keeps its PID."""
        assert self._process
        flags = os.WEXITED | os.WNOHANG | os.WNOWAIT
        try:
            return os.waitid(os.P_PID, self._process.pid, flags) is not None
        except ChildProcessError:  # the kernel has reaped it: we were started with SIGCHLD ignored
            return True

    def _reap(self) -> int:
        """Kill the process and its group; returns its status."""
        assert self._process and self._process.stdin
        self._kill()
        status = self._process.wait()
        with suppress(BrokenPipeError):
            self._process.stdin.close()
        self._process = None
        return status

    def _kill(self) -> None:
        assert self._process
        with suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)

    def terminate(self) -> None:
        """Send SIGTERM to the process, if there is one."""
        if self._process:
            os.kill(self._process.pid, signal.SIGTERM)  # `Popen.terminate` might reap it

    def close_stdin(self) -> None:
        """Ask the process to end; `end` waits for it."""
        if self._process and self._process.stdin:
            with suppress(BrokenPipeError):
                self._process.stdin.close()

    def end(self, timeout: float = 0.0) -> None:
        """End the process and its group: by force, unless it ends by itself in `timeout` seconds."""
        self.close_stdin()
        until = monotonic() + timeout
        while self._process and not self._has_exited() and monotonic() < until:
            sleep(_POLL_S)
        if self._process:
            self._reap()
        if self._pulse:
            self._pulse.close()
            self._pulse = None


def _work_of(pid: int) -> float:
    """The computing time of a process, in seconds; 0.0 if there is none."""
    try:
        times = psutil.Process(pid).cpu_times()
    except psutil.Error:
        return 0.0
    return float(times.user + times.system)


def end_children(children: Sequence[Child], timeout: float) -> None:
    """Ask these children to end, all at once; after `timeout` seconds kill the rest."""
    for child in children:
        child.close_stdin()
    until = monotonic() + timeout
    for child in children:
        child.end(until - monotonic())


@contextmanager
def children(
    settings: ServerSettings, log_file: int | None = None, modules: Sequence[str] = MODULES
) -> Iterator[None]:
    """Run a process of each of `modules` until the block ends, and replace any that ends or hangs.

    `log_file` is the descriptor of their stderr; None: they have ours.
    """
    kept = [Child(module, settings, log_file=log_file, beats=True) for module in modules]
    stop = Event()
    keeping = Thread(target=_keep, args=(kept, stop), daemon=True)
    try:
        for child in kept:
            child.start()
        keeping.start()
        yield
    finally:
        stop.set()
        if keeping.ident:
            keeping.join()
        end_children(kept, _STOP_TIMEOUT_S)


def _keep(kept: Sequence[Child], stop: Event) -> None:
    while not stop.wait(_POLL_S):
        for child in kept:
            if not child.look():
                child.start()


@contextmanager
def lock_folder(folder: Path) -> Iterator[tuple[int, Path]]:
    """Lock a server's folder for the block; yields the descriptor of the lock, and a new folder.

    The new folder is private, for sockets and temporary files. If the parent before was killed, this waits
    for its children, and removes its folder.

    Raises:
        ConfigError: Another server uses the folder.
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
    """Whether the process with this id is alive. A zombie is not."""
    try:
        return pid.isdigit() and psutil.Process(int(pid)).status() != psutil.STATUS_ZOMBIE
    except psutil.Error:
        return False
