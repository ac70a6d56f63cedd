"""The key of a model, and how it is kept out of all that is stored or shown.

A server may echo the key in a reply, a header or an error. No text of a server leaves the client before
`redact` has replaced the key in it, or a part of the key, as it is or as servers and proxies write it in
JSON, URLs, HTML, base64 or hexadecimal digits. That does not help against a server that disguises the key on
purpose.
"""

import json
import os
import re
from base64 import b64encode
from collections.abc import Iterator
from html import escape
from urllib.parse import quote, quote_plus

from arena.config.document import ConfigError

_PART = 8  # characters: shorter parts are not found, and shorter keys are no secrets, such as `none`
_HIDDEN = "[key]"


class Secret:
    """An API key; "", which is false, if the server needs none. Only `reveal` shows it, no traceback.

    ConfigError: the text cannot be a key, which is called `name` in the message.
    """

    __slots__ = ("__text",)

    def __init__(self, text: str = "", name: str = "the key"):
        # An error of the header would show the key.
        if not re.fullmatch(r"[\x21-\x7e]*", text.strip()):
            raise ConfigError(f"{name} has characters that no key has: spaces, controls or not ASCII")
        self.__text = text.strip()

    def __repr__(self) -> str:
        return _HIDDEN

    def __reduce__(self) -> tuple[type["Secret"], tuple[str]]:
        return Secret, (self.__text,)

    def __bool__(self) -> bool:
        return bool(self.__text)

    def reveal(self) -> str:
        return self.__text

    def redact(self, text: str) -> str:
        """The text, with `[key]` for each part of the key of 8 or more characters, encoded or not."""
        parts = {form[at : at + _PART] for form in self._forms() for at in range(len(form) - _PART + 1)}
        if not parts:
            return text
        spans = list(_joined(at for at in range(len(text) - _PART + 1) if text[at : at + _PART] in parts))
        for start, end in reversed(spans):
            text = f"{text[:start]}{_HIDDEN}{text[end:]}"
        return text

    def _forms(self) -> set[str]:
        text = self.__text
        if len(text) < _PART:
            return set()
        in_json = json.dumps(text)[1:-1]
        by_go = re.sub("[<>&]", lambda found: f"\\u{ord(found[0]):04x}", in_json)
        in_url = {quote(text, safe=""), quote(text), quote_plus(text)}
        in_url |= {re.sub("%..", lambda found: found[0].lower(), each) for each in in_url}
        digits = text.encode().hex()
        others = in_json, in_json.replace("/", "\\/"), by_go, escape(text), digits, digits.upper()
        return {text, *others, *in_url, *_in_base64(text.encode())}


def _in_base64(data: bytes) -> Iterator[str]:
    """The digits that stand for `data` in the base64 of a longer text, where it begins at any byte.

    Three bytes make four digits, so there are three cases, each in both alphabets (RFC 4648).
    """
    for before in range(3):
        first, end = -(-before * 4 // 3), (before + len(data)) * 4 // 3  # digits that are of the part alone
        digits = b64encode(bytes(before) + data).decode()[first:end]
        yield digits
        yield digits.translate(str.maketrans("+/", "-_"))


def _joined(starts: Iterator[int]) -> Iterator[tuple[int, int]]:
    """The merged spans (start, end) that parts of `_PART` characters at the rising `starts` cover."""
    start = end = -1
    for at in starts:
        if at > end:
            if end >= 0:
                yield start, end
            start = at
        end = at + _PART
    if end >= 0:
        yield start, end


def key_from_environment(name: str) -> Secret:
    """The key in the variable `name`; an empty key if `name` is "". ConfigError: it is not set, or no key."""
    if not name:
        return Secret()
    text = os.environ.get(name, "")
    if not text.strip():
        raise ConfigError(f"{name} is not set; put the key of the server there")
    return Secret(text, name)
