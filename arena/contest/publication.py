"""Makes the files for the public: the frozen standings, and at the end the proof of the result."""

import json
import shutil
import tarfile
from collections.abc import Collection, Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from hashlib import file_digest
from pathlib import Path, PurePosixPath

from arena import __version__
from arena.config.document import ConfigError
from arena.config.sqlite import copy_file
from arena.contest import entrants, final
from arena.contest.contest import FINAL, FROZEN, REMOTE, Contest
from arena.contest.settings import Frozen, Place, Published, change_settings, settings_of
from arena.programs.files import belongs
from arena.programs.reading import read_bot
from arena.referee.deals import hash_of
from arena.tournament.runs.closing import close
from arena.tournament.runs.store import Store
from arena.tournament.runs.without_stderr import copy_without_stderr
from arena.web.database import Database

_SUMS = "SHA256SUMS"
_WITH_REMOTE = "| `remote.db` | the ladder of remote entrants, who are not in the final |\n"
_WITH_ENTRIES = "| `entries.tar.gz` | the programs that played |\n"


def freeze(contest: Contest, database: Database, moment: datetime | None, now: float) -> None:
    """Copy the ladders at `moment`: afterwards the public sees the copies.

    If the organiser has set a later moment since, remove the copies, unless the final has begun. None: there
    is no freeze. `now` is in seconds since 1970.
    """
    known, is_over = settings_of(database), moment is not None and now >= moment.timestamp()
    copies = {contest.run(name): contest.run(copy) for name, copy in FROZEN.items()}
    if known.frozen and not is_over and not known.final:  # the organiser has moved it
        with change_settings(database) as settings:
            settings.frozen = None
        for copy in copies.values():
            copy.unlink(missing_ok=True)
    elif is_over and not known.frozen and any(run.exists() for run in copies):
        for run, copy in copies.items():
            if run.exists():
                _copy(run, copy)
        with change_settings(database) as settings:
            settings.frozen = Frozen(datetime.fromtimestamp(now, UTC))


def _copy(run: Path, to: Path) -> None:
    """Make a consistent copy of a run file, which may be written to meanwhile."""
    part = to.with_name(f"{to.name}.part")
    part.unlink(missing_ok=True)
    copy_file(run, part)
    part.replace(to)


def publish(contest: Contest, database: Database) -> None:
    """Close the runs, and make the folder `published`, with everything you need to verify the result.

    The folder gets its name when it is complete: if this process is killed, it is made again.
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
    with change_settings(database) as settings:
        settings.published = Published(datetime.now(UTC), hash_of(sums))


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
    settings = settings_of(database)
    fixed, commitment = settings.final, settings.commitment
    assert fixed and commitment
    is_open = contest.keys.entries == "published"
    if is_open:
        _pack_entries(contest, fixed.listed, folder / "entries.tar.gz")
    template = Path(__file__).with_name("files") / "README.md.txt"
    readme = template.read_text(encoding="utf-8").format(
        title=contest.keys.title,
        places="\n".join(map(_row, settings.places)),
        excluded="".join(map(_without, sorted(final.excluded(database).items()))),
        prize=f"\n{settings.prize}\n" if settings.prize else "",
        games=fixed.played,
        version=__version__,
        sums=_SUMS,
        commitment=commitment.sha256,
        list_sha256=fixed.list_sha256,
        remote=_WITH_REMOTE if contest.run(REMOTE).exists() else "",
        entries=_WITH_ENTRIES if is_open else "",
    )
    texts = {
        "README.md": f"{readme.strip()}\n",
        "list.json": fixed.text,
        "final.yaml": fixed.plan,
        "secret": final.read_secret(contest),
        "places.json": json.dumps([*map(asdict, settings.places)], indent=1, ensure_ascii=False) + "\n",
    }
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8")


def _row(place: Place) -> str:
    elo, error = ("" if value is None else f"{value:.0f}" for value in (place.elo, place.error))
    best, worst = place.range
    places = f"{best}" if best == worst else f"{best}-{worst}"
    return f"| {place.place} | {place.name} | {elo} | {error} | {place.score:.1%} | {places} |"


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
    """Add the files of an entry to the archive, below its name."""
    try:
        builds = bool(read_bot(copy, None, name=name).build)
    except ConfigError:  # it lost its games
        builds = True

    def filtered(member: tarfile.TarInfo) -> tarfile.TarInfo | None:
        return member if belongs(PurePosixPath(member.name).relative_to(name), builds) else None

    archive.add(copy, name, filter=filtered)


def _sums(folder: Path) -> str:
    """The input of `sha256sum --check` for all files below a folder."""
    lines = []
    for path in sorted(folder.rglob("*")):
        if path.is_file() and not path.is_symlink():
            with path.open("rb") as file:
                lines.append(f"{file_digest(file, 'sha256').hexdigest()}  {path.relative_to(folder)}\n")
    return "".join(lines)
