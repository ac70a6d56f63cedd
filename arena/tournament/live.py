"""What spectators of a run read besides its file: a folder of small files, while `arena serve` plays it.

`progress.json` is of the coordinator, and `N.json` the game that worker `N` plays
(`arena.programs.play.live`). Workers of a Dask cluster write none.
"""

import json
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from time import monotonic

from arena.programs.play.live import PAUSE_S
from arena.tournament.run import OnProgress, Progress

PROGRESS = "progress.json"


def live_folder(run: Path) -> Path:
    return run.with_name(f"{run.name}.live")


@contextmanager
def shown_live(run: Path) -> Iterator[Path]:
    """The folder, empty at the beginning and gone at the end."""
    folder = live_folder(run)
    shutil.rmtree(folder, ignore_errors=True)  # of a program that was killed
    folder.mkdir(parents=True)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def with_live_progress(folder: Path, report: OnProgress) -> OnProgress:
    """A report of progress that also writes the file of the coordinator now and then."""
    again = 0.0

    def on_progress(progress: Progress) -> None:
        nonlocal again
        if monotonic() >= again:
            again = monotonic() + PAUSE_S
            _write(folder / PROGRESS, progress)
        report(progress)

    return on_progress


def _write(path: Path, progress: Progress) -> None:
    known = {
        "total": progress.total,
        "played": len(progress.played),
        "faults": progress.faults,
        "waits": progress.waits,
    }
    with suppress(OSError):  # a full disk is noticed where it matters
        new = path.with_suffix(".new")
        new.write_text(json.dumps(known), encoding="utf-8")
        os.replace(new, path)
