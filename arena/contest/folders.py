"""The folders of a contest, which follow from its database: of entries that play, and of work in progress."""

import ctypes
import os
import re
import sys
from collections.abc import Collection
from pathlib import Path

from arena.programs.sandbox.linux.folders import remove

_RENAMEAT2 = {"x86_64": 316, "aarch64": 276}  # system calls: glibc has a wrapper, musl has none
_AT_FDCWD, _EXCHANGE = -100, 2
_COPY = re.compile(r"(.+)-[0-9a-f]{16}")  # the copy of an entry's version, beside a ladder's run file


def install(new: Path, place: Path) -> None:
    """Move the folder `new` to `place`. A folder that was at `place` before is then at `new`."""
    if not place.exists():
        new.rename(place)
    elif not _exchange(new, place):
        old = new.with_name(f"{new.name}.old")
        place.rename(old)  # for a moment `place` is empty: for the ladder the entry has left
        new.rename(place)
        old.rename(new)


def _exchange(one: Path, other: Path) -> bool:
    """Swap two names in one step; False if this kernel or file system cannot."""
    if sys.platform != "linux" or not (number := _RENAMEAT2.get(os.uname().machine)):
        return False
    names = os.fsencode(one), os.fsencode(other)
    call = ctypes.CDLL(None, use_errno=True).syscall
    return bool(call(number, _AT_FDCWD, names[0], _AT_FDCWD, names[1], _EXCHANGE) == 0)


def remove_others(folder: Path, kept: Collection[str]) -> None:
    """Remove the files and folders of a folder, except those whose names are in `kept`."""
    for path in folder.glob("*"):
        if path.name not in kept:
            remove(str(path))


def remove_old_copies(copies: Path, kept: Collection[str]) -> None:
    """Remove the copies of entries in the folder `copies`, except those whose names are in `kept`.

    The name of a copy is NAME-FINGERPRINT; other names stay. A copy may have hundreds of MB.
    """
    for path in copies.glob("*"):
        if _COPY.fullmatch(path.name) and path.name not in kept:
            remove(str(path))


def remove_copies(runs: Path, names: Collection[str]) -> None:
    """Remove all copies of entries of the entrants `names`, below the folder `runs`."""
    for path in runs.glob("*.bots/*"):
        if (found := _COPY.fullmatch(path.name)) and found[1] in names:
            remove(str(path))
