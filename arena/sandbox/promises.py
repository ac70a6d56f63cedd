"""What the sandbox promises: one row for each threat, one column for each tier.

*prevented*: it does not happen. *detected*: it happens for a moment, is seen, and costs the bot its game or
its time. *not promised*: nothing is done about it. Each cell that is prevented or detected has tests that
attack it: they bear the words of the threat (`tests/test_promises.py` finds them).
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal

from arena.sandbox.linux import landlock, procfs, seccomp

Level = Literal["prevented", "detected", "not promised"]
COLUMNS = ("limits", "bubblewrap", "+ cgroup")


@dataclass(frozen=True)
class Promise:
    """What happens if a bot tries to do something, by tier; `short` is for the line of a run.

    `needs` names the parts of the system without which the tier `limits` promises nothing, `boxes` those
    without which the others do not.
    """

    threat: str
    short: str
    levels: tuple[Level, Level, Level]  # one for each of the `COLUMNS`
    needs: str = ""
    boxes: str = ""


P, D, N = "prevented", "detected", "not promised"
PROMISES = (
    Promise("read files of the user or other bots", "reading files", (P, P, P), "landlock"),
    Promise("write anywhere but to its own $TMPDIR", "writing files", (P, P, P), "landlock 3"),
    Promise("change modes, owners, times of files", "changing files", (P, P, P), "seccomp", boxes="seccomp"),
    Promise("use the network", "network", (P, P, P), "seccomp"),
    Promise("signal or trace other processes", "signals", (P, P, P), "landlock 6"),
    Promise("see other processes", "sight of processes", (N, P, P)),
    Promise("gain rights or make namespaces", "rights", (P, P, P), "seccomp"),
    Promise("leave processes behind", "leftovers", (P, P, P), "children"),
    Promise("use too much memory", "memory", (D, D, P), "children"),
    Promise("hide memory that it uses", "hidden memory", (N, N, P)),
    Promise("start too many processes or threads", "processes", (D, D, P), "children"),
    Promise("fill the disk", "disk", (D, P, P)),
    Promise("hide files that it uses", "hidden files", (N, P, P)),
    Promise("write to stdout or stderr without end", "output", (D, D, D)),
    Promise("answer later than its limits allow", "late answers", (D, D, D)),
    Promise("compute in children off the clock", "time of children", (D, D, D), "children"),
    Promise("compute in children on more cores", "children on more cores", (N, N, D)),
    Promise("talk by locks, watches or signals", "locks", (P, P, P), "landlock 6, seccomp", boxes="seccomp"),
    Promise("talk by caches, futexes or load", "covert channels", (N, N, N)),
    Promise("slow down others by load", "load", (N, N, N)),
    Promise("break out by a hole in the kernel", "kernel holes", (N, N, N)),
)


def here() -> Iterator[Promise]:
    """The promises as this machine can keep them."""
    for promise in PROMISES:
        limits, *boxes = promise.levels
        limits = limits if all(map(has, promise.needs.split(", "))) else N
        yield replace(promise, levels=(limits, *(boxes if has(promise.boxes) else (N, N))))


def has(part: str) -> bool:
    """Whether this machine has a part of the kernel, with the version that is needed, or a library."""
    name, _, version = part.partition(" ")
    kept = {"": True, "children": procfs.LISTS_CHILDREN, "seccomp": seccomp.load() is not None}
    return landlock.version() >= int(version or 1) if name == "landlock" else kept[name]


def missing(column: str) -> list[str]:
    """What a tier does not promise on this machine, shortened."""
    index = COLUMNS.index(column)
    return [promise.short for promise in here() if promise.levels[index] == N]
