"""The intake: brings entries from the hand-in to the ladder. `python -m arena.contest.intake`.

Theory of operation
-------------------
The database has the state of each entry; everything else follows from it. The intake looks at it a few times
a second:

- A *stages* process works on one entry (`arena/contest/stages.py`). There is one for every second core; games
  have the others. It changes the state in the database itself, as long as the entry's `turn` is the same as
  at its start.
- The watchdog looks at these changes, because a live process may be stuck: if the entry does not reach the
  next state in time, its process is killed. Times are measured by the monotonic clock: a wall clock that
  jumps ends nothing. If a check is late, the entry fails. Any other delay, and the death of a process, is a
  failure of the arena: the entry is tried again once.
- If the intake itself is killed, its work is lost in the same way, and taken up first.
- The folders `entries`, `uploads` and `work` are made to agree with the database. An entrant that was
  excluded, has withdrawn or was deleted leaves the ladder. An entry that should play but has no folder is
  judged again.
"""

import os
import shutil
import sqlite3
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from threading import Event
from time import monotonic, time

from arena.config.text import duration
from arena.contest import alarms, entrants, entries, folders, handin
from arena.contest.contest import Contest, open_contest
from arena.contest.settings import settings_of
from arena.contest.stages import MIN_FREE, WAIT_S, limit_of
from arena.programs.check.finding import Finding
from arena.programs.sandbox.linux import subreaper
from arena.web.database import DamagedDatabase
from arena.web.log import log, use_log
from arena.web.parent import Child
from arena.web.settings import ServerSettings, read_settings, when_parent_ends

_LOOK_S = 0.2
_TIDY_S = 5.0  # between two looks at the folders
_EXIT_S = 10.0  # for a process to exit after the verdict
_PAUSE_S = 10.0  # before another try after a failure


@dataclass
class _Process:
    """A process that works on an entry, the entry's state, and the state's beginning (`Intake.clock`)."""

    entry: entries.Entry
    child: Child
    since: float
    state: entries.State = "unpacking"


@dataclass
class Intake:
    """The intake of a contest. It works on `jobs` entries at once; `clock` measures the limits of states."""

    contest: Contest
    settings: ServerSettings
    jobs: int = max(1, (os.cpu_count() or 1) // 2)
    clock: Callable[[], float] = monotonic
    _processes: dict[int, _Process] = field(default_factory=dict)  # by the entry
    _not_before: dict[int, float] = field(default_factory=dict)  # the time of a lost entry's next try
    _waiting: dict[int, float] = field(default_factory=dict)  # the time at which entries began to wait
    _next_tidying: float = 0.0

    def __post_init__(self) -> None:
        self._database = self.contest.database()
        subreaper.become()
        if self.settings.is_after_hang:
            alarms.raise_alarm(self._database, time(), "intake", "the intake hung, and was replaced")
        for entry in entries.worked_on(self._database):
            entries.lose(self._database, entry, "the server was killed while it worked on it", time())

    def run(self, stop: Event) -> None:
        """Work until `stop` is set."""
        try:
            while not stop.wait(_LOOK_S):
                try:
                    self.look()
                except (OSError, sqlite3.Error, DamagedDatabase) as error:  # the disk is full, for example
                    log("error", process="intake", message=str(error))
                    stop.wait(_PAUSE_S)
                self.settings.beat()
        finally:
            self.close()

    def look(self) -> None:
        """End processes that are over, take up entries, and make the folders agree with the database."""
        subreaper.kill_orphans([pid for each in self._processes.values() if (pid := each.child.pid)])
        for number in [*self._processes]:
            self._watch(self._processes[number])
        while len(self._processes) < self.jobs and (entry := self._take()):
            self._start(entry)
        self._watch_ladder()
        if self.clock() >= self._next_tidying:
            self._tidy()
            self._next_tidying = self.clock() + _TIDY_S

    def _watch(self, each: _Process) -> None:
        """End a process that is not needed, has died, or is late; decide the fate of its entry."""
        current = entries.find(self._database, each.entry.id)
        if not current or current.turn != each.entry.turn:  # deleted, withdrawn, or judged again
            self._end(each)
        elif not each.child.look():
            self._end(each)
            self._not_before[each.entry.id] = self.clock() + _PAUSE_S
            status = each.child.status
            how = "could not be started" if status is None else f"ended with status {status}"
            how = f"its process {how} while {current.state}"
            entries.lose(self._database, each.entry, how, time())  # unless it has its verdict
        elif current.state != each.state:
            each.state, each.since = current.state, self.clock()
        elif self.clock() - each.since > self._limit(each.state):
            self._end(each)
            self._give_up(each)

    def _limit(self, state: str) -> float:
        return limit_of(self.contest, state) if state in entries.WORKED_ON else _EXIT_S

    def _give_up(self, each: _Process) -> None:
        """Fail an entry whose check is late; `lose` it if its unpacking or its build is late."""
        limit = duration(self._limit(each.state))
        if each.state == "checking":
            why = f"its check took longer than {limit}: it has to answer faster"
            entries.fail(self._database, each.entry, why, [Finding("time", "fault", why)], time())
        elif each.state in entries.WORKED_ON:
            entries.lose(self._database, each.entry, f"{each.state} took longer than {limit}", time())

    def _end(self, each: _Process) -> None:
        each.child.end()
        del self._processes[each.entry.id]

    def _take(self) -> entries.Entry | None:
        """Take up the next entry of the queue; None: none is ready, or the disk is nearly full (an alarm)."""
        if shutil.disk_usage(self.contest.server).free < MIN_FREE:
            if entries.queue(self._database):
                text = "the disk is nearly full: no entry is taken up until there is room"
                alarms.raise_alarm(self._database, time(), "intake", text)
            return None
        limit = limit_of(self.contest, "unpacking")
        return entries.take(self._database, self._is_ready, time(), limit)

    def _is_ready(self, entry: entries.Entry) -> bool:
        return self.clock() >= self._not_before.get(entry.id, 0.0)

    def _start(self, entry: entries.Entry) -> None:
        settings = replace(self.settings, socket=-1)
        child = Child("arena.contest.stages", settings, f"{entry.id} {entry.turn}")
        child.start()
        self._processes[entry.id] = _Process(entry, child, self.clock())

    def _watch_ladder(self) -> None:
        """Tell the organiser if an entry waits for the ladder longer than it should."""
        settings = settings_of(self._database)
        is_played = not settings.paused and not settings.final
        waiting = {entry.id: entry for entry in entries.waiting(self._database) if is_played}
        self._waiting = {number: self._waiting.get(number, self.clock()) for number in waiting}
        for number, since in self._waiting.items():
            if self.clock() - since > WAIT_S:
                entry = waiting[number]
                text = f"{entry.entrant}, version {entry.version}, has waited for the ladder"
                alarms.raise_alarm(self._database, time(), "intake", f"{text} for {duration(WAIT_S)}")

    def _tidy(self) -> None:
        handin.clean_up(self.contest, self._database)
        deleted = entrants.aliases(self._database)
        if deleted:
            folders.remove_copies(self.contest.runs, deleted)
        taken = [each.entry for each in self._processes.values()]
        kept = {self.contest.work(entry.id, entry.turn).name for entry in taken}
        folders.remove_others(self.contest.server / "work", kept)
        playing = {entry.entrant: entry for entry in entries.playing(self._database)}
        folders.remove_others(self.contest.entries, playing)
        for name, entry in playing.items():
            # The folder of an excluded entrant was removed above, but not its archive. When it is readmitted,
            # the entry is unpacked and built again from the archive.
            if not (self.contest.entries / name).exists() and entry.state in ("waiting", "playing"):
                entries.rejudge(self._database, entry.id)

    def close(self) -> None:
        """Kill all processes, and return their entries to the queue for the next start of the server."""
        for each in [*self._processes.values()]:
            self._end(each)
            entries.hand_back(self._database, each.entry, time())


def _main() -> None:
    use_log()
    settings = read_settings()
    stop = Event()
    when_parent_ends(stop.set)
    Intake(open_contest(settings.folder.parent), settings).run(stop)


if __name__ == "__main__":
    _main()
