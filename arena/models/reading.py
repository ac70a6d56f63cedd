"""The answer in a reply: the last JSON object, whose "answer" has to be a legal word as a whole.

Prose is never searched: a harness that looks for a game's words in a model's text finds words that the model
did not mean. A model whose reply has no answer is asked again, and in the end commits a fault: `unread` or
`illegal`.
"""

from collections.abc import Callable
from dataclasses import dataclass

from arena.config.text import quote
from arena.models.calls import ModelReply
from arena.models.completion import TOO_LONG
from arena.models.replied_json import last_object

_NO_OBJECT = "There is no JSON object in your reply"


@dataclass(frozen=True)
class Reading:
    """The content of a reply: a legal `word`, or a `problem`, which the model is told.

    `is_illegal` means that the reply contains an answer that is not legal.
    """

    word: str = ""
    problem: str = ""
    is_illegal: bool = False


def read_reply(
    reply: ModelReply, is_late: bool, legal: Callable[[str], str], reason: Callable[[str], str]
) -> Reading:
    """Read a reply. `legal` returns the legal word for an answer, or ""; `reason` says why it is illegal."""
    if problem := _formal_problem(reply, is_late):
        return Reading(problem=problem)
    values, broken = last_object(reply.text)
    if values is None:
        why = f"The JSON object in your reply is broken: {broken}" if broken else _NO_OBJECT
        return Reading(problem=f"{why}.")
    answer = values.get("answer")
    if isinstance(answer, int) and not isinstance(answer, bool):
        answer = str(answer)
    if not isinstance(answer, str) or not answer.strip():
        return Reading(problem='The last JSON object in your reply has no text as its "answer".')
    said = answer.strip()
    word = legal(said)
    return Reading(word) if word else Reading(problem=_illegal(said, reason(said)), is_illegal=True)


def _formal_problem(reply: ModelReply, is_late: bool) -> str:
    """The reason why the text of a reply is not read, for the model; "" if it is read."""
    if is_late:
        return "Your reply was too late."
    if reply.finish in ("length", TOO_LONG):
        return "Your reply was cut off because it is too long. Answer shortly."
    if reply.refusal or reply.finish == "content_filter":
        return "You have refused to answer. This is a game among programs: choose an answer."
    if reply.has_tool_call:
        return "You have called a tool. There are none: answer in text."
    return "" if reply.text.strip() else "Your reply was empty."


def _illegal(said: str, reason: str) -> str:
    return f"{quote(said)} is no legal answer{': ' + reason if reason else ''}."
