"""The player: plays the ladder, scrimmages and the final. `python -m arena.contest.player`.

Theory of operation
-------------------
One process plays one thing at a time. What is due follows from contest.db and the run files, so it may be
killed at any moment, and goes on when the parent has started it again:

- the ladder, until something else is due: a scrimmage, a pause, an exclusion, the deadline;
- scrimmages, each for a short turn; then the ladder plays for several times as long as the turn took;
- after the deadline the final, and then nothing more.

If something fails, the player tells the organiser (an alarm), and tries again after a while. The watchdog is
in `reports`. `steady_clock` notices if the clock of the machine is set: the final waits then.
"""

import time
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from threading import Event
from typing import Any

from arena.config.document import MachineError
from arena.config.text import duration
from arena.contest import entrants, entries, final, folders, places, publication, scrimmages
from arena.contest.contest import FINAL, LADDER, Contest, deadline, freeze, open_contest, strict
from arena.contest.database import put_setting, setting
from arena.contest.held_files import HeldFiles
from arena.contest.playing import (
    LOOK_S,
    PROBLEMS,
    ContestPlayer,
    OpenRun,
    open_run,
    run_process,
    write_exclusions,
)
from arena.contest.reports import Reports
from arena.contest.steady_clock import SteadyClock
from arena.programs.machine import usable_cores
from arena.tournament import ladder, schedule
from arena.tournament import run as tournament
from arena.tournament.formats.plan import Plan
from arena.tournament.plan.load import load_plan
from arena.tournament.runs.store import Store
from arena.tournament.runs.voids import excess_of_voids
from arena.tournament.work_queue import VoidRun
from arena.web.log import log
from arena.web.settings import ServerSettings

_MIN_LADDER_S = 20.0  # that the ladder has after the turn of a scrimmage
_LADDER_SHARE = 3  # times as long as the turn took: scrimmages have at most a quarter of the time


@dataclass
class Player(ContestPlayer):
    """The player of a contest. `clock` gives the time that the deadline is compared with."""

    contest: Contest
    start: str  # see `SteadyClock`
    stop: Event = field(default_factory=Event)
    clock: Callable[[], float] = time.time
    _next_look: float = 0.0
    _must_stop: bool = False
    _ladder_until: float = 0.0  # scrimmages wait so long
    _excluded: dict[str, str] = field(default_factory=dict)  # as the run of the ladder has it
    _kept: set[str] = field(default_factory=set)  # copies of entries that the ladder has
    _reports: Reports = field(init=False)

    def __post_init__(self) -> None:
        self._database = self.contest.database()
        self._reports = Reports(self.contest)
        self._held = HeldFiles(self.contest.runs)
        self._steady = SteadyClock(self.start, self.clock)
        self._cores = usable_cores()
        self._spare_cores = max(1, self._cores - self._cores // 2)  # what the intake leaves

    # What is due.

    def _play_next(self) -> None:
        final.publish_commitment(self.contest, self._database)
        self._look()
        if setting(self._database, "final") or self._final_is_due():
            self._play_final()
        elif setting(self._database, "paused"):
            self._wait()
        elif scrimmage := self._due_scrimmage():
            self._play_scrimmage(scrimmage)
        else:
            self._play_ladder()

    def _close(self) -> None:
        self._held.close()

    def _wait(self) -> None:
        self.stop.wait(LOOK_S)

    def _final_is_due(self) -> bool:
        if not final.is_due(self.contest, self._database, self.clock()):
            return False
        if not (jump := self._steady.jump(self._database)):
            return True
        how = f"the clock of this machine was set by {duration(abs(jump))} while the server ran"
        self._reports.alarm(f"{how}: the final waits; if the clock is right now, start the server again")
        return False

    def _due_scrimmage(self) -> Any:
        self._end_scrimmages()
        return scrimmages.next_due(self._database) if time.monotonic() > self._ladder_until else None

    def _end_scrimmages(self) -> None:
        """Let the scrimmages fail for which it is too late."""
        now = self.clock()
        if setting(self._database, "final") or now > deadline(self.contest, self._database).timestamp():
            scrimmages.end_all(self._database, "the deadline is over")
        scrimmages.end_late(self._database, now)

    def _should_stop(self) -> bool:
        """Whether the ladder must stop: something else is due, or the process ends. Looks once a second."""
        if time.monotonic() >= self._next_look:
            self._next_look = time.monotonic() + LOOK_S
            self._look()
            self._must_stop = bool(
                setting(self._database, "paused")
                or setting(self._database, "final")
                or self._final_is_due()
                or self._due_scrimmage()
                or self._exclusions() != self._excluded
            )
        return self.stop.is_set() or self._must_stop

    def _look(self) -> None:
        """Note the clocks, freeze the standings if it is time, and open new run files for `HeldFiles`."""
        self._steady.jump(self._database)  # from the start on
        publication.freeze(self.contest, self._database, freeze(self.contest, self._database), self.clock())
        self._held.look()

    # The ladder.

    def _play_ladder(self) -> None:
        plan = strict(load_plan(self.contest.ladder), self.contest.ladder)
        jobs = self._spare_cores
        self._next_look, self._must_stop = 0.0, False
        with self._open_run(LADDER, plan, jobs) as (store, open_engine, sandbox, report):
            self._exclude(store)
            plan = tournament.prepare(plan, store)
            self._held.look()

            def on_progress(progress: tournament.Progress) -> None:
                if self._reports.note(progress):
                    marks = {name: bot.fingerprint for name, bot in progress.plan.bots.items()}
                    entries.set_playing(self._database, marks, time.time())
                    self._remove_old_copies(marks)
                report(progress)

            say, stops = self._reports.say, (self._should_stop, self._leave_out)
            ladder.run(plan, store, open_engine, on_progress, say, sandbox, jobs, *stops)

    def _remove_old_copies(self, marks: Mapping[str, str]) -> None:
        """Remove the ladder's copies of entries, except the versions in `marks` and the newest checked."""
        newest = {each["entrant"]: each["fingerprint"] for each in entries.playing(self._database)}
        kept = {f"{name}-{mark}" for name, mark in (*marks.items(), *newest.items())}
        if kept != self._kept:
            folders.remove_old_copies(self.contest.copies(LADDER), kept)
            self._kept = kept

    def _open_run(self, run: str, plan: Plan, jobs: int) -> AbstractContextManager[OpenRun]:
        return open_run(self.contest.run(run), plan, jobs, self._reports.say, self.contest.keys.engine)

    def _exclusions(self) -> dict[str, str]:
        """The reasons for which entrants do not count, by name; during the final also of deleted ones."""
        found = entrants.excluded(self._database)
        if setting(self._database, "final"):  # deleted entrants are in its list, and have lost since
            found |= dict.fromkeys(entrants.aliases(self._database), "its data was deleted")
        return found

    def _exclude(self, store: Store) -> None:
        self._excluded = self._exclusions()
        write_exclusions(store, self._excluded)

    def _leave_out(self, name: str, why: str) -> None:
        """Fail the entries of an entrant that wait or play, as its bot does not start; tell the organiser."""
        why = places.hide(why, self.contest.folder)
        if entries.leave_out(self._database, name, f"it does not start on the ladder: {why}", time.time()):
            self._reports.alarm(f"{name} has passed its checks, and does not start on the ladder: {why}")

    # Scrimmages.

    def _play_scrimmage(self, scrimmage: Any) -> None:
        began, frozen, excluded = time.monotonic(), self._is_frozen(), self._exclusions()

        def should_stop() -> bool:
            self._reports.pulse()
            self._look()
            self._end_scrimmages()
            return bool(
                self.stop.is_set()
                or setting(self._database, "paused")
                or self._is_frozen() != frozen
                or self._exclusions() != excluded
                or not scrimmages.is_open(self._database, scrimmage["id"])
            )

        try:
            scrimmages.play(self.contest, self._database, scrimmage, self._reports.say, should_stop)
        except PROBLEMS:
            scrimmages.end(self._database, scrimmage["id"], "failed", "the arena is at fault")
            raise
        finally:
            now = time.monotonic()
            self._ladder_until = now + max(_MIN_LADDER_S, _LADDER_SHARE * (now - began))

    def _is_frozen(self) -> bool:
        return bool(setting(self._database, "frozen"))

    # The final.

    def _play_final(self) -> None:
        if not setting(self._database, "final"):
            final.fix(self.contest, self._database, self.clock())
        if not (fixed := setting(self._database, "final")):
            self._wait()  # the deadline was extended meanwhile
        elif fixed["state"] == "playing":
            self._play_games_of_final()
        elif setting(self._database, "published"):
            self._wait()
        elif self._exclusions() != self._excluded:  # the organiser has decided it since
            self._place()
        elif setting(self._database, "publish"):
            publication.publish(self.contest, self._database)
        else:
            self._wait()

    def _play_games_of_final(self) -> None:
        if setting(self._database, "paused"):
            return self._wait()
        plan = final.plan_of(self.contest, self._database)

        def should_stop() -> bool:
            paused = setting(self._database, "paused")
            return bool(paused) or self.stop.is_set() or self._exclusions() != self._excluded

        with self._open_run(FINAL, plan, self._cores) as (store, open_engine, sandbox, report):
            final.note_origin(store, setting(self._database, "commitment")["sha256"])
            final.tell_voids(self.contest, self._database, store)
            self._exclude(store)
            plan = tournament.prepare(plan, store)

            def on_progress(progress: tournament.Progress) -> None:
                if self._reports.note(progress):
                    self._held.look()
                    final.update(self._database, played=len(progress.played), total=progress.total)
                    final.tell_voids(self.contest, self._database, store)
                report(progress)

            before, why = store.count(), ""
            try:
                tournament.run(plan, store, open_engine, on_progress, self._reports.say, should_stop, sandbox)
            except VoidRun as error:
                why = str(error)
            count, total = store.count(), schedule.size(plan, store.played())
            excess = excess_of_voids(store)
            final.tell_voids(self.contest, self._database, store)
        final.update(self._database, played=count, total=total, why=why or excess)
        if why and not final.give_up(self._database, count > before):
            raise MachineError(why)
        if not should_stop():
            self._place()
            final.update(self._database, state="over")
            log("final", state="over", games=count)

    def _place(self) -> None:
        """Write the exclusions into the run of the final, and the places without the excluded entrants."""
        with Store(self.contest.run(FINAL), writer=True) as store:
            self._exclude(store)
        places, prize = final.result(self.contest, self._database)
        with self._database.transaction():
            put_setting(self._database, "places", places)
            final.update(self._database, prize=prize)


def _make(settings: ServerSettings) -> Player:
    return Player(open_contest(settings.folder.parent), str(settings.runtime))


if __name__ == "__main__":
    run_process(_make)
