"""Reads a tournament plan: the YAML file that says which bots play what, under which conditions."""

from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any, TypeVar

from arena import formats
from arena.core.bot import Bot
from arena.core.conditions import Conditions
from arena.core.config import ConfigError, Document, suggestion
from arena.core.text import list_words, one_line
from arena.formats.config import Field, RunConfig
from arena.formats.plan import Format, Plan
from arena.plan.entrants import (
    Entries,
    check_teams,
    folder_of_bots,
    load_bots,
    refuse_exposed,
    shared_files,
    teams_of,
)
from arena.plan.game import check_options, find_game
from arena.plan.keys import CommonKeys, PlanKeys
from arena.plan.support import refuse_unsupported
from arena.rules import Game

FOCUS_ERROR = 30.0  # Elo: the target error of `arena run --focus` by default
Part = TypeVar("Part")


def load_plan(
    path: Path, skipped: Mapping[str, str] = MappingProxyType({}), more: Sequence[Path] = ()
) -> Plan:
    """Read and check a plan, with `more` bots than it has. ConfigError: one line on the first problem.

    `skipped` names bots that turned out to be broken, and says why: they sit out, as those do that cannot be
    read, if the plan says so.
    """
    document = Document(path)
    keys: Any = document.check(PlanKeys)
    form = formats.planned()[keys.format]
    check_keys(form, document)
    folder = folder_of_bots(keys, form, document) if form.folder else None
    if folder and more:
        raise document.error(("bots",), f"a {form.name} has its bots in this folder; put {more[0]} there")
    if folder and keys.broken != "refuse":
        raise document.error(("broken",), f"a {form.name} leaves out broken bots until they change")
    shared = shared_files(keys.files, document, (), document) if folder else []
    if folder:
        refuse_exposed(shared, "the bots", folder.resolve())
    entries = Entries({}, ()) if folder else load_bots(keys, document, keys.broken == "refuse", more)
    if keys.broken == "skip":
        skipped = {name: bot.broken for name, bot in entries.bots.items() if bot.broken} | dict(skipped)
    bots = {name: bot for name, bot in entries.bots.items() if name not in skipped}
    try:
        plan = plan_of(keys, form, bots, folder, document)
        while keys.broken == "skip" and (unfit := unsupporting(plan)):  # fewer bots may mean smaller tables
            skipped = {**skipped, **unfit}
            bots = {name: bot for name, bot in bots.items() if name not in skipped}
            plan = plan_of(keys, form, bots, folder, document)
    except ConfigError as error:
        reasons = "".join(f"; skipped {name}: {why}" for name, why in skipped.items())
        raise ConfigError(f"{error}{reasons}") from None
    unfit = unsupporting(plan)
    if unfit and keys.broken == "refuse":
        raise ConfigError(*(f"bot {name}: {why}" for name, why in unfit.items()))
    bots = {name: replace(bot, broken=unfit.get(name, bot.broken)) for name, bot in plan.bots.items()}
    plan = replace(plan, bots=bots)
    files = tuple(each.shared.path for each in shared)
    return replace(plan, skipped=skipped, passed_over=entries.passed_over, files=files)


def unsupporting(plan: Plan) -> dict[str, str]:
    """The bots that do not support what the plan plays, by their bot.yaml, and why."""
    found = {}
    for name, bot in plan.bots.items():
        try:
            if not bot.broken:
                refuse_unsupported(bot, plan.game, plan.seats, plan.options)
        except ConfigError as error:
            found[name] = one_line(str(error).replace(f"{bot.folder.parent}/", ""))  # as in `broken_bot`
    return found


def plan_of(
    keys: Any, form: Format, bots: Mapping[str, Bot], folder: Path | None, document: Document
) -> Plan:
    """The plan with these bots. ConfigError: it does not fit them."""
    game = find_game(keys.game, document)
    seats = table_sizes(keys, form, game, len(bots), document)
    options = check_options(game, keys.options, seats, document)
    if keys.sandbox == "limits" and keys.require == "bubblewrap":
        raise document.error(("require",), "should not be more than sandbox: limits")
    if options.get("starter") == "winner" and not form.successive:
        raise document.error(("options", "starter"), "winner needs format: series")
    teams = teams_of(bots) if keys.teams else {}
    field, config = Field(seats, bots, teams), part(keys, form.config)
    check_teams(teams, seats, document)
    for key, message in form.problems(config, field):
        raise document.error((key,), message)
    run = part(keys, RunConfig)
    anchor = run.rating.anchor
    if anchor and anchor.bot not in bots and not folder:
        raise document.error(
            ("rating", "anchor", "bot"), f"no bot {anchor.bot!r}{suggestion(anchor.bot, list(bots))}"
        )
    return Plan(
        name=document.path.stem,
        game=game,
        seats=seats,
        options=options,
        bots=bots,
        format=form,
        config=form.complete(config, field),
        conditions=part(keys, Conditions),
        run=run,
        seed=None if keys.seed is None else str(keys.seed),
        teams=teams,
        folder=folder,
    )


def part(keys: Any, kind: type[Part]) -> Part:
    """The keys that a dataclass declares."""
    return kind(**{each.name: getattr(keys, each.name) for each in fields(kind)})  # type: ignore[arg-type]  # of any dataclass


def check_keys(form: Format, document: Document) -> None:
    """ConfigError: the plan has a key of another format."""
    for key in document.data:
        others = [other.name for other in formats.planned().values() if key in other.keys]
        if others and form.name not in others:
            message = f"does not apply here; it needs format: {list_words(others, 'or')}"
            raise document.error((key,), message)


def focused(plan: Plan, bot: str) -> Plan:
    """The plan as an adaptive tournament on this bot. ConfigError: the plan does not have the bot."""
    if bot not in plan.bots:
        raise ConfigError(f"--focus: no bot {bot!r}{suggestion(bot, list(plan.bots))}")
    kept = {key: getattr(plan.config, key, None) for key in ("teams", "games", "target_error")}
    if not kept["games"] and not kept["target_error"]:
        kept["target_error"] = FOCUS_ERROR
    return plan.in_format(formats.find("adaptive"), focus=bot, **kept)


def table_sizes(keys: CommonKeys, form: Format, game: Game, bots: int, document: Document) -> tuple[int, ...]:
    low, high = game.seats[0], game.seats[-1]
    if form.folder and keys.seats is None:
        raise document.error(("format",), f"a {form.name} needs seats:, since its bots may change")
    given = keys.seats if keys.seats is not None else max(low, min(bots, 4, high))
    sizes = tuple(given) if isinstance(given, list) else (given,)
    for size in sizes:
        if size not in game.seats:
            raise document.error(("seats",), f"{game.name} has {low} to {high} seats, not {size}")
    if not sizes or len(set(sizes)) < len(sizes):
        raise document.error(("seats",), "should be a number of seats, or several different ones")
    if bots < max(sizes) and not form.folder:
        raise document.error(("bots",), f"{bots} bots are too few for {max(sizes)} seats")
    return sizes
