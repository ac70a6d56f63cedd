"""Commands of the arena to copy into a shell."""

import shlex
from collections.abc import Iterable
from pathlib import Path


def replay_command(run: Path, *words: str) -> str:
    """A command of this run."""
    return shlex.join(["arena", "replay", argument(run), *words])


def table_command(files: Iterable[Path], *words: str) -> str:
    """The command that shows the standings of these files."""
    return shlex.join(["arena", "table", *map(argument, files), *words])


def argument(path: Path) -> str:
    """A path that begins with - would be an option."""
    return f"./{path}" if str(path).startswith("-") else str(path)
