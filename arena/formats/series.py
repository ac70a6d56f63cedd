"""Series: the same table over and over; the winner may begin the next game."""

from arena.formats.seating import WAIT, Due, Played, fixture, group_name
from arena.plan.plan import Plan
from arena.records.deals import derive
from arena.rules import SEAT_NAMES, seat_name
from arena.rules.chance import Chance

GROWS = ("bots", "groups")


def fixtures(plan: Plan, played: Played) -> Due:
    """With `starter: winner` each game waits for the one before (C7)."""
    bots, names = tuple(plan.bots), SEAT_NAMES[: len(plan.bots)]
    starter = plan.options.get("starter")
    winner_starts = starter == "winner"
    for number in range(plan.groups):
        if winner_starts and number == 0:
            starter = Chance(derive(plan.seed, "starter").hex()).pick("starter", names)
        options = plan.options if starter is None else {**plan.options, "starter": starter}
        game = fixture(plan, bots, group_name(bots, number), options=options)
        yield game
        if winner_starts:
            yield WAIT
            places = played[game.id].places
            if places.count(1) == 1:  # after a shared win the old starter stays
                starter = seat_name(places.index(1))


def size(plan: Plan) -> int:
    return plan.groups


def describe(plan: Plan) -> list[str]:
    return [f"a series of {plan.groups} games between {', '.join(plan.bots)}"]
