"""Commands of the arena to copy into a shell."""

import shlex
from pathlib import Path


def command_line(verb: str, *words: str | Path) -> str:
    """The command `arena VERB WORD…`, quoted for a shell.

    A Path that begins with - would look like an option, so it is written ./-NAME.
    """
    return shlex.join(["arena", verb, *(_file(word) if isinstance(word, Path) else word for word in words)])


def _file(path: Path) -> str:
    return f"./{path}" if str(path).startswith("-") else str(path)
