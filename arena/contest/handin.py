"""Takes an archive from an entrant: counted, bounded, and on the disk before it is accepted.

The bytes go to a file `new-…` beside the archives of the entrant. After the last one, when the file is on the
disk, one transaction gives the entry its number, renames the file to it, and adds the row. An accepted
archive survives a kill at any moment; a file without a row was never accepted, and `clean_up` removes it.
"""

import os
import shutil
from collections.abc import AsyncIterable, Callable, Iterator
from contextlib import contextmanager, suppress
from hashlib import sha256
from pathlib import Path
from secrets import token_hex
from time import time
from typing import BinaryIO

from arena.config.values import MB
from arena.contest import entrants, entries
from arena.contest.contest import Contest, deadline
from arena.contest.moments import show_moment
from arena.contest.settings import settings_of
from arena.web.database import Database

MAX_BYTES = 16 * MB
HOURLY = 3  # hand-ins of an entrant
KEPT = 5  # archives of an entrant
_HOUR_S = 3600
_MIN_FREE = 2**30  # free bytes of the disk; with fewer, nothing is accepted
_NEW = "new-"
"""The beginning of the name of a file that is still arriving."""


class HandInRefused(Exception):
    """Raised if an archive is not accepted, with the reason in one line and the HTTP status."""

    def __init__(self, status: int, why: str):
        super().__init__(why)
        self.status = status


async def receive(
    contest: Contest,
    database: Database,
    entrant: str,
    chunks: AsyncIterable[bytes],
    length: int | None,
    clock: Callable[[], float] = time,
) -> int:
    """Store an archive; returns the id of its entry.

    `length` is its Content-Length in bytes; None: the header is missing, so the archive is refused.

    Raises:
        HandInRefused: The archive is not accepted, with the reason. Nothing of it is left.
    """
    if length is None:
        raise HandInRefused(411, "the length of the archive is missing (Content-Length)")
    if not 0 < length <= MAX_BYTES:
        why = f"an archive has at most {MAX_BYTES // MB} MB, and is not empty"
        raise HandInRefused(413 if length else 400, why)
    _check(contest, database, entrant, clock())
    folder = contest.uploads(entrant)
    if any(folder.glob(f"{_NEW}*")):  # with slow ones an entrant could fill the disk
        why = "an archive of yours is arriving already: wait until it is complete or has failed"
        raise HandInRefused(429, why)
    with _new_file(folder) as (path, file):
        digest, size = sha256(), 0
        async for chunk in chunks:
            size += len(chunk)
            if size > length:
                raise HandInRefused(400, "more bytes arrived than Content-Length says")
            digest.update(chunk)
            file.write(chunk)
        if size < length:
            raise HandInRefused(400, f"only {size} of {length} bytes arrived; hand it in again")
        file.flush()
        os.fsync(file.fileno())
        return _accept(contest, database, entrant, path, (size, digest.hexdigest()), clock)


@contextmanager
def _new_file(folder: Path) -> Iterator[tuple[Path, BinaryIO]]:
    """A new file for an archive, and its path; removed after the block unless the block has renamed it.

    Raises:
        HandInRefused: The file cannot be written, for example because the disk is full.
    """
    path = folder / f"{_NEW}{token_hex(8)}"
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        with path.open("xb") as file:
            yield path, file
    except OSError as error:
        why = f"the server cannot store it: {error.strerror}; your earlier entries are safe"
        raise HandInRefused(507, why) from None
    finally:
        with suppress(OSError):
            path.unlink(missing_ok=True)


def _check(contest: Contest, database: Database, entrant: str, now: float) -> None:
    """Check that this entrant may hand in now, and that the disk has room.

    Raises:
        HandInRefused: It may not, or the disk has no room, with the reason.
    """
    found = entrants.get(database, entrant)
    if not found:
        raise HandInRefused(403, "there is no such entrant")
    if found.excluded:
        raise HandInRefused(403, f"the organiser has excluded {entrant}: {found.excluded}")
    if found.withdrawn:
        raise HandInRefused(403, f"{entrant} has withdrawn; ask the organiser to come back")
    if found.is_remote:
        why = f"{entrant} plays from its own machine, by arena connect, and hands in nothing"
        raise HandInRefused(403, why)
    end = deadline(contest, database)
    if now > end.timestamp() or settings_of(database).final:
        raise HandInRefused(403, f"the deadline was {show_moment(end)}")
    recent = entries.since_hour(database, entrant, now)
    if len(recent) >= HOURLY:
        minutes = int((recent[-HOURLY].received.timestamp() + _HOUR_S - now) / 60) + 1
        raise HandInRefused(429, f"{HOURLY} entries an hour are allowed; the next one in {minutes} minutes")
    coming = MAX_BYTES * sum(1 for _ in contest.uploads("").glob(f"*/{_NEW}*"))
    if shutil.disk_usage(contest.server).free - coming < _MIN_FREE:
        raise HandInRefused(507, "the disk of the server is nearly full; the organiser has to make room")


def _accept(
    contest: Contest,
    database: Database,
    entrant: str,
    path: Path,
    facts: tuple[int, str],
    clock: Callable[[], float],
) -> int:
    """Add the entry, whose file is complete; returns its id.

    The time of this call is compared with the deadline. `facts` are the size and the SHA-256.

    Raises:
        HandInRefused: It is too late, for example.
    """
    with database.transaction():
        now = clock()
        _check(contest, database, entrant, now)
        number = 1 + max((each.version for each in entries.of(database, entrant)), default=0)
        path.rename(path.with_name(str(number)))
        _sync(path.parent)
        return entries.add(database, entrant, number, facts, now)


def _sync(folder: Path) -> None:
    """Wait until the names in a folder are on the disk (fsync)."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def clean_up(contest: Contest, database: Database, is_start: bool = False) -> None:
    """Remove archives that were never accepted, archives of deleted entrants, and old ones.

    The newest `KEPT` archives of an entrant stay, and archives of entries in use. An archive that is still
    arriving stays as well. With `is_start` none is arriving: the process that receives them has just started.
    """
    with database.transaction():  # no archive is accepted meanwhile
        names = {entrant.name for entrant in entrants.all_entrants(database)}
        kept = {(name, str(number)) for name, number in entries.in_use(database, KEPT)}
        for folder in contest.uploads("").glob("*"):
            for path in folder.iterdir():
                is_coming = path.name.startswith(_NEW) and not is_start
                if (folder.name, path.name) not in kept and not is_coming:
                    path.unlink()
            if folder.name not in names:
                with suppress(OSError):  # an archive is arriving; it will be refused
                    folder.rmdir()
