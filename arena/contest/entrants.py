"""Entrants: their names, which the organiser gives, and their tokens."""

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from time import time
from typing import Any, NamedTuple

from arena.config.document import ConfigError
from arena.config.text import one_line
from arena.programs.bot import naming_problem
from arena.web.database import Database
from arena.web.tokens import Holder, Tokens

_MOST_TEXT = 100  # characters of a team or an author
Entrant = Mapping[str, Any]
"""A row of the table `entrant`."""


class NewEntrant(NamedTuple):
    """An entrant as the organiser gives it."""

    name: str
    team: str = ""
    author: str = ""
    is_remote: bool = False  # its bot plays from its own machine


def add(database: Database, new: Sequence[NewEntrant], clock: Callable[[], float] = time) -> None:
    """Add entrants, all or none. ConfigError: a name is not valid or is taken, or a text is too long."""
    with database.transaction():
        taken = {each.casefold(): each for each in (*_names(database), *_deleted(database))}
        for each in new:
            _check(each)
            if other := taken.get(each.name.casefold()):  # a file system may take both for the same folder
                rest = "; nobody of the list was added" if len(new) > 1 else ""
                raise ConfigError(f"entrant {each.name}: the name {other} is taken{rest}")
            taken[each.name.casefold()] = each.name
            sql = "INSERT INTO entrant (name, team, author, is_remote, created) VALUES (?, ?, ?, ?, ?)"
            database.write(sql, *each, clock())


def _check(new: NewEntrant) -> None:
    if problem := naming_problem(new.name):
        raise ConfigError(f"entrant {new.name}: {problem}")
    for what, text in (("team", new.team), ("author", new.author)):
        if len(text) > _MOST_TEXT or text != one_line(text):
            most = f"one line of at most {_MOST_TEXT} characters"
            raise ConfigError(f"entrant {new.name}: its {what} should be {most}")


def _names(database: Database) -> list[str]:
    return [row["name"] for row in database.rows("SELECT name FROM entrant")]


def _deleted(database: Database) -> list[str]:
    return [row["name"] for row in database.rows("SELECT name FROM deleted")]


def all_entrants(database: Database) -> list[Entrant]:
    """All entrants, sorted by name."""
    return database.rows("SELECT * FROM entrant ORDER BY name")


def remote(database: Database) -> list[Entrant]:
    """The remote entrants that were not excluded and have not withdrawn, sorted by name."""
    sql = "SELECT * FROM entrant WHERE is_remote AND excluded IS NULL AND withdrawn IS NULL ORDER BY name"
    return database.rows(sql)


def no_remote_bot(database: Database, name: str) -> str:
    """Why `name` may not play from its own machine: not a remote entrant, for example; "" if it may."""
    found = next(iter(database.rows("SELECT * FROM entrant WHERE name = ?", name)), None)
    if not found:
        return "the token is not valid there (or not any more)"
    if not found["is_remote"]:
        return f"{name} hands in its bot (curl -T): only a remote entrant plays from its own machine"
    if found["excluded"] is not None:
        return f"the organiser has excluded {name}: {found['excluded']}"
    return f"{name} has withdrawn" if found["withdrawn"] is not None else ""


def find(database: Database, name: str) -> Entrant:
    """The entrant with this name. ConfigError: there is none."""
    if found := database.rows("SELECT * FROM entrant WHERE name = ?", name):
        return found[0]
    raise ConfigError(f"no entrant {name}")


def author_of(entrant: Entrant) -> str:
    """The author of the entrant's bot: its team, or else its author, or else its name.

    In a plan with `teams: apart`, bots with the same author never meet.
    """
    return str(entrant["team"] or entrant["author"] or entrant["name"])


def holder(name: str) -> Holder:
    """The holder of an entrant's tokens."""
    return Holder("entrant", name)


def new_token(server: Database, name: str) -> str:
    """Make and return a token of an entrant, in server.db; its earlier tokens and its cookies are revoked."""
    tokens = Tokens(server)
    tokens.revoke(holder(name))
    return tokens.issue(holder(name), "bearer")


def token_state(server: Database, name: str) -> str:
    """A line that says until when an entrant has a token in server.db, or that it has none."""
    sql = "SELECT expires FROM token WHERE role = 'entrant' AND subject = ? AND kind = 'bearer'"
    for row in server.rows(sql, name):
        return f"{name} has a token until {datetime.fromtimestamp(row['expires'], UTC):%Y-%m-%d %H:%M} UTC"
    return f"{name} has no token; make one by --new"


def exclude(database: Database, name: str, why: str) -> None:
    """Take an entrant out of the contest, for the reason `why`. ConfigError: there is no such entrant."""
    find(database, name)
    database.write("UPDATE entrant SET excluded = ? WHERE name = ?", why, name)


def excluded(database: Database) -> dict[str, str]:
    """The reason of each exclusion, by name of the entrant."""
    rows = database.rows("SELECT name, excluded FROM entrant WHERE excluded IS NOT NULL")
    return {row["name"]: row["excluded"] for row in rows}


def readmit(database: Database, name: str) -> None:
    """Let an entrant that was excluded or has withdrawn take part again. ConfigError: there is none."""
    find(database, name)
    database.write("UPDATE entrant SET excluded = NULL, withdrawn = NULL WHERE name = ?", name)


def withdraw(database: Database, name: str, clock: Callable[[], float] = time) -> None:
    """Note that an entrant withdraws, and withdraw its entries, except those that failed or were replaced.

    ConfigError: there is no such entrant.
    """
    find(database, name)
    now = clock()
    with database.transaction():
        database.write("UPDATE entrant SET withdrawn = ? WHERE name = ?", now, name)
        database.write(
            "UPDATE entry SET state = 'withdrawn', since = ?, until = NULL, turn = turn + 1"
            " WHERE entrant = ? AND state NOT IN ('failed', 'replaced', 'withdrawn')",
            now,
            name,
        )


def delete(database: Database, name: str) -> None:
    """Delete all rows about an entrant; the intake removes its files. Its games are shown under an alias.

    ConfigError: there is no such entrant.
    """
    find(database, name)
    with database.transaction():
        number = len(_deleted(database)) + 1
        database.write("INSERT INTO deleted VALUES (?, ?)", name, f"deleted-{number}")
        database.write("DELETE FROM entrant WHERE name = ?", name)  # and what refers to it


def aliases(database: Database) -> dict[str, str]:
    """The alias under which the games of each deleted entrant are shown, by its old name."""
    return {row["name"]: row["alias"] for row in database.rows("SELECT * FROM deleted")}
