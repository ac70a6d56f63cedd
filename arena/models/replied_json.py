"""The last JSON object in the text of a model. Models write JSON by hand, so near misses are accepted.

The reader accepts deviations that leave no doubt about the values: control characters and unknown escapes in
strings, other quotation marks, words without them, comments, a comma before the end. The end may be missing
after a whole value. A quotation mark inside a string is not accepted, because it is unclear which one ends
the string.
"""

import json
import re
from typing import NamedTuple

from arena.config.text import quote

_MAX_BRACES = 200  # tried, from the end
_MAX_VALUES = 20_000  # read in all, to bound the time
_MAX_DEPTH = 50
_SHOWN = 20  # characters

_STRINGS = {
    first: re.compile(rf"{first}([^{last}\\]*+(?:\\.[^{last}\\]*+)*+){last}", re.S)
    for first, last in ('""', "''", "“”")
}
_NAME = re.compile(r"[^\W\d]\w*")
_WORD = re.compile(r"[\w!+-][\w.:@+/=!-]*(?=\s*[,\uff0c}\]])")
_SPACE = re.compile(r"(?:[\s\ufeff]|//[^\n]*+|/\*.*?\*/)*+", re.S)  # includes comments
_FENCE = "```"
_COLONS, _COMMAS = ":\uff1a", ",\uff0c"  # in ASCII and in Chinese
_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})|(.))", re.S)
_CONTROLS = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f"}
_CONSTANTS = {"True": True, "False": False, "None": None}  # of Python; `json.loads` knows JSON's


class Found(NamedTuple):
    """The last object of a text, with its keys in lower case; or None, and why it is unreadable."""

    values: dict[str, object] | None
    problem: str = ""  # in words for the model; "" if the text contains nothing like an object


def last_object(text: str) -> Found:
    """Find the last JSON object in a text that is not within another.

    Only the last `_MAX_BRACES` opening braces are tried, so it may find part of an object that begins
    earlier.
    """
    reader, end, problem = _Reader(text), 0, ""
    found: dict[str, object] | None = None
    for at in [brace.start() for brace in re.finditer("{", text)][-_MAX_BRACES:]:
        if at < end:
            continue
        reader.at = at
        try:
            found = reader.read_object(0)
            end = reader.at
        except _BrokenError as error:
            problem = str(error) or problem
    return Found(found) if found is not None else Found(None, problem)


class _BrokenError(Exception):
    """Raised if there is no object; the message is "" if the text does not even look like one."""


class _Reader:
    """Reads values of a text from `at`, and moves `at` behind them."""

    def __init__(self, text: str):
        self._text = text
        self._values_left = _MAX_VALUES
        self.at = 0

    def read_object(self, depth: int) -> dict[str, object]:
        """Read the object that begins here.

        Raises:
            _BrokenError: No object begins here.
        """
        values: dict[str, object] = {}
        self.at += 1
        while not self._skip("}"):
            key = self._read_string()
            if key is None:
                key = self._match(_NAME)
            if key is None or not self._skip(_COLONS):
                raise _BrokenError(self._missing("a key with a colon") if values else "")
            values[key.casefold()] = self._read_value(depth)
            if self._ends("}"):
                break
        return values

    def _read_list(self, depth: int) -> list[object]:
        values: list[object] = []
        self.at += 1
        while not self._skip("]"):
            values.append(self._read_value(depth))
            if self._ends("]"):
                break
        return values

    def _ends(self, end: str) -> bool:
        """Skip the comma or the end that follows a value, and return whether it is the end."""
        if self._skip(_COMMAS):
            return False
        if self._skip(end) or self.at == len(self._text) or self._text.startswith(_FENCE, self.at):
            return True
        where = f"before {self._next}"
        raise _BrokenError(f"a comma or {end} is missing, or a \\ in front of a quotation mark, {where}")

    def _read_value(self, depth: int) -> object:
        self._values_left -= 1
        if depth > _MAX_DEPTH or self._values_left < 0:
            raise _BrokenError("it has too many values")
        self._skip("")
        if self._text.startswith("{", self.at):
            return self.read_object(depth + 1)
        if self._text.startswith("[", self.at):
            return self._read_list(depth + 1)
        said = self._read_string()
        if said is not None:
            return said
        word = self._match(_WORD)
        if word is None:
            raise _BrokenError(self._missing("a whole value"))
        try:
            return json.loads(word)
        except ValueError:
            return _CONSTANTS.get(word, word)

    def _read_string(self) -> str | None:
        """The quoted string that begins here; None if there is none, or it has no end."""
        self._skip("")
        pattern = _STRINGS.get(self._text[self.at : self.at + 1])
        found = pattern.match(self._text, self.at) if pattern else None
        if not found:
            return None
        self.at = found.end()
        return _unescaped(found[1])

    def _match(self, pattern: re.Pattern[str]) -> str | None:
        found = pattern.match(self._text, self.at)
        if not found:
            return None
        self.at = found.end()
        return found[0]

    def _skip(self, marks: str) -> bool:
        """Skip space, then one of these characters; return whether it was there."""
        space = _SPACE.match(self._text, self.at)
        self.at = space.end() if space else self.at
        is_there = self.at < len(self._text) and self._text[self.at] in marks
        self.at += is_there
        return is_there

    def _missing(self, what: str) -> str:
        return f"{what} is missing before {self._next}"

    @property
    def _next(self) -> str:
        return quote(self._text[self.at : self.at + _SHOWN]) if self.at < len(self._text) else "its end"


def _unescaped(text: str) -> str:
    """Unescape a JSON string without its quotation marks; an unknown escape is its character."""
    if "\\" not in text:
        return text

    def character(found: re.Match[str]) -> str:
        digits = found[1] or found[2]
        return chr(int(digits, 16)) if digits else _CONTROLS.get(found[3], found[3])

    # JSON writes an emoji as two surrogates; one of them is not a character.
    return _ESCAPE.sub(character, text).encode("utf-16", "surrogatepass").decode("utf-16", "replace")
