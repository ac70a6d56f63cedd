"""The folder of a contest: `arena contest init` writes it, and the organiser edits it."""

from dataclasses import dataclass, replace
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field

from arena.config.document import ConfigError, Document
from arena.config.values import KEYS, Text
from arena.contest.database import open_database
from arena.contest.moments import Moment
from arena.contest.settings import change_settings, settings_of
from arena.programs.sandbox.policy import Sandbox, choose
from arena.referee.conditions import PER_GROUP
from arena.tournament.formats.plan import Plan
from arena.tournament.plan.load import load_terms
from arena.web.database import Database

MARK = "contest.yaml"  # a folder with this file is a contest's
RULES = "rules.md"
SERVER = "server"  # the folder of the state
LADDER, REMOTE, FINAL = "ladder", "remote", "final"  # names of plans and of their runs
SCRIMMAGES = "scrimmages"  # a run without a plan
FROZEN = {LADDER: "frozen", REMOTE: "frozen-remote"}  # copies of runs, which the public sees instead


@dataclass(frozen=True, kw_only=True)
class Keys:
    """The keys of contest.yaml."""

    __pydantic_config__ = KEYS

    title: Annotated[Text, Field(min_length=1, max_length=200)]
    """The title of the contest, for its pages."""
    deadline: Moment
    """The last moment to hand in, with its time zone. An entry is in time if its last byte is."""
    freeze: Moment | None = None
    """The moment from which the public standings do not change until the end; None: they always change."""
    entries: Literal["private", "published"] = "private"
    """Whether the programs of all entries are published with the result of the final."""
    engine: Text = "local"
    """Where ladder and final are played: local, dask, or the address of the scheduler of a Dask cluster."""


@dataclass(frozen=True)
class Contest:
    """The folder of a contest, and the values of its contest.yaml."""

    folder: Path
    keys: Keys

    @property
    def server(self) -> Path:
        """The folder of the state: contest.db, server.db, uploads/, work/, secret."""
        return self.folder / SERVER

    @property
    def entries(self) -> Path:
        """The folder of the entries that play, with a folder for each entrant."""
        return self.folder / "entries"

    @property
    def runs(self) -> Path:
        """The folder of the run files."""
        return self.folder / "runs"

    def run(self, name: str) -> Path:
        """The file of a run."""
        return self.runs / f"{name}.db"

    def copies(self, name: str) -> Path:
        """The folder of the copies of entries that a run plays: their files do not change during a game."""
        return self.run(name).with_suffix(".bots")

    def plan(self, name: str) -> Path:
        return self.folder / f"{name}.yaml"

    @property
    def published(self) -> Path:
        return self.folder / "published"

    @property
    def secret(self) -> Path:
        """The file of the final's secret."""
        return self.server / "secret"

    @property
    def ladder(self) -> Path:
        return self.plan(LADDER)

    @property
    def final(self) -> Path:
        return self.plan(FINAL)

    @property
    def rules(self) -> Path:
        return self.folder / RULES

    def uploads(self, entrant: str) -> Path:
        """The folder of an entrant's archives, named by entry numbers; for "" the folder of all."""
        return self.server / "uploads" / entrant

    def work(self, entry: int, turn: int) -> Path:
        """The folder in which a process of the intake works on the entry with this id, in this `turn`."""
        return self.server / "work" / f"{entry}-{turn}"

    def database(self) -> Database:
        """A new connection to contest.db, for one thread."""
        return open_database(self.server / "contest.db")

    def server_database(self) -> Database:
        """A new connection to server.db, which has the tokens, for one thread."""
        return Database(self.server / "server.db")

    @property
    def url(self) -> str:
        """The last address of the contest's server; "": it was never served."""
        return settings_of(self.database()).url

    def note_url(self, url: str) -> None:
        """Note the address at which the contest is served, for the links of entrants."""
        with change_settings(self.database()) as settings:
            settings.url = url

    @cached_property
    def terms(self) -> Plan:
        """The plan of the ladder without its bots: the game and the conditions for every entry."""
        return with_own_deals(load_terms(self.ladder), self.ladder)

    @cached_property
    def sandbox(self) -> Sandbox:
        """The sandbox of all entries.

        Raises:
            ConfigError: This machine has no sandbox that the ladder's plan allows.
        """
        return choose(self.terms.conditions.limits, self.terms.run.sandbox, required(self.ladder))


def strict(plan: Plan, path: Path) -> Plan:
    """The plan of the file `path`, with `require` and `deals` set for entries of strangers."""
    plan = with_own_deals(plan, path)
    return replace(plan, run=replace(plan.run, require=required(path)))


def with_own_deals(plan: Plan, path: Path) -> Plan:
    """The plan of the file `path`, with `deals` set for bots of strangers (`deals`)."""
    return replace(plan, conditions=replace(plan.conditions, deals=deals(path)))


def required(plan: Path) -> Literal["limits", "bubblewrap"]:
    """The weakest sandbox for entries of strangers: limits only if the plan itself has `require: limits`."""
    return "limits" if Document(plan).data.get("require") == "limits" else "bubblewrap"


def deals(plan: Path) -> Literal["per-group", "per-game"]:
    """The value of `deals` in a contest: per-game, unless the plan itself has `deals: per-group`."""
    return "per-group" if Document(plan).data.get("deals") == PER_GROUP else "per-game"


def open_contest(folder: Path) -> Contest:
    """Read the folder of a contest.

    Raises:
        ConfigError: The folder is not a contest's, or its contest.yaml is wrong.
    """
    if not (folder / MARK).is_file():
        raise ConfigError(f"{folder}: not the folder of a contest; make one by arena contest init {folder}")
    document = Document(folder / MARK)
    keys = document.check(Keys)
    if keys.freeze and keys.freeze >= keys.deadline:
        raise document.error(("freeze",), "should be before the deadline")
    if keys.engine not in ("local", "dask") and ":" not in keys.engine:
        raise document.error(("engine",), "should be local, dask, or an address such as tcp://host:8786")
    return Contest(folder.resolve(), keys)


def deadline(contest: Contest, database: Database) -> datetime:
    """The deadline in contest.yaml, or a later setting of the organiser on the page."""
    return settings_of(database).deadline or contest.keys.deadline


def freeze(contest: Contest, database: Database) -> datetime | None:
    """The freeze of the public standings: in contest.yaml, or set since by the organiser; None: never."""
    return settings_of(database).freeze or contest.keys.freeze
