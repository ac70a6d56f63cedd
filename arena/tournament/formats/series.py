"""Series: the same bots play on the same seats again and again; the winner may begin the next game."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from arena.referee.deals import derive
from arena.rules import SEAT_NAMES, seat_name
from arena.rules.chance import Chance
from arena.tournament.formats.config import Groups, Participants, Problem
from arena.tournament.formats.plan import WAIT, Due, Format, Plan, Played, groups_of_plan
from arena.tournament.formats.seating import fixture, group_name


@dataclass(frozen=True, kw_only=True)
class Config(Groups):
    format: Literal["series"] = "series"


def _problems(config: Config, field: Participants) -> Iterator[Problem]:
    bots = len(field.bots)
    if field.seats != (bots,):
        yield "format", f"a series is played at one table: {bots} bots need seats: {bots}"


def _fixtures(plan: Plan[Config], played: Played) -> Due:
    # With `starter: winner`, each game waits for the previous one (C7).
    bots, names = tuple(plan.bots), SEAT_NAMES[: len(plan.bots)]
    starter = plan.options.get("starter")
    winner_starts = starter == "winner"
    for number in range(plan.config.groups):
        if winner_starts and number == 0:
            starter = Chance(derive(plan.secret, "starter").hex()).pick("starter", names)
        options = plan.options if starter is None else {**plan.options, "starter": starter}
        game = fixture(plan, bots, group_name(bots, number), options=options)
        yield game
        if winner_starts:
            yield WAIT
            places = played[game.id].places
            if places.count(1) == 1:  # After a shared win the starter stays the same.
                starter = seat_name(places.index(1))


def _size(plan: Plan[Config]) -> int:
    return plan.config.groups


def _describe(plan: Plan[Config]) -> list[str]:
    return [f"a series of {plan.config.groups} games between {', '.join(plan.bots)}"]


FORMAT = Format(
    Config,
    _fixtures,
    _size,
    _describe,
    _problems,
    extendable=("bots", "groups"),
    most_groups=groups_of_plan,
    group_size=lambda plan, bots: 1,
    successive=True,
)
