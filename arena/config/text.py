"""Texts in messages: untrusted ones made safe, errors of programs, lists in words, durations, suggestions."""

import re
from collections.abc import Iterable, Sequence
from pathlib import PurePath

__all__ = (
    "CONTROL",
    "SURROGATE",
    "UNSAFE",
    "but_found",
    "cause",
    "cut",
    "duration",
    "error_index",
    "list_words",
    "money",
    "nearest",
    "one_line",
    "printable",
    "quote",
    "suggestion",
    "yaml_word",
)

# Controls, line and paragraph separators, invisible characters, and marks that reverse the direction of text.
# They are listed here because `str.isprintable` changes with the Unicode data of each version of Python.
CONTROL = re.compile(
    "[\x00-\x1f\x7f-\x9f\xad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\U000e0000-\U000e007f]"
)
SURROGATE = re.compile("[\ud800-\udfff]")  # half of a character: cannot be written in UTF-8
UNSAFE = re.compile(f"{CONTROL.pattern}|{SURROGATE.pattern}")  # either of them
_OTHER_NUMBER = re.compile(r"[-+]?[0-9][0-9_]{0,18}", re.ASCII)

# The stderr of programs. Python ends a traceback with the error. Node, Java and Go write frames, versions or
# registers after it.
_ERROR = re.compile(
    r"(Exception in thread |Caused by: |Uncaught )?[\w.$:/]*(Error|Exception|Interrupt)\b"
    r"|(panic|fatal error): |.*\bpanicked at |.*\(\w*(Error|Exception)\)$|syntax error "
)
_PLACE = re.compile(r'File "([^"]+)", line (\d+)|([^\s()\'"]+\.\w+):(\d+)| at (\S+) line (\d+)')
_LIBRARY = re.compile(r"node:|java\.base/|<frozen |/lib/(python|ruby|node|perl)|/rustc/|/go/src/")
_PYTHON = "Traceback (most recent call last):"
_MAX_LINE = 500  # characters of a line that are searched: the patterns take quadratic time
_NEAR = 4  # lines above an error that may have its place: Node quotes the source line between them


def printable(text: str) -> str:
    """Untrusted text for a terminal or a page: newlines stay, other control characters are escaped."""
    return UNSAFE.sub(lambda found: "\n" if found[0] == "\n" else ascii(found[0])[1:-1], text)


def one_line(text: str) -> str:
    """Untrusted text as one line: all control characters are escaped."""
    return printable(text).replace("\n", "\\n")


def quote(text: str, length: int = 60) -> str:
    """A bot's text, made safe to show: cut after `length` characters, and quoted as a Python string."""
    return ascii(text if len(text) <= length else text[:length] + "...")


def cut(text: str, most: int) -> str:
    """The text in at most `most` columns of a terminal; `...` replaces the rest."""
    from wcwidth import wcswidth

    if wcswidth(text) <= most:
        return text
    while wcswidth(text) > most - 3:
        text = text[:-1]
    return f"{text}..."


def money(amount: float | None) -> str:
    """A sum such as `12.50`, without a currency; small ones with two significant digits; "" for 0 or None."""
    return "" if not amount else f"{amount:.2f}" if amount >= 0.995 else f"{amount:.2g}"


def list_words(words: Iterable[object], last: str = "and") -> str:
    """A list of at least one word in English, such as `a, b and c`; `last` is before the last word."""
    *most, end = map(str, words)
    return f"{', '.join(most)} {last} {end}" if most else end


def yaml_word(value: object) -> str:
    """The value of an option in the form of a plan and of the protocol: booleans as in YAML."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def duration(seconds: float) -> str:
    """A duration such as `45 s`, `3 min 20 s` or `5 h 12 min`: at most two units."""
    minutes, rest = divmod(max(0, round(seconds)), 60)
    if not minutes:
        return f"{rest} s"
    return f"{minutes} min {rest} s" if minutes < 60 else f"{minutes // 60} h {minutes % 60} min"


def but_found(value: object) -> str:
    """The end of a message, such as `, not 3`: the value that was found, truncated."""
    name = {type(None): "nothing", dict: "keys and values", list: "a list"}.get(type(value))
    advice = ""
    if isinstance(value, str) and _OTHER_NUMBER.fullmatch(value):  # YAML 1.1 may mean another number
        advice = f"; write {int(value.replace('_', ''))}"
    return f", not {name or (yaml_word(value) if isinstance(value, bool) else repr(value)[:60])}{advice}"


def suggestion(name: str, names: Sequence[str]) -> str:
    """The end of a message: the known name nearest to `name`; if none is near, all `names`."""
    return nearest(name, names) or f"; known are {', '.join(names)}"


def nearest(name: str, names: Sequence[str]) -> str:
    """The end of a message: the known name nearest to `name`; "" if none is near."""
    from difflib import get_close_matches

    near = get_close_matches(name, names, n=1)
    return f"; did you mean {near[0]}?" if near else ""


def cause(stderr: str) -> str:
    """The error in the stderr of a program, with its place, such as `bot.js:3: TypeError: …`.

    If no line looks like an error, the last line; "" if all is blank.
    """
    lines = [line[:_MAX_LINE] for line in stderr.splitlines() if line.strip()]
    if not lines:
        return ""
    at = error_index(lines)
    error = lines[at].strip()
    if error.endswith(":"):  # a panic of Rust
        error = " ".join([error, *(line.strip() for line in lines[at + 1 : at + 2])])
    if not _PLACE.search(error):
        above = lines[:at] if _PYTHON in lines else lines[max(0, at - _NEAR) : at]
        for line in (*reversed(above), *lines[at + 1 :]):
            if (found := _PLACE.search(line)) and not _LIBRARY.search(line):
                file, number = filter(None, found.groups())
                return f"{PurePath(file).name}:{number}: {error}"
    return error


def error_index(lines: Sequence[str]) -> int:
    """The index of the line with the error, or of the last line if none looks like an error."""
    found = [number for number, line in enumerate(lines) if _ERROR.match(line)]
    return found[-1] if found and _PYTHON not in lines else len(lines) - 1
