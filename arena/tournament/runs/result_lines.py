"""Decodes lines of files with results of other programs, and normalizes names in them."""

import re
import unicodedata
from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Generator
from io import TextIOWrapper
from pathlib import Path

from arena.config.document import ConfigError

_UTF_16 = {BOM_UTF16_LE: "utf-16", BOM_UTF16_BE: "utf-16", b"[\0": "utf-16-le", b"\0[": "utf-16-be"}
_SPACES = re.compile("[ \t\xa0]+")


def to_name(text: str) -> str:
    """The normalized name: files may differ in spaces, or have accents as separate characters."""
    return unicodedata.normalize("NFC", _SPACES.sub(" ", text.strip()))


def read_lines(path: Path) -> Generator[tuple[int, str], None, None]:
    """The lines of a PGN file, with their numbers from 1.

    Each line is decoded as UTF-8, else as Windows-1252, which extends Latin-1, because a file may be joined
    from others. A whole file may be UTF-16. A line ends with \\n, \\r or both.

    Raises:
        ConfigError: The file is not text.
    """
    with path.open("rb") as file:
        if encoding := _UTF_16.get(file.peek(2)[:2]):
            try:
                with TextIOWrapper(file, encoding) as text:
                    yield from enumerate(text, 1)
            except UnicodeDecodeError:
                raise ConfigError(f"{path}: not UTF-16 text") from None
            return
        number = 0
        for data in file:
            for line in data.splitlines():
                number += 1
                yield number, _decoded(line)


def _decoded(line: bytes) -> str:
    for encoding in ("utf-8", "cp1252"):
        try:
            return line.decode(encoding)
        except UnicodeDecodeError:
            pass
    return line.decode("latin-1")
