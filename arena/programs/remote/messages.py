"""The messages of a server to a client, checked: the server may be broken, hostile, or no arena at all."""

import json
from collections.abc import Mapping
from typing import Any

from arena.config.text import SURROGATE, quote

_MAX_NUMBER = 2**63
_MAX_LINK = 200  # characters of the id of a link
# The keys of each kind with the types of their values; `object` is not checked. A message has the first kind
# whose keys it contains; a newer server may add keys.
_KINDS: tuple[Mapping[str, type], ...] = (
    {"ping": int},
    {"link": str, "over": object},
    {"link": str, "gone": object},
    {"link": str, "open": int},
    {"link": str, "heard": int, "n": int, "lines": str},
    {"link": str, "heard": int},
)


class BrokenServer(Exception):
    """A violation by the server, as the end of a sentence that begins with its address."""


def read_message(data: str | bytes) -> Mapping[str, Any]:
    """Read a message of a server.

    Raises:
        BrokenServer: An arena server would not send it.
    """
    try:
        message = json.loads(data)
    except (ValueError, RecursionError):
        message = None
    if isinstance(message, dict):
        kind = next((each for each in _KINDS if each.keys() <= message.keys()), None)
        if kind and all(_is_value(message[key], key, kind[key]) for key in kind):
            return message
    text = data if isinstance(data, str) else data[:1000].decode(errors="replace")
    raise BrokenServer(f"sent {quote(text)}, which no arena server sends")


def _is_value(value: object, key: str, kind: type) -> bool:
    if kind is int:
        return type(value) is int and 0 <= value < _MAX_NUMBER
    if kind is str:
        is_short = key != "link" or len(str(value)) <= _MAX_LINK
        return isinstance(value, str) and is_short and not SURROGATE.search(value)
    return True
