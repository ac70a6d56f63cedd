"""Which games of a plan are due: pure functions of the plan and of the games that were played."""

from collections.abc import Collection
from itertools import dropwhile, takewhile

from arena.formats.plan import WAIT, Due, Plan, Played
from arena.formats.seating import all_rotations
from arena.records.fixture import Fixture


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


def size(plan: Plan) -> int | None:
    """The greatest number of games of the plan, None if that is unknown."""
    return plan.format.size(plan)


def describe(plan: Plan) -> str:
    """What will be played, in a few lines for people."""
    bots = f", {len(plan.bots)} bots" if plan.bots else ""  # a ladder has none before it runs
    return "\n  ".join([f"{plan.game.name}{bots}", *plan.format.describe(plan)])
