"""Replaces paths of the server in texts for entrants: its folders, and the path of its Python."""

import re
import shutil
import sys
from functools import cache
from pathlib import Path

import arena

_PUBLIC = {"/", "/usr", "/usr/local", "/opt", "/home", "/tmp"}  # every machine has them
_PYTHON = re.compile(r"(?:…|/usr|/usr/local)/bin/python[\d.]*(?![\w/-])")


def hide(text: str, contest: Path, entry: Path | None = None) -> str:
    """The text without the places of the server.

    Files of the `entry`, a folder, are named as seen from there, and the server's Python is `python3`. The
    beginning of another path is `…` if it reveals something about the server, such as the folder `contest`.
    """
    if entry:
        text = text.replace(f"{entry}/", "").replace(str(entry), ".")
    for place in sorted({str(contest), *_places()} - _PUBLIC, key=len, reverse=True):
        text = re.sub(rf"{re.escape(place)}(?![\w-])", "…", text)
    return _PYTHON.sub("python3", text)


@cache
def _places() -> frozenset[str]:
    """The folders of the server's user, of the arena, and of each Python with its library."""
    pythons = [Path(path) for path in (sys.executable, shutil.which("python3")) if path]
    prefixes = [path.parent.parent for python in pythons for path in (python, python.resolve())]
    others = (sys.prefix, sys.base_prefix, Path.home(), Path(arena.__file__).parent.parent)
    return frozenset(map(str, (*prefixes, *others)))
