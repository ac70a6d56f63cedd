"""Shows the progress of long work on stderr: a bar on a terminal, or a line now and then."""

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Event, Thread
from time import monotonic
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # a heavy import
    from arena.show.pages.records import Progress

SELDOM = 10.0  # seconds between two lines if stderr is not a terminal


@contextmanager
def steps() -> "Iterator[Progress]":
    """Show the steps that are reported within this context."""
    if sys.stderr.isatty() and os.environ.get("TERM", "dumb") != "dumb":
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
        from rich.progress import Progress as Bar

        columns = TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn()
        with Bar(*columns, console=Console(stderr=True), transient=True) as bar:
            tasks = {}

            def update(what: str, done: int, total: int) -> None:
                if what not in tasks:
                    tasks[what] = bar.add_task(what)
                bar.update(tasks[what], completed=done, total=total)

            yield update
    else:
        yield Lines()


@contextmanager
def seconds() -> Iterator[Callable[[str], None]]:
    """Say on stderr what takes long within this context, and for how long it has: every `SELDOM` seconds.

    Call what is given with what is done next. A thread speaks, as the work may be a single call of numpy.
    """
    doing, begun, is_done = "", monotonic(), Event()

    def next_is(what: str) -> None:
        nonlocal doing
        doing = what

    def speak() -> None:
        while not is_done.wait(SELDOM):
            print(f"{doing}: {monotonic() - begun:.0f} s so far", file=sys.stderr, flush=True)

    thread = Thread(target=speak, daemon=True)
    thread.start()
    try:
        yield next_is
    finally:
        is_done.set()
        thread.join()


class Lines:
    """Prints a line for a step, at most every `SELDOM` seconds."""

    def __init__(self, clock: Callable[[], float] = monotonic):
        self._clock = clock
        self._next = clock() + SELDOM

    def __call__(self, what: str, done: int, total: int) -> None:
        if self._clock() >= self._next:
            self._next = self._clock() + SELDOM
            print(f"{what}: {done} of {total}", file=sys.stderr, flush=True)
