"""Seats players at a referee and carries lines between them: the only place that waits."""

import platform
import select
import sys
import tempfile
from collections.abc import Mapping, Sequence
from math import ceil, inf
from time import monotonic
from typing import Protocol

import arena
from arena import sandbox
from arena.bot import Bot
from arena.chair import Message, Send
from arena.chance import Chance
from arena.games import GAMES
from arena.greeting import Greeting
from arena.player import Player, end_all
from arena.protocol import BadLine, FaultKind
from arena.records import Fixture, Record
from arena.referee import Referee

VERSIONS = {
    "arena": arena.__version__,
    "python": platform.python_version(),
    "machine": f"{sys.platform} {platform.machine()}",
}
MOST_IDLE = 64  # processes kept for later games


class Judge(Protocol):
    """What the loop drives: a `Referee` or a `Greeting`."""

    deadline: float

    @property
    def over(self) -> bool: ...
    def begin(self, now: float) -> list[Message]: ...
    def hear(self, seat: int, line: str | BadLine, now: float) -> list[Message]: ...
    def lose(self, seat: int, kind: FaultKind, words: str, now: float) -> list[Message]: ...
    def expire(self, now: float) -> list[Message]: ...


class Table:
    """Plays fixtures one after another, with processes that stay for later games.

    `bots` are the bots by name. With `reuse=False` every game has fresh processes.
    """

    def __init__(self, bots: Mapping[str, Bot], reuse: bool = True):
        self.bots, self.reuse = bots, reuse
        self._players: dict[tuple[str, int], Player] = {}
        self._temporary = tempfile.TemporaryDirectory(prefix="arena-", ignore_cleanup_errors=True)
        sandbox.adopt_orphans()

    def __enter__(self) -> "Table":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End every process; nothing that a bot has started stays alive."""
        end_all(list(self._players.values()))
        self._players.clear()
        sandbox.kill_strays(())
        self._temporary.cleanup()

    def kill(self) -> None:
        """End everything at once, from any thread: this process is about to leave."""
        for player in list(self._players.values()):
            sandbox.kill_group(player.pid)
        sandbox.kill_strays(())
        self._temporary.cleanup()

    def greet(self, limit: float) -> dict[str, str]:
        """Start every bot once; for each that does not start, why."""
        faults = {}
        names = list(self.bots)
        for first in range(0, len(names), MOST_IDLE):
            some = names[first : first + MOST_IDLE]
            players = self._seat(some, limit)
            faults |= {name: player.fault for name, player in zip(some, players, strict=True) if player.fault}
            self._clear(players)
        return faults

    def play(self, fixture: Fixture) -> Record:
        """Play one game to its end, whatever the bots do."""
        began = monotonic()
        players = self._seat(fixture.bots, fixture.control.start)
        referee = self._referee(fixture, players)
        now = monotonic()
        for seat, player in enumerate(players):
            if player.fault:
                referee.lose(seat, "unstarted", player.fault, now)
        try:
            drive(referee, players)
        except BaseException:
            for player in players:  # in the middle of a game, and no use for another
                player.end()
            self._clear(players)
            raise
        for chair, player in zip(referee.chairs, players, strict=True):
            player.asks, player.games = chair.last_ask, player.games + 1
        match = referee.match
        record = Record(
            fixture,
            tuple(match.replies),
            tuple(referee.faults),
            match.result,
            match.digest(),
            trace(referee, players, monotonic() - began),
        )
        self._clear(players)
        return record

    def _referee(self, fixture: Fixture, players: Sequence[Player]) -> Referee:
        words = {"names": ",".join(fixture.bots)} if fixture.names else {}
        return Referee(
            fixture.match(GAMES[fixture.game]),
            Chance(fixture.seed, fixture.draws),
            fixture.control,
            fixture.strikes,
            [(player.asks, player.games) for player in players],
            words,
        )

    def _seat(self, names: Sequence[str], limit: float) -> list[Player]:
        """A living player for each name; the fresh ones are greeted together."""
        players = []
        for index, name in enumerate(names):
            key = (name, names[:index].count(name))
            if key not in self._players:
                self._players[key] = Player(self.bots[name], self._temporary.name)
            self._players[key] = self._players.pop(key)  # the least recently seated is first
            players.append(self._players[key])
        fresh = [player for player in players if player.alive and not player.asks]
        if fresh:
            greeting = Greeting(len(fresh), limit)
            drive(greeting, fresh)
            for player, guest in zip(fresh, greeting.guests, strict=True):
                player.asks, player.said, player.fault = 1, guest.said, guest.fault
        return players

    def _clear(self, players: Sequence[Player]) -> None:
        """End the processes that cannot or may not play again."""
        broken = [player for player in players if player.fault or not player.alive or player.ended]
        leaving = (
            list(self._players.values()) if not self.reuse else list(self._players.values())[:-MOST_IDLE]
        )
        for player in broken:
            player.end()
        end_all([player for player in leaving if player not in broken])
        if broken or leaving:
            gone = {id(player) for player in (*broken, *leaving)}
            self._players = {key: player for key, player in self._players.items() if id(player) not in gone}
            sandbox.kill_strays({player.pid for player in self._players.values()})


def drive(judge: Judge, players: Sequence[Player]) -> None:
    """Carry lines between a judge and the players until it is over."""
    poller = select.poll()
    sources: dict[int, tuple[int, Player]] = {}
    for seat, player in enumerate(players):
        if player.alive:
            for descriptor in (player.out, player.err):
                poller.register(descriptor, select.POLLIN)
                sources[descriptor] = (seat, player)
    blocked: dict[int, Player] = {}  # by stdin: players that did not take all of what was written

    def deliver(messages: list[Message]) -> None:
        for message in messages:
            player = players[message.seat]
            if type(message) is Send:
                if player.alive:
                    player.write(message.text.encode())
                    if player.unsent:
                        blocked[player.stdin] = player
                        poller.register(player.stdin, select.POLLOUT)
            elif player.alive:
                forget(player)
                player.end()

    def forget(player: Player) -> None:
        for descriptor in (player.out, player.err, player.stdin):
            if sources.pop(descriptor, None) or blocked.pop(descriptor, None):
                poller.unregister(descriptor)

    def take(events: list[tuple[int, int]]) -> None:
        for descriptor, _ in events:
            if descriptor in sources:
                seat, player = sources[descriptor]
                if descriptor == player.out:
                    listen(seat, player)
                elif not player.read_stderr():
                    poller.unregister(descriptor)
                    del sources[descriptor]
            elif descriptor in blocked:
                player = blocked[descriptor]
                player.write()
                if not player.unsent:
                    del blocked[descriptor]
                    poller.unregister(descriptor)

    def listen(seat: int, player: Player) -> None:
        now = monotonic()
        lines = player.read()
        if lines is None:
            forget(player)
            player.ended = True
            deliver(judge.lose(seat, "crashed", player.death(), now))
            return
        for line in lines:
            deliver(judge.hear(seat, line, now))
            if judge.over or not player.alive:
                return

    deliver(judge.begin(monotonic()))
    while not judge.over:
        deadline = judge.deadline
        wait = deadline - monotonic()
        take(poller.poll(None if deadline == inf else max(0, ceil(wait * 1000))))
        now = monotonic()
        if now >= judge.deadline:
            take(poller.poll(0))  # what has come is in time: the referee's lateness is not the bot's
            deliver(judge.expire(now))


def trace(referee: Referee, players: Sequence[Player], seconds: float) -> dict[str, object]:
    """What the game was like this time: never the same twice."""
    said = [player.take_stderr() for player in players]
    return {
        "seconds": round(seconds, 6),
        "microseconds": [chair.microseconds() for chair in referee.chairs],
        "stderr": {seat: text for seat, text in enumerate(said, 1) if text},
        **VERSIONS,
    }
