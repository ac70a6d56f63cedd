"""Finds the error in the stderr of a program that failed, and its place in the source.

Python ends a traceback with the error. Node, Java and Go write frames, versions or registers after it.
"""

import re
from collections.abc import Sequence
from pathlib import PurePath

_ERROR = re.compile(
    r"(Exception in thread |Caused by: |Uncaught )?[\w.$:/]*(Error|Exception|Interrupt)\b"
    r"|(panic|fatal error): |.*\bpanicked at |.*\(\w*(Error|Exception)\)$|syntax error "
)
_PLACE = re.compile(r'File "([^"]+)", line (\d+)|([^\s()\'"]+\.\w+):(\d+)| at (\S+) line (\d+)')
_LIBRARY = re.compile(r"node:|java\.base/|<frozen |/lib/(python|ruby|node|perl)|/rustc/|/go/src/")
_PYTHON = "Traceback (most recent call last):"
_MAX_LINE = 500  # characters of a line that are searched: the patterns take quadratic time
_NEAR = 4  # lines above an error that may have its place: Node quotes the source line between them


def cause(stderr: str) -> str:
    """The error with its place, such as `bot.js:3: TypeError: …`; else the last line; "" if all is blank."""
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
