"""The pages of `arena report` for a run that is complete, in the folder of the server.

A process of its own with a low priority writes them, because that takes a while. They show all cards of all
games, so they are written only when no more games are due.
"""

import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

from arena.web.settings import python, when_parent_ends

_MARK = ".arena-report"  # the same as in arena/show/pages/write.py, which needs matplotlib
_NICE = 19


def report_folder(state: Path, run: Path) -> Path:
    """The folder of a run's pages; `state` is the folder of the server."""
    return state / "reports" / run.stem


def has_report(folder: Path) -> bool:
    return (folder / _MARK).is_file() and (folder / "index.html").is_file()


def write_report(run: Path, state: Path) -> None:
    """Write the pages of a complete run, and wait until they are written; do nothing without matplotlib."""
    if not find_spec("matplotlib"):
        return
    folder = report_folder(state, run)
    folder.parent.mkdir(exist_ok=True)
    command = [*python("arena.web.reports"), str(run), str(folder)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, start_new_session=True) as process:
        process.wait()


def file_of_report(folder: Path, name: str) -> Path | None:
    """The file of this name among the pages; None if there is none. No other file can be reached."""
    try:
        names = (folder / _MARK).read_text(encoding="utf-8").splitlines()
    except OSError:
        return None
    path = folder / name
    return path if name in names and path.is_file() and not path.is_symlink() else None


def _main() -> None:
    from arena.show.pages.records import GamePages
    from arena.show.pages.write import write_site

    os.nice(_NICE)
    when_parent_ends(lambda: os._exit(1))
    run, folder = map(Path, sys.argv[1:])
    write_site([run], folder, wanted=GamePages(stderr=False), jobs=1)


if __name__ == "__main__":
    _main()
