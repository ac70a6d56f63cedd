"""What people see of a run while it is played: how far it is, and its table or test so far."""

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import monotonic, process_time

from arena.tournament.run import Progress, Report

OFTEN = 1.0  # seconds between two pictures, at least
SELDOM = 10.0  # seconds between two lines where there is no terminal
SHARE = 100  # a picture may take one part in so many of the time of one core

Picture = Callable[[Progress], str]


@contextmanager
def shown(picture: Picture) -> Iterator[Report]:
    """Show the progress that is reported: on a terminal in place, elsewhere a line now and then.

    `picture` draws what stands below the bar; it is asked so seldom that it does not slow the games.
    """
    if sys.stderr.isatty() and os.environ.get("TERM", "dumb") != "dumb":
        from rich.console import Console
        from rich.live import Live
        from rich.text import Text

        def draw(words: str) -> None:
            live.update(Text(words, no_wrap=True, overflow="ellipsis"), refresh=True)

        with Live(console=Console(stderr=True), auto_refresh=False, transient=True) as live:
            yield Watch(draw, picture, OFTEN)
    else:
        yield Watch(lambda words: print(words, file=sys.stderr, flush=True), lambda progress: "", SELDOM)


class Watch:
    """Takes reports and draws some of them: none too soon after the one before, nor at too high a cost.

    `clock` is the time, `effort` that of the processor which this process has taken, both in seconds.
    """

    def __init__(
        self,
        draw: Callable[[str], None],
        picture: Picture,
        pause: float,
        clock: Callable[[], float] = monotonic,
        effort: Callable[[], float] = process_time,
    ):
        self._draw, self._picture, self._pause = draw, picture, pause
        self._clock, self._effort = clock, effort
        self._began = clock()
        self._next = self._again = self._began + pause
        self._below = ""

    def __call__(self, progress: Progress) -> None:
        now = self._clock()
        if now < self._next:
            return
        if now >= self._again:
            before = self._effort()
            self._below = self._picture(progress)
            self._again = now + max(self._pause, SHARE * (self._effort() - before))
        self._next = now + self._pause
        self._draw("\n".join(filter(None, [headline(progress, now - self._began), self._below])))


def headline(progress: Progress, seconds: float) -> str:
    """How many games, how fast, how long still, what went wrong, and what is waited for."""
    played, rate = len(progress.played), progress.fresh / max(seconds, 1e-3)
    left = None if progress.total is None else progress.total - played
    known = left is not None and left >= 0  # a run may have more games than its plan as it is now
    words = [f"{played} of {progress.total} games" if known else f"{played} games"]
    words.append(f"{rate:.0f}/s" if rate >= 10 else f"{rate:.1f}/s")
    if known and rate:
        words.append(f"{duration(left / rate)} left")
    words.append(f"{progress.faults} faults")
    return ", ".join([*words, *filter(None, [progress.waits])])


def duration(seconds: float) -> str:
    """Some seconds in the two units that matter: 45 s, 3 min 20 s, 5 h 12 min."""
    seconds = max(0, round(seconds))
    if seconds < 60:
        return f"{seconds} s"
    if seconds < 3600:
        return f"{seconds // 60} min {seconds % 60} s"
    return f"{seconds // 3600} h {seconds % 3600 // 60} min"
