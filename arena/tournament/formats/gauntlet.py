"""Gauntlet: challengers play against all other bots, the field, but not against each other."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache, partial
from itertools import chain, cycle, zip_longest
from math import comb
from typing import Literal

from arena.tournament.formats.config import Groups, Lineups, Names, Participants, Problem, Teams
from arena.tournament.formats.lineups import Bots, interleaved, lineups, lineups_apart
from arena.tournament.formats.plan import Format, Plan, groups_of_plan
from arena.tournament.formats.round_robin import all_groups, group_names, size_of


@dataclass(frozen=True, kw_only=True)
class Config(Groups, Lineups, Teams):
    format: Literal["gauntlet"] = "gauntlet"
    challengers: Names | None = None
    """The bots of a gauntlet that play all others, but not each other."""


def _problems(config: Config, field: Participants) -> Iterator[Problem]:
    if not config.challengers:
        yield "format", "gauntlet needs challengers:, the bots that play all others"
        return
    yield from field.unknown("challengers", config.challengers)
    rivals, seats = len(field.bots) - len(config.challengers), max(field.seats)
    if rivals < seats - 1:
        need = f"a challenger at a table of {seats} needs {seats - 1}"
        yield "challengers", f"leave a field of {rivals}; {need}"
    others = {team for bot, team in field.teams.items() if bot not in config.challengers}
    for bot in config.challengers if field.teams else ():
        authors = len(others - {field.teams[bot]}) + 1
        if authors < seats:
            need = f"{seats} seats need bots of as many authors, not of {authors}"
            yield "teams", f"leaves no line-up for {bot}: {need}"


def _complete(config: Config, field: Participants) -> Config:
    return replace(config, challengers=tuple(sorted(config.challengers or ())))


def _describe(plan: Plan[Config]) -> list[str]:
    names, others = _sides(plan)
    challengers, rivals, groups = len(names), len(others), plan.config.groups
    lines = [f"{', '.join(names)} against a field of {rivals}"]
    for seats in plan.seats:
        tables = len(plan_lineups(plan, seats))
        if plan.teams:
            factors = f"{tables} tables that keep authors apart x {groups} groups x {seats} rotations"
            lines.append(f"{seats} seats, {factors} = {tables * groups * seats} games")
            continue
        count, every = tables // challengers, comb(rivals, seats - 1)
        sample = "" if count == every else f" (balanced, of {every})"
        factors = f"{challengers} x {count} tables{sample} x {groups} groups x {seats} rotations"
        lines.append(f"{seats} seats, {factors} = {challengers * count * groups * seats} games")
    return lines


def _sides(plan: Plan[Config]) -> tuple[Bots, Bots]:
    """The challengers, and their rivals, which are all other bots."""
    challengers = plan.config.challengers or ()
    return challengers, tuple(sorted(set(plan.bots) - set(challengers)))


def plan_lineups(plan: Plan[Config], seats: int) -> tuple[Bots, ...]:
    return _lineups(*_sides(plan), seats, plan.config.lineups, tuple(plan.teams.items()))


@cache
def _lineups(
    challengers: Bots, rivals: Bots, seats: int, most: int, teams: tuple[tuple[str, str], ...]
) -> tuple[Bots, ...]:
    # All challengers play the same sets of rivals, which makes them comparable. If teams are kept apart, each
    # challenger plays rivals of other teams.
    share, team = max(1, most // len(challengers)), dict(teams)
    tables = [] if teams else [lineups(rivals, seats - 1, share)] * len(challengers)
    for challenger in challengers if teams else ():
        others = {bot: team[bot] for bot in rivals if team[bot] != team[challenger]}
        tables.append(lineups_apart(others, seats - 1, share))
    rounds = chain.from_iterable(zip_longest(*tables))
    pairs = zip(cycle(challengers), rounds, strict=False)
    return interleaved([(challenger, *table) for challenger, table in pairs if table])


FORMAT = Format(
    Config,
    partial(all_groups, plan_lineups),
    partial(size_of, plan_lineups),
    _describe,
    _problems,
    _complete,
    extendable=("bots", "groups", "challengers"),
    most_groups=groups_of_plan,
    group_names=partial(group_names, plan_lineups),
)
