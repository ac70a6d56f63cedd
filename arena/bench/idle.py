"""How idle a tournament leaves its cores, by samples of the states of its own processes.

The counters of the system would not do: on a machine that has other work, that work fills the time which the
tournament leaves idle. So each sample counts the groups of processes that could compute: a worker with its
supervisor and bots, which take turns on one core, and the coordinator. A process that is runnable but waits
for a core that another program has (also state R) does not leave it idle.
"""

import os
import threading
from threading import get_native_id

from arena.sandbox.linux.procfs import children, state, tasks, tree

INTERVAL_S = 0.01
REFRESH = 50  # samples between two searches for new processes


def is_ready(group: list[int]) -> bool:
    """Whether a process of the group is runnable.

    It may be missed if they take turns meanwhile, or if it is new: so a group that seems idle is read again.
    """
    return any(state(pid) == b"R" for pid in group)


class IdleSampler:
    """Samples in a thread of the coordinator, from `start` to `stop`."""

    def __init__(self, cores: int):
        self._cores = cores
        self._stopped = threading.Event()
        self._busy: list[int] = []  # cores, in each sample
        self._thread = threading.Thread(target=self._sample, daemon=True)

    def start(self) -> None:
        if not self._thread.ident:
            self._thread.start()

    def stop(self) -> None:
        self._stopped.set()

    @property
    def share(self) -> float | None:
        """The share of the cores' time that was idle; None if there are too few samples."""
        if len(self._busy) < REFRESH:
            return None
        return 1 - sum(self._busy) / (self._cores * len(self._busy))

    def _sample(self) -> None:
        own, sampler, groups = os.getpid(), get_native_id(), list[list[int]]()
        while not self._stopped.wait(INTERVAL_S):
            if len(self._busy) % REFRESH == 0:
                groups = [tree(child) for child in children(own)]
            ready = sum(is_ready(group) or is_ready(tree(group[0])) for group in groups)
            coordinator = any(state(own, task) == b"R" for task in tasks(own) if task != sampler)
            self._busy.append(min(self._cores, ready + coordinator))
