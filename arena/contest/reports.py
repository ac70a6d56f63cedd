"""Reports of a process that plays to the pages and the organiser, and a watchdog that ends it if it hangs."""

import os
import sqlite3
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from threading import Event

from arena.config.text import duration
from arena.contest import alarms
from arena.contest.contest import Contest
from arena.contest.settings import PlayerState, change_settings, settings_of
from arena.tournament import run as tournament
from arena.web.database import DamagedDatabase
from arena.web.log import log

_EVERY_S = 1.0  # between two reports of progress to the pages
PLAYER, REMOTE_PLAYER = "player", "remote player"  # the processes that play
_STALLED_S = 1800.0  # without progress (`beat`); then the watchdog ends the process


@dataclass
class Reports:
    """The reports of a process that plays. One thread uses it, and another one runs `watch`."""

    contest: Contest
    name: str = PLAYER  # the name of the process
    pulse: Callable[[], None] = lambda: None  # the parent learns that this process does not hang
    last_progress: float = field(default_factory=time.monotonic)
    _next: float = 0.0

    def __post_init__(self) -> None:
        self._database = self.contest.database()

    def say(self, message: str) -> None:
        """Log a message of a run. It counts as progress: builds show theirs only by messages."""
        self.beat()
        log(self.name, message=message)

    def beat(self) -> None:
        """Note progress, for the watchdog and for the parent."""
        self.last_progress = time.monotonic()
        self.pulse()

    def note(self, progress: tournament.Progress) -> bool:
        """Report a game that has ended, or that the run waits for bots. It counts as progress.

        Returns:
            Whether the pages were updated now: that happens at most once a second.
        """
        self.beat()
        if self.last_progress < self._next:
            return False
        self._next = self.last_progress + _EVERY_S
        with change_settings(self._database) as settings:
            last = datetime.now(UTC) if progress.fresh else settings.player(self.name).last_game
            state = PlayerState(games=len(progress.played), waits=progress.waits, last_game=last)
            settings.players[self.name] = state
        return True

    def wait(self, why: str) -> None:
        """Show on the pages why nothing can be played. It counts as progress."""
        self.beat()
        if settings_of(self._database).player(self.name).waits != why:
            with change_settings(self._database) as settings:
                settings.players[self.name] = replace(settings.player(self.name), waits=why)

    def alarm(self, text: str) -> None:
        """Report a failure of the arena to the organiser."""
        log("alarm", source=self.name, text=text)
        with suppress(sqlite3.Error, DamagedDatabase):  # the database may be the reason of the alarm
            alarms.raise_alarm(self._database, time.time(), self.name, text)

    def watch(self, stop: Event) -> None:
        """End the process if there is no progress for `_STALLED_S`; the parent starts another one.

        Returns when `stop` is set. Call it in a thread of its own.
        """
        while not stop.wait(_EVERY_S):
            if time.monotonic() - self.last_progress > _STALLED_S:
                text = f"no game has ended for {duration(_STALLED_S)}: the process that plays was replaced"
                alarms.raise_alarm(self.contest.database(), time.time(), self.name, text)
                os._exit(1)  # its child processes end with it
