"""Entrants: their names, given by the organiser, and their tokens; and the names of deleted entrants."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from time import time
from typing import NamedTuple

from arena.config.document import ConfigError
from arena.config.text import one_line
from arena.contest.database import read_rows
from arena.programs.bot import naming_problem
from arena.web.database import Database
from arena.web.tokens import Holder, Tokens

_MAX_TEXT = 100  # characters of a team or an author
TAKES_PART = "excluded IS NULL AND withdrawn IS NULL"
"""The condition, in SQL, that an entrant takes part."""


@dataclass(frozen=True, kw_only=True)
class Entrant:
    """A row of the table `entrant`."""

    name: str
    team: str
    author: str
    is_remote: bool
    declines: bool
    excluded: str | None  # the reason of the exclusion
    withdrawn: datetime | None

    @property
    def bot_author(self) -> str:
        """The author of the entrant's bot: its team, or else its author, or else its name.

        In a plan with `teams: apart`, bots with the same author never meet.
        """
        return self.team or self.author or self.name


class NewEntrant(NamedTuple):
    """An entrant as entered by the organiser."""

    name: str
    team: str = ""
    author: str = ""
    is_remote: bool = False  # its bot plays from its own machine


def add(database: Database, new: Sequence[NewEntrant], clock: Callable[[], float] = time) -> None:
    """Add entrants, all or none.

    Raises:
        ConfigError: A name is not valid or is taken, or a text is too long.
    """
    with database.transaction():
        names = [each.name for each in all_entrants(database)]
        taken = {each.casefold(): each for each in (*names, *aliases(database))}
        for each in new:
            _check(each)
            if other := taken.get(each.name.casefold()):  # on some file systems both are the same folder
                rest = "; no entrant of the list was added" if len(new) > 1 else ""
                raise ConfigError(f"entrant {each.name}: the name {other} is taken{rest}")
            taken[each.name.casefold()] = each.name
            sql = "INSERT INTO entrant (name, team, author, is_remote, created) VALUES (?, ?, ?, ?, ?)"
            database.write(sql, *each, clock())


def _check(new: NewEntrant) -> None:
    if problem := naming_problem(new.name):
        raise ConfigError(f"entrant {new.name}: {problem}")
    for what, text in (("team", new.team), ("author", new.author)):
        if len(text) > _MAX_TEXT or text != one_line(text):
            most = f"one line of at most {_MAX_TEXT} characters"
            raise ConfigError(f"entrant {new.name}: its {what} should be {most}")


def all_entrants(database: Database) -> list[Entrant]:
    """All entrants, sorted by name."""
    return _read(database, "TRUE")


def _read(database: Database, where: str, *values: object) -> list[Entrant]:
    """The entrants for which the SQL `where` holds, sorted by name."""
    return read_rows(database, Entrant, f"SELECT * FROM entrant WHERE {where} ORDER BY name", *values)


def remote(database: Database) -> list[Entrant]:
    """The remote entrants that take part, sorted by name."""
    return _read(database, f"is_remote AND {TAKES_PART}")


def opponents(database: Database) -> list[Entrant]:
    """The entrants that may be asked for scrimmages, sorted by name."""
    return _read(database, f"{TAKES_PART} AND NOT declines AND NOT is_remote")


def count(database: Database) -> int:
    """The number of entrants that take part."""
    return len(_read(database, TAKES_PART))


def no_remote_bot(database: Database, name: str) -> str:
    """The reason if `name` may not play from its own machine, for example if it is not remote; else ""."""
    found = get(database, name)
    if not found:
        return "the token is not valid there (or not any more)"
    if not found.is_remote:
        return f"{name} hands in its bot (curl -T): only a remote entrant plays from its own machine"
    if found.excluded is not None:
        return f"the organiser has excluded {name}: {found.excluded}"
    return f"{name} has withdrawn" if found.withdrawn else ""


def get(database: Database, name: str) -> Entrant | None:
    """The entrant with this name; None: there is none."""
    return next(iter(_read(database, "name = ?", name)), None)


def find(database: Database, name: str) -> Entrant:
    """The entrant with this name.

    Raises:
        ConfigError: There is no such entrant.
    """
    if found := get(database, name):
        return found
    raise ConfigError(f"no entrant {name}")


def holder(name: str) -> Holder:
    """The holder of an entrant's tokens."""
    return Holder("entrant", name)


def new_token(server: Database, name: str) -> str:
    """Make and return a token of an entrant, in server.db; its earlier tokens and its cookies are revoked."""
    tokens = Tokens(server)
    tokens.revoke(holder(name))
    return tokens.issue(holder(name), "bearer")


def token_state(server: Database, name: str) -> str:
    """A line about an entrant's token in server.db: its end of validity, or that there is none."""
    expires = Tokens(server).expires(holder(name), "bearer")
    if expires is None:
        return f"{name} has no token; make one by --new"
    return f"{name} has a token until {datetime.fromtimestamp(expires, UTC):%Y-%m-%d %H:%M} UTC"


def exclude(database: Database, name: str, why: str) -> None:
    """Take an entrant out of the contest, for the reason `why`.

    Raises:
        ConfigError: There is no such entrant.
    """
    find(database, name)
    database.write("UPDATE entrant SET excluded = ? WHERE name = ?", why, name)


def excluded(database: Database) -> dict[str, str]:
    """The reason of each exclusion, by name of the entrant."""
    return {each.name: each.excluded or "" for each in _read(database, "excluded IS NOT NULL")}


def readmit(database: Database, name: str) -> None:
    """Let an entrant that was excluded or has withdrawn take part again.

    Raises:
        ConfigError: There is no such entrant.
    """
    find(database, name)
    database.write("UPDATE entrant SET excluded = NULL, withdrawn = NULL WHERE name = ?", name)


def set_withdrawn(database: Database, name: str, now: float) -> None:
    """Note that an entrant withdraws (see `entries.withdraw`)."""
    database.write("UPDATE entrant SET withdrawn = ? WHERE name = ?", now, name)


def set_declines(database: Database, name: str, declines: bool) -> None:
    """Set whether an entrant declines scrimmages (see `scrimmages.decline`)."""
    database.write("UPDATE entrant SET declines = ? WHERE name = ?", declines, name)


def set_served(database: Database, name: str) -> None:
    """Note that the intake takes up an entry of this entrant now: all others precede its next one."""
    database.write("UPDATE entrant SET served = (SELECT max(served) + 1 FROM entrant) WHERE name = ?", name)


def delete(database: Database, name: str) -> None:
    """Delete all rows about an entrant; the intake removes its files. Its games are shown under an alias.

    Raises:
        ConfigError: There is no such entrant.
    """
    find(database, name)
    with database.transaction():
        number = len(aliases(database)) + 1
        database.write("INSERT INTO deleted VALUES (?, ?)", name, f"deleted-{number}")
        database.write("DELETE FROM entrant WHERE name = ?", name)  # with all rows that refer to it


def aliases(database: Database) -> dict[str, str]:
    """The alias under which the games of each deleted entrant are shown, by its old name."""
    return {row["name"]: row["alias"] for row in database.rows("SELECT * FROM deleted")}
