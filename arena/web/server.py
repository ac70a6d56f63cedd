"""`Server`: what the modules of the web process share."""

from collections import Counter
from collections.abc import Callable, Container, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from secrets import randbelow

from arena.web.connections import Connections
from arena.web.database import Database
from arena.web.events import Streams
from arena.web.limits import Rates
from arena.web.remotes import Remotes
from arena.web.requests import Refusal
from arena.web.settings import ServerSettings
from arena.web.tokens import Holder, Tokens


def _bot_of(holder: Holder | None) -> str:
    if holder is None or holder.role != "bot":
        raise Refusal(401, "the token is not valid there (or not any more)")
    return holder.subject


@dataclass(frozen=True, eq=False)
class Server:
    """One web process. It plays no games, and opens run files only to read them."""

    settings: ServerSettings
    connections: Connections = field(default_factory=Connections)
    rates: Rates = field(default_factory=Rates)
    counts: Counter[str] = field(default_factory=Counter)  # of what was refused, and why
    uploads: Mapping[str, int] = field(default_factory=dict)  # by path that takes a PUT: the most bytes
    withheld: Callable[[], Container[str]] = tuple  # the names of runs that are not shown now
    reserved: Callable[[], Container[str]] = tuple  # the names of runs that only the operator sees now
    bot_of: Callable[[Holder | None], str] = _bot_of  # the remote bot that a token plays. Refusal: none
    aliases: Callable[[], Mapping[str, str]] = dict  # by name of a bot: the name that is shown in its place

    @property
    def folder(self) -> Path:
        """The folder of the state: server.db, people.db, tables/."""
        return self.settings.folder

    @cached_property
    def database(self) -> Database:
        return Database(self.folder / "server.db")

    @cached_property
    def tokens(self) -> Tokens:
        return Tokens(self.database)

    @cached_property
    def gate_path(self) -> Path:
        """The Unix socket to which the links of games connect."""
        return self.settings.runtime / "gate"

    @cached_property
    def streams(self) -> Streams:
        """All event streams, which end when the server stops."""
        return Streams()

    @property
    def bots_path(self) -> Path:
        """The Unix socket to which workers connect for their remote bots."""
        return self.settings.bots_path

    @cached_property
    def remotes(self) -> Remotes:
        return Remotes(randbelow(2**32) + 1)

    def run_files(self, for_operator: bool = False) -> dict[str, Path]:
        """The run files that are shown now, by name of the run; `for_operator` adds the reserved ones."""
        runs = self.settings.runs
        files = sorted(runs.glob("*.db")) if runs.is_dir() else [runs]
        withheld, reserved = self.withheld(), () if for_operator else self.reserved()
        return {
            path.stem: path
            for path in files
            if path.is_file() and path.stem not in withheld and path.stem not in reserved
        }
