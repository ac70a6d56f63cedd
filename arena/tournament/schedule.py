"""Finds the games of a plan that are due: pure functions of the plan and the played games."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from itertools import dropwhile, takewhile
from types import MappingProxyType

from arena.referee.fixture import Fixture
from arena.tournament.formats.plan import WAIT, Due, Plan, Played
from arena.tournament.formats.seating import all_rotations


def due(plan: Plan, played: Played) -> Due:
    """The games of the plan that were not `played`, in order, and the `WAIT`s of the format."""
    return (each for each in fixtures(plan, played) if each is WAIT or each.id not in played)


def fixtures(plan: Plan, played: Played) -> Due:
    """The games that the format yields, in order. It may skip completely played seed groups."""
    return plan.format.fixtures(plan, played)


def group_of(plan: Plan, played: Played, game: Fixture) -> list[Fixture]:
    """All games of the seed group of a due game. A format yields them one after the other."""
    if plan.format.folder:  # A ladder chooses by the games so far, and may not yield this group again.
        return all_rotations(game)
    after = dropwhile(lambda fixture: fixture is WAIT or fixture.group != game.group, fixtures(plan, played))
    group = takewhile(lambda fixture: fixture is not WAIT and fixture.group == game.group, after)
    return [fixture for fixture in group if fixture]


def size(plan: Plan, played: Played = MappingProxyType({})) -> int | None:
    """The number of games that the run will have, as far as the plan fixes it (`Format.size`), or None.

    These are the games of the plan, and the `played` games that are no longer in it.
    """
    games = plan.format.size(plan)
    if games is None or plan.format.folder:  # A ladder counts all of its games.
        return games
    return games + sum(_besides_plan(plan, played))


def _besides_plan(plan: Plan, played: Played) -> tuple[int, int]:
    """The numbers of played games that are no longer in the plan.

    The first number counts games with a bot, or a version of one, that is no longer in the plan. The second
    counts other games of line-ups that are no longer in its sample, or not in its part to play.
    """
    current = {(name, bot.fingerprint) for name, bot in plan.bots.items()}
    names = plan.format.group_names
    planned = frozenset(names(plan)) if names and played else None  # Bots that join change a sample.
    of_bots = of_lineups = 0
    for game in played.values():
        if not current.issuperset(zip(game.bots, game.fingerprints, strict=True)):
            of_bots += 1
        elif planned is not None and game.seed_group not in planned:
            of_lineups += 1
    return of_bots, of_lineups


def changes(plan: Plan, began: Mapping[str, str], played: Played) -> list[str]:
    """Lines for people about the bots that changed since the run `began`, and the effect of bots that joined.

    `began` has the fingerprints at that time, by name.
    """
    changed = [
        name for name, made in began.items() if name in plan.bots and plan.bots[name].fingerprint != made
    ]
    games: Counter[str] = Counter()
    waits = False
    for fixture in due(plan, played) if changed else ():
        if waits := fixture is None:
            break
        games.update(set(fixture.bots))
    lines = [
        f"{name} changed: {'' if waits else f'{games[name]} '}new games, the old version stays"
        for name in changed
    ]
    whole = replace(plan, part=None)  # Other parts of the sample are no change.
    if began.keys() < plan.bots.keys() and (stay := _besides_plan(whole, played)[1]):
        lines.append(f"bots have joined, which changes the sample of line-ups: {stay} games are outside it")
    return lines


def describe(plan: Plan) -> str:
    """A few lines for people about the games to be played."""
    bots = f", {len(plan.bots)} bots" if plan.bots else ""  # A ladder has none before it runs.
    return "\n  ".join([f"{plan.game.name}{bots}", *plan.format.describe(plan)])
