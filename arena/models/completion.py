"""Assembles the reply of a server: from a stream of events, or one JSON object."""

import json
import re
from typing import Any

from arena.models.calls import LATE, ModelReply, Usage
from arena.models.secret import Secret

_MAX_TEXT = 100_000  # characters of a reply
_THINK = re.compile(r"\s*<think>(.*?)(?:</think>|\Z)", re.S)
_THOUGHTS = ("reasoning_content", "reasoning", "thinking")  # their keys in different servers
_DONE = "[DONE]"


class NoCompletion(Exception):
    """Raised if a server does not send a whole chat completion; the message quotes it or its error."""


class Completion:
    """Collects one reply, in events or as a whole, and turns it into a `ModelReply`."""

    def __init__(self) -> None:
        self.is_done = False
        self._texts: list[str] = []
        self._thoughts: list[str] = []
        self._refusals: list[str] = []
        self._has_tool_call = False
        self._finish = self._model = self._system_fingerprint = ""
        self._usage: Usage | None = None

    @property
    def is_complete(self) -> bool:
        """Whether the reply has ended: some servers close the stream without an end marker."""
        return self.is_done or bool(self._finish)

    def add_line(self, line: bytes) -> None:
        """Add a line of an event stream.

        Raises:
            NoCompletion: Its data is an error, or not part of a completion.
        """
        name, _, rest = line.decode(errors="replace").strip().partition(":")
        data = rest.strip()
        if name != "data" or not data:
            return
        if data == _DONE:
            self.is_done = True
        else:
            self.add_json(data)

    def add_json(self, data: str) -> None:
        """Add an event, or the whole completion.

        Raises:
            NoCompletion: `data` is an error or anything else.
        """
        try:
            values = json.loads(data)
        except (ValueError, RecursionError):
            raise NoCompletion("sent broken JSON") from None
        if not isinstance(values, dict):
            raise NoCompletion("sent JSON that is not a chat completion")
        if error := values.get("error"):
            raise NoCompletion(f"sent an error: {_message_of(error)}")
        self._model = _text(values.get("model")) or self._model
        self._system_fingerprint = _text(values.get("system_fingerprint")) or self._system_fingerprint
        self._usage = _usage(values.get("usage")) or self._usage
        choices = values.get("choices")
        if choices is None and not self._usage:
            raise NoCompletion("sent JSON that is not a chat completion")
        if isinstance(choices, list) and choices and isinstance(choices[0], dict):
            self._add_choice(choices[0])

    def _add_choice(self, choice: dict[str, Any]) -> None:
        self._finish = _text(choice.get("finish_reason")) or self._finish
        said = choice.get("delta") or choice.get("message")
        if not isinstance(said, dict):
            return
        self._add_content(said.get("content"))
        self._thoughts.append(next(filter(None, (_text(said.get(name)) for name in _THOUGHTS)), ""))
        self._refusals.append(_text(said.get("refusal")))
        self._has_tool_call |= bool(said.get("tool_calls") or said.get("function_call"))

    def _add_content(self, content: object) -> None:
        if isinstance(content, list):  # of parts: some servers send their thoughts as one
            for part in content:
                if isinstance(part, dict):
                    self._texts.append(_text(part.get("text")))
        else:
            self._texts.append(_text(content))

    def reply(self, secret: Secret, latency_s: float, finish: str = "") -> ModelReply:
        """The reply so far, without the API key; texts are cut after `_MAX_TEXT` characters.

        `finish` says why it was cut off, "" if it was not; after `LATE` the usage is unknown.
        """
        text, thoughts = _split("".join(self._texts), "".join(self._thoughts))

        def clean(text: str) -> str:
            return secret.redact(text[:_MAX_TEXT])

        return ModelReply(
            text=clean(text),
            thoughts=clean(thoughts),
            finish=clean(finish or self._finish),
            refusal=clean("".join(self._refusals)),
            has_tool_call=self._has_tool_call,
            usage=None if finish == LATE else self._usage,
            model=clean(self._model),
            system_fingerprint=clean(self._system_fingerprint),
            latency_s=round(latency_s, 6),
        )


def _split(text: str, thoughts: str) -> tuple[str, str]:
    """The text and the thoughts; a <think> part at the beginning of the text is moved to the thoughts."""
    if found := _THINK.match(text):
        return text[found.end() :], thoughts + found[1]
    return text, thoughts


def error_text(said: str) -> str:
    """The message in the JSON body of an error; "" if the body is no JSON object."""
    try:
        values = json.loads(said)
    except (ValueError, RecursionError):
        return ""
    return _message_of(values) if isinstance(values, dict) else ""


def _message_of(error: object) -> str:
    for name in ("error", "message", "detail"):
        if isinstance(error, dict) and error.get(name):
            error = error[name]
    return error if isinstance(error, str) else json.dumps(error)


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _usage(value: object) -> Usage | None:
    if not isinstance(value, dict):
        return None
    tokens_in, tokens_out = _count(value.get("prompt_tokens")), _count(value.get("completion_tokens"))
    return Usage(
        tokens_in,
        tokens_out,
        min(tokens_in, _detail(value, "prompt_tokens_details", "cached_tokens")),
        min(tokens_out, _detail(value, "completion_tokens_details", "reasoning_tokens")),
    )


def _detail(usage: dict[str, Any], group: str, name: str) -> int:
    details = usage.get(group)
    return _count(details.get(name)) if isinstance(details, dict) else 0


def _count(value: object) -> int:
    return value if isinstance(value, int) and 0 <= value < 10**9 else 0
