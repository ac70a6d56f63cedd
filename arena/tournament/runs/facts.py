"""The facts about a run as a whole. They are checked when its file is opened: a stranger may have made it.

Free texts are escaped, because the author of a bot may choose some of them. The plans stay as they are,
because the commitment is a hash of one.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import AfterValidator, Strict, with_config
from typing_extensions import TypedDict

from arena.config.document import checked
from arena.config.text import SURROGATE, one_line
from arena.config.values import KEYS, Switch, Text
from arena.rating.settings import RatingSettings
from arena.referee.record import DAMAGE, check_texts

_NAME = re.compile(r"[\w.+-]{1,64}")  # In a plan the limit is 32, but `arena play` adds a number.


def check_name(text: str) -> str:
    """Check and return the name or fingerprint of a bot.

    Raises:
        ValueError, TypeError: The text cannot be one.
    """
    if not _NAME.fullmatch(text):
        raise ValueError(f"should have only letters, digits and . + - _, not {ascii(text)[:80]}")
    return text


OneLine = Annotated[Text, AfterValidator(one_line)]
_Name = Annotated[Text, AfterValidator(check_name)]
_Number = Annotated[int, Strict()] | Annotated[float, Strict()]


@with_config(extra="allow")
class _PlanShape(TypedDict):
    """The keys that every `Plan.identity` has; a format adds its own."""

    game: Text
    version: Annotated[int, Strict()]
    options: dict[Text, Text | Switch | _Number]
    seats: list[Annotated[int, Strict()]]
    format: Text
    clock: dict[Text, _Number]
    bots: dict[_Name, _Name]


if TYPE_CHECKING:
    StoredPlan = Mapping[str, Any]
else:
    StoredPlan = _PlanShape


@dataclass(frozen=True, kw_only=True)
class Author:
    """The author and the version that a bot claims."""

    author: OneLine
    version: OneLine


@dataclass(frozen=True, kw_only=True)
class Session:
    """The version of the arena that played, and its sandbox."""

    arena: OneLine
    sandbox: OneLine


@dataclass(frozen=True, kw_only=True)
class Closing:
    """The number of games that a run had when it was closed, and of missing ones, if known."""

    games: Annotated[int, Strict()]
    missing: Annotated[int, Strict()] | None


@dataclass(frozen=True, kw_only=True)
class Origin:
    """The origin of the secret of a contest's final: the contest's secret, and its SHA-256.

    The SHA-256 is published on the first day. The secret is None until it is published with the result.
    """

    sha256: OneLine
    secret: Text | None = None


@dataclass(frozen=True, kw_only=True)
class RunFacts:
    """The facts about a run as a whole. A run of single games has no `plan` and no `secret`.

    `plan` is the identity of the plan now, and `free` its `Plan.free_keys`. `committed` is the identity at
    the beginning, with settings: the `commitment` was made for it. With an `open_seed` there is no
    commitment, because bots may know the seed. `revealed` and `closed` are set when the run is closed: its
    secret may be shown, and no game is added. Three mappings are by name of a bot: `excluded` says why it
    does not count in the standings, `skipped` why it does not play, and `started` which version has started
    once on the machine of the run, with sandbox and arena; it is not tried again. Only the final of a contest
    has an `origin`.
    """

    __pydantic_config__ = KEYS

    plan: StoredPlan | None = None
    committed: StoredPlan | None = None
    free: dict[Text, Any] = field(default_factory=dict)
    secret: Text | None = None
    commitment: OneLine | None = None
    open_seed: Switch = False
    revealed: Switch = False
    closed: Closing | None = None
    origin: Origin | None = None
    rating: RatingSettings = RatingSettings()
    excluded: dict[OneLine, OneLine] = field(default_factory=dict)
    skipped: dict[OneLine, OneLine] = field(default_factory=dict)
    authors: dict[OneLine, Author] = field(default_factory=dict)
    started: dict[OneLine, OneLine] = field(default_factory=dict)
    sessions: tuple[Session, ...] = ()

    @property
    def bots(self) -> Mapping[str, str]:
        """The fingerprints of the bots of the plan, by name."""
        return self.plan["bots"] if self.plan else {}

    def teams(self) -> dict[str, str]:
        """The team of each bot of the plan by name: its author's team, or its own.

        Raises:
            KeyError: The file has lost the author of a bot.
        """
        authors = {name: self.authors[name].author for name in self.bots}
        return {name: f"author {author}" if author else f"bot {name}" for name, author in authors.items()}

    def rows(self) -> list[tuple[str, str]]:
        """The facts as a run file stores them: pairs of a field's name and its value as JSON."""
        return [(name, json.dumps(value)) for name, value in asdict(self).items()]


def read_facts(rows: Mapping[str, str]) -> RunFacts:
    """The facts from `RunFacts.rows`, by name.

    Raises:
        ValueError: The facts have a mistake; the message says where the first one is.
    """
    try:
        facts = {name: json.loads(value) for name, value in rows.items()}
        check_texts(facts, SURROGATE)
    except DAMAGE as error:
        raise ValueError(str(error)) from None
    return checked(RunFacts, facts)
