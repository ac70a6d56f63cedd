"""Carries lines between a judge and the players: the only place of the arena that waits."""

import select
from collections.abc import Callable
from math import ceil, inf
from time import monotonic
from typing import Protocol

from arena.chair import Message, Renew, Send
from arena.player import GRACE, Player
from arena.protocol import DEATH, BadLine, FaultKind


class Judge(Protocol):
    """What the loop drives: a `Referee` or a `Greeting`."""

    deadline: float

    @property
    def over(self) -> bool: ...
    def begin(self, now: float) -> list[Message]: ...
    def hear(self, seat: int, line: str | BadLine, now: float) -> list[Message]: ...
    def lose(self, seat: int, kind: FaultKind, words: str, now: float) -> list[Message]: ...
    def expire(self, now: float) -> list[Message]: ...


class Loop:
    """One judge with its players by seat. `renew(seat)` makes a new player where an old one has left."""

    def __init__(self, judge: Judge, players: list[Player], renew: Callable[[int], Player] | None = None):
        self.judge, self.players = judge, players
        self._renew = renew
        self._poller = select.poll()
        self._seats: dict[int, int] = {}  # by stdout and stderr
        self._blocked: dict[int, Player] = {}  # by stdin: who did not take all of what was written
        self._dying: dict[Player, float] = {}  # stdout has ended: until when the process may do so by itself

    def run(self) -> None:
        """Until the judge is done."""
        judge, poll = self.judge, self._poller.poll
        for seat in range(len(self.players)):
            self._watch(seat)
        self._deliver(judge.begin(monotonic()))
        while not judge.over:
            wake = min(judge.deadline, *self._dying.values()) if self._dying else judge.deadline
            self._take(poll(None if wake == inf else max(0, ceil((wake - monotonic()) * 1000))))
            now = monotonic()
            if self._dying:
                self._bury(now)
            if now >= judge.deadline:
                self._take(poll(0))  # what has come is in time: the referee's lateness is not the bot's
                self._deliver(judge.expire(now))

    def _watch(self, seat: int) -> None:
        player = self.players[seat]
        if player.alive:
            for descriptor in (player.out, player.err):
                self._poller.register(descriptor, select.POLLIN)
                self._seats[descriptor] = seat

    def _forget(self, *descriptors: int) -> None:
        for descriptor in descriptors:
            if descriptor in self._seats or descriptor in self._blocked:
                self._seats.pop(descriptor, None)
                self._blocked.pop(descriptor, None)
                self._poller.unregister(descriptor)

    def _deliver(self, messages: list[Message]) -> None:
        for message in messages:
            player = self.players[message.seat]
            if type(message) is Send:
                self._send(player, message.text.encode())
            elif type(message) is Renew:
                self._replace(message.seat)
            elif player.alive and not player.ended:  # who has ended by itself is buried in time
                self._forget(player.out, player.err, player.stdin)
                player.end()

    def _send(self, player: Player, data: bytes = b"") -> None:
        if player.alive:
            player.write(data)
            if player.unsent and player.stdin not in self._blocked:
                self._blocked[player.stdin] = player
                self._poller.register(player.stdin, select.POLLOUT)
            elif not player.unsent:
                self._forget(player.stdin)

    def _take(self, events: list[tuple[int, int]]) -> None:
        for descriptor, _ in events:
            if descriptor in self._seats:
                seat = self._seats[descriptor]
                player = self.players[seat]
                if descriptor == player.out:
                    self._listen(seat, player)
                elif not player.read_stderr():
                    self._forget(descriptor)
            elif descriptor in self._blocked:
                self._send(self._blocked[descriptor])

    def _listen(self, seat: int, player: Player) -> None:
        now = monotonic()
        lines = player.read()
        if lines is None:
            self._forget(player.out, player.stdin)
            player.ended = True
            self._dying[player] = now + GRACE
            self._deliver(self.judge.lose(seat, *(player.loss() or ("crashed", DEATH)), now))
            return
        for line in lines:
            self._deliver(self.judge.hear(seat, line, now))
            if self.judge.over or not player.alive:
                return

    def _bury(self, now: float) -> None:
        for player in [player for player, until in self._dying.items() if until <= now]:
            del self._dying[player]
            self._forget(player.err)
            player.death(grace=0)

    def _replace(self, seat: int) -> None:
        """A process of earlier games has left; another one takes its chair, once it has said hello."""
        gone = self.players[seat]
        self._dying.pop(gone, None)
        self._forget(gone.err)
        self.players[seat] = player = self._renew(seat)
        self._watch(seat)
        now = monotonic()
        self._deliver(self.judge.renewed(seat, player.asks, player.fault, now))
