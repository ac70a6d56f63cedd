"""The judge of one game: rules, clocks and faults over lines of text, without any input or output.

Theory of operation
-------------------
A `Match` waits for one step at a time. Chance and roll calls the referee answers itself. An `Ask`
becomes one line for each seat asked; the referee then waits until every one of them has answered,
run out of time or dropped out, and only then hands all answers to the rules at once. So the answers
of a window stay sealed, and the time at which they come tells nothing (rulings C30, C54).

Whoever drives a referee calls `begin` once, then `hear` for every line, `lose` when a bot is gone,
and `expire` when `deadline` has passed. Each returns the messages to deliver, in order: `Send` some
lines to a seat, or `Stop` its process. Nothing is sent between asks: news waits in the chair and
goes out together with the seat's next ask, or with the end.

The driver also says what an answer has used (`TimeUsage`), and at a deadline what each seat has used so
far; a seat that was kept from the processor has its deadline moved on. An answer that comes within
`unmetered_below` seconds is not metered: its usage could change nothing.

Rules never see misbehaviour. A seat that fails to answer gets its choice's first option, and a
strike (A1, A2). A seat that is gone, or has all its strikes, *forfeits*: from then on every ask is
answered by default, until the rules call the roll and see who is missing (A4).

What a bot does while nothing is asked of it (a line too many, its death) is noticed at its next
ask, never earlier: a bot's line and another bot's answer arrive in either order, and two runs of a
game must not differ by that. For the same reason the words of a fault hold no times and no ids.

A line with an id belongs to that ask. A bare line belongs to the oldest ask not yet answered, so
that a late answer pays its own debt and is never taken for the answer to the next ask.
"""

from collections.abc import Mapping, Sequence
from math import inf
from typing import Any

from arena.core.clock import TimeControl, TimeUsage
from arena.referee.protocol import (
    MAX_IGNORED,
    MAX_LINE,
    READY,
    BadLine,
    FaultKind,
    ask_line,
    check_lines,
    early_words,
    end_line,
    error_line,
    game_line,
    illegal_words,
    instead_words,
    late_words,
    read_answer,
    unreadable_words,
)
from arena.referee.seat import Chair, Fault, Message, Renew, Send, Stop
from arena.rules import Ask, Choice, Draw
from arena.rules.chance import Chance
from arena.rules.match import Match


class Referee:
    """One game between bots that are somewhere else.

    `processes` has for each seat how many asks and games its process has had before, `seeds` what the
    bot is told as `seed=`. `over` says
    that the game has ended; then `match.result`, `faults` and each chair's `spent` tell about it.
    """

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
        self.match = match
        self._faults: list[Fault] = []
        self.deadline = inf
        self.unmetered_below = min(control.move, control.start)
        self.over = False
        self.chairs = [Chair(seat, control, *counts) for seat, counts in enumerate(processes)]
        self._chance = chance
        self._control = control
        self._strikes = strikes
        self._seeds = seeds
        self._more_words = more_words or {}
        self._opening = True  # waiting for `ready`
        self._waiting = 0  # seats that have not answered yet
        self._absent: list[int] = []  # forfeits that the rules have not seen yet
        self._heard = 0  # entries of the match's log that are in the chairs' news
        self._outbox: list[Message] = []

    @property
    def faults(self) -> list[Fault]:
        """In the order of the game, and within a window by seats: there they come in any order."""
        return sorted(self._faults, key=lambda fault: (fault.reply, fault.seat))

    def waits_for(self, seat: int) -> bool:
        """Whether something is being asked of a seat."""
        return self.chairs[seat].choice is not None

    def begin(self, now: float) -> list[Message]:
        """Open the game at every seat and ask whether it is ready."""
        for chair in self.chairs:
            if chair.gone:
                self._forfeit(chair, chair.gone.kind, chair.gone.words)
            else:
                self._invite(chair, now)
        return self._proceed(now)

    def renewed(self, seat: int, asks: int, fault: str, now: float) -> list[Message]:
        """Another process sits on a seat, after a `Renew`; or could not be started, and why."""
        chair = self.chairs[seat] = Chair(seat, self._control, asks, games=0)
        self._waiting -= 1
        if fault:
            self._forfeit(chair, "unstarted", fault)
        else:
            self._invite(chair, now)
        return self._proceed(now)

    def _invite(self, chair: Chair, now: float) -> None:
        """Tell a seat of the game, and ask whether it is ready."""
        match = self.match
        words = [*match.options.items(), *self._more_words.items()]
        seed = self._seeds[chair.seat]
        chair.news.append(game_line(chair.game_number, match.game, match.seats, chair.seat, seed, words))
        fresh = chair.game_number == 1
        self._ask(chair, READY, now, self._control.start if fresh else self._control.move)

    def hear(
        self, seat: int, line: str | BadLine, now: float, usage: TimeUsage | None = None
    ) -> list[Message]:
        """A line that the bot on a seat has written; as an answer it has used so much."""
        chair = self.chairs[seat]
        if self.over or chair.forfeited:
            return []
        if self._opening:
            return self._hear_ready(chair, line, now)
        bad = type(line) is BadLine
        if bad and line.kind == "flood":
            return self._cut_off(chair, line, now)
        number, text = (None, "") if bad else read_answer(line)
        if number is None and chair.debts:
            chair.debts.popleft()
        elif number is not None and number in chair.debts:
            chair.debts.remove(number)
        elif chair.choice is None:
            return self._note(chair, line, now)
        elif number is not None and number != chair.last_ask:
            self._strike(chair, "early", early_words(line))
        elif usage and usage.charged > chair.clock.limit:
            choice = chair.choice
            self._strike(chair, "late", late_words(choice))
            self._settle(chair, choice.default, now, usage)
        elif not bad and chair.choice.accepts(text):
            self._settle(chair, text, now, usage)
        else:
            choice = chair.choice
            words = illegal_words(choice, text, chair.last_ask) if not bad else unreadable_words(choice, line)
            self._strike(chair, line.kind if bad else "illegal", words)
            self._settle(chair, choice.default, now, usage)
        return self._proceed(now)

    def lose(self, seat: int, kind: FaultKind, words: str, now: float) -> list[Message]:
        """The bot on a seat is gone, and will not say anything more."""
        chair = self.chairs[seat]
        if chair.choice is None:
            chair.gone = chair.gone or BadLine(kind, words)
            return []
        if self._opening and kind == "crashed" and chair.game_number > 1:
            chair.choice, chair.clock.deadline = None, inf
            return [Renew(seat)]
        if self._opening and kind != "flood":
            kind, words = "unstarted", f"{words} before it was ready"
        self._forfeit(chair, kind, words)
        return self._proceed(now)

    def expire(self, now: float, usage: Sequence[TimeUsage] = ()) -> list[Message]:
        """Time has passed: whoever has used all of his is late. `usage` are so far, by seat."""
        for chair in self.chairs:
            used = usage[chair.seat] if usage else None
            if chair.choice is not None and chair.clock.has_run_out(now, used):
                if self._opening:
                    self._forfeit(chair, "unstarted", f"no 'ok' to ready in time{chair.instead}")
                    continue
                choice = chair.choice
                chair.debts.append(chair.last_ask)
                self._strike(chair, "late", late_words(choice))
                self._settle(chair, choice.default, now, used)
        self.deadline = min(chair.clock.deadline for chair in self.chairs)
        return self._proceed(now)

    def _hear_ready(self, chair: Chair, line: str | BadLine, now: float) -> list[Message]:
        """Before the game: old lines are thrown away until the `ok` comes."""
        if chair.choice is None:
            return self._note(chair, line, now)
        if type(line) is not BadLine and read_answer(line) in ((None, "ok"), (chair.last_ask, "ok")):
            self._settle(chair, "ok", now)
            chair.ignored = 0
            return self._proceed(now)
        chair.ignored += 1
        chair.instead = instead_words(line)
        if chair.ignored > MAX_IGNORED:
            line = BadLine("flood", f"wrote {MAX_IGNORED} lines, but not 'ok' to ready")
        if type(line) is BadLine and line.kind == "flood":
            return self._cut_off(chair, line, now)
        return []

    def _note(self, chair: Chair, line: str | BadLine, now: float) -> list[Message]:
        """A line that nothing asked for; more of them than cost the game need not be kept."""
        if type(line) is not BadLine:
            line = BadLine("early", early_words(line))
        if len(chair.unasked) < self._strikes:
            chair.unasked.append(line)
        chair.ignored += 1
        if chair.ignored > MAX_IGNORED or line.kind == "flood":
            return self._cut_off(chair, BadLine("flood", "wrote without end when nothing was asked"), now)
        return []

    def _cut_off(self, chair: Chair, why: BadLine, now: float) -> list[Message]:
        """Nobody has to read this any longer: the process goes now, its forfeit comes when it is due."""
        return [Stop(chair.seat), *self.lose(chair.seat, why.kind, why.words, now)]

    # Going on

    def _proceed(self, now: float) -> list[Message]:
        """Answer the rules for as long as nobody has to be waited for; returns what is to be sent."""
        while not self._waiting and not self.over:
            if self._opening:
                self._opening = False
            elif type(self.match.step) is Ask:
                self._close_window(self.match.step)
            self._answer_chance()
            if self.match.step is None:
                self._end()
            else:
                self._open_window(self.match.step, now)
        outbox, self._outbox = self._outbox, []
        return outbox

    def _answer_chance(self) -> None:
        """Draws and roll calls, until the rules ask a bot or are done."""
        match = self.match
        while (kind := type(step := match.step)) is not Ask and step is not None:
            if kind is Draw:
                match.reply(self._chance.pick(step.purpose, step.outcomes))
            else:
                absent, self._absent = sorted(self._absent), []
                match.reply(tuple(absent))
        for step, reply in match.log[self._heard :]:
            if reply is None:
                if step.to is None:
                    line = f"event {step.text}"
                    for chair in self.chairs:
                        chair.news.append(line)
                else:
                    self.chairs[step.to].news.append(f"secret {step.text}")
        self._heard = len(match.log)

    def _open_window(self, step: Ask, now: float) -> None:
        """Ask every seat of the step that is still there."""
        view, position = self.match.game.view, self.match.position
        self.deadline = inf
        measured = step.race or self._control.game is not None
        self.unmetered_below = 0.0 if measured else self._control.move
        for seat, choice in step.choices.items():
            chair = self.chairs[seat]
            chair.answer = choice.default
            if chair.unasked or chair.gone:
                self._notice(chair)
            if not chair.forfeited:
                chair.news.append("state " + "\nstate ".join(view(position, seat)))
                self._ask(chair, choice, now)

    def _close_window(self, step: Ask) -> None:
        answers = {seat: self.chairs[seat].answer for seat in step.choices}
        if step.race:
            by_time = sorted(answers, key=lambda seat: self._time_taken(self.chairs[seat]))
            answers = {seat: answers[seat] for seat in by_time}
        self.match.reply(answers)

    def _end(self) -> None:
        self.over, self.deadline = True, inf
        for chair in self.chairs:
            if not chair.forfeited:
                chair.news.append(end_line(chair.game_number, chair.seat, self.match.result))
                self._flush(chair)

    @staticmethod
    def _time_taken(chair: Chair) -> float:
        return inf if chair.forfeited else chair.spent[-1]

    # One chair

    def _ask(self, chair: Chair, choice: Choice, now: float, limit: float | None = None) -> None:
        clock = chair.clock
        bank = clock.bank if limit is None else 0.0
        limit = clock.start(now, limit)
        chair.choice = choice
        chair.last_ask += 1
        chair.news.append(ask_line(chair.last_ask, choice, limit, clock.move, bank))
        self._waiting += 1
        self._flush(chair)
        self.deadline = min(self.deadline, clock.deadline)

    def _settle(self, chair: Chair, answer: str, now: float, usage: TimeUsage | None = None) -> None:
        """The ask to this seat is answered; a seat that has forfeited meanwhile is settled already."""
        if chair.choice is not None:
            if usage:
                chair.usage[len(chair.spent)] = usage
            chair.spent.append(chair.clock.stop(now, usage))
            chair.answer, chair.choice = answer, None
            self._waiting -= 1

    def _notice(self, chair: Chair) -> None:
        """What the bot did while nothing was asked counts from now on."""
        for kind, words in chair.unasked:
            self._strike(chair, kind, words)
        chair.unasked.clear()
        if chair.gone:
            self._forfeit(chair, chair.gone.kind, chair.gone.words)

    def _strike(self, chair: Chair, kind: FaultKind, words: str) -> None:
        """One fault: noted, told to the bot, and with the last strike the game is forfeited (A2, A4)."""
        if chair.forfeited:
            return
        self._faults.append(Fault(chair.seat, kind, len(self.match.replies), words))
        chair.strikes += 1
        chair.news.append(error_line(chair.last_ask, kind, chair.strikes, self._strikes, words))
        if chair.strikes >= self._strikes:
            self._flush(chair)
            self._drop(chair)

    def _forfeit(self, chair: Chair, kind: FaultKind, words: str) -> None:
        """A fault that costs the game at once (A4)."""
        if not chair.forfeited:
            self._faults.append(Fault(chair.seat, kind, len(self.match.replies), words))
            self._drop(chair)

    def _drop(self, chair: Chair) -> None:
        chair.forfeited = True
        self._absent.append(chair.seat)
        self._outbox.append(Stop(chair.seat))
        chair.clock.deadline = inf
        if chair.choice is not None:
            chair.answer, chair.choice = chair.choice.default, None
            self._waiting -= 1

    def _flush(self, chair: Chair) -> None:
        chair.news.append("")
        text = "\n".join(chair.news)
        if len(text) > MAX_LINE:
            check_lines(chair.news)
        self._outbox.append(Send(chair.seat, text))
        chair.news = []
