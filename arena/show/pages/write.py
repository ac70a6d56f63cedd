"""Writes the pages of `arena report` into a folder."""

import fcntl
import os
import shutil
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TextIO

from arena.config.document import ConfigError
from arena.show.pages import (
    behaviour,
    bots,
    course,
    definitions,
    faults,
    games,
    index,
    models,
    pairs,
    rounds,
    seats,
    times,
)
from arena.show.pages.page import STATIC, Page, render
from arena.show.pages.records import GamePages, Progress, quiet, read_records
from arena.show.pages.site import Site
from arena.show.tables.page import style
from arena.show.tables.report import Report, rate_now
from arena.show.tables.table import CellLink
from arena.tournament.runs.sources import is_results, load

# Each module writes the charts of its pages and yields the pages, unless the site has no data for them.
_PAGES = (index, rounds, pairs, course, seats, games, times, faults, behaviour, models, bots, definitions)

_ALL_GAMES = GamePages()

MARK = ".arena-report"  # a file in the folder of a report that lists its files
NEW = ".arena-report-new"  # the folder of the new pages, until they are complete


def write_site(
    runs: Sequence[Path],
    out: Path,
    merge: bool = False,
    wanted: GamePages = _ALL_GAMES,
    jobs: int = 1,
    progress: Progress = quiet,
) -> None:
    """Write all pages. After an error, the pages of an earlier report are unchanged.

    Args:
        runs: The run files and result files.
        out: The folder of the pages.
        merge: Whether the runs may differ in game or options.
        wanted: The games that get a page.
        jobs: The number of processes.
        progress: Called with the progress.

    Raises:
        ConfigError: A file has no results to show, or `check_folder` refuses `out`.
        MachineError: The ratings take too much memory, or a process died.
    """
    check_folder(out)
    source = load(runs, merge=merge)
    if not source.outcomes:
        raise ConfigError(f"{' '.join(map(str, runs))}: no games yet")
    report = Report(source, source.settings, runs=runs)
    rate_now(report)
    elo = dict(zip(report.field.names, report.field.ratings.elo.tolist(), strict=True))
    name = " ".join(path.stem for path in runs)
    recorded = [path for path in runs if not is_results(path)]
    out.mkdir(parents=True, exist_ok=True)
    with former_report(out) as mark:
        new = out / NEW
        remove(new)  # A killed report may have left it.
        try:
            records = None
            if recorded:
                records = read_records(recorded, new / "games", elo, wanted, jobs, progress)
            _write_pages(Site(name, runs, new, report, records, jobs, progress))
            replace(out, new, mark)
        finally:
            remove(new)


def _write_pages(site: Site) -> None:
    """Write all pages into the folder of the site, which has only the data of games so far."""
    found: list[Page] = [page for module in _PAGES for page in module.pages(site)]
    links = [CellLink(page.path, page.title) for page in found if page.is_listed]
    for page in found:
        site.write(page.path, render(page, site.name, links))
    for file in STATIC.iterdir():
        site.write(f"static/{file.name}", file.read_text(encoding="utf-8"))
    site.write("static/style.css", style())


def check_folder(out: Path) -> None:
    """Check that `out` is free for a report. Hidden files are allowed.

    Raises:
        ConfigError: `out` is not a folder, or has files but no report.
    """
    if out.exists() and not out.is_dir():
        raise ConfigError(f"{out}: should be a folder")
    if out.is_dir() and not (out / MARK).exists():
        others = sorted(path.name for path in out.iterdir() if not path.name.startswith("."))
        if others:
            raise ConfigError(
                f"{out}: has other files, such as {others[0]}; choose a new folder for the pages"
            )


@contextmanager
def former_report(out: Path) -> Iterator[TextIO]:
    """Lock the folder of a report; yield the file `MARK` there, which lists the files of a former report.

    Raises:
        ConfigError: Another report is being written there.
    """
    opened = os.open(out / MARK, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o666)
    with open(opened, "r+", encoding="utf-8") as mark:
        try:
            fcntl.flock(mark, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise ConfigError(f"{out}: another report is being written here; wait until it is done") from None
        yield mark


def replace(out: Path, new: Path, mark: TextIO) -> None:
    """Move the new pages to `out`, and delete files of the former report that have no successor there.

    `mark` lists the former files; afterwards it lists the new ones. Other files stay.
    """
    former = [file for file in mark.read().splitlines() if _is_inside(file)]
    files = sorted(path.relative_to(new).as_posix() for path in new.rglob("*") if path.is_file())
    _note_files(mark, [*files, *former])  # If this is killed, the list has all files that may be there.
    for file in {*former} - {*files}:
        (out / file).unlink(missing_ok=True)
    for file in files:
        (out / file).parent.mkdir(parents=True, exist_ok=True)
        (new / file).replace(out / file)
    for folder in {(out / file).parent for file in former} - {out}:
        with suppress(OSError):  # The folder may have other files, or be gone.
            folder.rmdir()
    _note_files(mark, files)


def _is_inside(file: str) -> bool:
    # The list may be from a cloned repository, and so from a stranger.
    return bool(file) and not file.startswith("/") and ".." not in Path(file).parts


def _note_files(mark: TextIO, files: Iterable[str]) -> None:
    mark.seek(0)
    mark.truncate()
    mark.write("".join(f"{file}\n" for file in files))
    mark.flush()


def remove(folder: Path) -> None:
    if folder.is_symlink():
        folder.unlink()
    elif folder.exists():
        shutil.rmtree(folder)
