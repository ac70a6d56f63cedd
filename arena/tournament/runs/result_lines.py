"""Lines and names in files with results of other programs: their encodings, and one form for each name."""

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
    """A name in one form: other files may have it with other spaces or with accents as characters apart."""
    return unicodedata.normalize("NFC", _SPACES.sub(" ", text.strip()))


def read_lines(path: Path) -> Generator[tuple[int, str], None, None]:
    """The lines of a PGN file, with their numbers from 1. ConfigError: it is not text.

    Each is UTF-8, else Windows-1252, which has the characters of Latin-1: a file may be joined from others.
    It may also be UTF-16. A line ends with \\n, \\r or both.
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
