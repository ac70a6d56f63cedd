"""`arena run` as a process of its own."""

import os
import subprocess
import sys
import time
from pathlib import Path

from arena.tournament.runs.store import Store


def begin_with_log(plan: Path, folder: Path) -> subprocess.Popen[bytes]:
    """`arena run` as a process of its own; what it says is in a file."""
    with (folder / "said.txt").open("a") as said:
        return subprocess.Popen(
            [sys.executable, "-m", "arena", "run", plan, "--out", folder / "run.db", "--jobs", "2"],
            stdout=said,
            stderr=said,
        )


def begin(plan, folder) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "arena", "run", plan, "--out", "run.db", "--jobs", "2"],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ,
    )


def wait_for_games(path: Path, count: int) -> int:
    """Wait until a run file has this many games; returns how many it has."""
    end = time.monotonic() + 120
    while time.monotonic() < end:
        if path.exists() and path.stat().st_size:
            try:
                with Store(path) as store:
                    if (recorded := len(store.played())) >= count:
                        return recorded
            except Exception:  # the run file does not exist yet
                pass
        time.sleep(0.01)
    raise AssertionError("the run does not get going")
