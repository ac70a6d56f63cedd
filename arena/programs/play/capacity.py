"""The number of bot processes that a worker keeps for later games, by memory and resource limits.

Starting a process costs tens of milliseconds of CPU time, as much as a whole game. A worker that plays with
many bots in turns needs a process for each of them, so it keeps as many as fit.
"""

import os
import resource
from pathlib import Path

import psutil

from arena.config.document import MachineError
from arena.programs.sandbox.linux import cgroup
from arena.programs.sandbox.linux.rlimits import most_tasks

USUAL = 64  # processes of a worker, however little memory is free
_MAX_KEPT = 256  # processes of a worker if most of the memory is free
_FREE_SHARE = 0.5  # of the memory, left free by processes beyond the usual number
_DESCRIPTORS = 8  # of the worker for each process, which has four open
_WORKER_TASKS = 6  # processes and threads of a worker, its supervisor, and a little more
_BOT_TASKS = 2  # of a bot: itself and a child or thread
_BOX_TASKS = 4  # with bubblewrap, outside and inside of the box
_V1 = "/sys/fs/cgroup/memory/memory."


def processes_to_keep(jobs: int, seats: int, boxed: bool) -> int:
    """The number of processes that each worker may keep for later games.

    Args:
        jobs: The number of workers.
        seats: The processes of a game, which must fit as well.
        boxed: Whether each process runs in bubblewrap.

    Raises:
        MachineError: The number is lower than `seats`.
    """
    files, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    kept = _MAX_KEPT if files == resource.RLIM_INFINITY else max(USUAL, min(_MAX_KEPT, files // _DESCRIPTORS))
    if (most := most_tasks()) is None:
        return kept
    used, each = tasks_of_user(), _BOX_TASKS if boxed else _BOT_TASKS
    room = ((most - used) // jobs - _WORKER_TASKS) // each - seats  # besides the processes of the game
    if room < seats:
        needed = jobs * (_WORKER_TASKS + 2 * seats * each)
        raise MachineError(
            f"this user may have {most} processes and threads (ulimit -u) and has {used}; {jobs} games of "
            f"{seats} seats at a time need {needed} more: raise the limit, or lower --jobs"
        )
    return min(kept, room)


def tasks_of_user() -> int:
    """The number of processes and threads of this user, as the kernel counts them against its limit."""
    found = psutil.process_iter(["uids", "num_threads"])
    return sum(
        each.info["num_threads"] or 0
        for each in found
        if each.info["uids"] and each.info["uids"].real == os.getuid()
    )


def most_memory_is_free() -> bool:
    found = psutil.virtual_memory()
    return min(found.available / found.total, free_in_groups()) > _FREE_SHARE


def free_in_groups() -> float:
    """The free share of memory, from 0 to 1, in the fullest of this process's control groups."""
    # In a container, the group may have much less memory than the machine.
    share, group = 1.0, cgroup.of("self")
    while os.path.exists(f"{group}/memory.max"):
        share = min(share, _free_in(f"{group}/memory.max", f"{group}/memory.current"))
        group = os.path.dirname(group)
    return min(share, _free_in(f"{_V1}limit_in_bytes", f"{_V1}usage_in_bytes"))


def _free_in(limit: str, used: str) -> float:
    try:
        return 1 - int(Path(used).read_text()) / int(Path(limit).read_text())
    except (OSError, ValueError, ZeroDivisionError):  # ValueError: the limit is "max"
        return 1.0
