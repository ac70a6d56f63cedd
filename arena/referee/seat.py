"""The seats of one game: their state, their faults, and the messages to their bots."""

from collections import deque
from collections.abc import Mapping, Sequence
from functools import lru_cache
from math import inf
from typing import Any, NamedTuple, final

from arena.referee.clock import Clock, TimeUsage
from arena.referee.conditions import TimeControl
from arena.referee.judging import Noise
from arena.referee.protocol import (
    MAX_LINE,
    READY,
    BadLine,
    FaultKind,
    ask_line,
    check_lines,
    end_line,
    error_line,
    game_line,
    option_words,
)
from arena.rules import Choice, Result, Tell
from arena.rules.match import Match

# Each ask makes some of these values and some of the judge's. They are no dataclasses, because the
# constructors of dataclasses are not compiled.


@final
class Send:
    """Write this text, whole lines, to the bot on a seat."""

    __slots__ = ("seat", "text")

    def __init__(self, seat: int, text: str) -> None:
        self.seat = seat
        self.text = text


@final
class Stop:
    """Kill the process on a seat: it is out of the game."""

    __slots__ = ("seat",)

    def __init__(self, seat: int) -> None:
        self.seat = seat


@final
class Restart:
    """Start a new process for a seat: the one of earlier games exited before this game began."""

    __slots__ = ("seat",)

    def __init__(self, seat: int) -> None:
        self.seat = seat


Message = Send | Stop | Restart
_option_words = lru_cache(64)(option_words)  # all games of a run have the same


class Fault(NamedTuple):
    """One fault of the bot on a seat; `reply` is how many replies the match had by then."""

    seat: int
    kind: FaultKind
    reply: int
    detail: str


class Sent(NamedTuple):
    """With the game part and the times of a record, these numbers give every byte that a seat was sent."""

    asks: int  # asks that its process had before this game
    games: int  # games that its process had played
    last_ask: int  # its id
    errors: Sequence[int]  # the id in each `error`


class SeatState:
    """What the referee keeps about one seat."""

    def __init__(self, seat: int, control: TimeControl, asks: int, games: int):
        self.seat = seat
        self.clock = Clock(control)
        self.news: list[str] = []  # lines that go out with the next ask
        self.earlier = asks, games  # those of the process before this game
        self.error_ids: list[int] = []  # the id in each `error` line
        self.last_ask = asks  # the id of the newest ask to this process
        self.game_number = games + 1
        self.is_starting = games == 0  # then its `ok` to `ready` may take as long as a start
        self.choice: Choice | None = None  # the choice of the pending ask
        self.answer = ""
        self.overdue: deque[int] = deque()  # asks that ran out of time and may still be answered
        self.unsolicited: list[BadLine] = []  # lines without an ask; they become faults at the next ask
        self.gone: BadLine | None = None  # why the process is gone; it becomes a fault at the next ask
        self.strikes = 0
        self.forfeited = False
        self.noise = Noise()  # lines that were no answer
        self.spent: list[float] = []  # seconds charged per ask
        self.usage: dict[int, TimeUsage] = {}  # by index in `spent`, where it was measured

    def microseconds(self) -> list[int]:
        """The time charged for each ask to this seat, in whole microseconds."""
        return [int(seconds * 1e6 + 0.5) for seconds in self.spent]

    def sent(self) -> Sent:
        return Sent(*self.earlier, self.last_ask, self.error_ids)

    def measured(self) -> dict[int, list[int]]:
        """Wall, CPU and waiting time in microseconds, by the number of the ask from 0, where measured."""
        return {number: usage.microseconds() for number, usage in self.usage.items()}


class SeatKeeper:
    """Asks the seats of one game, records their answers, counts their faults, and queues messages to them."""

    def __init__(
        self,
        match: Match,
        control: TimeControl,
        strikes: int,
        processes: Sequence[tuple[int, int]],  # by seat: the asks and games that its process has had before
        seeds: Sequence[int],  # by seat: the value of `seed=` for the bot
        more_words: Mapping[str, Any] | None = None,  # words of the game line after the options
    ):
        # No reference goes from a seat back to its keeper: the objects of a game are freed when it ends, not
        # by the garbage collector in the middle of the next one.
        self.match = match
        self.seats = [SeatState(seat, control, *counts) for seat, counts in enumerate(processes)]
        self.deadline = inf
        self._control, self._strikes = control, strikes
        self._seeds = seeds
        self._words = _option_words((*match.options.items(), *(more_words or {}).items()))
        self._told = 0  # entries of the match's log that are in the news of the seats
        self._faults: list[Fault] = []
        self._waiting = 0  # seats with a pending ask
        self._absent: list[int] = []  # forfeits that the rules have not seen yet
        self._outbox: list[Message] = []

    @property
    def faults(self) -> list[Fault]:
        # Within a window they are sorted by seat: they arrive in any order, and records must not depend on
        # it.
        return sorted(self._faults, key=lambda fault: (fault.reply, fault.seat))

    def waits_for(self, seat: int) -> bool:
        return self.seats[seat].choice is not None

    def _open_game(self, state: SeatState, now: float) -> None:
        match, number, seat = self.match, state.game_number, state.seat
        state.news.append(game_line(number, match.game, match.seats, seat, self._seeds[seat], self._words))
        # Only a new process has to start before it can say `ok`; or a remote one may have to connect again.
        self._ask(state, READY, now, self._control.start if state.is_starting else self._control.move)

    def _tell_news(self) -> None:
        """Put the news since the last call into the news of the seats."""
        log = self.match.log
        for step, _ in log[self._told :]:
            if type(step) is Tell:
                line = step.line
                for state in step.audience(self.seats):
                    state.news.append(line)
        self._told = len(log)

    def _ask_with_view(self, state: SeatState, choice: Choice, now: float) -> None:
        match = self.match
        state.news.append("state " + "\nstate ".join(match.game.view(match.position, state.seat)))
        self._ask(state, choice, now)

    def _send_end(self, state: SeatState, result: Result) -> None:
        state.news.append(end_line(state.game_number, state.seat, result))
        self._flush(state)

    def _ask(self, state: SeatState, choice: Choice, now: float, limit: float | None = None) -> None:
        # A limit is given for the start and for `ready`, which cost no bank; so the line names no bank.
        clock = state.clock
        bank = clock.bank if limit is None else 0.0
        limit = clock.start(now, limit)
        state.choice = choice
        state.last_ask += 1
        state.news.append(ask_line(state.last_ask, choice, limit, clock.move, bank))
        self._waiting += 1
        self._flush(state)
        self.deadline = min(self.deadline, clock.deadline)

    def _record_answer(self, state: SeatState, word: str, now: float, usage: TimeUsage | None = None) -> None:
        # If the seat has just forfeited, it has no pending ask any more: its answer is the default.
        if state.choice is not None:
            if usage and usage.is_measured:
                state.usage[len(state.spent)] = usage
            state.spent.append(state.clock.stop(now, usage))
            state.answer, state.choice = word, None
            self._waiting -= 1

    def _count_earlier_faults(self, state: SeatState) -> None:
        # Lines before the death count first: a bot may have used up its strikes by them, and forfeits for
        # these.
        for kind, detail in state.unsolicited:
            self._strike(state, kind, detail)
        state.unsolicited.clear()
        if state.gone:
            self._forfeit(state, state.gone.kind, state.gone.detail)

    def _strike(self, state: SeatState, kind: FaultKind, detail: str) -> None:
        if state.forfeited:  # nothing more is counted
            return
        self._faults.append(Fault(state.seat, kind, len(self.match.replies), detail))
        state.strikes += 1
        state.error_ids.append(state.last_ask)
        state.news.append(error_line(state.last_ask, kind, state.strikes, self._strikes, detail))
        if state.strikes >= self._strikes:  # A2, A4
            # It is told why at once: its process is stopped, and no ask follows that could carry the news.
            self._flush(state)
            self._drop(state)

    def _forfeit(self, state: SeatState, kind: FaultKind, detail: str) -> None:
        # A4: this fault costs the game at once. It is no strike, and the bot is told nothing.
        if not state.forfeited:
            self._faults.append(Fault(state.seat, kind, len(self.match.replies), detail))
            self._drop(state)

    def _drop(self, state: SeatState) -> None:
        state.forfeited = True
        self._absent.append(state.seat)  # the rules see it at the next roll call
        self._outbox.append(Stop(state.seat))  # or it would take CPU time from the others
        state.clock.deadline = inf
        if state.choice is not None:
            state.answer, state.choice = state.choice.default, None
            self._waiting -= 1

    def _flush(self, state: SeatState) -> None:
        state.news.append("")
        text = "\n".join(state.news)
        if len(text) > MAX_LINE:  # only then can one of its lines be too long
            check_lines(state.news)
        self._outbox.append(Send(state.seat, text))
        state.news = []
