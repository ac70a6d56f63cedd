"""How many processes of bots a worker keeps for later games: by memory, and by the limits of this process.

To start a process costs tens of milliseconds of CPU time, as much as a whole game. A worker that plays with
many bots in turns needs a process for each bot and rotation, so it keeps as many as have room.
"""

import os
import resource
from pathlib import Path

import psutil

from arena.sandbox.linux import cgroup

USUAL = 64  # processes that a worker keeps in any case
MOST = 256  # and if most of the memory is free
FREE_SHARE = 0.5  # of the memory, which processes beyond the usual number leave to others
DESCRIPTORS = 8  # of those that a worker may have, for each process: it has four open
V1 = "/sys/fs/cgroup/memory/memory."


def most_kept() -> int:
    """How many processes this one may keep by the number of its descriptors; `USUAL` at least."""
    files, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return MOST if files == resource.RLIM_INFINITY else max(USUAL, min(MOST, files // DESCRIPTORS))


def most_memory_is_free() -> bool:
    found = psutil.virtual_memory()
    return min(found.available / found.total, free_in_groups()) > FREE_SHARE


def free_in_groups() -> float:
    """The share of memory that is free in the control group of this process and those above it.

    In a container the machine may have much more memory than the group.
    """
    share, group = 1.0, cgroup.of("self")
    while os.path.exists(f"{group}/memory.max"):
        share = min(share, free_in(f"{group}/memory.max", f"{group}/memory.current"))
        group = os.path.dirname(group)
    return min(share, free_in(f"{V1}limit_in_bytes", f"{V1}usage_in_bytes"))


def free_in(limit: str, used: str) -> float:
    try:
        return 1 - int(Path(used).read_text()) / int(Path(limit).read_text())
    except (OSError, ValueError, ZeroDivisionError):  # ValueError: the limit is "max"
        return 1.0
