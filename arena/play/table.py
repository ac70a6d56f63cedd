"""Seats the players of one worker at one game after another, and makes records of what they play."""

import platform
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from time import monotonic

import arena
from arena import games
from arena.core.bot import Bot
from arena.core.config import ConfigError
from arena.play.loop import Loop
from arena.play.player import Player, end_all
from arena.records.fixture import Fixture
from arena.records.record import Record
from arena.referee.handshake import Greeting
from arena.referee.protocol import DEATH, last_line
from arena.referee.referee import Referee
from arena.referee.seat import Fault
from arena.rules.chance import Chance
from arena.sandbox.client import SupervisorClient, SupervisorLost
from arena.sandbox.policy import LIMITS_ONLY, Sandbox

VERSIONS = {
    "arena": arena.__version__,
    "python": platform.python_version(),
    "machine": f"{sys.platform} {platform.machine()}",
}
MOST_IDLE = 64  # processes kept for later games
Place = tuple[str, int, int, int]
"""What a process is for: a bot, which of several seats it has at a table, a rotation, and an attempt."""


class Unstarted(ConfigError):
    """Bots that do not start; `faults` has the words of each."""

    def __init__(self, faults: Mapping[str, str], bots: Mapping[str, Bot]):
        commands = {name: " ".join(bots[name].command) for name in faults}
        super().__init__(*(f"bot {name}: {words} ({commands[name]})" for name, words in faults.items()))
        self.faults = faults


class Table:
    """Plays fixtures one after another, with processes that stay for later games.

    `bots` are the bots by name. With `reuse=False` every game has fresh processes.

    All games of a seed group have the same deal, so a process must not play two of them: it would have held
    the hand that a rival holds now. A group has one game in each rotation, and a process plays games of one
    rotation alone. A group that was void is played again by processes that play nothing else.
    """

    def __init__(self, bots: Mapping[str, Bot], reuse: bool = True, sandbox: Sandbox = LIMITS_ONLY):
        self.bots, self.reuse = bots, reuse
        self.sandbox = sandbox.among(bots.values())
        self._players: dict[Place, Player] = {}
        self._supervisor: SupervisorClient | None = None

    def __enter__(self) -> "Table":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End every process; nothing that a bot has started stays alive."""
        with suppress(SupervisorLost):
            end_all(list(self._players.values()))
        self._close_supervisor()

    def kill(self) -> None:
        """End everything at once, from any thread: this process is about to leave."""
        if self._supervisor:
            self._supervisor.abandon()

    def _close_supervisor(self) -> None:
        self._players.clear()
        if self._supervisor:
            self._supervisor.close()
            self._supervisor = None

    def greet(self, limit: float) -> dict[str, str]:
        """Start every bot once; for each that does not start, why, and its last line of stderr."""
        return {
            name: f"{why}; stderr: {said}" if (said := last_line(stderr)) else why
            for name, (why, stderr) in self.unstarted(limit).items()
        }

    def unstarted(self, limit: float) -> dict[str, tuple[str, str]]:
        """Start every bot once; for each that does not start, why, and its stderr."""
        faults = {}
        names = list(self.bots)
        for first in range(0, len(names), MOST_IDLE):
            some = names[first : first + MOST_IDLE]
            players = self._seat(some, limit)
            for name, player in zip(some, players, strict=True):
                if player.fault:
                    faults[name] = player.fault, player.take_stderr()
            self._clear(players, keep=self.reuse)
        return faults

    def play(self, fixture: Fixture) -> Record:
        """Play one game to its end, whatever the bots do."""
        try:
            return self._play(fixture)
        except BaseException:  # in the middle of a game, and no use for another
            for player in self._players.values():
                with suppress(SupervisorLost):
                    player.end()
            self._close_supervisor()
            raise

    def _play(self, fixture: Fixture) -> Record:
        began = monotonic()
        limit = fixture.conditions.clock.start
        players = self._seat(fixture.bots, limit, fixture.rotation, fixture.attempt)
        for player in players:
            player.begin_game()
        referee = self._referee(fixture, players)
        for seat, player in enumerate(players):
            if player.fault:
                referee.lose(seat, "unstarted", player.fault, began)
        idle = [player for player in self._players.values() if player not in players]
        loop = Loop(
            referee, players, lambda seat: self._renew(players[seat], limit), fixture.conditions.ponder, idle
        )
        loop.run()
        self._supervisor.process_events()  # a game in which nobody watched the bots is void
        for chair, player in zip(referee.chairs, players, strict=True):
            player.asks, player.games = chair.last_ask, player.games + 1
        match = referee.match
        record = Record(
            fixture,
            tuple(match.replies),
            tuple(self._buried(fault, players[fault.seat]) for fault in referee.faults),
            match.result,
            match.digest(),
            trace(referee, players, monotonic() - began),
        )
        self._clear(players, keep=self.reuse and not fixture.attempt)
        return record

    @staticmethod
    def _buried(fault: Fault, player: Player) -> Fault:
        """The fault with how the process died, now that nobody has to wait for that."""
        if DEATH not in fault.words:
            return fault
        return fault._replace(words=fault.words.replace(DEATH, player.reap()))

    def _referee(self, fixture: Fixture, players: Sequence[Player]) -> Referee:
        words = {"names": ",".join(fixture.bots)} if fixture.conditions.names else {}
        return Referee(
            fixture.match(games.find(fixture.game)),
            Chance(fixture.seed, fixture.draws),
            fixture.conditions.clock,
            fixture.conditions.strikes,
            [(player.asks, player.games) for player in players],
            fixture.bot_seeds,
            words,
        )

    def _seat(self, names: Sequence[str], limit: float, rotation: int = 0, attempt: int = 0) -> list[Player]:
        """A living player for each name; the fresh ones are greeted together."""
        players = []
        for index, name in enumerate(names):
            key = (name, names[:index].count(name), rotation, attempt)
            if key not in self._players:
                self._players[key] = self._start(name)
            self._players[key] = self._players.pop(key)  # the least recently seated is first
            players.append(self._players[key])
        greet([player for player in players if player.alive and not player.asks], limit)
        return players

    def _renew(self, gone: Player, limit: float) -> Player:
        """A fresh process in place of one that has left between two games."""
        gone.reap()
        (key,) = [key for key, player in self._players.items() if player is gone]
        self._players[key] = player = self._start(key[0])
        greet([player] if player.alive else [], limit)
        return player

    def _start(self, name: str) -> Player:
        self._supervisor = self._supervisor or SupervisorClient(self.sandbox)
        return Player(self.bots[name], self._supervisor)

    def _clear(self, players: Sequence[Player], keep: bool) -> None:
        """End those that cannot play again, the oldest, and these players too unless we `keep` them."""
        broken = [player for player in players if player.fault or not player.alive or player.ended]
        leaving = list(self._players.values())[:-MOST_IDLE]
        leaving += [player for player in players if not keep and player not in leaving]
        leaving += [
            player for player in players if player not in (*broken, *leaving) and player.cpu_nearly_spent
        ]
        for player in broken:
            player.end()
        end_all([player for player in leaving if player not in broken])
        if broken or leaving:
            gone = {id(player) for player in (*broken, *leaving)}
            self._players = {key: player for key, player in self._players.items() if id(player) not in gone}


def greet(players: list[Player], limit: float) -> None:
    """Say hello to fresh processes; `fault` of each tells why it did not answer."""
    if players:
        greeting = Greeting(len(players), limit)
        Loop(greeting, players).run()
        for player, guest in zip(players, greeting.guests, strict=True):
            player.asks, player.said, player.fault = 1, guest.said, guest.fault
            player.start_metering()
            if DEATH in guest.fault:
                player.fault = guest.fault.replace(DEATH, player.reap())


def trace(referee: Referee, players: Sequence[Player], seconds: float) -> dict[str, object]:
    """What the game was like this time: never the same twice."""
    said = [player.take_stderr() for player in players]
    return {
        "seconds": round(seconds, 6),
        "microseconds": [chair.microseconds() for chair in referee.chairs],
        "figures": {
            seat: figures for seat, chair in enumerate(referee.chairs, 1) if (figures := chair.measured())
        },
        "stderr": {seat: text for seat, text in enumerate(said, 1) if text},
        **VERSIONS,
    }
