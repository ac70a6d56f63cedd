"""A match is the rules of a game and the replies so far; everything else is recomputed from them."""

from collections.abc import Iterable, Mapping
from copy import deepcopy
from hashlib import sha256
from typing import Any

from arena.rules import ALL, SEAT_NAMES, Ask, Draw, Game, Result, RollCall, Tell, seat_name, seat_number

Reply = str | dict[int, str] | tuple[int, ...]
"""What comes back to a step: to `Draw` the outcome, to `Ask` `{seat: answer}`, to `RollCall` seats."""


class Match:
    """One game in progress.

    `step` is what the rules wait for (`Draw`, `Ask` or `RollCall`; None when the game is over),
    `result` how it ended, `replies` all that was answered, `log` every step in order as `(step,
    reply)`, where a `Tell` has no reply. `start` is a position to begin from; it is copied.
    """

    def __init__(
        self,
        game: Game,
        options: Mapping[str, Any],
        seats: int,
        replies: Iterable[Reply] = (),
        start: Any = None,
    ):
        self.game, self.options, self.seats, self.start = game, options, seats, start
        self.position = game.deal(seats, options) if start is None else deepcopy(start)
        self.replies: list[Reply] = []
        self.log: list[tuple[Tell | Draw | Ask | RollCall, Reply | None]] = []
        self.step: Draw | Ask | RollCall | None = None
        self.result: Result | None = None
        self._rules = game.rules(self.position, options)
        self._advance(None)
        for reply in replies:
            self.reply(reply)

    def reply(self, reply: Reply) -> None:
        """Answer the step that the rules wait for. ValueError leaves the match as it was."""
        step = self.step
        if type(step) is Ask:
            self._check_answers(step, reply)
            if len(reply) > 1 and not step.race:
                reply = {seat: reply[seat] for seat in step.choices}
        elif type(step) is Draw:
            if reply not in step.outcomes:
                raise ValueError(f"{reply!r} is no outcome of {step.purpose}: {step.outcomes}")
        elif step is None:
            raise ValueError("the game is over")
        elif reply != ():
            self._check_seats(reply)
        self.log.append((step, reply))
        self.replies.append(reply)
        self._advance(reply)

    def copy(self) -> "Match":
        """The same match once more, to go on with differently."""
        return Match(self.game, self.options, self.seats, self.replies, self.start)

    def digest(self) -> str:
        """SHA-256 of the log, its lines in UTF-8 each ended by a newline: equal games, equal digests."""
        lines = [*log_lines(self.log), f"end {self.result}", ""]
        return sha256("\n".join(lines).encode()).hexdigest()

    def _advance(self, reply: Reply | None) -> None:
        log = self.log
        try:
            step = self._rules.send(reply)
            while type(step) is Tell:
                log.append((step, None))
                step = self._rules.send(None)
            self.step = step
        except StopIteration as end:
            self.step, self.result = None, end.value

    def _check_seats(self, seats: Reply) -> None:
        known = range(self.seats)
        if not isinstance(seats, tuple) or seats != tuple(seat for seat in known if seat in seats):
            raise ValueError(f"{seats!r} are no seats, each once and in order")

    @staticmethod
    def _check_answers(step: Ask, answers: Reply) -> None:
        choices = step.choices
        if not isinstance(answers, dict) or answers.keys() != choices.keys():
            raise ValueError(f"{answers!r} are no answers of the seats {list(choices)}")
        for seat, choice in choices.items():
            if not choice.accepts(answers[seat]):
                raise ValueError(f"{seat_name(seat)} may not answer {answers[seat]!r} to {choice}")


def log_lines(log: Iterable[tuple[Tell | Draw | Ask | RollCall, Reply | None]]) -> list[str]:
    """A log as text, a line for each thing told, drawn, answered or forfeited."""
    lines = []
    for step, reply in log:
        kind = type(step)
        if kind is Tell:
            lines.append(f"all {step.text}" if step.to is ALL else f"{SEAT_NAMES[step.to]} {step.text}")
        elif kind is Draw:
            lines.append(f"draw {step.purpose} {reply}")
        elif kind is RollCall:
            lines += [f"forfeit {SEAT_NAMES[seat]}" for seat in reply]
        else:
            lines += [f"{SEAT_NAMES[seat]} answers {word}" for seat, word in reply.items()]
    return lines


def reply_to_json(reply: Reply) -> Any:
    """A reply as JSON has it: an outcome is a string, answers an object, forfeits a list of seats."""
    if isinstance(reply, str):
        return reply
    if isinstance(reply, dict):
        return {seat_name(seat): word for seat, word in reply.items()}
    return [seat_name(seat) for seat in reply]


def reply_from_json(value: Any) -> Reply:
    """The reply that `reply_to_json` wrote; ValueError where it is none."""
    if isinstance(value, str):
        return value
    if isinstance(value, dict):
        return {seat_number(seat): word for seat, word in value.items()}
    if isinstance(value, list):
        return tuple(seat_number(seat) for seat in value)
    raise ValueError(f"{value!r} is no reply")
