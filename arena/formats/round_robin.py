"""Round robin: every line-up, or a balanced sample of them, as often as every other."""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from math import comb

from arena.formats.config import Groups, Lineups, Teams
from arena.formats.lineups import count_apart, interleaved, lineups, lineups_apart
from arena.formats.plan import Due, Format, Plan, Played, groups_of_plan
from arena.formats.seating import group_name, seed_group, whole_groups

REPEAT_OFFSET = 1_000_000  # added to the group numbers of a line-up each further time that it is sampled


@dataclass(frozen=True, kw_only=True)
class Config(Groups, Lineups, Teams):
    """Every line-up, or a balanced sample of them."""


PlanLineups = Callable[[Plan, int], tuple[tuple[str, ...], ...]]
"""The line-ups of so many seats, in the order of play."""


def fixtures(plan: Plan[Config], played: Played) -> Due:
    return all_groups(plan, played, plan_lineups)


def all_groups(plan: Plan[Groups], played: Played, plan_lineups: PlanLineups) -> Due:
    """The first group of every line-up comes before the second of any, and no bot waits for its first games.

    So a table after a tenth of the games already means something. Groups that were played whole are
    passed over, since to make their fixtures again takes longer than anything else in going on.
    """
    whole = whole_groups(plan, played)
    for number in range(plan.config.groups):
        for seats in plan.seats:
            repeats: Counter[tuple[str, ...]] = Counter()
            for lineup in plan_lineups(plan, seats):
                group = number + REPEAT_OFFSET * repeats[lineup]
                repeats[lineup] += 1
                if group_name(lineup, group) not in whole:
                    yield from seed_group(plan, lineup, group, number)


def size(plan: Plan[Config]) -> int:
    return sum(len(plan_lineups(plan, seats)) * plan.config.groups * seats for seats in plan.seats)


def describe(plan: Plan[Config]) -> list[str]:
    lines, groups = [], plan.config.groups
    for seats in plan.seats:
        every = count_apart(plan.teams, seats) if plan.teams else comb(len(plan.bots), seats)
        count, apart = len(plan_lineups(plan, seats)), " that keep authors apart" if plan.teams else ""
        sample = apart if count == every else f" (balanced, of {every}{apart})"
        factors = f"{count} line-ups{sample} x {groups} groups x {seats} rotations"
        lines.append(f"{seats} seats, {factors} = {count * groups * seats} games")
    return lines


def plan_lineups(plan: Plan[Config], seats: int) -> tuple[tuple[str, ...], ...]:
    return _plan_lineups(tuple(sorted(plan.bots)), seats, plan.config.lineups, tuple(plan.teams.items()))


@cache
def _plan_lineups(
    names: tuple[str, ...], seats: int, most: int, teams: tuple[tuple[str, str], ...]
) -> tuple[tuple[str, ...], ...]:
    return interleaved(lineups_apart(dict(teams), seats, most) if teams else lineups(names, seats, most))


FORMAT = Format(
    "round-robin", Config, fixtures, size, describe, extendable=("bots", "groups"), most_groups=groups_of_plan
)
