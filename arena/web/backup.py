"""Copies a folder with runs, and the state of a server, while programs write in it.

SQLite makes a consistent copy of a database in use (`VACUUM INTO`); a plain copy of its file could have half
of a transaction. The journal of a table has one line for each answer: a copy of its beginning is the table
some answers ago. The copy gets its name when it is complete and on the disk.
"""

import os
import shutil
import sqlite3
from pathlib import Path
from tempfile import mkdtemp

from arena.config.document import ConfigError
from arena.config.sqlite import copy_file
from arena.programs.executables import real

_SQLITE = b"SQLite format 3\0"
_BESIDE = ("wal", "shm", "journal")  # SQLite's files beside a database; its copy includes them
_PEOPLE, _CONTEST = "people.db", "contest.db"


def copy_folder(folder: Path, to: Path) -> int:
    """Copy a folder to the new folder `to`; returns the number of files.

    Raises:
        ConfigError: No copy was made.
    """
    if not folder.is_dir():
        raise ConfigError(f"{folder}: no such folder")
    if to.exists():
        raise ConfigError(f"{to}: exists already; a backup is a new folder")
    if real(to).is_relative_to(real(folder)):
        raise ConfigError(f"{to}: is inside {folder}; a backup should be elsewhere, best on another disk")
    try:
        to.parent.mkdir(parents=True, exist_ok=True)
        partial = Path(mkdtemp(prefix=f".{to.name}.", dir=to.parent))
    except OSError as error:
        raise ConfigError(f"{to}: cannot be written: {error.strerror}") from None
    try:
        count = sum(_copy(path, partial / path.relative_to(folder)) for path in _files(folder))
        os.sync()
        partial.rename(to)
        return count
    except (OSError, sqlite3.Error) as error:
        raise ConfigError(f"{to}: not backed up: {error}") from None
    finally:
        shutil.rmtree(partial, ignore_errors=True)


def _files(folder: Path) -> list[Path]:
    """All files and folders to copy, in this order, without SQLite's files beside a database."""
    return sorted((path for path in folder.rglob("*") if _is_kept(path)), key=_order)


def _is_kept(path: Path) -> bool:
    database, _, suffix = path.name.rpartition("-")
    if suffix in _BESIDE and _is_database(path.with_name(database)):
        return False
    return path.is_symlink() or path.is_file() or path.is_dir()


def _order(path: Path) -> tuple[bool, bool, bool, bool, Path]:
    """The sort key of a path. Its order makes a copy consistent while a server writes.

    Folders come first. A game of people is stored in people.db, then marked as over in server.db, then its
    journal is removed; so journals are copied first, people.db last. An archive of a contest without a row in
    contest.db counts as not accepted, so contest.db is copied before the archives.
    """
    return not path.is_dir(), path.name != _CONTEST, _is_database(path), path.name == _PEOPLE, path


def _copy(path: Path, to: Path) -> bool:
    """Copy a file, or make a folder; returns whether a file was copied. One that is gone is left out."""
    try:
        if path.is_dir() and not path.is_symlink():
            to.mkdir()
            shutil.copystat(path, to)
            return False
        if _is_database(path):
            _copy_database(path, to)
        else:
            shutil.copy2(path, to, follow_symlinks=False)
        return True
    except FileNotFoundError:
        if path.exists():
            raise
        return False


def _is_database(path: Path) -> bool:
    if not path.is_file() or path.is_symlink():
        return False
    with path.open("rb") as file:
        return file.read(len(_SQLITE)) == _SQLITE


def _copy_database(path: Path, to: Path) -> None:
    copy_file(path, to)
    shutil.copystat(path, to)
