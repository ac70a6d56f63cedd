"""What is made for the public: the frozen standings, and at the end all that verifies the result."""

import json
import shutil
import sqlite3
import tarfile
from collections.abc import Collection, Mapping, Sequence
from contextlib import closing
from datetime import datetime
from hashlib import file_digest
from pathlib import Path, PurePosixPath
from time import time
from typing import Any

from arena import __version__
from arena.config.document import ConfigError
from arena.contest import entrants, final
from arena.contest.contest import FINAL, FROZEN, REMOTE, Contest
from arena.contest.database import put_setting, setting
from arena.programs.bot import bot_from_path
from arena.programs.files import belongs
from arena.referee.deals import hash_of
from arena.tournament.runs.closing import close
from arena.tournament.runs.store import Store
from arena.tournament.runs.without_stderr import copy_without_stderr
from arena.web.database import Database

_SUMS = "SHA256SUMS"
_README = """\
# {title}: the result

| place | entrant | Elo | ± | points | not ruled out: places |
|---|---|---|---|---|---|
{places}
{excluded}{prize}
The Elo decides the place, or the points (the share of a game that was won) where the games of an entrant are
too few for an Elo; equal ones share a place. Entrants whose last columns overlap were not told apart by the
{games} games of the final, at the confidence of its plan.

## To verify it

Install version {version} of the arena, and run in this folder:

    arena verify final.db
    sha256sum --check {sums}

The first plays all games again from their records, and checks that their deals follow from the secret of the
contest, and that plan, bots and games are those of the list. It prints the SHA-256 of both. The page of the
contest has shown that of the secret since the first day:

    {commitment}

Without the arena: `secret` has the secret, whose SHA-256 is the line above (`sha256sum secret`). `list.json`
has the plan of the final and the fingerprint of each entry, and was published at the deadline. Its SHA-256 is

    {list_sha256}

The secret of the run is the HMAC-SHA256 of `list.json`, with the secret of the contest as key; how each deal
follows from it, the page "Fair deals" of the arena says.

| file | what it is |
|---|---|
| `final.db`, `ladder.db` | the runs, for `arena table` and `arena replay`; without the stderr of entries |
{remote}| `list.json`, `secret` | what the deals follow from |
| `final.yaml` | the plan of the final |
| `places.json` | the result |
{entries}"""
_WITH_REMOTE = "| `remote.db` | the ladder of remote entrants, who are not in the final |\n"
_WITH_ENTRIES = "| `entries.tar.gz` | the programs that played |\n"


def freeze(contest: Contest, database: Database, moment: datetime | None, now: float) -> None:
    """Copy the ladders, once `moment` has come: from then on the public sees the copies.

    If the organiser has set a later moment since, remove the copies, unless the final has begun. None: there
    is no freeze. `now` is in seconds since 1970.
    """
    frozen, is_over = setting(database, "frozen"), moment is not None and now >= moment.timestamp()
    copies = {contest.run(name): contest.run(copy) for name, copy in FROZEN.items()}
    if frozen and not is_over and not setting(database, "final"):  # the organiser has moved it
        put_setting(database, "frozen", None)
        for copy in copies.values():
            copy.unlink(missing_ok=True)
    elif is_over and not frozen and any(run.exists() for run in copies):
        for run, copy in copies.items():
            if run.exists():
                _copy(run, copy)
        put_setting(database, "frozen", {"at": now})


def _copy(run: Path, to: Path) -> None:
    """Make a consistent copy of a run file, which may be written to meanwhile."""
    part = to.with_name(f"{to.name}.part")
    part.unlink(missing_ok=True)
    part.touch(mode=0o600)
    with closing(sqlite3.connect(run)) as connection:
        connection.execute("VACUUM INTO ?", (str(part),))
    part.replace(to)


def publish(contest: Contest, database: Database) -> None:
    """Close the runs, and make the folder `published`, with all that is needed to verify the result.

    The folder gets its name when it is complete, so that it is made again if this process is killed.
    """
    final.reveal(contest)
    part = contest.published.with_name("published.part")
    shutil.rmtree(part, ignore_errors=True)
    part.mkdir()
    _write_runs(contest, part, entrants.aliases(database))
    _write_texts(contest, database, part)
    sums = _sums(part)
    (part / _SUMS).write_text(sums, encoding="utf-8")
    shutil.rmtree(contest.published, ignore_errors=True)
    part.rename(contest.published)
    put_setting(database, "published", {"at": time(), "sha256": hash_of(sums)})


def _write_runs(contest: Contest, folder: Path, deleted: Collection[str]) -> None:
    hidden = f"{contest.folder}/"
    copy_without_stderr(contest.run(FINAL), folder / f"{FINAL}.db", deleted, hidden)
    for ladder in (contest.run(name) for name in FROZEN):
        if ladder.exists():
            with Store(ladder, writer=True) as store:
                if store.facts.secret is not None and not store.facts.revealed:
                    close(store)
            copy_without_stderr(ladder, folder / ladder.name, deleted, hidden)
    for path in folder.glob("*.db"):
        path.chmod(0o644)


def _write_texts(contest: Contest, database: Database, folder: Path) -> None:
    fixed, places = setting(database, "final"), setting(database, "places")
    is_open = contest.keys.entries == "published"
    if is_open:
        _pack_entries(contest, fixed["list"], folder / "entries.tar.gz")
    readme = _README.format(
        title=contest.keys.title,
        places="\n".join(map(_row, places)),
        excluded="".join(map(_without, sorted(final.excluded(database).items()))),
        prize=f"\n{prize}\n" if (prize := fixed.get("prize")) else "",
        games=fixed["played"],
        version=__version__,
        sums=_SUMS,
        commitment=setting(database, "commitment")["sha256"],
        list_sha256=fixed["list_sha256"],
        remote=_WITH_REMOTE if contest.run(REMOTE).exists() else "",
        entries=_WITH_ENTRIES if is_open else "",
    )
    texts = {
        "README.md": readme,
        "list.json": fixed["text"],
        "final.yaml": fixed["plan"],
        "secret": final.read_secret(contest),
        "places.json": json.dumps(places, indent=1, ensure_ascii=False) + "\n",
    }
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8")


def _row(place: Mapping[str, Any]) -> str:
    elo, error = ("" if value is None else f"{value:.0f}" for value in (place["elo"], place["error"]))
    best, worst = place["range"]
    places = f"{best}" if best == worst else f"{best}-{worst}"
    return f"| {place['place']} | {place['name']} | {elo} | {error} | {place['score']:.1%} | {places} |"


def _without(excluded: tuple[str, str]) -> str:
    name, why = excluded
    return f"\nWithout {name}, which the organiser has excluded: {' '.join(why.split())}\n"


def _pack_entries(contest: Contest, listed: Sequence[tuple[str, str]], to: Path) -> None:
    """Pack the programs that played the final into a tar.gz, without those of deleted entrants."""
    with tarfile.open(to, "w:gz") as archive:
        for name, mark in listed:
            copy = final.copy_of(contest, name, mark)
            if copy.exists():
                _add_entry(archive, copy, name)


def _add_entry(archive: tarfile.TarFile, copy: Path, name: str) -> None:
    """Add what belongs to an entry to the archive, below its name."""
    try:
        builds = bool(bot_from_path(name, copy, None).build)
    except ConfigError:  # it lost its games
        builds = True

    def filtered(member: tarfile.TarInfo) -> tarfile.TarInfo | None:
        return member if belongs(PurePosixPath(member.name).relative_to(name), builds) else None

    archive.add(copy, name, filter=filtered)


def _sums(folder: Path) -> str:
    """The lines that `sha256sum --check` reads, for all files below a folder."""
    lines = []
    for path in sorted(folder.rglob("*")):
        if path.is_file() and not path.is_symlink():
            with path.open("rb") as file:
                lines.append(f"{file_digest(file, 'sha256').hexdigest()}  {path.relative_to(folder)}\n")
    return "".join(lines)
