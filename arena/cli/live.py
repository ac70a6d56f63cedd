"""Shows a run while it is played: its progress, and the standings or the test so far."""

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import monotonic, process_time

from arena.tournament.run import OnProgress, Progress

OFTEN = 1.0  # seconds between two updates of a terminal, at least
SELDOM = 10.0  # seconds between two lines if stderr is not a terminal
SHARE = 100  # drawing may take at most 1/SHARE of the time of one core

Picture = Callable[[Progress], str]


@contextmanager
def shown(picture: Picture) -> Iterator[OnProgress]:
    """Show reported progress: in place on a terminal, otherwise as a line now and then.

    `picture` renders what is shown below the progress line. It is called rarely enough not to slow the games.
    """
    if sys.stderr.isatty() and os.environ.get("TERM", "dumb") != "dumb":
        from rich.console import Console
        from rich.live import Live
        from rich.text import Text

        def draw(text: str) -> None:
            live.update(Text(text, no_wrap=True, overflow="ellipsis"), refresh=True)

        with Live(console=Console(stderr=True), auto_refresh=False, transient=True) as live:
            yield Watch(draw, picture, OFTEN)
    else:
        yield Watch(lambda text: print(text, file=sys.stderr, flush=True), lambda progress: "", SELDOM)


class Watch:
    """Receives reports and draws some of them, limited by the time since the last one and by the CPU time.

    `clock` returns the time, `cpu_time` the CPU time of this process, both in seconds.
    """

    def __init__(
        self,
        draw: Callable[[str], None],
        picture: Picture,
        pause: float,
        clock: Callable[[], float] = monotonic,
        cpu_time: Callable[[], float] = process_time,
    ):
        self._draw, self._picture, self._pause = draw, picture, pause
        self._clock, self._cpu_time = clock, cpu_time
        self._began = clock()
        self._next = self._again = self._began + pause
        self._below = ""

    def __call__(self, progress: Progress) -> None:
        now = self._clock()
        if now < self._next:
            return
        if now >= self._again:
            before = self._cpu_time()
            self._below = self._picture(progress)
            self._again = now + max(self._pause, SHARE * (self._cpu_time() - before))
        self._next = now + self._pause
        self._draw("\n".join(filter(None, [headline(progress, now - self._began), self._below])))


def headline(progress: Progress, seconds: float) -> str:
    """The progress line: games, speed, time left, faults, and what the run waits for."""
    played, rate = len(progress.played), progress.fresh / max(seconds, 1e-3)
    left = None if progress.total is None else progress.total - played
    if left is not None and left < 0:  # the plan was changed: the run has more games than it now asks for
        left = None
    parts = [f"{played} games" if left is None else f"{played} of {progress.total} games"]
    parts.append(f"{rate:.0f}/s" if rate >= 10 else f"{rate:.1f}/s")
    if left is not None and rate:
        parts.append(f"{duration(left / rate)} left")
    parts.append(f"{progress.faults} faults")
    return ", ".join([*parts, *filter(None, [progress.waits])])


def duration(seconds: float) -> str:
    """A duration in at most two units: 45 s, 3 min 20 s, 5 h 12 min."""
    seconds = max(0, round(seconds))
    if seconds < 60:
        return f"{seconds} s"
    if seconds < 3600:
        return f"{seconds // 60} min {seconds % 60} s"
    return f"{seconds // 3600} h {seconds % 3600 // 60} min"
