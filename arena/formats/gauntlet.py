"""Gauntlet: each challenger against all the others, the field, and never against another challenger."""

from functools import cache
from itertools import chain, cycle, zip_longest
from math import comb

from arena.formats.lineups import interleaved, lineups, lineups_apart
from arena.formats.round_robin import all_groups
from arena.formats.seating import Due, Played
from arena.plan.plan import Plan

GROWS = ("bots", "groups", "challengers")


def fixtures(plan: Plan, played: Played) -> Due:
    return all_groups(plan, played, meetings)


def size(plan: Plan) -> int:
    return sum(len(meetings(plan, seats)) * plan.groups * seats for seats in plan.seats)


def describe(plan: Plan) -> list[str]:
    challengers, rivals = len(plan.challengers), len(field(plan))
    lines = [f"{', '.join(plan.challengers)} against a field of {rivals}"]
    for seats in plan.seats:
        tables = len(meetings(plan, seats))
        if plan.teams:
            factors = f"{tables} tables that keep authors apart x {plan.groups} groups x {seats} rotations"
            lines.append(f"{seats} seats, {factors} = {tables * plan.groups * seats} games")
            continue
        count, every = tables // challengers, comb(rivals, seats - 1)
        sample = "" if count == every else f" (balanced, of {every})"
        factors = f"{challengers} x {count} tables{sample} x {plan.groups} groups x {seats} rotations"
        lines.append(f"{seats} seats, {factors} = {challengers * count * plan.groups * seats} games")
    return lines


def field(plan: Plan) -> tuple[str, ...]:
    return tuple(sorted(set(plan.bots) - set(plan.challengers)))


def meetings(plan: Plan, seats: int) -> tuple[tuple[str, ...], ...]:
    return _meetings(plan.challengers, field(plan), seats, plan.lineups, tuple(plan.teams.items()))


@cache
def _meetings(
    challengers: tuple[str, ...],
    rivals: tuple[str, ...],
    seats: int,
    most: int,
    teams: tuple[tuple[str, str], ...],
) -> tuple[tuple[str, ...], ...]:
    """Every challenger meets the same tables of rivals, so that challengers can be compared too.

    But where authors are apart, it meets tables of those whose author is another.
    """
    share, team = max(1, most // len(challengers)), dict(teams)
    if not teams:
        tables = [lineups(rivals, seats - 1, share)] * len(challengers)
    else:
        others = [
            {bot: team[bot] for bot in rivals if team[bot] != team[challenger]} for challenger in challengers
        ]
        tables = [lineups_apart(each, seats - 1, share) for each in others]
    rounds = chain.from_iterable(zip_longest(*tables))
    pairs = zip(cycle(challengers), rounds, strict=False)
    return interleaved([(challenger, *table) for challenger, table in pairs if table])
