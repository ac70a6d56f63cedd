"""The referee of one game: rules, clocks and faults over lines of text, without any input or output.

Theory of operation
-------------------
A `Match` waits for one step at a time. The referee answers draws and roll calls itself. An `Ask` becomes  one
line for each seat asked. The referee waits until every one of them has answered, run out of time or
forfeited. Only then it gives all answers to the rules at once. So the answers of a window stay sealed, and
their time of arrival reveals nothing (rulings C30, C54).

The driver of a referee (`arena.programs.play.loop`) calls `begin` once, then `hear` for every line, `lose`
when a process is gone, and `expire` when `deadline` has passed. Each returns the messages to
deliver, in order: `Send` lines to a seat, `Stop` its process, or `Restart` it. Nothing is sent
between asks: news waits at the seat and goes out together with its next ask, or with the end.

The driver also gives the time used by an answer (`TimeUsage`), and at a deadline the time used so far by each
seat. If a seat had to wait for a core, its deadline moves on. An answer that arrives within `unmetered_below`
seconds is charged by its wall time: its usage could not change anything.

Rules never see misbehaviour. A seat that fails to answer gets its choice's first option, and a strike (A1,
A2). A seat without a process, or with all its strikes, *forfeits*: every later ask is answered by default,
until the rules call the roll and see its absence (A4).

An event without a pending ask (an extra line, the bot's death) is counted at the bot's next ask, never
earlier. A bot's line and another bot's answer may arrive in either order, and two runs of a game must not
differ by that. For the same reason the details of a fault hold no times and no ids.

`arena.referee.judging` says which line answers which ask.
"""

from collections.abc import Mapping, Sequence
from functools import partial
from math import inf
from typing import Any

from arena.referee.clock import TimeUsage
from arena.referee.conditions import TimeControl
from arena.referee.judging import Noise, Reason, judge, too_late, too_much_noise
from arena.referee.protocol import READY, BadLine, FaultKind, Line
from arena.referee.seat import Message, Restart, SeatKeeper, SeatState, Stop
from arena.rules import Ask, Choice
from arena.rules.chance import Chance
from arena.rules.match import Match


def _reason_against(match: Match, seat: int, choice: Choice, text: str) -> str:
    return match.game.why_not(match.position, seat, choice, text)


class Referee(SeatKeeper):
    """One game between bots; its end is in `match.result`, `faults` and the `spent` of each seat."""

    def __init__(
        self,
        match: Match,
        chance: Chance,
        control: TimeControl,
        strikes: int,
        processes: Sequence[tuple[int, int]],
        seeds: Sequence[int],
        more_words: Mapping[str, Any] | None = None,
    ):
        super().__init__(match, control, strikes, processes, seeds, more_words)
        self.unmetered_below = min(control.move, control.start)
        self.is_over = False
        self._chance = chance
        self._opening = True  # waiting for `ready`
        # It has only the match: a cycle with the referee would be left to the garbage collector, which then
        # runs while the clock of another game is running.
        self._reasons: list[Reason] = [partial(_reason_against, match, seat) for seat in range(match.seats)]

    def begin(self, now: float) -> list[Message]:
        """Open the game at every seat and ask it whether it is ready; seats without a process forfeit."""
        for state in self.seats:
            if state.gone:  # it could not be started
                self._forfeit(state, state.gone.kind, state.gone.detail)
            else:
                self._open_game(state, now)
        return self._advance(now)

    def rejoin(self, seat: int, asks: int, fault: str, now: float) -> list[Message]:
        """Open the game at a seat's new process after a `Restart`; if it did not start, the seat forfeits.

        `asks` is how many asks the process has had before; `fault` says why it did not start, or is "".
        """
        state = self.seats[seat] = SeatState(seat, self._control, asks, games=0)
        self._waiting -= 1  # the process that was asked is gone; the new one is asked again
        if fault:
            self._forfeit(state, "unstarted", fault)
        else:
            self._open_game(state, now)
        return self._advance(now)

    def hear(self, seat: int, line: Line, now: float, usage: TimeUsage | None = None) -> list[Message]:
        """Judge a line that the bot on a seat has written; `usage` is charged if it is an answer."""
        state = self.seats[seat]
        if self.is_over or state.forfeited:
            return []
        if isinstance(line, BadLine) and line.kind == "flood":
            # A flood would fill the memory of the arena. So it ends the game of the seat, whatever was asked.
            return self._cut_off(state, line, now)
        choice = state.choice
        if choice is READY:
            return self._hear_ready(state, line, now)
        # The deadline of a bot without a core moves on by the bot's remaining time. So an answer may arrive
        # before its deadline and still have used more than its limit.
        is_late = usage is not None and usage.charged > state.clock.limit
        heard = judge(line, state.last_ask, choice, state.overdue, is_late, self._reasons[seat])
        fault = heard.fault
        if heard.overdue:
            state.overdue.remove(heard.overdue)
        elif choice is None and fault is not None:
            return self._note_unsolicited(state, line, fault, now)
        else:
            # The strike is first: if it was the last one, the seat forfeits, and the answer is not recorded.
            if fault is not None:
                self._strike(state, fault.kind, fault.detail)
            if heard.word is not None:
                self._record_answer(state, heard.word, now, usage)
        return self._advance(now)

    def lose(self, seat: int, kind: FaultKind, detail: str, now: float) -> list[Message]:
        """Note that the process on a seat is gone; `kind` and `detail` say how it ended.

        The seat forfeits now or at its next ask, or the process is restarted.
        """
        state = self.seats[seat]
        if state.choice is None:
            # A4: it is noticed at its next ask. The first reason counts: a flood is killed, and lost once
            # more.
            state.gone = state.gone or BadLine(kind, detail)
            return []
        if self._opening and kind == "crashed" and state.game_number > 1:
            # The process exited between two games: a bot may play one game for each start. The seat still
            # counts as waiting until the new process is there.
            state.choice, state.clock.deadline = None, inf
            return [Restart(seat)]
        if self._opening and kind != "flood":
            kind, detail = "unstarted", f"{detail} before it was ready"
        self._forfeit(state, kind, detail)
        return self._advance(now)

    def postpone(self, seconds: float) -> None:
        """Move the deadlines of the pending asks, which were sent `seconds` late: the bots had no core."""
        for state in self.seats:
            if state.choice is not None:
                state.clock.postpone(seconds)
        self.deadline += seconds

    def expire(self, now: float, usage: Sequence[TimeUsage] = ()) -> list[Message]:
        """Strike the seats whose time is up, and play their defaults; seats not ready in time forfeit.

        `usage` is what each seat has used so far.
        """
        for state in self.seats:
            used = usage[state.seat] if usage else None
            choice = state.choice
            if choice is not None and state.clock.has_run_out(now, used):
                if self._opening:  # there is no default to be ready
                    self._forfeit(state, "unstarted", f"no 'ok' to ready in time{state.noise.last}")
                    continue
                # The late answer may still arrive, and is no second fault (A2).
                state.overdue.append(state.last_ask)
                self._strike(state, *too_late(choice))
                self._record_answer(state, choice.default, now, used)
        self.deadline = min(state.clock.deadline for state in self.seats)
        return self._advance(now)

    def _hear_ready(self, state: SeatState, line: Line, now: float) -> list[Message]:
        # Other lines are ignored until the `ok`: libraries print banners when they are loaded. The `ok` costs
        # neither bank nor strikes, so its wall time is enough.
        if judge(line, state.last_ask, READY).word is not None:
            self._record_answer(state, "ok", now)
            state.noise = Noise()
            return self._advance(now)
        if state.noise.add(line):
            return self._cut_off(state, BadLine("flood", too_much_noise(READY)), now)
        return []

    def _note_unsolicited(self, state: SeatState, line: Line, fault: BadLine, now: float) -> list[Message]:
        if len(state.unsolicited) < self._strikes:
            state.unsolicited.append(fault)  # enough to cost the game; more need not be kept
        if state.noise.add(line):
            return self._cut_off(state, BadLine("flood", "wrote without end when nothing was asked"), now)
        return []

    def _cut_off(self, state: SeatState, why: BadLine, now: float) -> list[Message]:
        # It is killed now, but forfeits at its next ask: the flood and the answer may be from different
        # threads, and two runs of a game must not differ by when the flood was read.
        return [Stop(state.seat), *self.lose(state.seat, why.kind, why.detail, now)]

    def _advance(self, now: float) -> list[Message]:
        """Go on with the rules until a bot has to answer, or to the end; return the messages to deliver."""
        # It is a loop because a window may need no bot: if all its seats have forfeited, their defaults
        # answer it.
        while not self._waiting and not self.is_over:
            if self._opening:
                self._opening = False  # all seats are ready or out; the first step of the rules is still due
            elif isinstance(self.match.step, Ask):
                self._close_window(self.match.step)
            step = self.match.drive(self._chance.pick, self._take_absent)
            self._tell_news()
            if isinstance(step, Ask):
                self._open_window(step, now)
            else:
                self._end()
        outbox, self._outbox = self._outbox, []
        return outbox

    def _take_absent(self) -> tuple[int, ...]:
        """The seats that have forfeited since the last roll call."""
        # In seat order: which process was found dead first depends on the machine.
        absent, self._absent = sorted(self._absent), []
        return tuple(absent)

    def _open_window(self, step: Ask, now: float) -> None:
        self.deadline = inf
        # An answer within `move` costs no bank, so its CPU time need not be read from the kernel. A race and
        # a limit for the whole game count every microsecond.
        measured = step.race or self._control.game is not None
        self.unmetered_below = 0.0 if measured else self._control.move
        for seat, choice in step.choices.items():
            state = self.seats[seat]
            state.answer = choice.default  # stays, if the seat forfeits
            if state.unsolicited or state.gone:
                self._count_earlier_faults(state)
            if not state.forfeited:
                self._ask_with_view(state, choice, now)

    def _close_window(self, step: Ask) -> None:
        answers = {seat: self.seats[seat].answer for seat in step.choices}
        if step.race:
            times = {seat: self.seats[seat].spent[-1] for seat in answers if not self.seats[seat].forfeited}
            answers = {seat: answers[seat] for seat in sorted(answers, key=lambda seat: times.get(seat, inf))}
        self.match.reply(answers)

    def _end(self) -> None:
        self.is_over, self.deadline = True, inf
        result = self.match.result
        assert result is not None, "the rules are done"
        for state in self.seats:
            if not state.forfeited:
                self._send_end(state, result)
