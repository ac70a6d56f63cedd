"""Files of SQLite: this is the only module that opens one.

Theory of operation
-------------------
A file has a layout: a schema, and two numbers in its header that mark it (`FileLayout`). A writer gives the
layout to a new or empty file. The layout is checked before a table is read.

SQLite's write-ahead log (WAL) makes each transaction one append, and lets readers read meanwhile;
`synchronous = FULL` makes a committed transaction survive a power failure.

A backup tool, or a shell of SQLite in a transaction, may hold a lock of SQLite for minutes. The arena waits,
and says so on stderr. Without the wait the games of hours would be lost.

Files that are sent around, such as runs, may come from a stranger: "verify this". SQLite protects itself
against damaged files, but a file that is valid for SQLite can still keep a reader busy for ever, or make it
act for its author. So:

- The schema is compared with that of the layout. Views, triggers, generated columns, virtual tables,
  constraints and indexes with expressions would run the SQL of a stranger.
- Pages may be linked in circles: then the rows of a table never end. A statement may take as many steps as
  tables of the size of the file can need (`_Budget`).
- A value may claim to have a gigabyte, if its overflow pages are linked in a circle. So callers limit lengths
  (`SqliteFile.limit_lengths`).
- The files beside it belong to the database. A journal may name a *super-journal*, any file, which SQLite
  would delete; a link or a pipe in their place would lead elsewhere.

See https://sqlite.org/security.html.
"""

import os
import re
import sqlite3
import stat
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from arena.config.document import ConfigError

__all__ = ("FileLayout", "SqliteFile", "copy_file", "open_existing")

ATTEMPT_S = 1.0  # SQLite waits this long in C, where Ctrl-C is not noticed
TELL_AFTER_S = 2.0  # short locks are usual: a reader that opens a run after a kill recovers its log
GIVE_UP_S = 600.0
_BUSY_TIMEOUT_S = 10.0  # until another process of a server has committed
_COPY_TIMEOUT_S = 30.0
BLOCK = 100_000  # steps of SQLite's virtual machine between two checks of the budget
_SUPER_JOURNAL = bytes.fromhex("d9d505f920a163d7")  # a journal that names one ends with this
_DISK_ERRORS = (sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_FULL)  # full or read-only
# The file is at fault; INTERRUPT: a statement had no end.
_FILE_ERRORS = (
    sqlite3.SQLITE_ERROR, sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_INTERRUPT,
    sqlite3.SQLITE_TOOBIG,
)  # fmt: skip
_DAMAGE = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)

_T = TypeVar("_T")


@dataclass(frozen=True)
class FileLayout:
    """The schema of a file, and the numbers that mark it. Another schema needs another `number`."""

    application: int  # four letters (https://sqlite.org/pragma.html#pragma_application_id)
    number: int
    schema: str  # statements that each end with a semicolon and a newline
    what: str  # in messages: "a run file"
    noun: str = "file"  # in the message that there is none: "run"
    since: str = ""  # the first version of the arena with this number
    advice: str = "use that version"  # in the message about a file with a lower number
    page_size: int = 4096
    is_sent: bool = False  # it may come from a stranger
    is_waited_for: bool = True  # the arena waits for minutes while another program has locked it


class SqliteFile:
    """A file with a layout, open for one thread. A writer creates a missing file, with the mode 0600.

    Raises:
        ConfigError: There is no such file, or it has another layout, is damaged, or cannot be opened.
    """

    def __init__(self, path: Path, layout: FileLayout, writer: bool = True):
        self.path, self._layout = path, layout
        self._budget = _Budget(path)
        try:
            self._check_place(writer)
            self.connection = self._connect(writer)
            try:
                self._prepare(writer)
            except BaseException:
                self.close()
                raise
        except OSError as error:
            raise ConfigError(f"{path}: cannot be opened: {error.strerror}") from None
        except sqlite3.Error as error:
            raise self.error(error) from None

    def close(self) -> None:
        self.connection.close()

    def limit_lengths(self, most: int) -> None:
        """Let no value that is read or written be longer, in bytes."""
        self.connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, most)

    def run(self, sql: str, values: tuple[Any, ...] = ()) -> sqlite3.Cursor:
        """Execute a statement, and wait while another program has locked the file.

        Raises:
            sqlite3.Error: The statement failed (see `error`).
        """
        self._budget.begin()
        return self._wait(lambda: self.connection.execute(sql, values))

    @contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """Commit the writes of the block together; after an exception, none of them."""
        self.run("BEGIN IMMEDIATE")  # no later statement of the transaction has to wait
        try:
            yield self.connection
            self.run("COMMIT")
        except BaseException:
            with suppress(sqlite3.Error):  # SQLite may have rolled it back by itself
                self.connection.execute("ROLLBACK")
            raise

    def error(self, error: sqlite3.Error) -> ConfigError:
        """The error of a statement, in one line that names the file.

        Raises:
            KeyboardInterrupt: Ctrl-C arrived while SQLite called the budget, and SQLite dropped it.
        """
        code = _primary_code(error)
        if code == sqlite3.SQLITE_INTERRUPT and not self._budget.is_spent():
            raise KeyboardInterrupt
        reason = f"not {self._layout.what}, or a damaged one ({error})" if code in _FILE_ERRORS else error
        return ConfigError(f"{self.path}: {reason}; the file was not changed")

    @staticmethod
    def is_damage(error: sqlite3.Error) -> bool:
        """Whether an error of a statement means that the file is damaged."""
        return _primary_code(error) in _DAMAGE

    def _wait(self, action: Callable[[], _T]) -> _T:
        return _wait_for(self.path, action) if self._layout.is_waited_for else action()

    def _check_place(self, writer: bool) -> None:
        path, layout = self.path, self._layout
        if writer and not os.path.exists(path):  # closing a file that is open would drop the locks of SQLite
            path.touch(mode=0o600)
        if not writer and (not os.path.exists(path) or os.path.isdir(path)):
            raise ConfigError(f"{path}: no such {layout.noun}")
        if not os.path.isfile(path):
            raise ConfigError(f"{path}: should be a file, not a device or a pipe")
        if layout.is_sent:
            for suffix in ("-wal", "-shm", "-journal"):
                _refuse_link(_beside(path, suffix))
            _refuse_super_journal(_beside(path, "-journal"))

    def _connect(self, writer: bool) -> sqlite3.Connection:
        timeout = ATTEMPT_S if self._layout.is_waited_for else _BUSY_TIMEOUT_S
        connection = sqlite3.connect(self.path, timeout=timeout, isolation_level=None)
        try:
            self._distrust(connection)
            connection.execute(f"PRAGMA query_only = {not writer}")
            self._wait(lambda: connection.execute("PRAGMA page_count"))
        except sqlite3.Error as error:
            connection.close()
            if writer or _primary_code(error) not in _DISK_ERRORS:
                raise
            connection = _connect_on_read_only_disk(self.path)
            self._distrust(connection)
        return connection

    def _distrust(self, connection: sqlite3.Connection) -> None:
        if self._layout.is_sent:
            connection.set_progress_handler(self._budget.progress, BLOCK)
        connection.execute("PRAGMA trusted_schema = OFF")
        connection.execute("PRAGMA cell_size_check = ON")
        connection.execute("PRAGMA mmap_size = 0")

    def _prepare(self, writer: bool) -> None:
        self._wait(lambda: self._check_layout(writer))
        if writer:
            for pragma in ("journal_mode = WAL", "synchronous = FULL", "foreign_keys = ON"):
                self.run(f"PRAGMA {pragma}")
            self.run("PRAGMA fullfsync = TRUE")  # on macOS the disk may delay the write without

    def _check_layout(self, writer: bool) -> None:
        path, layout = self.path, self._layout
        if writer and not self._pragma("page_count"):
            self._create()
        number = self._pragma("user_version")
        if self._pragma("application_id") != layout.application:
            raise ConfigError(f"{path}: not {layout.what}; the file was not changed")
        if number != layout.number:
            older = f"an older arena{layout.since and f', before {layout.since}'}", layout.advice
            age, advice = older if number < layout.number else ("a newer arena", "update this one")
            layouts = f"(layout {number}, not {layout.number})"
            raise ConfigError(f"{path}: written by {age} {layouts}: {advice}; the file was not changed")
        if problem := self._schema_problem():
            raise ConfigError(f"{path}: not {layout.what}: {problem}; the file was not changed")

    def _create(self) -> None:
        layout = self._layout
        # The page size comes first: SQLite cannot change it once there are tables.
        self.connection.execute(f"PRAGMA page_size = {layout.page_size}")
        with self.transaction():
            if self._pragma("application_id"):  # another process was faster
                return
            for statement in layout.schema.split(";\n"):
                self.connection.execute(statement)
            self.connection.execute(f"PRAGMA application_id = {layout.application}")
            self.connection.execute(f"PRAGMA user_version = {layout.number}")

    def _pragma(self, name: str) -> int:
        ((value,),) = self.connection.execute(f"PRAGMA {name}")
        return int(value)

    def _schema_problem(self) -> str:
        """The first difference between the file's schema and that of its layout; "" if they are the same."""
        schema, number = self._layout.schema, self._layout.number
        wanted = {_without_comments(each) for each in schema.split(";\n")} - {""}
        if "AUTOINCREMENT" in schema:
            wanted.add("CREATE TABLE sqlite_sequence(name,seq)")
        found = set()
        for kind, name, sql in self.connection.execute("SELECT type, name, sql FROM sqlite_schema"):
            if sql is None and kind == "index":  # the index of a UNIQUE column or a primary key
                continue
            if _without_comments(str(sql)) not in wanted:
                return f"it has the {kind} {name!r}, which layout {number} does not have"
            found.add(_without_comments(str(sql)))
        missing = sorted(wanted - found)
        return f"it lacks a table of layout {number}: {missing[0][:60]}…" if missing else ""


def open_existing(path: Path, timeout_s: float = ATTEMPT_S) -> sqlite3.Connection:
    """Open a file whatever its layout, to keep it open or to copy it.

    Raises:
        sqlite3.Error: There is no such file, or it is not of SQLite.
    """
    # In WAL mode even a reader writes beside the file.
    connection = sqlite3.connect(f"{path.absolute().as_uri()}?mode=rw", uri=True, timeout=timeout_s)
    try:
        connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()
        return connection
    except BaseException:
        connection.close()
        raise


def copy_file(path: Path, to: Path) -> None:
    """Copy a file that may be written to meanwhile, to a new one with the mode 0600.

    Raises:
        OSError: `to` cannot be written.
        sqlite3.Error: SQLite cannot read the file, or write the other.
    """
    to.touch(mode=0o600)  # SQLite takes an empty file, and it is private from the beginning
    with closing(open_existing(path, _COPY_TIMEOUT_S)) as connection:
        connection.execute("VACUUM INTO ?", (str(to),))


class _Budget:
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
        """Count `BLOCK` more steps. SQLite calls this each time; True interrupts the statement."""
        self._blocks += 1
        return self.is_spent()


def _wait_for(path: Path, action: Callable[[], _T]) -> _T:
    """The result of `action`, which is called again while another program has locked the file.

    A wait longer than `TELL_AFTER_S` is reported on stderr.

    Raises:
        sqlite3.OperationalError: The file is still locked after `GIVE_UP_S`, or the error is another one.
    """
    began, told = time.monotonic(), False
    while True:
        try:
            return action()
        except sqlite3.OperationalError as error:
            waited = time.monotonic() - began
            if _primary_code(error) != sqlite3.SQLITE_BUSY or waited >= GIVE_UP_S:
                raise
            if not told and waited >= TELL_AFTER_S:
                told = True
                limit = f"waiting up to {GIVE_UP_S / 60:.0f} minutes"
                print(f"{path}: locked by another program, such as a backup; {limit}", file=sys.stderr)


def _primary_code(error: Exception) -> int:
    """The primary result code of an error (https://sqlite.org/rescode.html); 0 if it has none."""
    code: int = getattr(error, "sqlite_errorcode", 0)
    return code & 0xFF


def _beside(path: Path, suffix: str) -> Path:
    return Path(f"{os.path.realpath(path)}{suffix}")


# A writer that ends may remove the files beside the database at any moment.


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


def _connect_on_read_only_disk(path: Path) -> sqlite3.Connection:
    """Open a file where SQLite cannot write, not even the index of a write-ahead log that a kill left."""
    how = "vfs=unix-none" if _beside(path, "-wal").exists() else "immutable=1"
    connection = sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro&{how}", uri=True, isolation_level=None)
    connection.execute("PRAGMA locking_mode = EXCLUSIVE")  # keeps the index in memory
    return connection


def _without_comments(text: str) -> str:
    # The schema of a layout has no quotes, so a quoted `--` cannot hide anything.
    return " ".join(re.sub("--.*", "", text).split())
