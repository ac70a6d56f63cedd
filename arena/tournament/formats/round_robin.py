"""Round robin: every line-up, or a balanced sample of them, plays equally often."""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial
from math import comb
from typing import Literal

from arena.tournament.formats.config import Groups, Lineups, Teams
from arena.tournament.formats.lineups import Bots, count_apart, interleaved, lineups, lineups_apart
from arena.tournament.formats.plan import Due, Format, Plan, Played, groups_of_plan
from arena.tournament.formats.seating import group_name, seed_group, whole_groups

REPEAT_OFFSET = 1_000_000  # added to the group numbers for each repetition of a line-up in a sample


@dataclass(frozen=True, kw_only=True)
class Config(Groups, Lineups, Teams):
    format: Literal["round-robin"] = "round-robin"


PlanLineups = Callable[[Plan, int], tuple[Bots, ...]]
"""Gives the line-ups for a number of seats, in the order of play."""


def all_groups(plan_lineups: PlanLineups, plan: Plan[Groups], played: Played) -> Due:
    """Seed groups of all line-ups: the first group of every line-up, then the second, and so on."""
    # So the standings are already meaningful after a tenth of the games. Groups that were played completely
    # are skipped, because creating their fixtures again would take most of the time to continue a run.
    whole = whole_groups(plan, played)
    for number in range(plan.config.groups):
        for seats in plan.seats:
            repeats: Counter[Bots] = Counter()
            for lineup in plan_lineups(plan, seats):
                group = number + REPEAT_OFFSET * repeats[lineup]
                repeats[lineup] += 1
                if group_name(lineup, group) not in whole:
                    yield from seed_group(plan, lineup, group, number)


def size_of(plan_lineups: PlanLineups, plan: Plan[Groups]) -> int:
    return sum(len(plan_lineups(plan, seats)) * plan.config.groups * seats for seats in plan.seats)


def _describe(plan: Plan[Config]) -> list[str]:
    lines, groups = [], plan.config.groups
    for seats in plan.seats:
        every = count_apart(plan.teams, seats) if plan.teams else comb(len(plan.bots), seats)
        count, apart = len(plan_lineups(plan, seats)), " that keep authors apart" if plan.teams else ""
        sample = apart if count == every else f" (balanced, of {every}{apart})"
        factors = f"{count} line-ups{sample} x {groups} groups x {seats} rotations"
        lines.append(f"{seats} seats, {factors} = {count * groups * seats} games")
    return lines


def plan_lineups(plan: Plan[Config], seats: int) -> tuple[Bots, ...]:
    return _lineups(tuple(sorted(plan.bots)), seats, plan.config.lineups, tuple(plan.teams.items()))


@cache
def _lineups(names: Bots, seats: int, most: int, teams: tuple[tuple[str, str], ...]) -> tuple[Bots, ...]:
    return interleaved(lineups_apart(dict(teams), seats, most) if teams else lineups(names, seats, most))


FORMAT = Format(
    Config,
    partial(all_groups, plan_lineups),
    partial(size_of, plan_lineups),
    _describe,
    extendable=("bots", "groups"),
    most_groups=groups_of_plan,
)
