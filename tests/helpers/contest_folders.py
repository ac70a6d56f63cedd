"""A contest whose entries wait for the ladder, as if the intake had checked them: cheap bots of the shell."""

import json
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from time import time
from typing import Any

from programs import PLAIN

from arena.contest import create, entrants
from arena.contest.contest import Contest, open_contest
from arena.contest.settings import FixedFinal, change_settings
from arena.games import GAMES
from arena.programs.reading import read_bot
from arena.web.database import Database

DEADLINE = "2036-12-01 18:00 UTC"
_PLAN = """\
game: complots
seats: 2
{keys}
clock: {{move: 5s}}
require: limits
sandbox: limits
"""


def contest_with(folder: Path, names: Sequence[str], groups: int = 2, more: str = "") -> Contest:
    """A new contest with these entrants; `more` are lines of its contest.yaml."""
    create.create(folder, GAMES["complots"], DEADLINE)
    (folder / "ladder.yaml").write_text(_PLAN.format(keys="format: ladder\nbots: entries\nname_from: folder"))
    (folder / "final.yaml").write_text(_PLAN.format(keys=f"format: round-robin\ngroups: {groups}"))
    with (folder / "contest.yaml").open("a") as file:
        file.write(more)
    contest = open_contest(folder)
    database = contest.database()
    entrants.add(database, [entrants.NewEntrant(name, f"Team {name}") for name in names])
    for number, name in enumerate(names):
        enter(contest, database, name, 1, f"# {number}")
    return contest


def enter(contest: Contest, database: Database, name: str, number: int = 1, end: str = "") -> str:
    """A version of an entrant that waits for the ladder; returns its fingerprint."""
    place = contest.entries / name
    place.mkdir(parents=True, exist_ok=True)
    (place / "bot.sh").write_text(f"{PLAIN}\n{end}\n")
    (place / "bot.yaml").write_text(json.dumps({"name": name, "run": ["sh", "bot.sh"]}))
    made = read_bot(place, name=name).fingerprint
    sql = (
        "INSERT INTO entry (entrant, number, received, bytes, sha256, state, since, fingerprint)"
        " VALUES (?, ?, ?, 1, '', 'waiting', ?, ?)"
    )
    database.write(sql, name, number, time(), time(), made)
    return made


def end_now(database: Database) -> None:
    """The deadline has just been."""
    put_settings(database, deadline=datetime.fromtimestamp(time() - 15, UTC))


def put_settings(database: Database, **values: Any) -> None:
    with change_settings(database) as settings:
        for name, value in values.items():
            assert hasattr(settings, name)
            setattr(settings, name, value)


def fixed_final(**values: Any) -> FixedFinal:
    """A final that was fixed; `values` are what matters to a test."""
    known = {"at": datetime.now(UTC), "plan": "", "listed": (), "text": "{}", "list_sha256": ""}
    return FixedFinal(**(known | values))
