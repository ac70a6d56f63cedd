"""Plays the ladder of remote entrants: `python -m arena.contest.remote_player`.

Theory of operation
-------------------
This process plays for remote entrants alone, since a bot that is far away, slow or gone must hold up neither
the ladder of entries nor the final. The web process tells which remote bots are connected (`Roster`), and
these play the run, with house bots if they are too few. When one of them is gone, no new game begins, those
in flight are played to their ends, and the run goes on without it. A bot joins the run when it has been
connected for some seconds; the wait is doubled each time that it is soon gone or does not start, so that it
does not stop the others again and again. What was played is in the run file, so this process may be killed at
any moment; the clients then connect with the next one.

The ladder ends at the deadline: the final is for entries.
"""

import time
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event
from time import monotonic

from arena.contest import entrants
from arena.contest.contest import REMOTE, Contest, deadline, open_contest, with_own_deals
from arena.contest.database import setting
from arena.contest.playing import LOOK_S, ContestPlayer, open_run, run_process, write_exclusions
from arena.contest.reports import REMOTE_PLAYER, Reports
from arena.programs.bot import HOUSE, Bot, BotError, distinct_name, remote_bot
from arena.programs.house import opponents
from arena.programs.machine import usable_cores
from arena.programs.play.gate import GateConnection
from arena.programs.reading import read_bot
from arena.tournament import run as tournament
from arena.tournament.formats.plan import Plan
from arena.tournament.plan.entrants import teams_of
from arena.tournament.plan.load import load_terms, load_with
from arena.tournament.runs.store import Store
from arena.web.settings import ServerSettings

_STEADY_S = (3.0, 600.0)  # that a client is connected before it joins: the first time, and the longest
_LEVEL = "medium"  # of the house bots
_NOBODY = "no remote entrant is connected"


class Roster:
    """The remote bots that are connected, as the web process tells; none while there is no web process."""

    def __init__(self, gate: Path, clock: Callable[[], float] = monotonic):
        self._gate = GateConnection(gate, {"link": 1, "kind": "watcher"})
        self._clock = clock
        self._since: Mapping[str, tuple[int, float]] = {}  # number of each connection, and when it began
        self._pause: dict[str, float] = {}  # for how long each was put off the last time
        self._again: dict[str, float] = {}  # when it may join again

    def look(self) -> Collection[str]:
        """Read the news of the web process; returns the names of the bots that are connected now."""
        for message in self._gate.take():
            if "connected" in message:
                connected = {name: (number, since) for name, (number, since) in message["connected"].items()}
                for name in [name for name, known in self._since.items() if connected.get(name) != known]:
                    self.put_off(name)
                self._since = connected
            elif not message["gate"]:  # there is no web process, through no fault of theirs
                self._since = {}
        return self._since.keys()

    def put_off(self, name: str) -> None:
        """Make a bot that is gone, or has not started, wait before it joins again.

        The wait is twice as long each time, at most `_STEADY_S[1]` seconds. If the bot had stayed for longer
        than that, the wait is only `_STEADY_S[0]`.
        """
        now, (first, longest) = self._clock(), _STEADY_S
        stayed = now - max(self._since[name][1], self._again.get(name, 0.0)) if name in self._since else 0.0
        self._pause[name] = first if stayed > longest else min(2 * self._pause.get(name, first), longest)
        self._again[name] = now + self._pause[name]

    def steady(self) -> Sequence[str]:
        """The names of the connected bots that may join the run now."""
        now, first = self._clock(), _STEADY_S[0]
        return [
            name
            for name, (_, since) in self._since.items()
            if now >= max(since + first, self._again.get(name, 0.0))
        ]

    def close(self) -> None:
        self._gate.close()


@dataclass
class RemotePlayer(ContestPlayer):
    """The player of remote entrants, whose bots it reaches through the web process, at the socket `gate`."""

    contest: Contest
    gate: Path
    stop: Event = field(default_factory=Event)
    clock: Callable[[], float] = time.time
    _next_look: float = 0.0
    _must_stop: bool = False
    _is_broken: bool = False  # one of those that play has not started
    _seen: int = 0  # games since `_play` was called
    _excluded: Mapping[str, str] = field(default_factory=dict)  # as the run has it

    def __post_init__(self) -> None:
        self._database = self.contest.database()
        self._reports = Reports(self.contest, REMOTE_PLAYER)
        self._roster = Roster(self.gate)
        self._jobs = max(1, usable_cores() // 2)  # what the intake leaves

    def _play_next(self) -> None:
        self._roster.look()
        names = self._ready() if self._is_open() else []
        if names:
            self._play(names)
        else:
            self._reports.wait(_NOBODY)
            self.stop.wait(LOOK_S)

    def _close(self) -> None:
        self._roster.close()

    def _is_open(self) -> bool:
        if setting(self._database, "paused") or setting(self._database, "final"):
            return False
        return self.clock() < deadline(self.contest, self._database).timestamp()

    def _ready(self) -> list[str]:
        """The names of the entrants that can play now."""
        steady = self._roster.steady()
        taking_part = [each["name"] for each in entrants.remote(self._database)]
        return [name for name in taking_part if name in steady]

    def _play(self, names: list[str]) -> None:
        plan = self._plan(names)
        self._next_look, self._must_stop, self._is_broken, self._seen = 0.0, False, False, 0
        how = open_run(self.contest.run(REMOTE), plan, self._jobs, self._reports.say, gate=self.gate)
        with how as (store, open_engine, sandbox, report):
            self._excluded = entrants.excluded(self._database)
            write_exclusions(store, self._excluded)
            plan = tournament.prepare(plan, store)

            def on_progress(progress: tournament.Progress) -> None:
                self._look_for_unstarted(store, progress.fresh, names)
                self._reports.note(progress)
                report(progress)

            def should_stop() -> bool:
                return self._should_stop(names)

            try:
                tournament.run(plan, store, open_engine, on_progress, self._reports.say, should_stop, sandbox)
            except BotError as error:
                self._leave_out(error, names)

    def _plan(self, names: list[str]) -> Plan:
        """The plan with the bots of these entrants (`with_house`). ConfigError: the plan is wrong."""
        known = {each["name"]: each for each in entrants.all_entrants(self._database)}
        bots = {name: remote_bot(name, entrants.author_of(known[name])) for name in names}
        plan = self.contest.plan(REMOTE)
        return with_own_deals(load_with(plan, with_house(load_terms(plan), bots, known)), plan)

    def _should_stop(self, names: list[str]) -> bool:
        """Whether the run must stop: its bots have changed, or the ladder or the process ends."""
        connected = self._roster.look()
        if monotonic() >= self._next_look:
            self._next_look = monotonic() + LOOK_S
            self._must_stop = (
                not self._is_open()
                or bool(set(self._ready()) - set(names))
                or entrants.excluded(self._database) != self._excluded
            )
        must_stop = self.stop.is_set() or self._must_stop or self._is_broken
        return must_stop or not set(names) <= set(connected)

    def _look_for_unstarted(self, store: Store, fresh: int, names: Collection[str]) -> None:
        """Put off a bot that was not there when a game began, and stop the run: its client may hang.

        `fresh` is the number of games that were played since `_play` was called.
        """
        for _, game in store.latest(fresh - self._seen):
            for seat, kind in game.forfeits.items():
                if kind == "unstarted" and game.bots[seat] in names:
                    self._put_off(game.bots[seat], "it was not there when a game began")
        self._seen = fresh

    def _leave_out(self, error: BotError, names: Collection[str]) -> None:
        """Put off the bots that have not started. BotError: one of them is a house bot, or a build failed."""
        if error.unbuilt or not error.unstarted.keys() <= set(names):
            raise error
        for name, why in error.unstarted.items():
            self._put_off(name, why)

    def _put_off(self, name: str, why: str) -> None:
        self._roster.put_off(name)
        self._is_broken = True
        self._reports.say(f"{name} is left out for a while: {why}")


def with_house(terms: Plan, bots: Mapping[str, Bot], taken: Mapping[str, object]) -> dict[str, Bot]:
    """These bots by name; if too few for a table, with house bots, whose names are none of `taken`."""
    found, seats = dict(bots), max(terms.seats)
    for house in opponents(terms.game.name, _LEVEL, seats):
        if len(set(teams_of(found).values()) if terms.keeps_teams_apart else found) < seats:
            name = distinct_name(f"house-{house.removeprefix(HOUSE)}", {**taken, **found})
            found[name] = read_bot(Path(house), name=name)
    return found


def _make(settings: ServerSettings) -> RemotePlayer:
    return RemotePlayer(open_contest(settings.folder.parent), settings.bots_path)


if __name__ == "__main__":
    run_process(_make)
