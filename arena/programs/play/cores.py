"""Cores as slots: the number of slots limits the workers of a run whose bots compute.

A game with a language model waits most of the time, so a run has more such games than cores. Still, their
house bots must not share a core: a clock would run while a bot waits for it. So a worker takes a slot before
it asks a bot, and returns it when no bot of its game has a pending ask. A game without a model keeps its slot
from its start to its end.

A slot is a file with an exclusive `flock`. The kernel releases it however its worker ends.
"""

import fcntl
import os
from pathlib import Path


class Cores:
    """The slots of a run, in a folder that its workers share. A worker has at most one of them."""

    def __init__(self, folder: Path, count: int):
        flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC
        self._files = [os.open(folder / str(number), flags, 0o600) for number in range(count)]
        self._held: int | None = None

    @property
    def is_held(self) -> bool:
        return self._held is not None

    def take(self) -> None:
        """Take a slot, and wait for one if none is free. If this worker has one already, do nothing."""
        if self._held is not None or self.try_to_take():
            return
        # The kernel cannot wait for any of several locks. Slots are held for milliseconds, or for one game.
        file = self._files[os.getpid() % len(self._files)]
        fcntl.flock(file, fcntl.LOCK_EX)
        self._held = file

    def try_to_take(self) -> bool:
        """Take a slot if one is free; returns whether it was."""
        for file in self._files:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                continue
            self._held = file
            return True
        return False

    def give_back(self) -> None:
        """Give the slot back, if this worker has one."""
        if self._held is not None:
            fcntl.flock(self._held, fcntl.LOCK_UN)
            self._held = None

    def close(self) -> None:
        for file in self._files:
            os.close(file)
        self._files, self._held = [], None
