"""The API key of a model, and its removal from stored and shown texts.

A server may echo the key in a reply, a header or an error. Before a server's text leaves the client, `redact`
replaces the key or a part of it. Each character may be written as itself or as an escape of JSON and programs
(`\\u0073`, `\\x73`, `\\163`), of HTML (`&#115;`, `&#x73;`, `&sol;`) or of a URL (`%73`, `%u0073`), and these
may be escaped again. The key may also be in base64 or hexadecimal digits. A server that disguises the key on
purpose is not stopped.
"""

import os
import re
from base64 import b64encode
from collections.abc import Iterable, Iterator, Sequence, Set
from html import unescape

from arena.config.document import ConfigError

__all__ = ("Secret",)

_PART = 8  # characters: shorter parts are not found, and shorter keys, such as `none`, are not secrets
_HIDDEN = "[key]"
_MAX_LAYERS = 4  # of nested escapes, in a text that was quoted again and again
_ESCAPE = re.compile(
    r"(?:\\u00|\\u\{0*|\\U0{6}|\\x|%u00|%)(?P<hex>[0-9a-fA-F]{2})\}?"
    r"|\\(?P<octal>[01][0-7]{2})|\\(?P<itself>.)|(?P<entity>&#?\w{1,12};?)",
    re.S,
)


class Secret:
    """An API key; "", which is false, if the server needs none. Tracebacks hide it; only `reveal` shows it.

    Raises:
        ConfigError: The text cannot be a key. The message calls it `name`.
    """

    __slots__ = ("__text",)

    def __init__(self, text: str = "", name: str = "the key"):
        # Otherwise an error of the header would show the key.
        if not re.fullmatch(r"[\x21-\x7e]*", text.strip()):
            raise ConfigError(f"{name} has characters that keys cannot have: spaces, controls or not ASCII")
        self.__text = text.strip()

    @classmethod
    def from_environment(cls, name: str) -> "Secret":
        """The key in the variable `name`; an empty key if `name` is "".

        Raises:
            ConfigError: The variable is not set, or not a key.
        """
        if not name:
            return cls()
        text = os.environ.get(name, "")
        if not text.strip():
            raise ConfigError(f"{name} is not set; put the key of the server there")
        return cls(text, name)

    def __repr__(self) -> str:
        return _HIDDEN

    def __reduce__(self) -> tuple[type["Secret"], tuple[str]]:
        return Secret, (self.__text,)

    def __bool__(self) -> bool:
        return bool(self.__text)

    def reveal(self) -> str:
        return self.__text

    def redact(self, text: str) -> str:
        """The text, with `[key]` for each part of the key of 8 or more characters, escaped or not."""
        parts = {form[at : at + _PART] for form in self._forms() for at in range(len(form) - _PART + 1)}
        if not parts:
            return text
        spans = [span for view in _views(text) for span in view.spans_of(parts)]
        for start, end in reversed(_joined(spans)):
            text = f"{text[:start]}{_HIDDEN}{text[end:]}"
        return text

    def _forms(self) -> set[str]:
        text = self.__text
        if len(text) < _PART:
            return set()
        digits = text.encode().hex()
        # A view takes the key's own backslashes for escapes, so one form has none.
        return {text, text.replace("\\", ""), digits, digits.upper(), *_in_base64(text.encode())}


class _View:
    """A text with its escapes replaced; `starts` and `ends` map each character to the source."""

    def __init__(self, text: str, starts: Sequence[int], ends: Sequence[int]):
        self.text, self._starts, self._ends = text, starts, ends

    def spans_of(self, parts: Set[str]) -> Iterator[tuple[int, int]]:
        """The source positions of these parts, each of `_PART` characters."""
        for at in range(len(self.text) - _PART + 1):
            if self.text[at : at + _PART] in parts:
                yield self._starts[at], self._ends[at + _PART - 1]

    def unescaped(self) -> "_View":
        """The view with one layer of escapes replaced."""
        texts: list[str] = []
        starts: list[int] = []
        ends: list[int] = []
        done = 0
        for found in _ESCAPE.finditer(self.text):
            first, last = found.span()
            character = _character(found)
            texts += self.text[done:first], character
            starts += self._starts[done:first]
            ends += self._ends[done:first]
            starts += [self._starts[first]] * len(character)
            ends += [self._ends[last - 1]] * len(character)
            done = last
        texts.append(self.text[done:])
        return _View("".join(texts), [*starts, *self._starts[done:]], [*ends, *self._ends[done:]])


def _views(text: str) -> Iterator[_View]:
    """The text as it is, and without each layer of escapes."""
    view = _View(text, range(len(text)), range(1, len(text) + 1))
    yield view
    for _ in range(_MAX_LAYERS):
        if not _ESCAPE.search(view.text):
            return
        view = view.unescaped()
        yield view


def _character(found: re.Match[str]) -> str:
    if found["entity"]:
        return unescape(found["entity"])
    if found["itself"]:
        return found["itself"]
    return chr(int(found["hex"], 16) if found["hex"] else int(found["octal"], 8))


def _in_base64(data: bytes) -> Iterator[str]:
    """The digits of `data` within the base64 of a longer text, for each possible first byte.

    Three bytes make four digits, so there are three cases, each in both alphabets (RFC 4648).
    """
    for before in range(3):
        first, end = -(-before * 4 // 3), (before + len(data)) * 4 // 3  # digits that depend only on the part
        digits = b64encode(bytes(before) + data).decode()[first:end]
        yield digits
        yield digits.translate(str.maketrans("+/", "-_"))


def _joined(spans: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """The spans (start, end) in order, merged where they overlap or touch."""
    joined: list[tuple[int, int]] = []
    for start, end in sorted(spans):
        if joined and start <= joined[-1][1]:
            joined[-1] = joined[-1][0], max(end, joined[-1][1])
        else:
            joined.append((start, end))
    return joined
