"""Texts in messages: untrusted ones made safe, lists in words, durations, sizes."""

import re

# Controls, line and paragraph separators, invisible characters, and those that reverse the direction of text.
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
