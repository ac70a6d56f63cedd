"""Which games of a plan are due: pure functions of the plan and of the games that were played."""

from collections import Counter
from collections.abc import Collection, Mapping
from itertools import dropwhile, takewhile
from types import MappingProxyType

from arena.referee.fixture import Fixture
from arena.referee.record import Summary
from arena.tournament.formats.plan import WAIT, Due, Plan, Played
from arena.tournament.formats.seating import all_rotations


def due(plan: Plan, played: Played, running: Collection[str] = ()) -> Due:
    """The games of the plan that were not `played` and are not `running`, in order.

    They include the `WAIT`s of the format.
    """
    for fixture in fixtures(plan, played):
        if fixture is WAIT or (fixture.id not in played and fixture.id not in running):
            yield fixture


def fixtures(plan: Plan, played: Played) -> Due:
    """The games that the format yields, in order. It may skip seed groups that were played completely."""
    return plan.format.fixtures(plan, played)


def group_of(plan: Plan, played: Played, game: Fixture) -> list[Fixture]:
    """All games of the seed group of a game that was due. A format yields them one after the other."""
    if plan.format.folder:  # a ladder chooses by the games so far, and may not yield this group again
        return all_rotations(game)
    after = dropwhile(lambda fixture: fixture is WAIT or fixture.group != game.group, fixtures(plan, played))
    group = takewhile(lambda fixture: fixture is not WAIT and fixture.group == game.group, after)
    return [fixture for fixture in group if fixture]


def size(plan: Plan, played: Played = MappingProxyType({})) -> int | None:
    """The greatest number of games of the run, None if that is unknown.

    These are the games of the plan, and those `played` by bots or versions that are no longer in it, or in
    another part of it.
    """
    games = plan.format.size(plan)
    if games is None or plan.format.folder:  # a ladder counts all of its games
        return games
    part = plan.part.bots if plan.part else plan.bots.keys()
    return games + sum(not _is_current(plan, each) or part.isdisjoint(each.bots) for each in played.values())


def _is_current(plan: Plan, game: Summary) -> bool:
    """Whether all bots of a game are still in the plan, in these versions."""
    pairs = zip(game.bots, game.fingerprints, strict=True)
    return all(name in plan.bots and plan.bots[name].fingerprint == made for name, made in pairs)


def changes(plan: Plan, began: Mapping[str, str], played: Played) -> list[str]:
    """A line for each bot that has changed since the run began with these fingerprints.

    It has the number of new games, unless they depend on results of others.
    """
    made = {name: bot.fingerprint for name, bot in plan.bots.items()}
    changed = [name for name in began if made.get(name, began[name]) != began[name]]
    games: Counter[str] = Counter()
    waits = False
    for fixture in due(plan, played) if changed else ():
        if waits := fixture is None:
            break
        games.update(set(fixture.bots))
    return [
        f"{name} changed: {'' if waits else f'{games[name]} '}new games, the old version stays"
        for name in changed
    ]


def describe(plan: Plan) -> str:
    """What will be played, in a few lines for people."""
    bots = f", {len(plan.bots)} bots" if plan.bots else ""  # a ladder has none before it runs
    return "\n  ".join([f"{plan.game.name}{bots}", *plan.format.describe(plan)])
