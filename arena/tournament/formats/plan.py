"""Plans and formats, as values.

A plan names the bots, the game, the format and the conditions. A format decides which games of a plan are
due.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from math import inf
from pathlib import Path
from typing import Any, Generic, NamedTuple

from typing_extensions import TypeVar

from arena.programs.bot import Bot
from arena.rating.settings import Widening
from arena.referee.conditions import Conditions
from arena.referee.deals import check_seed, is_guessable, run_name
from arena.referee.fixture import Fixture
from arena.referee.placings import Placings
from arena.referee.record import Summary
from arena.rules import Game
from arena.tournament.formats.config import FormatConfig, Participants, Problem, RunConfig

Played = Mapping[str, Summary]
"""The played games by id, in the order of the run file. Their number grows while a format waits."""

WAIT = None
"""A format yields this if all games that it has yielded must be played before it can go on."""

Due = Iterator[Fixture | None]
"""Games of a plan in their order, with `WAIT`s between them."""

SETTINGS = "settings"
"""The key of a committed plan with `Plan.settings`."""

ConfigT = TypeVar("ConfigT", bound=FormatConfig, default=Any)
ConfigT_co = TypeVar("ConfigT_co", bound=FormatConfig, covariant=True, default=Any)


Identity = Mapping[str, Any]
"""The value of `Plan.identity`, as a run file has it."""


def groups_of_plan(plan: Identity) -> float:
    """The `most_groups` of formats in which a line-up has `groups` seed groups overall, not in each round."""
    return float(plan["groups"])


@dataclass(frozen=True)
class Format(Generic[ConfigT]):
    """A format as a value: its functions are pure functions of a plan and of the played games.

    `fixtures` yields the games in order, and `WAIT` if it must know their results to go on. When a run
    continues, it is called again from the beginning. `size` returns the number of games, or None if it is
    unknown; results may end a run earlier. It does not count further groups of a knockout, other phases of an
    adaptive run, or games that complete the last seed group of a ladder. `describe` returns a few lines for
    people. `problems` checks the keys of a plan, and `complete` returns them with defaults that depend on the
    bots. When a run continues, the plan may have greater values for `extendable` keys (for `bots`: more of
    them, or other versions), and other values for `free` keys. A format with rounds has `placings`. `notices`
    returns lines to show when games are due.

    Verification needs only the identity of a plan: `most_groups` returns the number of seed groups that a
    line-up may have, `group_size` the number of games of a group, given its number of bots. If the line-ups
    of a format may be a sample, which changes when bots join, the format has `group_names`: it yields the
    names of all seed groups. A format that chooses by results which bots meet widens the errors of its
    standings.
    """

    config: type[ConfigT]
    fixtures: Callable[["Plan[ConfigT]", Played], Due]
    size: Callable[["Plan[ConfigT]"], int | None]
    describe: Callable[["Plan[ConfigT]"], list[str]]
    problems: Callable[[ConfigT, Participants], Iterator[Problem]] = lambda config, field: iter(())
    complete: Callable[[ConfigT, Participants], ConfigT] = lambda config, field: config
    extendable: tuple[str, ...] = ()
    free: tuple[str, ...] = ()
    placings: Callable[["Plan[ConfigT]", Played], Placings] | None = None
    most_groups: Callable[[Identity], float] = lambda plan: inf
    group_size: Callable[[Identity, int], int] = lambda plan, bots: bots
    folder: bool = False  # The bots are in a folder, and may change during the run.
    open_ended: bool = False  # It ends by its results, or by hand: the plan does not fix its games.
    successive: bool = False  # A game may depend on the winner of the previous one.
    paired: bool = False  # Two bots take turns on one seat.
    planned: bool = True  # Otherwise it has its own command, and no plan can name it.
    notices: Callable[["Plan[ConfigT]", Played], list[str]] = lambda plan, played: []
    group_names: Callable[["Plan[ConfigT]"], Iterator[str]] | None = None
    widenings: tuple[Widening, ...] = ()  # for the errors of its standings

    @property
    def name(self) -> str:
        name: str = vars(self.config)["format"]
        return name

    @property
    def keys(self) -> set[str]:
        return {each.name for each in fields(self.config)} - {"format"}


class PartToPlay(NamedTuple):
    """The part of a round robin to play now: line-ups with one of these bots, for at most so many seconds.

    Each line-up has at most `groups` seed groups.
    """

    bots: frozenset[str]
    groups: int
    seconds: float


@dataclass(frozen=True)
class Plan(Generic[ConfigT_co]):
    """A checked plan: all bots exist, all options are valid, and there are enough bots.

    `seats` has the sizes of its tables. Everything random follows from `seed` (`arena.referee.deals`), which
    is None until a run has drawn its secret. A ladder plays the bots of a `folder`; its plan has no `bots`
    before it runs. Bots that are `excluded` from the standings of a run do not play in an adaptive
    tournament, and their games do not influence its line-ups.
    """

    name: str
    game: Game
    seats: tuple[int, ...]
    options: Mapping[str, Any]
    bots: Mapping[str, Bot]
    format: Format
    config: ConfigT_co
    conditions: Conditions = Conditions()
    run: RunConfig = RunConfig()
    seed: str | None = None
    teams: Mapping[str, str] = field(default_factory=dict)  # by bot, if teams are kept apart
    folder: Path | None = None
    excluded: frozenset[str] = frozenset()
    seed_is_public: bool = False
    skipped: Mapping[str, str] = field(default_factory=dict)  # why broken bots sit out (broken: skip)
    passed_over: Sequence[str] = ()  # `FILE: WHY` for matches of globs that do not play
    files: tuple[Path, ...] = ()  # shared with all bots, in a ladder or a plan without its bots
    read: tuple[Path, ...] = ()  # included and shared files, and templates of models
    part: PartToPlay | None = None  # None: the whole plan
    frozen: "Plan | None" = None  # Its games are part of the arena, and join the run.
    names_by_folder: bool = False  # for bots without a name in the plan (name_from: folder)

    def __post_init__(self) -> None:
        if self.seed is not None:
            check_seed(self.seed)

    @property
    def secret(self) -> str:
        """The seed of a plan that has one."""
        assert self.seed is not None, "the plan has no seed yet"
        return self.seed

    @property
    def is_open(self) -> bool:
        """Whether bots may know the seed: it can be guessed, or is visible in the list of processes."""
        return self.seed is not None and (self.seed_is_public or is_guessable(self.seed))

    @property
    def remote(self) -> list[str]:
        """The names of the bots that play from their own machines; only `arena serve` can play them."""
        return [name for name, bot in self.bots.items() if bot.is_remote]

    @property
    def models(self) -> list[str]:
        """The names of the bots for which language models answer."""
        return [name for name, bot in self.bots.items() if bot.is_model]

    @property
    def keeps_teams_apart(self) -> bool:
        return getattr(self.config, "teams", None) == "apart"

    def in_format(self, form: Format, **keys: Any) -> "Plan":
        """The plan in another format, with these keys."""
        return replace(self, format=form, config=form.config(**keys))

    def identity(self) -> dict[str, Any]:
        """Everything that decides the games, except keys that are `free` in the format, as JSON values.

        A run can continue with another identity only as far as its format allows (`refused_change`).
        """
        conditions = self.conditions.as_json()
        config = self.config.identity()
        return {
            "run": None if self.seed is None else run_name(self.seed),
            "game": self.game.name,
            "version": self.game.version,
            "seats": list(self.seats),
            "options": dict(self.options),
            "format": self.format.name,
            "teams": self._teams_identity(),
            **{key: value for key, value in config.items() if key not in self.format.free},
            "clock": conditions.pop("control"),
            **conditions,
            "bots": {name: bot.fingerprint for name, bot in self.bots.items()},
        }

    def free_keys(self) -> dict[str, Any]:
        """The keys that are `free` in the format, as JSON values."""
        config = self.config.identity()
        return {key: config[key] for key in self.format.free}

    def settings(self) -> dict[str, Any]:
        """The free keys, the keys of the rating, and the teams that the identity lacks, as JSON values.

        A run can continue with other settings. But they influence the standings, so a commitment covers them.
        """
        teams = {"teams": dict(self.teams)} if self._teams_identity() == "apart" else {}
        return self.free_keys() | teams | {"rating": self.run.rating.as_json()}

    def terms(self) -> dict[str, Any]:
        """The identity and the settings, which the list of a contest's final fixes."""
        return {**self.identity(), SETTINGS: self.settings()}

    def _teams_identity(self) -> str | dict[str, list[str]] | None:
        """The bots of each team that has several, if teams are kept apart; else, or without such teams, None.

        In a format without rounds, teams may change during a run, so the value is only "apart".
        """
        if not self.keeps_teams_apart or not self.format.placings:
            return "apart" if self.keeps_teams_apart else None
        members: dict[str, list[str]] = {}
        for bot, team in sorted(self.teams.items()):
            members.setdefault(team, []).append(bot)
        return {team: bots for team, bots in members.items() if len(bots) > 1} or None
