"""A tournament plan: the YAML file that says which bots play what, under which conditions."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from arena import games
from arena.bot import Bot, bot_from_command, bot_from_path
from arena.clock import TimeControl
from arena.config import ConfigError, Document, suggestion
from arena.limits import MB, Limits, size_of
from arena.rules import Game

BOT_NAME = re.compile(r"[\w.+-]{1,32}")
UNITS = {"ms": 0.001, "s": 1.0, "m": 60.0}


def seconds(value: object) -> float:
    """A time such as `500ms`, `1.5s` or `2m`, in seconds."""
    found = re.fullmatch(r"(\d+(?:\.\d+)?)(ms|s|m)", value) if isinstance(value, str) else None
    if not found:
        raise ValueError(f"should be a time such as 500ms, 1s or 2m, not {value!r}")
    return float(found[1]) * UNITS[found[2]]


Time = Annotated[float, BeforeValidator(seconds)]
MoreThanNothing = Annotated[Time, Field(gt=0)]
Size = Annotated[int, BeforeValidator(size_of)]


class Keys(BaseModel):
    """A group of keys in a plan: no others, and no type is bent into another."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class ClockKeys(Keys):
    move: MoreThanNothing = 1.0
    bank: Time = 0.0
    start: MoreThanNothing = 10.0


class LimitKeys(Keys):
    """Less than these bounds and no interpreter starts, or the arena itself does not."""

    memory: Annotated[Size, Field(ge=16 * MB)] = Limits.memory
    processes: Annotated[int, Field(ge=1)] = Limits.processes
    cpu: Annotated[Time, Field(ge=1)] = Limits.cpu
    disk: Annotated[Size, Field(ge=MB)] = Limits.disk
    output: Annotated[Size, Field(ge=MB)] = Limits.output


class BotKeys(Keys):
    run: Annotated[list[str], Field(min_length=1)]


class AnchorKeys(Keys):
    bot: str
    elo: float


class RatingKeys(Keys):
    anchor: AnchorKeys | None = None
    average: float = 1500


class PlanKeys(Keys):
    """The keys of a plan, as `README.md` explains them."""

    game: str
    seats: int | list[int] | None = None
    options: dict[str, Any] = {}
    format: Literal["round-robin", "series"] = "round-robin"
    groups: Annotated[int, Field(ge=1)] = 10
    lineups: Annotated[int, Field(ge=1)] = 500
    seed: int | str | None = None
    clock: ClockKeys = ClockKeys()
    strikes: Annotated[int, Field(ge=1)] = 3
    reuse: bool = True
    names: bool = False
    bots: dict[str, str | BotKeys]
    rating: RatingKeys = RatingKeys()
    sandbox: Literal["auto", "limits", "bubblewrap"] = "auto"
    require: Literal["limits", "bubblewrap"] = "limits"
    limits: LimitKeys = LimitKeys()


@dataclass(frozen=True)
class Plan:
    """A plan that has been checked: every bot exists, every option fits, there are bots enough.

    `seats` are the sizes of the tables, `groups` the seed groups per line-up, `lineups` the most
    line-ups of one size. `seed` is None until the first run has drawn one.
    """

    name: str
    game: Game
    seats: tuple[int, ...]
    options: Mapping[str, Any]
    format: str
    groups: int
    lineups: int
    seed: str | None
    control: TimeControl
    strikes: int
    reuse: bool
    names: bool
    bots: Mapping[str, Bot]
    rating: RatingKeys
    sandbox: str
    require: str
    limits: Limits

    def identity(self) -> dict[str, Any]:
        """What decides the games, as JSON has it; a run remembers it and is not mixed with another."""
        return {
            "game": self.game.name,
            "version": self.game.version,
            "seats": list(self.seats),
            "options": dict(self.options),
            "format": self.format,
            "groups": self.groups,
            "lineups": self.lineups,
            "seed": self.seed,
            "clock": vars(self.control),
            "strikes": self.strikes,
            "names": self.names,
            "limits": vars(self.limits),
            "bots": {name: bot.fingerprint for name, bot in self.bots.items()},
        }


def load_plan(path: Path) -> Plan:
    """Read and check a plan. ConfigError: one line on the first thing that is wrong."""
    document = Document(path)
    keys = document.check(PlanKeys)
    game = find_game(keys.game, document)
    bots = load_bots(keys, document)
    seats = table_sizes(keys, game, len(bots), document)
    options = check_options(game, keys.options, seats, document)
    check_format(keys, seats, options, len(bots), document)
    if keys.sandbox == "limits" and keys.require == "bubblewrap":
        raise document.error(("require",), "sandbox: limits is less than that")
    anchor = keys.rating.anchor
    if anchor and anchor.bot not in bots:
        raise document.error(
            ("rating", "anchor", "bot"), f"no bot {anchor.bot!r}{suggestion(anchor.bot, list(bots))}"
        )
    return Plan(
        name=path.stem,
        game=game,
        seats=seats,
        options=options,
        format=keys.format,
        groups=keys.groups,
        lineups=keys.lineups,
        seed=None if keys.seed is None else str(keys.seed),
        control=TimeControl(**keys.clock.model_dump()),
        strikes=keys.strikes,
        reuse=keys.reuse,
        names=keys.names,
        bots=bots,
        rating=keys.rating,
        sandbox=keys.sandbox,
        require=keys.require,
        limits=Limits(**keys.limits.model_dump()),
    )


def find_game(name: str, document: Document | None = None) -> Game:
    if game := games.find(name):
        return game
    message = f"no game {name!r}{suggestion(name, games.names())}"
    raise document.error(("game",), message) if document else ConfigError(message)


def load_bots(keys: PlanKeys, document: Document) -> dict[str, Bot]:
    bots, folder = {}, document.path.parent
    for name, given in keys.bots.items():
        if not BOT_NAME.fullmatch(name):
            raise document.error(("bots", name), "a name has letters, digits and . + - _ alone, at most 32")
        try:
            if isinstance(given, str):
                bots[name] = bot_from_path(name, folder / given)
            else:
                bots[name] = bot_from_command(name, given.run, folder.resolve())
        except ConfigError as error:
            raise document.error(("bots", name), str(error)) from None
    return bots


def table_sizes(keys: PlanKeys, game: Game, bots: int, document: Document) -> tuple[int, ...]:
    low, high = game.seats[0], game.seats[-1]
    sizes = keys.seats if keys.seats is not None else max(low, min(bots, 4))
    sizes = tuple(sizes) if isinstance(sizes, list) else (sizes,)
    for size in sizes:
        if size not in game.seats:
            raise document.error(("seats",), f"{game.name} has {low} to {high} seats, not {size}")
    if not sizes or len(set(sizes)) < len(sizes):
        raise document.error(("seats",), "should be a number of seats, or several different ones")
    if bots < max(sizes):
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


def check_format(
    keys: PlanKeys, seats: tuple[int, ...], options: Mapping[str, Any], bots: int, document: Document
) -> None:
    if keys.format == "series" and (len(seats) > 1 or seats[0] != bots):
        raise document.error(("format",), f"a series is played at one table: {bots} bots need seats: {bots}")
    if keys.format != "series" and options.get("starter") == "winner":
        raise document.error(("options", "starter"), "winner needs format: series")
