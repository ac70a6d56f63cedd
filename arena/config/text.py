"""Texts in messages: untrusted ones made safe, lists in words, durations, sizes."""

import re
from collections.abc import Iterable

# Controls, line and paragraph separators, invisible characters, and marks that reverse the direction of text.
# They are listed here because `str.isprintable` changes with the Unicode data of each version of Python.
CONTROL = re.compile(
    "[\x00-\x1f\x7f-\x9f\xad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\U000e0000-\U000e007f]"
)
SURROGATE = re.compile("[\ud800-\udfff]")  # half of a character: cannot be written in UTF-8
UNSAFE = re.compile(f"{CONTROL.pattern}|{SURROGATE.pattern}")


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
