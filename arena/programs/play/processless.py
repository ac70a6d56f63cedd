"""Players without a process here: people, language models, remote bots, players of the library."""

import os
import sys

from arena.programs.bot import Bot
from arena.programs.play.meter import Meter
from arena.programs.play.player import GRACE, Player
from arena.programs.sandbox.client import SupervisorClient


class ProcesslessPlayer(Player):
    """A player without a process: it is never paused or killed, and no CPU time is measured.

    Its stdout is a pipe of our own: its lines are written into `_mouth`, and the loop reads them like any
    bot's. Models and remote bots have their own `read` instead. Each kind of player has its own `write`,
    which replaces the write to `stdin`.
    """

    def __init__(self, bot: Bot, supervisor: SupervisorClient):
        super().__init__(bot, supervisor)
        self.out, self._mouth = os.pipe()
        self.err, self.stdin = os.pipe()  # this pipe stays empty
        self._descriptors = [self.out, self._mouth, self.err, self.stdin]
        os.set_blocking(self.out, False)
        os.set_blocking(self.err, False)
        self.meter = Meter(os.getpid())
        self.meter.close()  # measures only wall time, not the arena's CPU time
        self._most_written = sys.maxsize
        self._is_open = True

    def _start(self, supervisor: SupervisorClient) -> None:
        """Start nothing: there is no process."""

    @property
    def is_alive(self) -> bool:
        return self._is_open

    @property
    def needs_core(self) -> bool:
        return False

    @property
    def is_paused(self) -> bool:
        return True  # it uses no core between its asks

    def pause(self) -> None:
        pass

    def resume(self) -> None:
        pass

    def take_stderr(self) -> list[tuple[int, str]]:
        return []

    def _close_mouth(self) -> None:
        """Close the player's stdout: its end tells the loop that the player is lost."""
        if self._mouth in self._descriptors:
            self._descriptors.remove(self._mouth)
            os.close(self._mouth)

    def end(self, grace: float = GRACE) -> None:
        self._is_open = False
        for descriptor in self._descriptors:
            os.close(descriptor)
        self._descriptors.clear()
