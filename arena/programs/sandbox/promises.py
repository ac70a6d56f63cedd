"""The promises of the sandbox: one row for each threat, one column for each tier.

*prevented*: the threat does not happen. *detected*: the arena soon notices it, which costs the bot its game,
or time on its clock. *not promised*: the arena does nothing about it. Tests attack each cell that is
prevented or detected. They are marked with the name of the threat (`tests/programs/sandbox/test_promises.py`
finds them).
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal

from arena.programs.sandbox.linux import landlock, procfs, rlimits, seccomp

Level = Literal["prevented", "detected", "not promised"]
COLUMNS = ("limits", "bubblewrap", "+ cgroup")


@dataclass(frozen=True)
class Promise:
    """A threat, which is an attempt of a bot, and how far each tier stops it.

    `short` names the threat in the summary of a run. `needs` are the parts of the system that each tier uses
    against it, such as "landlock 6, seccomp".
    """

    threat: str
    short: str
    levels: tuple[Level, Level, Level]  # one for each of the `COLUMNS`, like `needs`
    needs: tuple[str, str, str] = ("", "", "")


_P: Level = "prevented"
_D: Level = "detected"
_N: Level = "not promised"
_SC, _PR = "seccomp", "prlimit, seccomp"
_CH = "children"  # lists of the children of a process; a control group lists its processes without them
PROMISES = (
    Promise("read files of the user or other bots", "reading files", (_P, _P, _P), ("landlock", "", "")),
    Promise("write anywhere but to its own $TMPDIR", "writing files", (_P, _P, _P), ("landlock 3", "", "")),
    Promise("change modes, owners, times of files", "changing files", (_P, _P, _P), (_SC, _SC, _SC)),
    Promise("change modes of files in its build", "modes in builds", (_N, _P, _P)),
    Promise("leave set-ID files, devices or sockets", "privileged files", (_P, _P, _P)),
    Promise("use the network", "network", (_P, _P, _P), (_SC, "", "")),
    Promise("signal or trace other processes", "signals", (_P, _P, _P), ("landlock 6", "", "")),
    Promise("see other processes or their sockets", "sight of processes", (_N, _P, _P)),
    Promise("use up signals, timers or descriptors", "signals and timers", (_N, _P, _P), ("", _PR, _PR)),
    Promise("use up epoll watches or pipe buffers", "epoll and pipes", (_N, _N, _N)),
    Promise("gain rights or make namespaces", "rights", (_P, _P, _P), (_SC, "", "")),
    Promise("leave processes behind", "leftovers", (_P, _P, _P), (_CH, "", "")),
    Promise("use too much memory", "memory", (_D, _D, _P), (_CH, _CH, "")),
    Promise("hide memory that it uses", "hidden memory", (_N, _N, _P)),
    Promise("start too many processes or threads", "processes", (_D, _D, _P), (_CH, _CH, "")),
    Promise("fill the disk", "disk", (_D, _P, _P)),
    Promise("hide files that it uses", "hidden files", (_N, _P, _P)),
    Promise("write to stdout or stderr without end", "output", (_D, _D, _D)),
    Promise("answer later than its limits allow", "late answers", (_D, _D, _D)),
    Promise("compute in children off the clock", "time of children", (_D, _D, _D), (_CH, _CH, "")),
    Promise("compute in children on more cores", "children on more cores", (_N, _N, _D)),
    Promise("talk by locks, watches or signals", "locks", (_P, _P, _P), ("landlock 6, seccomp", _SC, _SC)),
    Promise("talk by caches, counts, futexes, load", "covert channels", (_N, _N, _N)),
    Promise("slow down others by load", "load", (_N, _N, _N)),
    Promise("break out by a hole in the kernel", "kernel holes", (_N, _N, _N)),
)


def on_this_machine() -> Iterator[Promise]:
    """All promises, with the level "not promised" where this machine lacks a tier's needs."""
    for promise in PROMISES:
        limits, bubblewrap, cgroup = (
            level if all(map(_is_available, parts.split(", "))) else _N
            for level, parts in zip(promise.levels, promise.needs, strict=True)
        )
        yield replace(promise, levels=(limits, bubblewrap, cgroup))


def _is_available(part: str) -> bool:
    """Whether this machine has a part of the system, such as "prlimit" or "landlock 6"; True for ""."""
    name, _, version = part.partition(" ")
    found = {"": True, "children": procfs.LISTS_CHILDREN, "seccomp": seccomp.load() is not None}
    found["prlimit"] = rlimits.prlimit() != ""
    return landlock.version() >= int(version or 1) if name == "landlock" else found[name]


def not_promised(column: str) -> list[str]:
    """The short names of the threats that the tier `column` does not stop on this machine."""
    index = COLUMNS.index(column)
    return [promise.short for promise in on_this_machine() if promise.levels[index] == _N]
