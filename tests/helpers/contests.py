"""Contests and archives for tests."""

import asyncio
import http.client
import io
import json
import tarfile
import time
import zipfile
from collections.abc import AsyncIterator, Mapping, Sequence
from itertools import repeat
from pathlib import Path

from arena.contest import contest, create, entrants, entries, handin
from arena.games import GAMES
from arena.web.database import Database

DEADLINE = "2036-12-01 18:00 Europe/Paris"
HONEST = Path(__file__).parent.parent.parent / "bots" / "python" / "honest.py"
PATIENCE_S = 120.0  # for real processes on a busy machine


def new_contest(folder: Path, *names: str) -> contest.Contest:
    """A contest with these entrants."""
    create.create(folder, GAMES["complots"], DEADLINE)
    found = contest.open_contest(folder)
    entrants.add(found.database(), [entrants.NewEntrant(name) for name in names])
    return found


def tar_member(name: str, data: bytes = b"", **values: object) -> tuple[tarfile.TarInfo, bytes]:
    """A member of a tar file, of which anything may be strange."""
    info = tarfile.TarInfo(name)
    info.size = len(data)
    for key, value in values.items():
        setattr(info, key, value)
    return info, data


def tar_of(*members: tuple[tarfile.TarInfo, bytes]) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w:gz") as tar:
        for info, data in members:
            tar.addfile(info, io.BytesIO(data))
    return out.getvalue()


def tgz(files: Mapping[str, bytes]) -> bytes:
    """A tar.gz with these files."""
    return tar_of(*(tar_member(name, data) for name, data in files.items()))


def zip_of(files: Mapping[str | zipfile.ZipInfo, bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return out.getvalue()


def bot_archive(text: str = "", build: Sequence[str] = ()) -> bytes:
    """An honest bot as an entrant hands it in; another text is another version."""
    source = HONEST.read_bytes() + f"# {text}\n".encode()
    manifest = f"run: [python3, honest.py]\nbuild: {json.dumps(build or None)}\n"
    return tgz({"bot/bot.yaml": manifest.encode(), "bot/honest.py": source})


async def _chunks(data: bytes, size: int = 65536) -> AsyncIterator[bytes]:
    for start in range(0, len(data), size):
        yield data[start : start + size]


def hand_in(
    found: contest.Contest,
    name: str,
    data: bytes,
    length: int | None = -1,
    at: float | Sequence[float] | None = None,
) -> int:
    """Hand in an archive, as the web process does; `length` is the one that the header says.

    `at` is what the clock says: always, or one time after another.
    """
    times = repeat(at) if isinstance(at, float) else iter(at or ())
    clock = time.time if at is None else times.__next__
    length = len(data) if length == -1 else length
    database = found.database()
    try:
        return asyncio.run(handin.receive(found, database, name, _chunks(data), length, clock))
    finally:
        database.close()


def put(port: int, token: str, data: bytes, declared: int | None = None) -> tuple[int, dict[str, object]]:
    """The status and the answer to an archive that is handed in as by curl.

    If it is shorter than `declared` says, the connection stays open until the server ends it.
    """
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE_S)
    headers = {"Authorization": f"Bearer {token}", "Content-Length": str(declared or len(data))}
    try:
        connection.request("PUT", "/entry", data, headers)
        answer = connection.getresponse()
        return answer.status, json.loads(answer.read())
    finally:
        connection.close()


def states(database: Database, *names: str) -> dict[str, list[str]]:
    """The states of the entries of each entrant, the newest first."""
    return {name: [entry.state for entry in entries.of(database, name)] for name in names}
