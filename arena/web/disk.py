"""Whether the disk of a server has room for games. If not, games wait; pages are still shown."""

import shutil
from pathlib import Path

FULL = "The disk of the server is full."
_MIN_FREE = 2**20  # bytes; a game may need as many at its end


def has_room(folder: Path) -> bool:
    return shutil.disk_usage(folder).free >= _MIN_FREE
