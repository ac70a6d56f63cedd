"""Reads a tournament plan: the YAML file that says which bots play what, under which conditions."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType

from arena.config.document import ConfigError, Document
from arena.config.text import one_line, suggestion
from arena.programs.bot import Bot
from arena.programs.game_options import check_options, find_game, refuse_unsupported
from arena.programs.kits import quickstart
from arena.programs.play.prompt import first_tokens
from arena.rules import Game
from arena.tournament import formats
from arena.tournament.formats.config import Participants
from arena.tournament.formats.plan import PartToPlay, Plan
from arena.tournament.plan.entrants import load_bots, refuse_exposed, shared_files, teams_of
from arena.tournament.plan.keys import PlanKeys, read_keys

_FOCUS_ERROR = 30.0  # Elo: the default target error of `arena run --focus`
_PART_GAMES, _PART_SECONDS = 2000, 120.0  # With bots in Python, the games take two cores about this long.
MANY = 1000  # bots, which is more than the seats of any table


def load_plan(
    path: Path, skipped: Mapping[str, str] = MappingProxyType({}), more: Sequence[Path] = ()
) -> Plan:
    """Read and check a plan.

    Args:
        path: The plan file.
        skipped: The reasons, by name, why bots turned out to be broken before: they are left out. Under
            `broken: skip`, so are bots that cannot be read or do not support the plan. `Plan.skipped` has all
            of them.
        more: The paths of additional bots.

    Raises:
        ConfigError: The plan has a problem. The message is one line on the first one, or a line for each bot
            that does not support the plan.
    """
    document = Document(path)
    keys = read_keys(document)
    if keys.format.folder:
        return _load_ladder(keys, document, more)
    broken = keys.run.broken
    entries = load_bots(keys.entrants, document, broken == "refuse", more)
    if broken == "skip":
        skipped = {name: bot.broken for name, bot in entries.bots.items() if bot.broken} | dict(skipped)
    while True:
        left = {name: bot for name, bot in entries.bots.items() if name not in skipped}
        try:
            plan = _plan_of(left, keys, document)
        except ConfigError as error:
            reasons = "".join(f"; skipped {name}: {why}" for name, why in skipped.items())
            raise ConfigError(f"{error}{reasons}") from None
        unfit = _unsupporting(plan)
        if broken != "skip" or not unfit:
            break
        skipped = {**skipped, **unfit}  # Fewer bots may mean smaller tables.
    if unfit and broken == "refuse":
        raise ConfigError(*(f"bot {name}: {why}" for name, why in unfit.items()))
    bots = {name: replace(bot, broken=unfit.get(name, bot.broken)) for name, bot in plan.bots.items()}
    return replace(
        plan, bots=bots, skipped=skipped, passed_over=entries.passed_over, read=tuple(entries.read)
    )


def load_with(path: Path, bots: Mapping[str, Bot]) -> Plan:
    """Read a plan file that names no bots, and give it these.

    Bots that do not support it are marked as broken.

    Raises:
        ConfigError: The plan is wrong, or does not fit the bots.
    """
    document = Document(path)
    keys = read_keys(document)
    if keys.entrants.bots or keys.entrants.include:
        raise document.error(("bots",), "should not be here: the bots are those of the entrants")
    if keys.entrants.files:
        raise document.error(("files",), "does not apply here")
    plan = _plan_of(bots, keys, document)
    unfit = _unsupporting(plan)
    return replace(
        plan, bots={name: replace(bot, broken=unfit.get(name, bot.broken)) for name, bot in bots.items()}
    )


def load_terms(path: Path) -> Plan:
    """Read a plan without its bots: its requirements for any bot, and the `files` that it shares with all.

    The bots are read only if their number decides the seats.

    Raises:
        ConfigError: The plan is wrong.
    """
    document = Document(path)
    keys = read_keys(document)
    is_counted = keys.seats is None and not keys.format.folder
    count = len(load_bots(keys.entrants, document, refuse=False).bots) if is_counted else MANY
    files = shared_files(keys.entrants.files, document)
    return replace(_terms(keys, document, count), files=tuple(each.shared.path for each in files))


def _load_ladder(keys: PlanKeys, document: Document, more: Sequence[Path]) -> Plan:
    form, bots = keys.format.name, keys.entrants.bots
    if keys.entrants.include:
        raise document.error(("include",), f"does not apply to a {form}; its bots are in a folder")
    if not isinstance(bots, str):
        raise document.error(("bots",), f"should be a folder for a {form}, because its bots may change")
    folder = document.path.parent / bots
    if not folder.is_dir():
        raise document.error(("bots",), f"{folder}: no such folder")
    if more:
        raise document.error(("bots",), f"a {form} has its bots in this folder; put {more[0]} there")
    if keys.run.broken != "refuse":
        raise document.error(("broken",), f"a {form} leaves out broken bots until they change")
    shared = shared_files(keys.entrants.files, document)
    refuse_exposed(shared, "the bots", folder.resolve())
    plan = _plan_of({}, keys, document)
    return replace(plan, folder=folder, files=tuple(each.shared.path for each in shared))


def _unsupporting(plan: Plan) -> dict[str, str]:
    """The reasons, by name, why bots do not support the game, the seats or the options of the plan."""
    found = {}
    for name, bot in plan.bots.items():
        try:
            if not bot.broken:
                refuse_unsupported(bot, plan.game, plan.seats, plan.options)
        except ConfigError as error:
            found[name] = one_line(str(error).replace(f"{bot.folder.parent}/", ""))  # as in `broken_bot`
    return found


def _plan_of(bots: Mapping[str, Bot], keys: PlanKeys, document: Document) -> Plan:
    """The plan with these bots.

    Raises:
        ConfigError: The plan does not fit the bots.
    """
    plan = _terms(keys, document, len(bots))
    teams = teams_of(bots) if plan.keeps_teams_apart else {}
    authors, seats = len(set(teams.values())), max(plan.seats)
    if teams and authors < seats:
        need = f"{seats} seats need bots of as many authors, not of {authors}"
        raise document.error(("teams",), f"leaves no line-up here: {need}")
    _check_budget(plan.run.budget, bots, document)
    _check_contexts(bots, keys, document)
    field = Participants(plan.seats, bots, teams)
    for key, message in keys.format.problems(keys.config, field):
        raise document.error((key,), message)
    several = isinstance(keys.run.rating.anchor, tuple)
    for number, anchor in enumerate(keys.run.rating.anchors):
        if anchor not in bots and not keys.format.folder:
            place = ("rating", "anchor", *[number] * several, "bot")
            raise document.error(place, f"no bot {anchor!r}{suggestion(anchor, list(bots))}")
    return replace(plan, bots=bots, teams=teams, config=keys.format.complete(keys.config, field))


def _check_budget(budget: float | None, bots: Mapping[str, Bot], document: Document) -> None:
    """Check that a plan with a budget has models with prices.

    Raises:
        ConfigError: There is a budget, but no model, or one without a price.
    """
    models = {name: bot.model for name, bot in bots.items() if bot.model}
    if budget is not None and not models:
        raise document.error(("budget",), "is for language models, and bots: has none")
    for name, model in models.items():
        if budget is not None and model.price is None:
            raise document.error(("budget",), f"needs the price: of {name}, such as {{in: 0.5, out: 2}}")


def _check_contexts(bots: Mapping[str, Bot], keys: PlanKeys, document: Document) -> None:
    """Check that the context of each model has room for the rules and an ask.

    Raises:
        ConfigError: A model would forget everything before each ask, because the rules fill its context.
    """
    game = find_game(keys.game, document)
    for name, bot in bots.items():
        if bot.model and (least := first_tokens(bot.model, game)) >= bot.model.context:
            problem = f"{bot.model.context} tokens are not enough for the rules of {game.name}, about {least}"
            raise document.error(("bots", name, "context"), f"{problem}; give more, or set rules: moment")


def _terms(keys: PlanKeys, document: Document, count: int) -> Plan:
    """The plan without its bots, for `count` of them.

    Raises:
        ConfigError: The plan does not fit the game.
    """
    game = find_game(keys.game, document)
    seats = _table_sizes(keys, game, count, document)
    options = check_options(game, keys.options, seats, document)
    if keys.run.sandbox == "limits" and keys.run.require == "bubblewrap":
        raise document.error(("require",), "should not be more than sandbox: limits")
    if options.get("starter") == "winner" and not keys.format.successive:
        raise document.error(("options", "starter"), "winner needs format: series")
    return Plan(
        name=document.path.stem,
        game=game,
        seats=seats,
        options=options,
        bots={},
        format=keys.format,
        config=keys.config,
        conditions=keys.conditions,
        run=keys.run,
        seed=None if keys.seed is None else str(keys.seed),
        names_by_folder=keys.entrants.name_from == "folder",
    )


def load_for_run(
    path: Path,
    skipped: Mapping[str, str],
    more: Sequence[Path],
    focus: str | None,
    full: bool,
    seed: str | None,
) -> Plan:
    """Load a plan (`load_plan`), and change it by the options of `arena run`.

    If bots join the quickstart, its part to play has only their games, unless it is `full`. The games of the
    house bots are included in the arena, unless there is a `seed`.

    Raises:
        ConfigError: As in `load_plan`, or the plan does not have the bot `focus`.
    """
    plan = load_plan(path, skipped, more)
    house = load_plan(path) if more and path == quickstart() else None
    if focus:
        plan = focused(plan, focus)
    elif house and not full:
        plan = part_with(plan, plan.bots.keys() - house.bots.keys())
    if seed is None:
        return replace(plan, frozen=house)
    return replace(plan, seed=seed, seed_is_public=True)


def part_with(plan: Plan, bots: Collection[str]) -> Plan:
    """The plan with a part to play now: line-ups with one of these bots, for about two minutes."""
    one = replace(plan, part=PartToPlay(frozenset(bots), 1, _PART_SECONDS))
    groups = max(1, _PART_GAMES // (plan.format.size(one) or 1))
    return replace(plan, part=PartToPlay(frozenset(bots), min(groups, plan.config.groups), _PART_SECONDS))


def focused(plan: Plan, bot: str) -> Plan:
    """The plan as an adaptive tournament in which only the error of this bot counts.

    Raises:
        ConfigError: The plan does not have the bot.
    """
    if bot not in plan.bots:
        raise ConfigError(f"--focus: no bot {bot!r}{suggestion(bot, list(plan.bots))}")
    kept = {key: getattr(plan.config, key, None) for key in ("teams", "games", "target_error")}
    if not kept["games"] and not kept["target_error"]:
        kept["target_error"] = _FOCUS_ERROR
    return plan.in_format(formats.find("adaptive"), focus=bot, **kept)


def _table_sizes(keys: PlanKeys, game: Game, bots: int, document: Document) -> tuple[int, ...]:
    """The numbers of seats of the tables, for so many bots.

    Raises:
        ConfigError: The bots do not fit the seats.
    """
    form, low, high = keys.format, game.seats[0], game.seats[-1]
    if form.folder and keys.seats is None:
        raise document.error(("format",), f"a {form.name} needs seats:, because its bots may change")
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
