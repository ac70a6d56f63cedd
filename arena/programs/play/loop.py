"""The waiting loop carries lines between a session and its players. Only this module waits for bots.

Theory of operation
-------------------
One thread polls the stdout and stderr of all players, and full stdin pipes. It passes lines, losses and
deadlines to the session (`hear`, `lose`, `expire`). Each call returns messages, which the loop carries out:
it writes lines to a player, kills it, or replaces it.

*When did an answer arrive?* The loop reads an answer some time after the bot wrote it, because the loop was
busy or had to wait for a core. The bot must not be charged for that time. Three moments bound it:

- `_polled_at` is the end of the last poll, the loop's idea of now;
- `_arrived_by` is the time that counts for lines found by the last poll. A poll that ends later than its
  timeout was delayed by the machine: its lines arrived by the timeout. A poll that returns at once, after the
  loop was busy, found lines that arrived in that time, perhaps just after the previous poll;
- `_checked_at` is the last check for closed stdouts, which is too slow for every turn.

No poll is longer than a slice, a fraction of the time per move. So the error of `_arrived_by` is small.

*At a deadline* the loop first reads the usage of all seats, then the answers that have arrived: they are in
time, because a late referee is not the bot's fault. Then the session decides which seats are late. If a late
player spent most of its time waiting for a core, the loop pauses the players without a pending ask.

*Ends.* When its stdout ends, a player is lost, and the loop tells the session at once. Its exit status is
known only when it is reaped, up to `GRACE` later, and no game waits for that: see `DEATH`. In a box, a closed
stdout may have no readable end, because bwrap has it open as well. So the loop also checks for closed
stdouts.

*Cores.* With `cores`, a bot is asked only while this worker has one of them, and its clock starts then. When
no bot has a pending ask, the bots are paused and the core is given back.

*Spectators.* The loop calls a `LiveGame` when it is due, at most twice a second, at the end of a turn of the
loop: the messages to bots have been sent by then."""

import select
from collections.abc import Callable, Sequence
from math import inf
from time import monotonic

from arena.programs.play.cores import Cores
from arena.programs.play.live import LiveGame
from arena.programs.play.meter import CORES
from arena.programs.play.player import GRACE, Player
from arena.referee.clock import TimeUsage
from arena.referee.handshake import Handshake
from arena.referee.protocol import DEATH
from arena.referee.referee import Referee
from arena.referee.rehearsal import Rehearsal
from arena.referee.seat import Message, Restart, Send

_SLICES = 16  # per move: no poll is longer than one slice
_TOLERANCE = 0.001  # of the time per move: the error of a shared reading
_PROMPT_S = 0.001  # longer than a poll that finds an event at once


Session = Referee | Handshake | Rehearsal
"""A session that the loop drives."""


class Loop:
    """Carries the lines between one session and its players, given by seat.

    `restart(seat)` replaces a player whose process exited between two games, and returns the new one with the
    messages of the session. Without `ponder`, players without a pending ask are paused; with it, only after a
    player ran out of time because it waited for a core. Then `idle` players, which wait for a later game, are
    paused as well. `live` shows the game to spectators. With `cores`, bots are asked only while this worker
    has one of them.
    """

    def __init__(
        self,
        session: Session,
        players: list[Player],
        restart: Callable[[int], tuple[Player, list[Message]]] | None = None,
        ponder: bool = True,
        idle: Sequence[Player] = (),
        live: LiveGame | None = None,
        cores: Cores | None = None,
    ):
        self._cores = cores
        self.session, self.players, self._idle = session, players, idle
        self._live, self._live_due = live, live.due if live else inf
        self._restart, self._ponder = restart, ponder
        self._poller = select.poll()
        self._slice = max(0.001, session.unmetered_below / _SLICES)
        self._arrived_by = 0.0  # see "Theory of operation" for these three
        self._polled_at = 0.0
        self._checked_at = 0.0
        self._seats: dict[int, int] = {}  # by stdout and stderr
        self._blocked: dict[int, Player] = {}  # by stdin: players with unsent input
        self._dying: dict[Player, float] = {}  # when to kill a process whose stdout has ended

    def run(self) -> None:
        """Play until the session is over."""
        for seat in range(len(self.players)):
            self._watch(seat)
        self._polled_at = monotonic()
        self._deliver(self.session.begin(self._polled_at))
        while not self.session.is_over:
            self._turn()

    def _turn(self) -> None:
        # Input comes first: the session must hear an answer in time before the deadline passes.
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
        if self._cores and self._cores.is_held and not self._is_bot_asked():
            self._cores.give_back()
        if now >= self._live_due and self._live:
            self._live_due = self._live.look(now)

    def _take_core(self, cores: Cores) -> None:
        """Wait for a core, unless one is held, and move the deadlines of pending asks by the wait."""
        if not cores.is_held:
            began = monotonic()
            cores.take()
            if isinstance(self.session, Referee):
                self.session.postpone(monotonic() - began)

    def _is_bot_asked(self) -> bool:
        """Whether a player that computes on this machine has a pending ask."""
        for seat, player in enumerate(self.players):
            if player.needs_core and player.is_alive and self.session.waits_for(seat):
                return True
        return False

    def _wait(self) -> list[tuple[int, int]]:
        """Poll for a slice at most; returns the events, and sets `_arrived_by` and `_polled_at`."""
        before = monotonic()
        # The next event by the clock is a deadline of the session, or the kill of a process whose stdout has
        # ended. A slice is the upper limit, or `_arrived_by` would be inexact.
        timeout = self.session.deadline - before
        if self._dying:
            timeout = min(timeout, *(until - before for until in self._dying.values()))
        if timeout > self._slice:
            timeout = self._slice
        elif timeout < 0:
            timeout = 0.0
        events = self._poller.poll(timeout * 1000)
        now = monotonic()
        if now - before < _PROMPT_S < before - self._polled_at:
            # The loop was busy since the last poll, and this one found a line at once, written at any time
            # since then. The earliest moment favours the bot.
            self._arrived_by = self._polled_at
        else:
            # The machine, not a bot, delayed a poll that took longer than its timeout.
            self._arrived_by = min(now, before + timeout)
        self._polled_at = now
        return events

    def _expire(self, now: float) -> None:
        # Usage comes before answers: while the answers are read, the other bots go on computing.
        usage = self._usage(now)
        self._dispatch(self._poller.poll(0))
        self._deliver(self.session.expire(now, usage))
        if self._was_cpu_starved(now, usage):
            # There are too few cores: players without an ask must not slow down the late one.
            self._pause()
            for player in self._idle:
                if player.is_alive and not player.is_paused:
                    player.pause()

    def _usage(self, now: float) -> list[TimeUsage]:
        return [
            player.meter.read(now, waiting=True) if player.is_alive else TimeUsage(0)
            for player in self.players
        ]

    def _was_cpu_starved(self, now: float, usage: list[TimeUsage]) -> bool:
        """Whether a player that ran out of time waited for a core most of the time."""
        # If the session went on and asked a player after `now`, `used` is from the previous ask.
        return any(
            self.session.waits_for(seat) and player.meter.started < now and used.wait > used.wall / 2
            for seat, (player, used) in enumerate(zip(self.players, usage, strict=True))
        )

    def _pause(self) -> None:
        for seat, player in enumerate(self.players):
            # A process whose stdout has ended is not stopped: it must be able to exit within its grace.
            if player.is_alive and not (
                player.is_paused or player.stdout_ended or self.session.waits_for(seat)
            ):
                player.pause()

    def _watch(self, seat: int) -> None:
        player = self.players[seat]
        if player.is_alive:
            # stderr first: a bot's text before an answer is read before the next ask
            for descriptor in (player.err, player.out):
                self._poller.register(descriptor, select.POLLIN)
                self._seats[descriptor] = seat

    def _forget(self, *descriptors: int) -> None:
        """Stop polling these descriptors, before they are closed and their numbers are reused."""
        for descriptor in descriptors:
            if descriptor in self._seats or descriptor in self._blocked:
                self._seats.pop(descriptor, None)
                self._blocked.pop(descriptor, None)
                self._poller.unregister(descriptor)

    def _deliver(self, messages: list[Message]) -> None:
        for message in messages:
            player = self.players[message.seat]
            if isinstance(message, Send):
                if player.is_alive:
                    if self._cores and player.needs_core and self.session.waits_for(message.seat):
                        self._take_core(self._cores)
                    player.sent += 1
                    # The bot may run as soon as the line is in its pipe, before this process goes on. So its
                    # CPU time is read before the write; the wall time starts at the end of the write.
                    player.meter.start(self.session.unmetered_below * _TOLERANCE)
                    self._send(player, message.text.encode())
                    player.meter.started = monotonic()
                    # Only an ask resumes a paused player: it reads its news together with the next ask.
                    if player.is_paused and self.session.waits_for(message.seat):
                        player.resume()
            elif isinstance(message, Restart):
                self._replace(message.seat)
            elif player.is_alive and not player.stdout_ended:  # exited processes are reaped later
                self._forget(player.out, player.err, player.stdin)
                player.end()

    def _send(self, player: Player, data: bytes = b"") -> None:
        # If writes waited, a bot that does not read could stop the whole game.
        player.write(data)
        if player.unsent and player.stdin not in self._blocked:
            self._blocked[player.stdin] = player
            self._poller.register(player.stdin, select.POLLOUT)
        elif self._blocked and not player.unsent:
            self._forget(player.stdin)

    def _dispatch(self, events: list[tuple[int, int]]) -> None:
        for descriptor, _ in events:
            # An earlier event may have ended a player and removed its descriptors from both.
            if descriptor in self._seats:
                seat = self._seats[descriptor]
                player = self.players[seat]
                if descriptor == player.out:
                    self._read(seat, player)
                elif not player.read_stderr():
                    self._forget(descriptor)
            elif descriptor in self._blocked:
                self._send(self._blocked[descriptor])

    def _read(self, seat: int, player: Player) -> None:
        """Give the session the lines of a player, each with its time usage."""
        session, meter, now = self.session, player.meter, monotonic()
        lines = player.read()
        if lines is None:
            return self._lose(seat, player, now)
        asked, usage = None, None
        for line in lines:
            # The previous line may have led to a new ask. Metering costs microseconds, so each ask is metered
            # once, or not at all if the answer is far from every limit.
            if meter.asked != asked:
                asked = meter.asked
                wall = now - asked  # the bot may answer before the write of its ask returns
                # In so short a time, even all cores cannot exceed the limit from which usage is metered.
                # Without ponder, usage is always metered: the bot may have computed from the last `mark`
                # until it stopped.
                threshold = session.unmetered_below if self._ponder and not meter.is_exact else 0.0
                usage = meter.read(self._arrived_by) if wall * CORES > threshold else TimeUsage(wall)
            self._deliver(session.hear(seat, line, now, usage))
            if session.is_over or not player.is_alive:
                return

    def _check_closed_stdout(self, now: float) -> None:
        """Give up players that closed their stdout with a pending ask."""
        # In a box the pipe has no end after the bot closes its stdout, because bwrap has it open as well.
        for seat, player in enumerate(self.players):
            asked = player.is_alive and not player.stdout_ended and self.session.waits_for(seat)
            stdout_closed = asked and now - player.meter.started > self._slice and player.has_closed_stdout
            # The next turn first reads the player's earlier lines.
            if stdout_closed and player.out not in dict(self._poller.poll(0)):
                self._lose(seat, player, now)

    def _lose(self, seat: int, player: Player, now: float) -> None:
        """Tell the session that a player's stdout ended, and which limit the bot broke, if any."""
        # The loop does not wait for the process: it may take long to exit, and the other players' clocks run.
        # It is reaped after a grace, in which its status and its last stderr may still arrive.
        self._forget(player.out, player.stdin)
        player.stdout_ended = True
        self._dying[player] = now + GRACE
        self._deliver(self.session.lose(seat, *(player.violation() or ("crashed", DEATH)), now))

    def _reap(self, now: float) -> None:
        for player in [player for player, until in self._dying.items() if until <= now]:
            del self._dying[player]
            self._forget(player.err)
            player.reap(grace=0)

    def _replace(self, seat: int) -> None:
        assert self._restart, "only a game that follows others restarts a process"
        gone = self.players[seat]
        self._dying.pop(gone, None)
        self._forget(gone.err)
        self.players[seat], messages = self._restart(seat)
        self._watch(seat)
        self._deliver(messages)
