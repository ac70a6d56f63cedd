"""Takes an archive from an entrant: counted, bounded, and on the disk before it is accepted.

The bytes go to a file `new-…` beside the archives of the entrant. When the last one has come and the file is
on the disk, one transaction gives the entry its number, renames the file to it, and adds the row. What is
accepted survives a kill at any moment; a file without a row was never accepted, and `clean_up` removes it.
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
from arena.contest import entries
from arena.contest.contest import Contest, deadline
from arena.contest.database import setting
from arena.contest.moments import show_moment
from arena.web.database import Database

MOST_BYTES = 16 * MB
HOURLY = 3  # hand-ins of an entrant
KEPT = 5  # archives of an entrant
_HOUR_S = 3600
_LEAST_FREE = 2**30  # bytes of the disk, below which nothing is accepted
_NEW = "new-"
"""The beginning of the name of a file whose bytes still come."""


class HandInRefused(Exception):
    """Why an archive is not accepted, in one line, and the HTTP status that says so."""

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
    """Store an archive; returns the id of its entry. HandInRefused: why not; nothing of it is left then.

    `length` is its Content-Length in bytes; None: the header is missing, so the archive is refused.
    """
    if length is None:
        raise HandInRefused(411, "the length of the archive is missing (Content-Length)")
    if not 0 < length <= MOST_BYTES:
        raise HandInRefused(
            413 if length else 400, f"an archive has at most {MOST_BYTES // MB} MB, and is not empty"
        )
    _check(contest, database, entrant, clock())
    folder = contest.uploads(entrant)
    if any(folder.glob(f"{_NEW}*")):  # one that comes slowly would fill the disk beside others
        raise HandInRefused(
            429, "an archive of yours is coming already: wait until it is there, or was given up"
        )
    with _new_file(folder) as (path, file):
        digest, size = sha256(), 0
        async for chunk in chunks:
            size += len(chunk)
            if size > length:
                raise HandInRefused(400, "more bytes came than Content-Length says")
            digest.update(chunk)
            file.write(chunk)
        if size < length:
            raise HandInRefused(400, f"only {size} of {length} bytes came; hand it in again")
        file.flush()
        os.fsync(file.fileno())
        return _accept(contest, database, entrant, path, (size, digest.hexdigest()), clock)


@contextmanager
def _new_file(folder: Path) -> Iterator[tuple[Path, BinaryIO]]:
    """A new file for an archive, and its path; removed after the block unless the block has renamed it.

    HandInRefused: it cannot be written, as when the disk is full.
    """
    path = folder / f"{_NEW}{token_hex(8)}"
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        with path.open("xb") as file:
            yield path, file
    except OSError as error:
        raise HandInRefused(
            507, f"the server cannot store it: {error.strerror}; your earlier entries are safe"
        ) from None
    finally:
        with suppress(OSError):
            path.unlink(missing_ok=True)


def _check(contest: Contest, database: Database, entrant: str, now: float) -> None:
    """Check that this entrant may hand in now, and that the disk has room. HandInRefused: why not."""
    found = next(iter(database.rows("SELECT * FROM entrant WHERE name = ?", entrant)), None)
    if not found:
        raise HandInRefused(403, "there is no such entrant")
    if found["excluded"]:
        raise HandInRefused(403, f"the organiser has excluded {entrant}: {found['excluded']}")
    if found["withdrawn"]:
        raise HandInRefused(403, f"{entrant} has withdrawn; ask the organiser to come back")
    if found["is_remote"]:
        raise HandInRefused(
            403, f"{entrant} plays from its own machine, by arena connect, and hands in nothing"
        )
    end = deadline(contest, database)
    if now > end.timestamp() or setting(database, "final"):
        raise HandInRefused(403, f"the deadline was {show_moment(end)}")
    sql = "SELECT received FROM entry WHERE entrant = ? AND received > ? AND received <= ? ORDER BY received"
    recent = database.rows(sql, entrant, now - _HOUR_S, now)
    if len(recent) >= HOURLY:
        minutes = int((recent[-HOURLY]["received"] + _HOUR_S - now) / 60) + 1
        raise HandInRefused(429, f"{HOURLY} entries an hour are allowed; the next one in {minutes} minutes")
    coming = MOST_BYTES * sum(1 for _ in contest.uploads("").glob(f"*/{_NEW}*"))
    if shutil.disk_usage(contest.server).free - coming < _LEAST_FREE:
        raise HandInRefused(507, "the disk of the server is nearly full; the organiser has to make room")


def _accept(
    contest: Contest,
    database: Database,
    entrant: str,
    path: Path,
    facts: tuple[int, str],
    clock: Callable[[], float],
) -> int:
    """Add the entry, whose file is complete; returns its id. HandInRefused: it came too late, for example.

    The time of this call is compared with the deadline. `facts` are the size and the SHA-256.
    """
    with database.transaction():
        now = clock()
        _check(contest, database, entrant, now)
        last = "SELECT coalesce(max(number), 0) AS last FROM entry WHERE entrant = ?"
        number = database.rows(last, entrant)[0]["last"] + 1
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
    """Remove archives that were never accepted, those of deleted entrants, and old ones (see `_kept`).

    An archive that is still coming stays. With `is_start` none is coming: the process that receives them
    has just started.
    """
    with database.transaction():  # no archive is accepted meanwhile
        kept = _kept(database)
        for folder in contest.uploads("").glob("*"):
            for path in folder.iterdir():
                is_coming = path.name.startswith(_NEW) and not is_start
                if path.name not in kept.get(folder.name, ()) and not is_coming:
                    path.unlink()
            if folder.name not in kept:
                with suppress(OSError):  # an archive comes, which will be refused
                    folder.rmdir()


def _kept(database: Database) -> dict[str, set[str]]:
    """The names of the archives to keep, by entrant: the newest `KEPT`, and those of entries still in use."""
    kept: dict[str, set[str]] = {row["name"]: set() for row in database.rows("SELECT name FROM entrant")}
    for row in database.rows("SELECT entrant, number, state FROM entry ORDER BY number DESC"):
        names = kept[row["entrant"]]
        if len(names) < KEPT or row["state"] not in entries.ENDED:
            names.add(str(row["number"]))
    return kept
