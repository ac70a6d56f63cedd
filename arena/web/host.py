"""The host starts a process for each table of people: `python -m arena.web.host`, started by the parent.

It looks into the database of the server for tables that are due. So nothing is lost if it, the web process or
a table process is killed: a due game without a process gets one. While the disk is full none is started, and
the games wait.
"""

import sqlite3
from contextlib import suppress
from dataclasses import dataclass, field, replace
from threading import Event
from time import monotonic

from arena.programs.sandbox.linux import subreaper
from arena.web.database import DamagedDatabase, Database
from arena.web.disk import FULL, has_room
from arena.web.log import log, use_log
from arena.web.parent import Child, end_children
from arena.web.seatings import Seating, due_seatings, end_seating, is_closed
from arena.web.settings import ServerSettings, read_settings, when_parent_ends
from arena.web.table_process import journal_path

_LOOK_S = 0.2
_PAUSE_S = 10.0  # after an error of the database
IDLE_S = 600.0  # then the table of a guest is closed
_STOP_TIMEOUT_S = 5.0  # less than the parent gives the host
_MAX_FAILURES = 12  # of a table's processes, one after another


@dataclass
class _Game:
    """The process of one table, which is replaced whenever it ends before the game does."""

    child: Child
    written: int = 0  # the time of its journal's last change, in ns: each answer changes it
    active: float = field(default_factory=monotonic)  # when we noticed this change; wall clocks may jump
    is_closing: bool = False


class Host:
    """Starts a process for each table that is due. A guest's table is closed if idle for `idle_s` seconds."""

    def __init__(self, settings: ServerSettings, idle_s: float = IDLE_S):
        self._settings, self._idle_s = settings, idle_s
        self._database = Database(settings.folder / "server.db")
        self._games: dict[str, _Game] = {}
        self._has_room = True
        subreaper.become()
        self._remove_journals()

    def _remove_journals(self) -> None:
        """Remove journals of finished games that killed table processes have left."""
        due = {seating.id for seating in due_seatings(self._database)}
        for path in journal_path(self._settings.folder, "").parent.glob("*.jsonl"):
            if path.stem not in due:
                path.unlink()

    def run(self, stop: Event) -> None:
        """Call `look` again and again, until `stop` is set."""
        try:
            while not stop.wait(_LOOK_S):
                try:
                    self.look()
                except (sqlite3.Error, DamagedDatabase) as error:
                    log("error", process="host", message=str(error))
                    stop.wait(_PAUSE_S)
                self._settings.beat()
        finally:
            self.close()

    def look(self) -> None:
        """Start the table processes that are due; end those of closed tables and of idle guests."""
        own = [pid for game in self._games.values() if (pid := game.child.pid)]
        subreaper.kill_orphans(own)  # left by table processes that were killed
        self._look_for_room()
        due = {seating.id: seating for seating in due_seatings(self._database)}
        for table, game in [*self._games.items()]:
            if table not in due:
                if not game.child.look():
                    del self._games[table]
                    journal_path(self._settings.folder, table).unlink(missing_ok=True)
                elif not game.is_closing and is_closed(self._database, table):
                    self._close(game)
        for seating in due.values():
            game = self._games.get(seating.id) or self._add(seating.id)
            if not game.child.look():
                if self._has_room:
                    self._start(seating, game)
            elif seating.is_guest and not game.is_closing and self._is_idle(seating, game):
                self._close(game)

    def _add(self, table: str) -> _Game:
        settings = replace(self._settings, socket=-1)
        game = self._games[table] = _Game(Child("arena.web.table_process", settings, table))
        return game

    def _look_for_room(self) -> None:
        had, self._has_room = self._has_room, has_room(self._settings.folder)
        if had != self._has_room:
            log("disk", message="There is room again." if self._has_room else f"{FULL} Games wait.")

    def _close(self, game: _Game) -> None:
        """Tell the table process to close its table."""
        game.is_closing = True
        game.child.terminate()

    def _start(self, seating: Seating, game: _Game) -> None:
        if game.child.failures == _MAX_FAILURES:
            log("table failed", table=seating.id)
            why = {"closed": "The arena could not play this game."}
            end_seating(self._database, seating.id, why, {})
        elif game.child.start():
            game.is_closing = False
            log("table started", table=seating.id, game=seating.game)

    def _is_idle(self, seating: Seating, game: _Game) -> bool:
        """Whether the journal of the table has not changed for `idle_s`: there was no answer."""
        with suppress(FileNotFoundError):
            written = journal_path(self._settings.folder, seating.id).stat().st_mtime_ns
            if written != game.written:
                game.written, game.active = written, monotonic()
        return monotonic() - game.active > self._idle_s

    def close(self) -> None:
        """End the table processes; their games go on when the host is started again."""
        end_children([game.child for game in self._games.values()], _STOP_TIMEOUT_S)


def _main() -> None:
    use_log()
    settings = read_settings()
    stop = Event()
    when_parent_ends(stop.set)
    Host(settings).run(stop)


if __name__ == "__main__":
    _main()
