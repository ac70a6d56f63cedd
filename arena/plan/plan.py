"""A tournament plan: the YAML file that says which bots play what, under which conditions."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from arena import games
from arena.core.bot import Bot
from arena.core.clock import TimeControl
from arena.core.config import ConfigError, Document, suggestion
from arena.core.limits import Limits
from arena.plan.entrants import check_teams, ladder_folder, load_bots, teams_of
from arena.plan.format_keys import advance_of, check_format, rounds_of
from arena.plan.keys import PlanKeys, RatingKeys
from arena.records.deals import check_seed, is_guessable, run_name
from arena.rules import Game

FOCUS_ERROR = 30  # Elo; how well a newcomer is known by default


@dataclass(frozen=True)
class Comparison:
    """Is bot `one` better than bot `two`, by themselves or in the place of each other `against` a field?

    The sequential test decides between a difference of `elo0` and one of `elo1`, with the probabilities
    `alpha` and `beta` to be wrong.
    """

    one: str
    two: str
    against: tuple[str, ...]
    elo0: float
    elo1: float
    alpha: float
    beta: float
    max_groups: int

    def identity(self) -> dict[str, Any]:
        """What may not change in a run that goes on, as JSON has it.

        The games would stay the same under another `elo1`, say, but limits that are chosen when some games
        have been seen do not keep their promise of `alpha` and `beta`. How long to go on is free: the test
        looks at the same moments, and a verdict that is there stays.
        """
        kept = {key: value for key, value in vars(self).items() if key != "max_groups"}
        return {**kept, "against": list(self.against)}


@dataclass(frozen=True)
class Plan:
    """A plan that has been checked: every bot exists, every option fits, there are bots enough.

    `seats` are the sizes of the tables, `teams` those of all bots where they are kept `apart`, `groups` the
    seed groups per line-up, `lineups` the most line-ups of one size. Everything random follows from `seed`
    (`arena.deals`), which is None until a run has drawn its secret. `challengers` are those of a gauntlet,
    `rounds` those of a swiss; of a knockout's table so many `advance`; `seeds` come first in the draw of
    either. A ladder plays the bots of a `folder`, the plan has none, until there are so many `games` or for
    so many `hours`. An adaptive tournament ends after `games`, or when the error of every bot (or of `focus`)
    is `target_error` Elo.
    """

    name: str
    game: Game
    seats: tuple[int, ...]
    options: Mapping[str, Any]
    bots: Mapping[str, Bot]
    control: TimeControl
    seed: str | None = None
    format: str = "round-robin"
    apart: bool = False
    teams: Mapping[str, str] = field(default_factory=dict)
    groups: int = 1
    lineups: int = 1
    strikes: int = 3
    reuse: bool = True
    names: bool = False
    ponder: bool = True
    rating: RatingKeys = RatingKeys()
    challengers: tuple[str, ...] = ()
    rounds: int | None = None
    advance: int | None = None
    seeds: tuple[str, ...] = ()
    folder: Path | None = None
    hours: float | None = None
    games: int | None = None
    target_error: float | None = None
    focus: str | None = None
    compare: Comparison | None = None
    sandbox: str = "auto"
    require: str = "limits"
    limits: Limits = Limits()
    seed_is_public: bool = False

    def __post_init__(self) -> None:
        if self.seed is not None:
            check_seed(self.seed)

    @property
    def is_open(self) -> bool:
        """Whether bots may know the seed: it can be guessed, or read in the list of processes."""
        return self.seed is not None and (self.seed_is_public or is_guessable(self.seed))

    def identity(self) -> dict[str, Any]:
        """What decides the games, beside the seed, as JSON has it; a run is not mixed with another plan."""
        return {
            "run": None if self.seed is None else run_name(self.seed),
            "game": self.game.name,
            "version": self.game.version,
            "seats": list(self.seats),
            "options": dict(self.options),
            "format": self.format,
            "groups": self.groups,
            "lineups": self.lineups,
            "teams": self._apart(),
            "challengers": list(self.challengers) or None,
            "rounds": self.rounds,
            "advance": self.advance,
            "seeds": list(self.seeds) or None,
            "clock": self.control.plain(),
            "strikes": self.strikes,
            "names": self.names,
            "ponder": self.ponder,
            "limits": vars(self.limits),
            "bots": {name: bot.fingerprint for name, bot in self.bots.items()},
            **(self.compare.identity() if self.compare else {}),
        }

    def _apart(self) -> str | dict[str, list[str]] | None:
        """Whether authors are; and which, where other ones would change rounds that have been played."""
        if not self.apart or not (self.rounds or self.advance):
            return "apart" if self.apart else None
        members: dict[str, list[str]] = {}
        for bot, team in sorted(self.teams.items()):
            members.setdefault(team, []).append(bot)
        return {team: bots for team, bots in members.items() if len(bots) > 1} or None


def load_plan(path: Path) -> Plan:
    """Read and check a plan. ConfigError: one line on the first thing that is wrong."""
    document = Document(path)
    keys = document.check(PlanKeys)
    game = find_game(keys.game, document)
    bots = load_bots(keys, document)
    seats = table_sizes(keys, game, len(bots), document)
    options = check_options(game, keys.options, seats, document)
    if keys.sandbox == "limits" and keys.require == "bubblewrap":
        raise document.error(("require",), "sandbox: limits is less than that")
    check_format(keys, seats, options, bots, document)
    teams = teams_of(bots) if keys.teams else {}
    check_teams(teams, keys, seats, document)
    anchor = keys.rating.anchor
    if anchor and anchor.bot not in bots and keys.format != "ladder":
        raise document.error(
            ("rating", "anchor", "bot"), f"no bot {anchor.bot!r}{suggestion(anchor.bot, list(bots))}"
        )
    return Plan(
        name=path.stem,
        game=game,
        seats=seats,
        options=options,
        format=keys.format,
        apart=bool(keys.teams),
        teams=teams,
        groups=keys.groups,
        lineups=keys.lineups,
        seed=None if keys.seed is None else str(keys.seed),
        control=TimeControl(**keys.clock.model_dump()),
        strikes=keys.strikes,
        reuse=keys.reuse,
        names=keys.names,
        ponder=keys.ponder,
        bots=bots,
        rating=keys.rating,
        challengers=tuple(sorted(keys.challengers or ())),
        rounds=rounds_of(keys, seats[0], len(bots), max(Counter(teams.values()).values(), default=1)),
        advance=advance_of(keys, seats[0]),
        seeds=tuple(keys.seeds),
        folder=ladder_folder(keys, document),
        hours=keys.hours,
        games=keys.games,
        target_error=keys.target_error,
        focus=keys.focus,
        sandbox=keys.sandbox,
        require=keys.require,
        limits=Limits(**keys.limits.model_dump()),
    )


def focused(plan: Plan, bot: str) -> Plan:
    """The plan with what tells most about this bot to be played now. ConfigError: there is none."""
    if bot not in plan.bots:
        raise ConfigError(f"--focus: no bot {bot!r}{suggestion(bot, list(plan.bots))}")
    target = plan.target_error if plan.games or plan.target_error else FOCUS_ERROR
    return replace(plan, format="adaptive", focus=bot, target_error=target)


def find_game(name: str, document: Document | None = None) -> Game:
    if game := games.find(name):
        return game
    message = f"no game {name!r}{suggestion(name, games.names())}"
    raise document.error(("game",), message) if document else ConfigError(message)


def table_sizes(keys: PlanKeys, game: Game, bots: int, document: Document) -> tuple[int, ...]:
    low, high = game.seats[0], game.seats[-1]
    sizes = keys.seats if keys.seats is not None else max(low, min(bots, 4, high))
    sizes = tuple(sizes) if isinstance(sizes, list) else (sizes,)
    for size in sizes:
        if size not in game.seats:
            raise document.error(("seats",), f"{game.name} has {low} to {high} seats, not {size}")
    if not sizes or len(set(sizes)) < len(sizes):
        raise document.error(("seats",), "should be a number of seats, or several different ones")
    if bots < max(sizes) and keys.format != "ladder":
        raise document.error(("bots",), f"{bots} bots are too few for {max(sizes)} seats")
    return sizes


def check_options(
    game: Game, given: Mapping[str, Any], seats: tuple[int, ...], document: Document | None = None
) -> dict[str, Any]:
    """All options of a game, defaults included. ConfigError: an unknown one or a wrong value."""

    def error(name: str, message: str) -> ConfigError:
        if document:
            return document.error(("options", name), message)
        return ConfigError(f"option {name}: {message}")

    for name, value in given.items():
        if name not in game.options:
            raise error(name, f"unknown option of {game.name}{suggestion(name, list(game.options))}")
        option = game.options[name]
        if not option.allows(value):
            raise error(name, f"should be {option.describe()}, not {value!r}")
        for size in seats:
            if not option.applies(value, size):
                raise error(name, f"{value!r} does not fit a table of {size}")
    return game.defaults() | dict(given)
