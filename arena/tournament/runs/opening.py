"""Opens the database of a run file, which may come from a stranger: "verify this".

SQLite protects itself against damaged files, but a file that is valid for SQLite can still keep a reader busy
for ever, or make it act for its author. So:

- The schema is compared with that of the layout before any table is read. Views, triggers, generated columns,
  virtual tables, constraints and indexes with expressions would run the SQL of a stranger.
- Pages may be linked in circles, so that the rows of a table never end. A statement may take as many steps as
  tables of the size of the file can need (`Budget`).
- A value may claim to have a gigabyte, if its overflow pages are linked in a circle. `Store` limits lengths.
- The files beside it belong to the database. A journal may name a *super-journal*, any file, which SQLite
  would delete; a link or a pipe in their place would lead elsewhere.

See https://sqlite.org/security.html.
"""

import os
import re
import sqlite3
import stat
from contextlib import suppress
from pathlib import Path

from arena.config.document import ConfigError
from arena.programs.installation import real
from arena.tournament.runs.layouts import NUMBER, SCHEMA
from arena.tournament.runs.locks import ATTEMPT_S, wait_for

# "ARNA", marks the file as a run (https://sqlite.org/pragma.html#pragma_application_id).
APPLICATION = 0x41524E41
_DISK_ERRORS = (
    sqlite3.SQLITE_CANTOPEN,
    sqlite3.SQLITE_IOERR,
    sqlite3.SQLITE_FULL,
)  # a disk full or read-only
# The file is at fault; INTERRUPT: a statement had no end.
FILE_ERRORS = (
    sqlite3.SQLITE_ERROR, sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_INTERRUPT,
    sqlite3.SQLITE_TOOBIG,
)  # fmt: skip
_SUPER_JOURNAL = bytes.fromhex("d9d505f920a163d7")  # a journal that names one ends with this
BLOCK = 100_000  # steps of the virtual machine of SQLite between two looks at the budget


class Budget:
    """Ends an SQL statement that takes more steps than the file can need. Call `begin` before each one."""

    # A row takes about a dozen steps and, with its index, more than twice as many bytes.

    def __init__(self, path: Path):
        self._path = path
        self._blocks = 0

    def begin(self) -> None:
        self._blocks = 0

    def is_spent(self) -> bool:
        size = 0
        for path in (self._path, _beside(self._path, "-wal")):
            with suppress(FileNotFoundError):
                size += path.stat().st_size
        return self._blocks * BLOCK > 1_000_000 + 4 * size

    def progress(self) -> bool:
        """Count `BLOCK` more steps. SQLite calls this after so many; True interrupts the statement."""
        self._blocks += 1
        return self.is_spent()


def connect(path: Path, writer: bool, budget: Budget) -> sqlite3.Connection:
    """Open the database of a run file, and check its layout.

    A writer may open an empty or new file, and must create its tables then. ConfigError: the file is not a
    run, or has another layout. sqlite3.DatabaseError: it is damaged, or is not a database.
    """
    if not writer and (not os.path.exists(path) or os.path.isdir(path)):
        raise ConfigError(f"{path}: no such run")
    if not writer and not os.path.isfile(path):
        raise ConfigError(f"{path}: should be a file, not a device or a pipe")
    for suffix in ("-wal", "-shm", "-journal"):
        _refuse_link(_beside(path, suffix))
    _refuse_super_journal(_beside(path, "-journal"))
    connection = sqlite3.connect(path, timeout=ATTEMPT_S)
    try:
        _distrust(connection, budget)
        connection.execute(f"PRAGMA query_only = {not writer}")
        wait_for(path, lambda: connection.execute("PRAGMA page_count"), primary_code)
    except sqlite3.OperationalError as error:
        connection.close()
        if writer or primary_code(error) not in _DISK_ERRORS:
            raise
        connection = _open_on_read_only_disk(path)
        _distrust(connection, budget)
    try:
        wait_for(path, lambda: _check_layout(path, connection, writer), primary_code)
        return connection
    except BaseException:
        connection.close()
        raise


def primary_code(error: sqlite3.Error) -> int:
    """The primary result code of an error (https://sqlite.org/rescode.html); 0 if it has none."""
    code: int = getattr(error, "sqlite_errorcode", 0)
    return code & 0xFF


def _beside(path: Path, suffix: str) -> Path:
    return Path(f"{real(path)}{suffix}")


# A writer that ends removes the files beside a run, at any moment.


def _refuse_link(path: Path) -> None:
    with suppress(FileNotFoundError):
        if not stat.S_ISREG(path.lstat().st_mode):
            what = "should be a file of SQLite, not a link, a device or a pipe"
            raise ConfigError(f"{path}: {what}; remove it")


def _refuse_super_journal(path: Path) -> None:
    with suppress(FileNotFoundError), path.open("rb") as file:
        file.seek(max(0, os.fstat(file.fileno()).st_size - len(_SUPER_JOURNAL)))
        if file.read() == _SUPER_JOURNAL:
            raise ConfigError(f"{path}: names another file, which SQLite would delete; remove it")


def _distrust(connection: sqlite3.Connection, budget: Budget) -> None:
    connection.set_progress_handler(budget.progress, BLOCK)
    connection.execute("PRAGMA trusted_schema = OFF")
    connection.execute("PRAGMA cell_size_check = ON")
    connection.execute("PRAGMA mmap_size = 0")


def _open_on_read_only_disk(path: Path) -> sqlite3.Connection:
    """Open a run where SQLite cannot write, not even the index of a write-ahead log that a kill left."""
    how = "vfs=unix-none" if _beside(path, "-wal").exists() else "immutable=1"
    connection = sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro&{how}", uri=True)
    connection.execute("PRAGMA locking_mode = EXCLUSIVE")  # keeps the index in memory
    return connection


def _check_layout(path: Path, connection: sqlite3.Connection, writer: bool) -> None:
    (pages,) = connection.execute("PRAGMA page_count").fetchone()
    (application,) = connection.execute("PRAGMA application_id").fetchone()
    (number,) = connection.execute("PRAGMA user_version").fetchone()
    if writer and not pages:
        return
    if application != APPLICATION:
        raise ConfigError(f"{path}: not a run file; the file was not changed")
    layouts = f"(layout {number}, not {NUMBER})"
    if number > NUMBER:
        newer = f"written by a newer arena {layouts}: update this one"
        raise ConfigError(f"{path}: {newer}; the file was not changed")
    if number < NUMBER:
        older = f"written by an older arena, before 0.3.0 {layouts}"
        advice = "read it with that version, or play the plan again with --out"
        raise ConfigError(f"{path}: {older}: {advice}; the file was not changed")
    if problem := _schema_problem(connection):
        raise ConfigError(f"{path}: not a run file: {problem}; the file was not changed")


def _schema_problem(connection: sqlite3.Connection) -> str:
    """The first difference between the file's schema and that of a run; "" if they are the same."""
    wanted = {_without_comments(each) for each in SCHEMA.split(";\n")} - {""}
    found = set()
    for kind, name, sql in connection.execute("SELECT type, name, sql FROM sqlite_schema"):
        if sql is None and kind == "index":  # that of a UNIQUE column or a primary key
            continue
        if _without_comments(str(sql)) not in wanted:
            return f"it has the {kind} {name!r}, which layout {NUMBER} does not have"
        found.add(_without_comments(str(sql)))
    missing = sorted(wanted - found)
    return f"it lacks a table of layout {NUMBER}: {missing[0][:60]}…" if missing else ""


def _without_comments(text: str) -> str:
    # What is compared with the result has no quotes, so a quoted `--` cannot hide anything.
    return " ".join(re.sub("--.*", "", text).split())
