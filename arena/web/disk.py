"""Whether the disk of a server has room for games: while it has none, games wait, and pages are shown."""

import shutil
from pathlib import Path

FULL = "The disk of the server is full."
_LEAST = 2**20  # bytes that a game may need at its end


def has_room(folder: Path) -> bool:
    return shutil.disk_usage(folder).free >= _LEAST
