"""Keeps run files open, so that the web process, which may not write beside them, can read them.

A reader of a database in WAL mode needs the files `-wal` and `-shm`, which SQLite removes when the last
connection is closed, and which the web process cannot make.
"""

import sqlite3
from contextlib import suppress
from pathlib import Path

from arena.config.sqlite import open_existing


class HeldFiles:
    """Connections to the run files of a folder."""

    def __init__(self, folder: Path):
        self._folder = folder
        self._held: dict[Path, tuple[int, sqlite3.Connection]] = {}  # with the number of the file

    def look(self) -> None:
        """Open the run files that are new or were replaced, and close those that are gone."""
        found = {*self._folder.glob("*.db")}
        for path in self._held.keys() - found:
            self._held.pop(path)[1].close()
        for path in found:
            with suppress(OSError, sqlite3.Error):  # it is being made: at the next look
                self._hold(path)

    def _hold(self, path: Path) -> None:
        number = path.stat().st_ino
        if path in self._held:
            if self._held[path][0] == number:
                return
            self._held.pop(path)[1].close()
        self._held[path] = number, open_existing(path)

    def close(self) -> None:
        for _, connection in self._held.values():
            connection.close()
        self._held.clear()
