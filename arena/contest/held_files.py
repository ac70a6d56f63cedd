"""Keeps run files open for the web process, which reads them but may not write beside them.

A reader of a database in WAL mode needs the files `-wal` and `-shm`. SQLite removes them when the last
connection is closed, and the web process cannot make them.
"""

import sqlite3
from contextlib import suppress
from pathlib import Path

from arena.config.sqlite import open_existing


class HeldFiles:
    """Connections to the run files of a folder."""

    def __init__(self, folder: Path):
        self._folder = folder
        self._held: dict[Path, tuple[int, sqlite3.Connection]] = {}  # each with the inode of the file

    def look(self) -> None:
        """Open new and replaced run files, and close files that are gone."""
        found = {*self._folder.glob("*.db")}
        for path in self._held.keys() - found:
            self._held.pop(path)[1].close()
        for path in found:
            with suppress(OSError, sqlite3.Error):  # it is being made; the next look will open it
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
