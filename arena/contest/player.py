"""The player: plays the ladder, scrimmages and the final. `python -m arena.contest.player`.

Theory of operation
-------------------
One process plays one thing at a time (`ContestPlayer`):

- the ladder, until something else is due: a scrimmage, a pause, an exclusion, the deadline;
- scrimmages, each for a short turn; then the ladder plays for several times as long as the turn took;
- after the deadline the final, and then nothing more.

If something fails, the player raises an alarm, and tries again after a while. The watchdog is in `reports`.
`steady_clock` notices if the clock of the machine is set: the final waits then.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from time import monotonic, time

from arena.config.document import MachineError
from arena.config.text import duration
from arena.contest import entrants, entries, final, folders, places, publication, scrimmage_games, scrimmages
from arena.contest.contest import FINAL, LADDER, deadline, freeze, open_contest, strict
from arena.contest.held_files import HeldFiles
from arena.contest.playing import LOOK_S, PROBLEMS, ContestPlayer, run_process
from arena.contest.reports import PLAYER
from arena.contest.scrimmages import Scrimmage
from arena.contest.settings import FixedFinal, Settings, change_settings, settings_of
from arena.contest.steady_clock import SteadyClock
from arena.programs.machine import usable_cores
from arena.tournament import ladder, schedule
from arena.tournament import run as tournament
from arena.tournament.plan.load import load_plan
from arena.tournament.runs.store import Store
from arena.tournament.runs.voids import excess_of_voids
from arena.tournament.work_queue import VoidRun
from arena.web.log import log
from arena.web.settings import ServerSettings

_MIN_LADDER_S = 20.0  # for the ladder after the turn of a scrimmage
_LADDER_SHARE = 3  # times the length of a scrimmage's turn: scrimmages get at most a quarter of the time


@dataclass
class Player(ContestPlayer):
    """The player of a contest."""

    start: str  # see `SteadyClock`
    name = PLAYER
    _ladder_until: float = field(default=0.0, init=False)  # scrimmages wait so long
    _kept: set[str] = field(default_factory=set, init=False)  # copies of entries that the ladder has

    def __post_init__(self) -> None:
        super().__post_init__()
        self._held = HeldFiles(self.contest.runs)
        self._steady = SteadyClock(self.start, self.clock)
        self._cores = usable_cores()
        self._spare_cores = max(1, self._cores - self._cores // 2)  # the intake needs the others

    # Everything that is due.

    def _play_next(self) -> None:
        final.publish_commitment(self.contest, self._database)
        self._look()
        settings = settings_of(self._database)
        if settings.final or self._final_is_due():
            self._play_final(settings)
        elif settings.paused:
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
        self.reports.alarm(f"{how}: the final waits; if the clock is right now, start the server again")
        return False

    def _due_scrimmage(self) -> Scrimmage | None:
        self._end_scrimmages()
        return scrimmages.next_due(self._database) if monotonic() > self._ladder_until else None

    def _end_scrimmages(self) -> None:
        """Let late scrimmages fail."""
        now = self.clock()
        if settings_of(self._database).final or now > deadline(self.contest, self._database).timestamp():
            scrimmages.end_all(self._database, "the deadline is over")
        scrimmages.end_late(self._database, now)

    def _is_paused(self) -> bool:
        return settings_of(self._database).paused

    def _is_ladder_over(self) -> bool:
        """Whether something other than the ladder is due."""
        self._look()
        settings = settings_of(self._database)
        is_over = settings.paused or settings.final or self._final_is_due() or self._due_scrimmage()
        return bool(is_over)

    def _look(self) -> None:
        """Note the clocks, freeze the standings if it is time, and open new run files for `HeldFiles`."""
        self._steady.jump(self._database)  # the clocks are compared from the start on
        publication.freeze(self.contest, self._database, freeze(self.contest, self._database), self.clock())
        self._held.look()

    def _exclusions(self) -> dict[str, str]:
        """The reasons for which entrants do not count, by name; during the final with deleted ones."""
        found = super()._exclusions()
        if settings_of(self._database).final:  # deleted entrants stay in its list, and lose their games
            found |= dict.fromkeys(entrants.aliases(self._database), "its data was deleted")
        return found

    # The ladder.

    def _play_ladder(self) -> None:
        plan, jobs = strict(load_plan(self.contest.ladder), self.contest.ladder), self._spare_cores
        with self._open_run(LADDER, plan, jobs, self._note_ladder) as run:
            self._held.look()
            stops = self._stops(self._is_ladder_over), self._leave_out
            say = self.reports.say
            ladder.run(run.plan, run.store, run.open_engine, run.on_progress, say, run.sandbox, jobs, *stops)

    def _note_ladder(self, store: Store, progress: tournament.Progress, is_told: bool) -> None:
        if is_told:
            marks = {name: bot.fingerprint for name, bot in progress.plan.bots.items()}
            entries.set_playing(self._database, marks, time())
            self._remove_old_copies(marks)

    def _remove_old_copies(self, marks: Mapping[str, str]) -> None:
        """Remove the ladder's copies of entries, except the versions in `marks` and the newest checked."""
        newest = {each.entrant: each.fingerprint for each in entries.playing(self._database)}
        kept = {f"{name}-{mark}" for name, mark in (*marks.items(), *newest.items())}
        if kept != self._kept:
            folders.remove_old_copies(self.contest.copies(LADDER), kept)
            self._kept = kept

    def _leave_out(self, name: str, why: str) -> None:
        """Fail an entrant's entries that wait or play, because its bot does not start; raise an alarm."""
        why = places.hide(why, self.contest.folder)
        if entries.leave_out(self._database, name, f"it does not start on the ladder: {why}", time()):
            self.reports.alarm(f"{name} has passed its checks, and does not start on the ladder: {why}")

    # Scrimmages.

    def _play_scrimmage(self, scrimmage: Scrimmage) -> None:
        began, before = monotonic(), self._circumstances()

        def should_stop() -> bool:
            self.reports.pulse()
            self._look()
            self._end_scrimmages()
            is_over = not scrimmages.is_open(self._database, scrimmage.id)
            return is_over or self.stop.is_set() or self._circumstances() != before

        try:
            say = self.reports.say
            scrimmage_games.play(self.contest, self._database, scrimmage, say, should_stop)
        except PROBLEMS:
            scrimmages.end(self._database, scrimmage.id, "failed", "the arena is at fault")
            raise
        finally:
            now = monotonic()
            self._ladder_until = now + max(_MIN_LADDER_S, _LADDER_SHARE * (now - began))

    def _circumstances(self) -> tuple[object, ...]:
        """The facts that end a scrimmage's turn when they change: pause, freeze, exclusions."""
        settings = settings_of(self._database)
        return settings.paused, settings.frozen, self._exclusions()

    # The final.

    def _play_final(self, settings: Settings) -> None:
        if not settings.final:
            final.fix(self.contest, self._database, self.clock())
            settings = settings_of(self._database)
        if not settings.final:
            self._wait()  # the deadline was extended meanwhile
        elif settings.final.state == "playing" and not settings.paused:
            self._play_games_of_final(settings.final)
        elif settings.final.state == "playing" or settings.published:
            self._wait()
        elif self._exclusions() != self._excluded:  # the organiser has changed them since
            self._place()
        elif settings.publish:
            publication.publish(self.contest, self._database)
        else:
            self._wait()

    def _play_games_of_final(self, fixed: FixedFinal) -> None:
        plan = final.plan_of(self.contest, fixed)
        with self._open_run(FINAL, plan, self._cores, self._note_final) as run:
            store = run.store
            final.note_origin(self._database, store)
            final.tell_voids(self.contest, self._database, store)
            before, why = store.count(), ""
            try:
                self._play_games(run, self._stops(self._is_paused))
            except VoidRun as error:
                why = str(error)
            count, total = store.count(), schedule.size(run.plan, store.played())
            excess = excess_of_voids(store)
            final.tell_voids(self.contest, self._database, store)
        end = why or excess
        final.update(self._database, lambda fixed: replace(fixed, played=count, total=total, why=end))
        if why and not final.give_up(self._database, count > before):
            raise MachineError(why)
        if not self._stops(self._is_paused)():
            self._place()
            final.update(self._database, lambda fixed: replace(fixed, state="over"))
            log("final", state="over", games=count)

    def _note_final(self, store: Store, progress: tournament.Progress, is_told: bool) -> None:
        if is_told:
            self._held.look()
            played, total = len(progress.played), progress.total
            final.update(self._database, lambda fixed: replace(fixed, played=played, total=total))
            final.tell_voids(self.contest, self._database, store)

    def _place(self) -> None:
        """Write the exclusions into the run of the final, and the places without the excluded entrants."""
        with Store(self.contest.run(FINAL), writer=True) as store:
            self._exclude(store)
        places, prize = final.result(self.contest, self._database)
        with change_settings(self._database) as settings:
            settings.places, settings.prize = places, prize


def _make(settings: ServerSettings) -> Player:
    return Player(open_contest(settings.folder.parent), str(settings.runtime))


if __name__ == "__main__":
    run_process(_make)
