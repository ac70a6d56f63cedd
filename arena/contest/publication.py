"""What is made for the public: the frozen standings, and at the end all that is needed to verify the result."""

import json
import shutil
import sqlite3
from contextlib import closing
from datetime import datetime
from pathlib import Path
from time import time

from arena.contest import final
from arena.contest.contest import Contest
from arena.contest.database import put_setting, setting
from arena.referee.deals import hash_of
from arena.web.database import Database

_README = """\
# {title}: the result

| place | entrant | Elo | ± |
|---|---|---|---|
{places}

To verify it, install the arena and run, in this folder:

    arena verify final.db
    arena table final.db

The first plays all {games} games of the final again from their records, and checks that their deals follow from
the secret of the contest. That secret is in `secret`; its SHA-256 was published on the first day:

    printf %s "$(cat secret)" | sha256sum
    {commitment}

The run's own secret is the HMAC-SHA256 of `list.json`, with the secret of the contest as key. The list has the
plan of the final and the fingerprint of each entry, and was published at the deadline:

    sha256sum list.json
    {list_sha256}
{entries}"""
_WITH_ENTRIES = """
`entries/` has the programs that played. `arena run` with the plan `final.yaml` and the secret of the run as its
`seed:` plays the final again.
"""


def freeze(contest: Contest, database: Database, moment: datetime | None, now: float) -> None:
    """At the moment of the freeze copy the ladder: from then on the public sees the copy."""
    frozen, is_over = setting(database, "frozen"), moment is not None and now >= moment.timestamp()
    ladder, copy = contest.runs / "ladder.db", contest.runs / "frozen.db"
    if frozen and not is_over and not setting(database, "final"):  # the organiser has moved it
        put_setting(database, "frozen", None)
        copy.unlink(missing_ok=True)
    elif is_over and not frozen and ladder.exists():
        _copy(ladder, copy)
        put_setting(database, "frozen", {"at": now})


def _copy(run: Path, to: Path) -> None:
    """A consistent copy of a run file, while it is written."""
    part = to.with_name(f"{to.name}.part")
    part.unlink(missing_ok=True)
    part.touch(mode=0o600)
    with closing(sqlite3.connect(run)) as connection:
        connection.execute("VACUUM INTO ?", (str(part),))
    part.replace(to)


def publish(contest: Contest, database: Database) -> None:
    """Close the final, and make the folder that has all that is needed to verify it."""
    final.reveal(contest)
    fixed, part = setting(database, "final"), contest.published.with_name("published.part")
    shutil.rmtree(part, ignore_errors=True)
    part.mkdir()
    _copy(final.run_file(contest), part / "final.db")
    (part / "final.db").chmod(0o644)
    (part / "list.json").write_text(fixed["text"], encoding="utf-8")
    (part / "final.yaml").write_text(fixed["plan"], encoding="utf-8")
    (part / "secret").write_text(final.read_secret(contest), encoding="ascii")
    places = setting(database, "places")
    (part / "places.json").write_text(json.dumps(places, indent=1, ensure_ascii=False), encoding="utf-8")
    is_open = contest.keys.entries == "published"
    if is_open:
        _copy_entries(contest, fixed["list"], part / "entries")
    readme = _README.format(
        title=contest.keys.title,
        places="\n".join(_row(each) for each in places),
        games=fixed["played"],
        commitment=setting(database, "commitment")["sha256"],
        list_sha256=hash_of(fixed["text"]),
        entries=_WITH_ENTRIES if is_open else "",
    )
    (part / "README.md").write_text(readme, encoding="utf-8")
    shutil.rmtree(contest.published, ignore_errors=True)
    part.rename(contest.published)
    put_setting(database, "published", {"at": time(), "sha256": hash_of(readme)})


def _row(place: dict[str, object]) -> str:
    elo, error = (
        f"{value:.0f}" if isinstance(value, float) else "" for value in (place["elo"], place["error"])
    )
    return f"| {place['place']} | {place['name']} | {elo} | {error} |"


def _copy_entries(contest: Contest, listed: list[list[str]], to: Path) -> None:
    """The programs as they played."""
    copies = final.run_file(contest).with_suffix(".bots")
    for name, mark in listed:
        shutil.copytree(copies / f"{name}-{mark}" / name, to / name, symlinks=True)
