"""The live folder of a run: small files for spectators, beside the run file, while a server plays the run.

The server belongs to `arena serve` or a contest. The coordinator writes `progress.json`, and worker `N`
writes its present game, `N.json` (`arena.programs.play.live`). Workers of a Dask cluster write no games.
After a `kill -9` of the coordinator the folder stays. So `progress.json` names the process that wrote it, and
is valid only while that process is alive.
"""

import json
import os
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from time import monotonic
from typing import Any

import psutil

from arena.programs.play.live import PAUSE_S
from arena.referee.placings import Placing, Placings
from arena.tournament.run import OnProgress, Progress

_PROGRESS = "progress.json"
_SAME_S = 10.0  # The start of a process may seem to move this much when the clock is set.
_SHARE = 100  # Writing may take at most 1/SHARE of the coordinator's time.


def live_folder(run: Path) -> Path:
    return run.with_name(f"{run.name}.live")


@dataclass(frozen=True)
class LiveProgress:
    """The progress of a run that is played now. `total` games are due; None if that is unknown."""

    total: int | None
    played: int
    waits: str  # the reason why the run waits; "" if it plays
    places: Placings

    @classmethod
    def read(cls, folder: Path) -> "LiveProgress | None":
        """The progress that the coordinator wrote; None if no process plays the run."""
        try:
            found = json.loads((folder / _PROGRESS).read_bytes())
            pid, created = found["process"]
            if abs(psutil.Process(pid).create_time() - created) >= _SAME_S:
                return None
            places = Placings(tuple(Placing(**place) for place in found["places"]))
            return cls(found["total"], found["played"], found["waits"], places)
        except (OSError, ValueError, TypeError, KeyError, psutil.Error):
            return None


@contextmanager
def show_live(run: Path) -> Iterator[Path]:
    """Make the live folder of a run, with a first `progress.json`; yields it, and removes it at the end."""
    folder = live_folder(run)
    shutil.rmtree(folder, ignore_errors=True)  # A killed program may have left it.
    folder.mkdir(mode=0o700)
    _write(folder, {"total": None, "played": 0, "waits": "", "places": []})
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def with_live_progress(folder: Path, report: OnProgress) -> OnProgress:
    """A function that calls `report`, and now and then also writes the progress for spectators."""
    again = 0.0

    def on_progress(progress: Progress) -> None:
        nonlocal again
        if (began := monotonic()) >= again:
            _write(folder, _known(progress))
            now = monotonic()
            again = now + max(PAUSE_S, _SHARE * (now - began))  # It takes all games to find the places.
        report(progress)

    return on_progress


def _known(progress: Progress) -> dict[str, Any]:
    plan, played = progress.plan, progress.played
    found = plan.format.placings(plan, played) if plan.format.placings else Placings()
    return {
        "total": progress.total,
        "played": len(played),
        "waits": progress.waits,
        "places": [vars(place) for place in found.places],
    }


def _write(folder: Path, progress: Mapping[str, Any]) -> None:
    process = psutil.Process()
    known = {"process": [process.pid, process.create_time()], **progress}
    with suppress(OSError):  # A full disk is noticed where it matters.
        new = folder / "progress.new"
        new.write_text(json.dumps(known), encoding="utf-8")
        os.replace(new, folder / _PROGRESS)
