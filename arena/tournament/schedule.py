"""Which games a plan still needs: a pure function of the plan and of what was played."""

from collections.abc import Collection
from itertools import dropwhile, takewhile

from arena.formats.plan import WAIT, Due, Plan, Played
from arena.formats.seating import all_rotations
from arena.records.fixture import Fixture


def due(plan: Plan, played: Played, running: Collection[str] = ()) -> Due:
    """The games that can be played now: all of the plan's, without those played and those running.

    Where the format goes on only when all games so far are played, there is a `WAIT`.
    """
    for fixture in fixtures(plan, played):
        if fixture is WAIT or (fixture.id not in played and fixture.id not in running):
            yield fixture


def fixtures(plan: Plan, played: Played) -> Due:
    """All games of the plan, as far as they are known, in order; whole groups that were played may lack."""
    return plan.format.fixtures(plan, played)


def group_of(plan: Plan, played: Played, game: Fixture) -> list[Fixture]:
    """All games of the seed group of a game that was due; a group comes in one piece.

    But a ladder chooses from what was played by now, and perhaps not this group any more.
    """
    if plan.format.folder:
        return all_rotations(game)
    after = dropwhile(lambda fixture: fixture is WAIT or fixture.group != game.group, fixtures(plan, played))
    group = takewhile(lambda fixture: fixture is not WAIT and fixture.group == game.group, after)
    return [fixture for fixture in group if fixture]


def size(plan: Plan) -> int | None:
    """How many games the plan has at most; None if that is unknown."""
    return plan.format.size(plan)


def describe(plan: Plan) -> str:
    """What will be played, in words and numbers."""
    bots = f", {len(plan.bots)} bots" if plan.bots else ""  # those of a ladder come and go
    return "\n  ".join([f"{plan.game.name}{bots}", *plan.format.describe(plan)])


def placings(plan: Plan, played: Played) -> list[str]:
    """Lines on the rounds of a tournament and the final places; none for formats without rounds."""
    return plan.format.placings(plan, played) if plan.format.placings else []
