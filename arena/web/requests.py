"""The JSON that scripts of our pages send, and the refusal of a request."""

import json
from collections.abc import Sequence
from typing import Any, TypeVar

from starlette.exceptions import HTTPException
from starlette.requests import HTTPConnection, Request

from arena.config.text import SURROGATE

CLIENT = "arena.client"  # in the scope of a request: the address of its client

_MAX_ID = 2**63 - 1  # of SQLite

_Word = TypeVar("_Word", bound=str)


class Refusal(HTTPException):
    """Raised to answer a request with this HTTP status; `detail` is the reason, in one sentence."""


async def read_json(request: Request) -> dict[str, Any]:
    """The object of JSON in the body of a POST.

    Raises:
        Refusal: The body is not a JSON object.
    """
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/json":  # a form of another site cannot send this type
        raise Refusal(415, "the body should be application/json")
    try:
        values = json.loads(await request.body())
    except (ValueError, RecursionError):
        raise Refusal(400, "the body should be JSON") from None
    if not isinstance(values, dict):
        raise Refusal(400, "the body should be an object of JSON")
    return values


def read_text(values: dict[str, Any], key: str) -> str:
    """The text with this key.

    Raises:
        Refusal: The key is missing, or its value is no text.
    """
    value = values.get(key)
    if not isinstance(value, str) or SURROGATE.search(value):  # half a character cannot be sent on
        raise Refusal(400, f"{key} should be a text")
    return value


def read_id(values: dict[str, Any], key: str) -> int:
    """The value of this key, which is the id of a row in a database.

    Raises:
        Refusal: The value cannot be an id.
    """
    value = values.get(key)
    if type(value) is not int or not 0 < value <= _MAX_ID:
        raise Refusal(400, f"{key} should be a number")
    return value


def read_word(values: dict[str, Any], key: str, words: Sequence[_Word]) -> _Word:
    """The value of this key, which must be one of `words`.

    Raises:
        Refusal: The value is not one of them.
    """
    for word in words:
        if values.get(key) == word:
            return word
    raise Refusal(400, f"{key} should be one of {', '.join(words)}")


def client_of(request: HTTPConnection) -> str:
    """The IP address of the client from `security`, which also finds it behind a proxy."""
    return str(request.scope[CLIENT])
