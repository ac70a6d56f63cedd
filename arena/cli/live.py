"""Shows progress on stderr: for a run with its standings or its test so far, for a report by pages."""

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from threading import Event, Thread
from time import monotonic, process_time

from arena.config.text import duration
from arena.tournament.formats.plan import Plan
from arena.tournament.run import OnProgress, Progress

OFTEN = 1.0  # the least seconds between two updates of a terminal
SELDOM = 10.0  # seconds between two lines if stderr is not a terminal
MAX_RATED = 100_000  # games; runs with more show no standings while they are played
SHARE = 100  # Drawing may take at most 1/SHARE of the time of one core.


@dataclass(frozen=True)
class Panel:
    """The lines to show `below` the progress line of a run, and how many `games` it will have.

    `games` is a likely range, lowest and highest, or None for the total of the progress, if that is known.
    """

    below: str = ""
    games: tuple[float, float] | None = None


_NOTHING = Panel()

Picture = Callable[[Progress, bool], Panel]
"""Renders the progress of a run. The second argument is true for a log, which has at most one line below."""


@contextmanager
def show(picture: Picture) -> Iterator[OnProgress]:
    """Yield a function that reports progress on stderr.

    On a terminal the report is redrawn in place. Elsewhere a line is printed now and then. The last line
    stays.
    """
    write = partial(print, file=sys.stderr, flush=True)
    with ExitStack() as stack:
        if _can_redraw():
            from rich.console import Console
            from rich.live import Live
            from rich.text import Text

            live = Live(console=Console(stderr=True), auto_refresh=False, transient=True)

            def draw(text: str) -> None:
                live.update(Text(text, no_wrap=True, overflow="ellipsis"), refresh=True)

            watch = Watch(draw, lambda progress: picture(progress, False), OFTEN)
            stack.callback(watch.close, write)
            stack.enter_context(live)
        else:
            watch = Watch(write, lambda progress: picture(progress, True), SELDOM)
            stack.callback(watch.close, write)
        yield watch


class Watch:
    """Draws a report of progress at most every `pause` seconds.

    `picture` may be expensive, so it is called less often if it takes a lot of CPU time (`SHARE`).
    """

    def __init__(
        self,
        draw: Callable[[str], None],
        picture: Callable[[Progress], Panel],
        pause: float,
        clock: Callable[[], float] = monotonic,
        cpu_time: Callable[[], float] = process_time,
    ):
        self._draw, self._picture, self._pause = draw, picture, pause
        self._clock, self._cpu_time = clock, cpu_time
        self._began = clock()
        self._next = self._again = self._began + pause
        self._view = _NOTHING
        self._last: Progress | None = None

    def close(self, write: Callable[[str], None]) -> None:
        """Write the progress line of the last report, unless no game was played."""
        if self._last and self._last.fresh:
            write(headline(self._last, self._clock() - self._began))

    def __call__(self, progress: Progress) -> None:
        self._last, now = progress, self._clock()
        if now < self._next:
            return
        if now >= self._again:
            before, is_first = self._cpu_time(), self._view is _NOTHING
            self._view = self._picture(progress)
            cost = 0 if is_first else self._cpu_time() - before  # The first call imports the ratings.
            self._again = now + max(self._pause, SHARE * cost)
        self._next = now + self._pause
        line = headline(progress, now - self._began, self._view.games)
        # Games in flight are still played when a run stops.
        ends = f"stopping at the {progress.stopped}" if progress.stopped else ""
        self._draw("\n".join(filter(None, [line, ends, progress.waits, self._view.below])))


def headline(progress: Progress, seconds: float, games: tuple[float, float] | None = None) -> str:
    """The progress line.

    Args:
        progress: The progress of the run.
        seconds: How long its `fresh` games took.
        games: A likely range for the games of the run; None for the total of `progress`, if that is known.
    """
    played, rate = len(progress.played), progress.fresh / max(seconds, 1e-3)
    left = None if progress.total is None else progress.total - played
    if left is not None and left < 0:  # The plan was changed, and now asks for fewer games.
        left = None
    parts = [f"{played} games" if left is None else f"{played} of {progress.total} games"]
    parts.append(_speed(rate))
    if games and rate:
        low, high = (max(0.0, end - played) / rate for end in games)
        parts.append(f"{span(low, high)} left")
    elif left and rate:
        parts.append(f"{duration(left / rate)} left")
    return ", ".join(filter(None, [*parts, f"{progress.faults} faults", progress.spent]))


def _speed(rate: float) -> str:
    """Games per second, or per hour for slow games such as games of language models; "" without a game."""
    if rate < 0.05:
        return f"{3600 * rate:.0f}/h" if rate else ""
    return f"{rate:.0f}/s" if rate >= 10 else f"{rate:.1f}/s"


def span(low: float, high: float) -> str:
    """A range of durations, given in seconds, each in one unit: 8 to 25 min, 40 s to 2 min."""
    (first, unit), (last, last_unit) = _rounded(low), _rounded(high)
    if unit != last_unit:
        return f"{first} {unit} to {last} {last_unit}"
    return f"{first} to {last} {unit}" if first < last else f"{last} {unit}"


def _rounded(seconds: float) -> tuple[int, str]:
    for size, unit in ((1, "s"), (60, "min"), (3600, "h")):
        if seconds < 99.5 * size:
            return round(seconds / size), unit
    return round(seconds / 86400), "days"


@contextmanager
def steps() -> Iterator[Callable[[str, int, int], None]]:
    """Yield a function that reports a step by its kind, how many are done, and the total.

    Reports are shown as bars on a terminal, and as lines elsewhere.
    """
    if _can_redraw():
        from rich import progress
        from rich.console import Console

        columns = [progress.TextColumn("{task.description}"), progress.BarColumn()]
        columns += [progress.MofNCompleteColumn(), progress.TimeRemainingColumn()]
        with progress.Progress(*columns, console=Console(stderr=True), transient=True) as bar:
            tasks = {}

            def update(what: str, done: int, total: int) -> None:
                if what not in tasks:
                    tasks[what] = bar.add_task(what)
                bar.update(tasks[what], completed=done, total=total)

            yield update
    else:
        yield StepLines()


@contextmanager
def seconds() -> Iterator[Callable[[str], None]]:
    """Print every `SELDOM` seconds how long the block has taken; yields a function to name its work."""
    doing, begun, is_done = "", monotonic(), Event()

    def next_is(what: str) -> None:
        nonlocal doing
        doing = what

    def speak() -> None:
        while not is_done.wait(SELDOM):
            print(f"{doing}: {monotonic() - begun:.0f} s so far", file=sys.stderr, flush=True)

    thread = Thread(target=speak, daemon=True)  # A single call of numpy may take all the time.
    thread.start()
    try:
        yield next_is
    finally:
        is_done.set()
        thread.join()


class StepLines:
    """Prints the reports of steps (kind, done, total), at most one line every `SELDOM` seconds."""

    def __init__(self, clock: Callable[[], float] = monotonic):
        self._clock = clock
        self._next = clock() + SELDOM

    def __call__(self, what: str, done: int, total: int) -> None:
        if self._clock() >= self._next:
            self._next = self._clock() + SELDOM
            print(f"{what}: {done} of {total}", file=sys.stderr, flush=True)


def _can_redraw() -> bool:
    return sys.stderr.isatty() and os.environ.get("TERM", "dumb") != "dumb"


def top(progress: Progress, in_log: bool) -> Panel:
    """The top of the standings so far, or a note if there are too many games; empty in a log."""
    from arena.show.tables.standings import live
    from arena.show.tables.text import text

    if in_log:
        return Panel()
    if len(progress.played) > MAX_RATED:  # It would take seconds and a lot of memory, while the games wait.
        return Panel(f"more than {MAX_RATED:,} games: `arena table` shows the standings")
    table = live(progress.plan, progress.played)
    return Panel(text([table]) if table else "")


def picture_of_test(plan: Plan) -> Picture:
    """The picture of a comparison: its sequential test, and how many games it is likely to need."""
    from arena.tournament.compare import as_text, games_needed, ratio_line, trial_so_far

    update = trial_so_far(plan)

    def picture(progress: Progress, in_log: bool) -> Panel:
        trial = update(progress.played)
        return Panel(ratio_line(trial) if in_log else as_text(plan, trial), games_needed(plan, trial))

    return picture
