"""Carries lines between a session and the players: the only place of the arena that waits."""

import select
from collections.abc import Callable, Sequence
from time import monotonic
from typing import Protocol

from arena.core.clock import TimeUsage
from arena.play.meter import CORES
from arena.play.player import GRACE, Player
from arena.referee.protocol import DEATH, BadLine, FaultKind
from arena.referee.seat import Message, Renew, Send

SLICES = 16  # of the time per move, the longest time of a poll
PROMPT = 0.001  # seconds, more than a poll takes that finds something at once


class Session(Protocol):
    """What the loop drives: a `Referee` or a `Greeting`."""

    deadline: float
    unmetered_below: float

    @property
    def over(self) -> bool: ...
    def waits_for(self, seat: int) -> bool: ...
    def begin(self, now: float) -> list[Message]: ...
    def hear(self, seat: int, line: str | BadLine, now: float, usage: TimeUsage | None) -> list[Message]: ...
    def lose(self, seat: int, kind: FaultKind, words: str, now: float) -> list[Message]: ...
    def expire(self, now: float, usage: Sequence[TimeUsage]) -> list[Message]: ...
    def renewed(self, seat: int, asks: int, fault: str, now: float) -> list[Message]: ...


class Loop:
    """One session with its players by seat.

    `renew(seat)` makes a new player where an old one has left. Without `ponder`, players without a pending
    ask are paused; with it, only if they slow down one that has been asked. So are `idle` players, which wait
    for a game.

    An answer is not charged for the time that it waits to be read. A poll that was to end at some moment
    and ends later is late by the machine's fault, or ours: what it brings has come by that moment, and
    it is never longer than a slice of the time per move. What is there as soon as we listen may have
    come at any time since we last did.
    """

    def __init__(
        self,
        session: Session,
        players: list[Player],
        renew: Callable[[int], Player] | None = None,
        ponder: bool = True,
        idle: Sequence[Player] = (),
    ):
        self.session, self.players, self._idle = session, players, idle
        self._renew, self._ponder = renew, ponder
        self._poller = select.poll()
        self._slice = max(0.001, session.unmetered_below / SLICES)
        self._arrived_by = 0.0  # when what is being read may have come
        self._polled_at = 0.0  # the end of the last poll
        self._checked_at = 0.0  # the last check for closed stdouts
        self._seats: dict[int, int] = {}  # by stdout and stderr
        self._blocked: dict[int, Player] = {}  # by stdin: players with unsent input
        self._dying: dict[Player, float] = {}  # stdout has ended: when the process is killed

    def run(self) -> None:
        """Until the session is done."""
        for seat in range(len(self.players)):
            self._watch(seat)
        self._polled_at = monotonic()
        self._deliver(self.session.begin(self._polled_at))
        while not self.session.over:
            self._turn()

    def _turn(self) -> None:
        """Wait for something to come, or for time to run out, and see to it."""
        self._dispatch(self._wait())
        now = self._polled_at
        if now - self._checked_at > self._slice:
            self._checked_at = now
            self._check_closed_stdout(now)
        if self._dying:
            self._reap(now)
        if now >= self.session.deadline:
            self._expire(now)
        if not self._ponder:
            self._pause()

    def _wait(self) -> list[tuple[int, int]]:
        """What has come, after a slice at the latest.

        `_polled_at` is the end of the poll, `_arrived_by` the latest moment at which what it brings had come.
        """
        before = monotonic()
        patience = self.session.deadline - before
        if self._dying:
            patience = min(patience, *(until - before for until in self._dying.values()))
        if patience > self._slice:
            patience = self._slice
        elif patience < 0:
            patience = 0.0
        events = self._poller.poll(patience * 1000)
        now = monotonic()
        if now - before < PROMPT < before - self._polled_at:
            self._arrived_by = self._polled_at
        else:
            self._arrived_by = min(now, before + patience)
        self._polled_at = now
        return events

    def _expire(self, now: float) -> None:
        """A deadline has passed. What has come is in time: the referee's lateness is not the bot's."""
        usage = self._usage(now)
        self._dispatch(self._poller.poll(0))
        self._deliver(self.session.expire(now, usage))
        if self._cpu_starved(now, usage):
            self._pause()
            for player in self._idle:
                if player.alive and not player.paused:
                    player.pause()

    def _usage(self, now: float) -> list[TimeUsage]:
        """What every seat has used so far for the answer that it owes."""
        return [
            player.meter.read(now, waiting=True) if player.alive else TimeUsage(0) for player in self.players
        ]

    def _cpu_starved(self, now: float, usage: list[TimeUsage]) -> bool:
        """Whether a player that ran out of time waited for a core for most of it."""
        return any(
            self.session.waits_for(seat) and player.meter.started < now and used.wait > used.wall / 2
            for seat, (player, used) in enumerate(zip(self.players, usage, strict=True))
        )

    def _pause(self) -> None:
        """Pause players without a pending ask."""
        for seat, player in enumerate(self.players):
            if player.alive and not player.paused and not player.ended and not self.session.waits_for(seat):
                player.pause()

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
                if player.alive:
                    player.meter.start()
                    self._send(player, message.text.encode())
                    player.meter.started = monotonic()
                    if player.paused and self.session.waits_for(message.seat):
                        player.resume()
            elif type(message) is Renew:
                self._replace(message.seat)
            elif player.alive and not player.ended:  # one that has exited is reaped later
                self._forget(player.out, player.err, player.stdin)
                player.end()

    def _send(self, player: Player, data: bytes = b"") -> None:
        player.write(data)
        if player.unsent and player.stdin not in self._blocked:
            self._blocked[player.stdin] = player
            self._poller.register(player.stdin, select.POLLOUT)
        elif self._blocked and not player.unsent:
            self._forget(player.stdin)

    def _dispatch(self, events: list[tuple[int, int]]) -> None:
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
        session, meter, now = self.session, player.meter, monotonic()
        lines = player.read()
        if lines is None:
            return self._lose(seat, player, now)
        asked, usage = None, None
        for line in lines:
            if meter.started != asked:
                asked = meter.started
                threshold = session.unmetered_below if self._ponder else 0.0
                usage = meter.read(self._arrived_by) if (now - asked) * CORES > threshold else None
            self._deliver(session.hear(seat, line, now, usage))
            if session.over or not player.alive:
                return

    def _check_closed_stdout(self, now: float) -> None:
        """Find players that owe an answer but have closed their stdout.

        What they wrote before is read first.
        """
        for seat, player in enumerate(self.players):
            asked = player.alive and not player.ended and self.session.waits_for(seat)
            stdout_closed = asked and now - player.meter.started > self._slice and player.stdout_closed
            if stdout_closed and player.out not in dict(self._poller.poll(0)):
                self._lose(seat, player, now)

    def _lose(self, seat: int, player: Player, now: float) -> None:
        """The stdout of a player has ended."""
        self._forget(player.out, player.stdin)
        player.ended = True
        self._dying[player] = now + GRACE
        self._deliver(self.session.lose(seat, *(player.loss() or ("crashed", DEATH)), now))

    def _reap(self, now: float) -> None:
        for player in [player for player, until in self._dying.items() if until <= now]:
            del self._dying[player]
            self._forget(player.err)
            player.reap(grace=0)

    def _replace(self, seat: int) -> None:
        """A process of earlier games has left; another one replaces it, once it has said hello."""
        gone = self.players[seat]
        self._dying.pop(gone, None)
        self._forget(gone.err)
        self.players[seat] = player = self._renew(seat)
        self._watch(seat)
        now = monotonic()
        self._deliver(self.session.renewed(seat, player.asks, player.fault, now))
