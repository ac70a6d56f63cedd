"""The judge of a line: which ask it answers, and whether that is a fault (rulings A1, A2, A3).

Theory of operation
-------------------
A bot has at most one *pending* ask. Earlier asks may be *overdue*: they ran out of time and were answered by
their default, but an answer may still arrive. A line is judged in this order:

1. With the id of an overdue ask, or without an id while one is overdue, it is that ask's answer. It is
   ignored, because a timed-out ask and its late answer are one fault (A2). So a late answer is never taken
   for the answer to the next ask.
2. Without a pending ask, or with an id that is not the pending one, it is a fault, `early` if the line can be
   read. The pending ask still waits.
3. It answers the pending ask. If it is late, not text, or not a legal answer, that is a fault, and the
   default is played (A1). The bot is not asked again (A3).

Before its first game and before each game a bot is asked for an `ok`. Lines before it, such as the banner of
a library, are noise and no fault, up to a limit.

This module is pure. The callers keep the asks: the referee, a rehearsal, and the handshake.
"""

from collections.abc import Callable, Sequence
from difflib import get_close_matches
from typing import final

from arena.config.text import quote
from arena.referee.protocol import HELLO, MAX_IGNORED, READY, BadLine, Line, read_answer
from arena.rules import Choice

Reason = Callable[[Choice, str], str]
"""Returns the rule that an illegal answer to a choice breaks; "" if the game can name none."""


@final
class Heard:
    """What a line means. If nothing is set, the line is noise before an `ok`."""

    __slots__ = ("fault", "overdue", "word")

    def __init__(self, word: str | None = None, fault: BadLine | None = None, overdue: int = 0) -> None:
        self.word = word  # the answer for the rules; None if the line does not answer the pending ask
        self.fault = fault  # the problem of the line
        self.overdue = overdue  # the id of the overdue ask that it answers


def judge(
    line: Line,
    id: int,
    choice: Choice | None,
    overdue: Sequence[int] = (),
    is_late: bool = False,
    reason: Reason = lambda choice, text: "",
) -> Heard:
    """What a line means while the ask `id` with this `choice` is pending; None: no ask is pending.

    `overdue` has the ids of overdue asks, oldest first. `is_late`: the bot has used more time than the
    pending ask gave it. `reason` says why an answer is illegal.
    """
    # The referee judges floods itself: they cost the game, whatever was asked.
    number: int | None = None  # a line that cannot be read has no id
    text = ""
    if not isinstance(line, BadLine):
        number, text = read_answer(line)
    if choice is HELLO:  # the first ask of a process needs no id; more words may follow
        return Heard(text) if text.split(" ")[0] == "ok" else Heard()
    if choice is READY:
        return Heard(text) if text == "ok" and (number is None or number == id) else Heard()
    if overdue:
        # Answers come in the order of the asks, so one without an id is for the oldest of them.
        if number is None:
            return Heard(overdue=overdue[0])
        if number in overdue:
            return Heard(overdue=number)
    if choice is None or (number is not None and number != id):
        return Heard(fault=line if isinstance(line, BadLine) else _early(text))
    if is_late:  # then its words do not matter
        return Heard(choice.default, too_late(choice))
    if isinstance(line, BadLine):
        return Heard(choice.default, BadLine(line.kind, f"{line.detail}; played {choice.default}"))
    if choice.accepts(text):
        return Heard(text)
    # The rules get the option as it was offered: a record does not reveal how a bot sorts.
    if option := choice.same_set(text):
        return Heard(option)
    detail = describe_illegal(choice, text, id, reason(choice, text))
    return Heard(choice.default, BadLine("illegal", detail))


@final
class Noise:
    """Counts lines that were no answer, and describes the last one."""

    __slots__ = ("count", "last")

    def __init__(self) -> None:
        self.count = 0
        self.last = ""  # describes the last one, to end a message with

    def add(self, line: Line) -> bool:
        """Count a line, and return whether there were more than `MAX_IGNORED`."""
        self.count += 1
        self.last = f"; the last line was {line.detail if isinstance(line, BadLine) else quote(line)}"
        return self.count > MAX_IGNORED


# The details of faults name the event, the legal answers and the answer played instead. They hold no ids and
# no times, because these differ from run to run.


def _early(text: str) -> BadLine:
    # The same words whether an ask is pending or not: the line may be read before or after it was sent.
    detail = f"said {quote(text)}, which nothing asked for; only one answer to each ask belongs on stdout"
    return BadLine("early", detail)


def too_late(choice: Choice) -> BadLine:
    return BadLine("late", f"no answer to {choice.kind} in time; played {choice.default}")


def too_much_noise(choice: Choice) -> str:
    return f"wrote {MAX_IGNORED} lines, but not 'ok' to {choice.kind}"


def describe_illegal(choice: Choice, text: str, number: int = 0, reason: str = "") -> str:
    """The detail of an illegal answer to the ask `number`; `reason` is the rule that it breaks, if known."""
    # Twelve options are enough to see the form; a bribe of Intrigue has dozens.
    more = [f"{head}:..." for head in choice.open]
    legal = " ".join([*choice.options[:12], *(["..."] if len(choice.options) > 12 else []), *more])
    reason = choice.refusal(text) or reason
    word = text.lower()
    near = [option for option in choice.options if word in option.replace("@", ":").split(":")]
    # With a reason the form was right and the bot meant what it said: a similar option is no help.
    near = [] if reason else near or get_close_matches(word, choice.options, n=1)
    because = f"; {reason}" if reason else ""
    hint = f"; did you mean {near[0]!r}?" if near else ""
    # `7` for the ask 7: the bot has written its id, and an empty text behind it.
    said = "nothing but the id" if text == str(number) else quote(text)
    return f"answered {said} to {choice.kind}{because}; legal: {legal}{hint}; played {choice.default}"
