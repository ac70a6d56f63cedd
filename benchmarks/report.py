"""Measures `arena report` of a run beside `arena table behaviour`, which replays the same games once each.

    python benchmarks/report.py runs/season.db [--rounds 3]

The two are measured in turns, by wall time and CPU time of all processes. The cost of a report depends on the
machine. Its ratio to the cost of the replays does so much less.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median


def measured(*words: str) -> tuple[float, float]:
    """The wall time and the CPU time of a command of the arena."""
    before, began = os.times(), time.monotonic()
    subprocess.run([sys.executable, "-m", "arena", *words], check=True, stdout=subprocess.DEVNULL)
    after = os.times()
    used = after.children_user + after.children_system - before.children_user - before.children_system
    return time.monotonic() - began, used


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("run", type=Path)
    parser.add_argument("--rounds", type=int, default=3)
    given = parser.parse_args()
    walls, used, ratios = [], [], []
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(given.rounds):
            _, replayed = measured("table", "behaviour", str(given.run))
            wall, reported = measured("report", str(given.run), "--out", folder)
            walls.append(wall)
            used.append(reported)
            ratios.append(reported / replayed)
        sizes = [path.stat().st_size for path in Path(folder).rglob("*") if path.is_file()]
        first = Path(folder, "index.html").stat().st_size
    print(f"wall time of the report: {median(walls):.1f} s")
    print(f"its CPU time: {median(used):.1f} s, {median(ratios):.2f} times that of replaying the games once")
    print(f"{len(sizes)} files, {sum(sizes) / 1e6:.1f} MB; the first page has {first / 1e3:.0f} kB")


if __name__ == "__main__":
    main()
