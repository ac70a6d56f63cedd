"""The request of a call: its body, and the parts that a server rejects."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from arena.models.calls import Messages
from arena.models.spec import ModelSpec

_MAX_THOUGHTS = 400  # characters: a long sentence
_CAP = "maxLength"

# The parts of a request that a server may reject, each with words from complaints about it.
_COMPLAINTS = (
    ("usage_option", re.compile("stream_options|include_usage")),
    ("max_tokens", re.compile("max_completion_tokens")),
    ("system", re.compile("system role|role.{0,20}system", re.I)),
    ("cap", re.compile(_CAP)),
    ("schema", re.compile("response_format|json_schema|schema|grammar|structured", re.I)),
)


@dataclass
class Dialect:
    """The parts of the API that a server accepts, learned in each process from its complaints."""

    schema: bool = True  # `response_format`
    cap: bool = True  # `maxLength` in the schema
    usage_option: bool = True  # `stream_options`, to count the tokens
    max_tokens: bool = True  # or `max_completion_tokens`
    system: bool = True  # a message of this role; else it begins the first message

    def learn(self, complaint: str) -> bool:
        """Leave out the part that the complaint names, else the schema.

        Returns whether this changed anything: False if the complaint names no other part and the schema was
        already left out.
        """
        for name, pattern in _COMPLAINTS:
            if getattr(self, name) and pattern.search(complaint):
                setattr(self, name, False)
                return True
        tried, self.schema = self.schema, False  # most servers without schemas do not say so
        return tried

    def _spoken(self, messages: Messages) -> Messages:
        if self.system or len(messages) < 2:
            return messages
        (_, rules), (role, text), *others = messages
        return [(role, f"{rules}\n\n{text}"), *others]

    def body(self, spec: ModelSpec, messages: Messages, schema: Mapping[str, Any]) -> bytes:
        """The body of the request, as JSON, without the parts that the server rejects."""
        values: dict[str, Any] = {
            "model": spec.model,
            "messages": [{"role": role, "content": text} for role, text in self._spoken(messages)],
            "max_tokens" if self.max_tokens else "max_completion_tokens": spec.max_tokens,
            "stream": True,
        }
        if spec.temperature is not None:
            values["temperature"] = spec.temperature
        if self.usage_option:
            values["stream_options"] = {"include_usage": True}
        if self.schema:
            named = {"name": "answer", "strict": True, "schema": schema if self.cap else _uncapped(schema)}
            values["response_format"] = {"type": "json_schema", "json_schema": named}
        return json.dumps(values | spec.more_parameters).encode()


def answer_schema(options: Sequence[str], max_tokens: int) -> dict[str, Any]:
    """The JSON schema of an answer, which without `options` may be any text.

    The thoughts come first, because the answer should follow from them. Their length is capped, because a
    small model would spend all its `max_tokens` on them.
    """
    answer: dict[str, Any] = {"type": "string"}
    if options:
        answer["enum"] = [*options]
    # Few characters take more than one token, so most of the tokens remain for the answer.
    thoughts = {"type": "string", _CAP: min(_MAX_THOUGHTS, max_tokens // 3)}
    return {
        "type": "object",
        "properties": {"thoughts": thoughts, "answer": answer},
        "required": ["thoughts", "answer"],
        "additionalProperties": False,
    }


def _uncapped(schema: Mapping[str, Any]) -> dict[str, Any]:
    thoughts = {key: value for key, value in schema["properties"]["thoughts"].items() if key != _CAP}
    return {**schema, "properties": {**schema["properties"], "thoughts": thoughts}}
