"""The settings that a parent gives a child process: one line of JSON on its stdin, which then stays open.

When the parent is gone, however it ended, the kernel closes the pipe, and the child ends as well. In return a
child *beats*: it writes to a pipe now and then. Without beats the parent notices that it hangs.
"""

import json
import os
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from threading import Thread

from arena.web.address import Address


@dataclass(frozen=True)
class ServerSettings:
    """The settings of one server; all its processes get the same, except for the last two."""

    folder: Path  # with the state: server.db, people.db, tables/
    runtime: Path  # a new private folder for each start, with the Unix sockets `gate` and `bots`
    runs: Path  # a run file, or a folder with run files
    address: Address
    socket: int  # the file descriptor that listens at the address; -1: this process has none
    lock: int  # the file descriptor of the folder's lock; every process that writes there holds it
    guests: int  # tables of anonymous visitors at once
    pulse: int = -1  # the file descriptor by which this process beats; not blocking
    is_after_hang: bool = False  # this process replaces one that hung

    @property
    def gate_path(self) -> Path:
        """The Unix socket to which the links of games connect."""
        return self.runtime / "gate"

    @property
    def bots_path(self) -> Path:
        """The Unix socket by which the workers of a run reach remote bots."""
        return self.runtime / "bots"

    @property
    def descriptors(self) -> Sequence[int]:
        """The file descriptors that a process with these settings inherits."""
        return [each for each in (self.socket, self.lock, self.pulse) if each >= 0]

    def beat(self) -> None:
        """Tell the parent that this process works. If it has beaten and does not go on, it is replaced."""
        with suppress(OSError):  # the parent is stopped, or gone
            os.write(self.pulse, b".")

    def to_line(self) -> str:
        return json.dumps(asdict(self), default=str) + "\n"


def _from_line(line: str) -> ServerSettings:
    values = json.loads(line)
    paths = {key: Path(values[key]) for key in ("folder", "runtime", "runs")}
    return ServerSettings(**{**values, **paths, "address": Address(**values["address"])})


def read_settings() -> ServerSettings:
    """Read the settings of this process from stdin.

    Processes that it starts do not inherit the descriptors, unless they are passed explicitly.
    """
    settings = _from_line(sys.stdin.readline())
    for descriptor in settings.descriptors:
        os.set_inheritable(descriptor, False)
    return settings


def when_parent_ends(stop: Callable[[], object]) -> None:
    """Call `stop`, in another thread, once the parent closes the stdin of this process or is gone."""

    def wait() -> None:
        sys.stdin.read()
        stop()

    Thread(target=wait, daemon=True).start()


def python(module: str) -> Sequence[str]:
    """The command that runs a module as a child process, which imports nothing from the current folder."""
    return [sys.executable, "-P", "-m", module]
