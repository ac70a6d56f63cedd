"""Round robin: every line-up, or a balanced sample of them, plays equally often."""

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cache, partial
from math import comb
from typing import Literal

from arena.config.text import list_words
from arena.tournament.formats.config import Groups, Lineups, Teams
from arena.tournament.formats.lineups import Bots, count_apart, interleaved, lineups, lineups_apart
from arena.tournament.formats.plan import Due, Format, Plan, Played, groups_of_plan
from arena.tournament.formats.seating import group_name, seed_group, whole_groups

REPEAT_OFFSET = 1_000_000  # For each repetition of a line-up in a sample, group numbers grow by this.


@dataclass(frozen=True, kw_only=True)
class Config(Groups, Lineups, Teams):
    format: Literal["round-robin"] = "round-robin"


PlanLineups = Callable[[Plan, int], tuple[Bots, ...]]
"""Returns the line-ups for a number of seats, in the order of play."""


def all_groups(plan_lineups: PlanLineups, plan: Plan[Groups], played: Played) -> Due:
    """The games of all line-ups: the first seed group of every line-up, then the second, and so on.

    Completely played groups are left out.
    """
    # In this order the standings are already meaningful after a tenth of the games. Completely played groups
    # are skipped, because to create their fixtures again would take most of the time to continue a run.
    whole = whole_groups(plan, played)
    for lineup, group, number in _groups(plan_lineups, plan):
        if group_name(lineup, group) not in whole:
            yield from seed_group(plan, lineup, group, number)


def _groups(plan_lineups: PlanLineups, plan: Plan[Groups]) -> Iterator[tuple[Bots, int, int]]:
    """The line-up of each seed group, the number in its name, and how often all line-ups have played before.

    The numbers differ (by `REPEAT_OFFSET`) if a sample has a line-up several times.
    """
    for number in range(_groups_of(plan)):
        for seats in plan.seats:
            repeats: Counter[Bots] = Counter()
            for lineup in plan_lineups(plan, seats):
                yield lineup, number + REPEAT_OFFSET * repeats[lineup], number
                repeats[lineup] += 1


def group_names(plan_lineups: PlanLineups, plan: Plan[Groups]) -> Iterator[str]:
    """The names of all seed groups of the plan, or of its part to play."""
    return (group_name(lineup, group) for lineup, group, _ in _groups(plan_lineups, plan))


def size_of(plan_lineups: PlanLineups, plan: Plan[Groups]) -> int:
    """The number of games of the plan, or of its part to play."""
    return sum(len(plan_lineups(plan, seats)) * _groups_of(plan) * seats for seats in plan.seats)


def _groups_of(plan: Plan[Groups]) -> int:
    return min(plan.config.groups, plan.part.groups) if plan.part else plan.config.groups


def _describe(plan: Plan[Config]) -> list[str]:
    lines, groups = [], _groups_of(plan)
    for seats in plan.seats:
        every = count_apart(plan.teams, seats) if plan.teams else comb(len(plan.bots), seats)
        count, apart = len(plan_lineups(plan, seats)), " that keep authors apart" if plan.teams else ""
        sample = apart if count == every else f" (balanced, of {every}{apart})"
        if plan.part:
            sample = f" with {list_words(sorted(plan.part.bots), 'or')}"
        factors = f"{count} line-ups{sample} x {groups} groups x {seats} rotations"
        lines.append(f"{seats} seats, {factors} = {count * groups * seats} games")
    if plan.part:
        every = size_of(plan_lineups, replace(plan, part=None))
        lines.append(f"for at most {plan.part.seconds / 60:g} minutes; --full plays all {every} games")
    return lines


def plan_lineups(plan: Plan[Config], seats: int) -> tuple[Bots, ...]:
    every = _lineups(tuple(sorted(plan.bots)), seats, plan.config.lineups, tuple(plan.teams.items()))
    return tuple(each for each in every if not plan.part or plan.part.bots & set(each))


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
    group_names=partial(group_names, plan_lineups),
)
