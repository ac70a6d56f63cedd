"""The meaning of a fault and advice to the bot's author, as far as the lines of the game show them."""

import re
from collections.abc import Sequence
from typing import NamedTuple

from arena.programs.check.excerpt import Excerpt
from arena.referee.clock import TimeUsage
from arena.referee.protocol import read_answer
from arena.referee.seat import Fault

FLUSH = (
    "flush after every answer: print(..., flush=True), fflush(stdout), System.out.flush(), $| = 1, "
    "$stdout.sync = true"
)
_ENDLESS = 100  # lines after one ask
LOOP = "read lines in a loop until stdin ends, and answer each ask; a process plays many games"
_NO_MODULE = re.compile(r"No module named|Cannot find module")  # of Python and Node
_MISSING_MODULE = (
    "the bot's interpreter does not find this module in the sandbox: install it for that program, "
    "or put it into the bot's folder"
)


class Diagnosis(NamedTuple):
    words: str
    advice: str


MEANING = {
    "illegal": Diagnosis(
        "an answer that was not among the options",
        "answer one of the words after ' : ' in the ask line, with the same spelling",
    ),
    "early": Diagnosis(
        "a line that nothing asked for",
        "write one line for each line that begins with `ask`, and none for other lines",
    ),
    "long": Diagnosis("a line that is too long", "an answer is one word of the ask; end it with \\n"),
    "garbled": Diagnosis(
        "a line that is not plain text",
        "write UTF-8 without byte order mark, colours and control characters; lines end with \\n",
    ),
    "unread": Diagnosis(
        "a language model that gave no readable answer in any attempt",
        'it replies with one JSON object, `{"answer": "income"}`; `arena export --format calls` has each',
    ),
    "flood": Diagnosis(
        "output without end",
        "write one line for each ask, and debug output to stderr; look for an endless loop",
    ),
    "crashed": Diagnosis(
        "the process exited during a game", "catch the error that stderr shows, or fix its cause"
    ),
    "memory": Diagnosis("more memory than allowed", "keep less; the limit is in the plan (limits: memory)"),
    "processes": Diagnosis(
        "more processes or threads than allowed", "start fewer; the limit is in the plan (limits: processes)"
    ),
    "unstarted": Diagnosis("not ready at the start of a game", "answer `ask <id> ready` with `<id> ok`"),
    "late": Diagnosis("no answer in time", "answer within the limit, the number after the kind of the ask"),
}
_COMPUTING = Diagnosis(
    "no answer in time; it was computing: an endless loop, or more work than the limit allows",
    "keep an eye on the clock, and answer before the limit: the number after the kind of the ask",
)
UNFLUSHED = Diagnosis(
    "no answer in time; it has written one, but not flushed it: it came only when its stdin was closed", FLUSH
)
WAITING = Diagnosis(
    "no answer in time; it was waiting, not computing",
    f"does it sleep, wait for another line, or not flush? {FLUSH}",
)
_DEBUG = Diagnosis(
    "debug output on stdout, where only answers belong",
    "write debug output to stderr: print(..., file=sys.stderr), fprintf(stderr, ...), console.error(...)",
)
_TWICE = Diagnosis(
    "more than one answer to an ask", "write exactly one line for each line that begins with `ask`"
)
_ENDED = Diagnosis("the process exited during a game, without an error", LOOP)
LATER = Diagnosis(
    "a word of a later protocol upset it, where it plays well without",
    "ignore verbs, words and key=value pairs that you do not know: they will be added",
)


def diagnose(
    fault: Fault, excerpt: Excerpt, stderr: str, usage: Sequence[TimeUsage], limit: float
) -> Diagnosis:
    """The meaning of a fault, and what to change.

    `usage` are the measurements of the bot's answers in this game, `limit` the seconds for an answer.
    """
    kind = fault.kind
    if kind in ("illegal", "early"):
        return wrong_line(excerpt) or MEANING[kind]
    if kind == "late":
        numbers = [number for line in excerpt.answers if (number := read_answer(line.text)[0]) is not None]
        if wrong := [number for number in numbers if number != excerpt.id]:
            return _wrong_id(wrong[0], excerpt.id)
        late = [each for each in usage if each.wall >= limit and each.cpu]
        if any(each.cpu > (each.wall - each.wait) / 2 for each in late):
            return _COMPUTING
        return WAITING if late else MEANING["late"]
    if kind == "crashed" and "status 0" in fault.detail and not stderr.strip():
        return _ENDED
    if kind == "unstarted" and "exited with status 0" in fault.detail:
        return Diagnosis("the process exited before its first game", LOOP)
    if kind == "crashed":
        return MEANING[kind]._replace(advice=after_crash(stderr))
    return MEANING[kind]


def after_crash(stderr: str) -> str:
    """The advice for a bot that crashed with this on stderr."""
    return _MISSING_MODULE if _NO_MODULE.search(stderr) else MEANING["crashed"].advice


def _wrong_id(number: int, due: int) -> Diagnosis:
    return Diagnosis(
        f"an answer with the wrong id: {number}, where {due} was due",
        "begin the answer with the id of its ask: `ask 7 ...` gets `7 income`",
    )


def wrong_line(excerpt: Excerpt) -> Diagnosis | None:
    """The diagnosis of the first wrong line; None if there is none, or the kind of fault says more."""
    if not excerpt.wrong:
        return None
    if len(excerpt.answers) > _ENDLESS:
        return MEANING["flood"]
    number, word = read_answer(excerpt.wrong[0].text)
    if number is not None and number in excerpt.earlier:
        return _TWICE
    if number is not None and number != excerpt.id:
        return _wrong_id(number, excerpt.id)
    if not excerpt.is_answered:
        return None
    if word == read_answer(next(filter(excerpt.is_answer, excerpt.answers)).text)[1]:
        return _TWICE
    return _DEBUG
