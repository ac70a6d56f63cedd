"""Plays the ladder of remote entrants: `python -m arena.contest.remote_player`.

Theory of operation
-------------------
This process plays only for remote entrants, because a bot that is far away, slow or gone must not delay the
ladder of entries or the final. The web process names the connected remote bots (`Roster`). These play the
run, with house bots if they are too few. When one of them is gone, no new game begins, games in flight are
played to their ends, and the run goes on without it. A bot joins the run when it has been connected for some
seconds. The wait is doubled each time that the bot is soon gone or does not start: it must not stop the
others again and again. If this process is killed, the clients connect with the next one.

The ladder ends at the deadline: the final is for entries.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic

from arena.contest import entrants
from arena.contest.contest import REMOTE, deadline, open_contest, with_own_deals
from arena.contest.playing import LOOK_S, ContestPlayer, run_process
from arena.contest.reports import REMOTE_PLAYER
from arena.contest.settings import settings_of
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

_STEADY_S = (3.0, 600.0)  # a client's time of connection before it joins: the first, and the longest
_LEVEL = "medium"  # of the house bots
_NOBODY = "no remote entrant is connected"


class Roster:
    """The remote bots that are connected with the web process; none while there is no web process."""

    def __init__(self, gate: Path, clock: Callable[[], float] = monotonic):
        self._gate = GateConnection(gate, {"link": 1, "kind": "watcher"})
        self._clock = clock
        self._since: Mapping[str, tuple[int, float]] = {}  # number and beginning of each connection
        self._pause: dict[str, float] = {}  # the length of each bot's last wait
        self._again: dict[str, float] = {}  # the end of each bot's wait

    def look(self) -> Collection[str]:
        """Read the news of the web process; returns the names of the bots that are connected now."""
        for message in self._gate.take():
            if "connected" in message:
                connected = {name: (number, since) for name, (number, since) in message["connected"].items()}
                for name in [name for name, known in self._since.items() if connected.get(name) != known]:
                    self.put_off(name)
                self._since = connected
            elif not message["gate"]:  # there is no web process, and the bots are not at fault
                self._since = {}
        return self._since.keys()

    def put_off(self, name: str) -> None:
        """Make a bot that is gone, or has not started, wait before it joins again.

        The wait is twice as long each time, at most `_STEADY_S[1]` seconds. If the bot had stayed for longer,
        the wait is only `_STEADY_S[0]`.
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

    gate: Path
    name = REMOTE_PLAYER
    _playing: Collection[str] = field(default=(), init=False)  # the entrants that play the run
    _is_broken: bool = field(default=False, init=False)  # one of these did not start
    _seen: int = field(default=0, init=False)  # games seen since the run was opened

    def __post_init__(self) -> None:
        super().__post_init__()
        self._roster = Roster(self.gate)
        self._jobs = max(1, usable_cores() // 2)  # the intake needs the others

    def _play_next(self) -> None:
        self._roster.look()
        names = self._ready() if self._is_open() else []
        if names:
            self._play(names)
        else:
            self.reports.wait(_NOBODY)
            self.stop.wait(LOOK_S)

    def _close(self) -> None:
        self._roster.close()

    def _is_open(self) -> bool:
        settings = settings_of(self._database)
        if settings.paused or settings.final:
            return False
        return self.clock() < deadline(self.contest, self._database).timestamp()

    def _ready(self) -> list[str]:
        """The names of the entrants that can play now."""
        steady = self._roster.steady()
        taking_part = [each.name for each in entrants.remote(self._database)]
        return [name for name in taking_part if name in steady]

    def _play(self, names: list[str]) -> None:
        self._playing, self._is_broken, self._seen = names, False, 0
        with self._open_run(REMOTE, self._plan(names), self._jobs, self._note, self.gate) as run:
            is_over = self._stops(self._is_over)
            try:
                self._play_games(run, lambda: self._is_short() or is_over())
            except BotError as error:
                self._leave_out(error)

    def _plan(self, names: list[str]) -> Plan:
        """The plan with the bots of these entrants (`with_house`).

        Raises:
            ConfigError: The plan is wrong.
        """
        known = {each.name: each for each in entrants.all_entrants(self._database)}
        bots = {name: remote_bot(name, known[name].bot_author) for name in names}
        plan = self.contest.plan(REMOTE)
        return with_own_deals(load_with(plan, with_house(load_terms(plan), bots, known)), plan)

    def _is_over(self) -> bool:
        """Whether the ladder ends, or another bot can join the run."""
        return not self._is_open() or not set(self._ready()) <= set(self._playing)

    def _is_short(self) -> bool:
        """Whether a bot of the run is gone, or has not started."""
        return not set(self._playing) <= set(self._roster.look()) or self._is_broken

    def _note(self, store: Store, progress: tournament.Progress, is_told: bool) -> None:
        """Make a bot wait that was absent when a game began, and stop the run: its client may hang."""
        for _, game in store.latest(progress.fresh - self._seen):
            for seat, kind in game.forfeits.items():
                if kind == "unstarted" and game.bots[seat] in self._playing:
                    self._put_off(game.bots[seat], "it was not there when a game began")
        self._seen = progress.fresh

    def _leave_out(self, error: BotError) -> None:
        """Make the bots wait that did not start.

        Raises:
            BotError: One of them is a house bot, or a build failed.
        """
        if error.unbuilt or not error.unstarted.keys() <= set(self._playing):
            raise error
        for name, why in error.unstarted.items():
            self._put_off(name, why)

    def _put_off(self, name: str, why: str) -> None:
        self._roster.put_off(name)
        self._is_broken = True
        self.reports.say(f"{name} is left out for a while: {why}")


def with_house(terms: Plan, bots: Mapping[str, Bot], taken: Mapping[str, object]) -> dict[str, Bot]:
    """These bots by name; if too few for a table, with house bots, whose names are not in `taken`."""
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
