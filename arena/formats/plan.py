"""A plan and a format, as values.

A plan says which bots play what, in which format, under which conditions; a format says which games of a
plan are due.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, fields, replace
from math import inf
from pathlib import Path
from typing import Any, Generic

from typing_extensions import TypeVar

from arena.core.bot import Bot
from arena.core.conditions import Conditions
from arena.formats.config import Field, FormatConfig, Problem, RunConfig
from arena.records.deals import check_seed, is_guessable, run_name
from arena.records.fixture import Fixture
from arena.records.record import Summary
from arena.rules import Game

Played = Mapping[str, Summary]
"""What was played, by the id of its fixture, in the order of play. It grows while a format waits."""

WAIT = None
"""What a format yields when all that it has yielded so far must be played before it can go on."""

Due = Iterator[Fixture | None]
"""The games of a format, in order, and `WAIT` in between."""

C = TypeVar("C", bound=FormatConfig, default=Any)
Own = TypeVar("Own", bound=FormatConfig, covariant=True, default=Any)


Identity = Mapping[str, Any]
"""`Plan.identity`, as a run remembers it."""


def no_problems(config: FormatConfig, field: Field) -> Iterator[Problem]:
    yield from ()


def as_it_is(config: C, field: Field) -> C:
    return config


def no_limit(plan: Identity) -> float:
    return inf


def groups_of_plan(plan: Identity) -> float:
    return float(plan["groups"])


def one_game_per_bot(plan: Identity, bots: int) -> int:
    return bots


@dataclass(frozen=True)
class Format(Generic[C]):
    """Which games are due, as a value: a pure function of a plan and of what was played.

    To go on after a kill, `fixtures` is simply run again: it yields the games in order, and `WAIT` where it
    must know how they ended. `size` is how many games there are at most, None where that is unknown;
    `describe` gives a few lines for people. `problems` are those of a configuration, `complete` fills in
    defaults that depend on the field. A run that goes on may get more of what is `extendable`, and other
    values of what is `free`. A format with rounds has a `ranking`, the bots by their final places, and
    `placings`, lines on how that came.

    A run is verified by the identity of its plan: `most_groups` is how many seed groups a line-up may have,
    `group_size` how many games a group of so many bots has.

    The bots of a format with a `folder` come and go. In a `successive` one, a game may depend on the winner
    of the one before. In a `paired` one, two bots take turns on one seat. A format that is not `planned`
    has a command of its own instead.
    """

    name: str
    config: type[C]
    fixtures: Callable[["Plan[C]", Played], Due]
    size: Callable[["Plan[C]"], int | None]
    describe: Callable[["Plan[C]"], list[str]]
    problems: Callable[[C, Field], Iterator[Problem]] = no_problems
    complete: Callable[[C, Field], C] = as_it_is
    extendable: tuple[str, ...] = ()
    free: tuple[str, ...] = ()
    ranking: Callable[["Plan[C]", Played], list[str]] | None = None
    placings: Callable[["Plan[C]", Played], list[str]] | None = None
    most_groups: Callable[[Identity], float] = no_limit
    group_size: Callable[[Identity, int], int] = one_game_per_bot
    folder: bool = False
    successive: bool = False
    paired: bool = False
    planned: bool = True

    @property
    def keys(self) -> set[str]:
        """The keys of a plan that mean something in this format and not in all of them."""
        return {each.name for each in fields(self.config)}


@dataclass(frozen=True)
class Plan(Generic[Own]):
    """A plan that has been checked: every bot exists, every option fits, there are bots enough.

    `seats` are the sizes of the tables, `config` has the keys of the `format`, `teams` those of all bots
    where they are kept apart. Everything random follows from `seed` (`arena.records.deals`), which is None
    until a run has drawn its secret. A ladder plays the bots of a `folder`; its plan has none.
    """

    name: str
    game: Game
    seats: tuple[int, ...]
    options: Mapping[str, Any]
    bots: Mapping[str, Bot]
    format: Format
    config: Own
    conditions: Conditions = Conditions()
    run: RunConfig = RunConfig()
    seed: str | None = None
    teams: Mapping[str, str] = field(default_factory=dict)
    folder: Path | None = None
    seed_is_public: bool = False

    def __post_init__(self) -> None:
        if self.seed is not None:
            check_seed(self.seed)

    @property
    def secret(self) -> str:
        """The seed, once there is one."""
        assert self.seed is not None, "the plan has no seed yet"
        return self.seed

    @property
    def is_open(self) -> bool:
        """Whether bots may know the seed: it can be guessed, or read in the list of processes."""
        return self.seed is not None and (self.seed_is_public or is_guessable(self.seed))

    @property
    def keeps_teams_apart(self) -> bool:
        return getattr(self.config, "teams", None) == "apart"

    def in_format(self, form: Format, **keys: Any) -> "Plan":
        """The same bots and conditions in another format."""
        return replace(self, format=form, config=form.config(**keys))

    def identity(self) -> dict[str, Any]:
        """What decides the games, beside the seed, as JSON has it; a run is not mixed with another plan."""
        conditions = self.conditions.plain()
        config = self.config.identity()
        return {
            "run": None if self.seed is None else run_name(self.seed),
            "game": self.game.name,
            "version": self.game.version,
            "seats": list(self.seats),
            "options": dict(self.options),
            "format": self.format.name,
            "teams": self._apart(),
            **{key: value for key, value in config.items() if key not in self.format.free},
            "clock": conditions.pop("control"),
            **conditions,
            "bots": {name: bot.fingerprint for name, bot in self.bots.items()},
        }

    def _apart(self) -> str | dict[str, list[str]] | None:
        """Whether teams are; and which, where other ones would change rounds that have been played."""
        if not self.keeps_teams_apart or not self.format.ranking:
            return "apart" if self.keeps_teams_apart else None
        members: dict[str, list[str]] = {}
        for bot, team in sorted(self.teams.items()):
            members.setdefault(team, []).append(bot)
        return {team: bots for team, bots in members.items() if len(bots) > 1} or None
