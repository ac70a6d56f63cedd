"""Gauntlet: challengers play against all other bots, the field, but not against each other."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from itertools import chain, cycle, zip_longest
from math import comb
from typing import Literal

from arena.tournament.formats.config import Field, Groups, Lineups, Names, Problem, Teams
from arena.tournament.formats.lineups import interleaved, lineups, lineups_apart
from arena.tournament.formats.plan import Due, Format, Plan, Played, groups_of_plan
from arena.tournament.formats.round_robin import all_groups


@dataclass(frozen=True, kw_only=True)
class Config(Groups, Lineups, Teams):
    """The keys of a gauntlet."""

    format: Literal["gauntlet"] = "gauntlet"
    challengers: Names | None = None
    """The bots of a gauntlet that play all others."""


def _problems(config: Config, field: Field) -> Iterator[Problem]:
    """The problems of a plan: challengers that are no bots, or have too few rivals (by other authors)."""
    if not config.challengers:
        yield "format", "gauntlet needs challengers:, the bots that play all others"
        return
    yield from field.unknown("challengers", config.challengers)
    rivals, seats = len(field.bots) - len(config.challengers), max(field.seats)
    if rivals < seats - 1:
        problem = f"leave a field of {rivals}; a challenger at a table of {seats} needs {seats - 1}"
        yield "challengers", problem
    others = {team for bot, team in field.teams.items() if bot not in config.challengers}
    for bot in config.challengers if field.teams else ():
        authors = len(others - {field.teams[bot]}) + 1
        if authors < seats:
            need = f"{seats} seats need bots of as many authors, not of {authors}"
            yield "teams", f"leaves no line-up for {bot}: {need}"


def _complete(config: Config, field: Field) -> Config:
    return replace(config, challengers=tuple(sorted(config.challengers or ())))


def _fixtures(plan: Plan[Config], played: Played) -> Due:
    return all_groups(plan, played, plan_lineups)


def _size(plan: Plan[Config]) -> int:
    return sum(len(plan_lineups(plan, seats)) * plan.config.groups * seats for seats in plan.seats)


def _describe(plan: Plan[Config]) -> list[str]:
    challengers, rivals, groups = len(_challengers_of(plan)), len(_rivals_of(plan)), plan.config.groups
    lines = [f"{', '.join(_challengers_of(plan))} against a field of {rivals}"]
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


def _challengers_of(plan: Plan[Config]) -> tuple[str, ...]:
    return plan.config.challengers or ()


def _rivals_of(plan: Plan[Config]) -> tuple[str, ...]:
    return tuple(sorted(set(plan.bots) - set(_challengers_of(plan))))


def plan_lineups(plan: Plan[Config], seats: int) -> tuple[tuple[str, ...], ...]:
    return _plan_lineups(
        _challengers_of(plan), _rivals_of(plan), seats, plan.config.lineups, tuple(plan.teams.items())
    )


@cache
def _plan_lineups(
    challengers: tuple[str, ...],
    rivals: tuple[str, ...],
    seats: int,
    most: int,
    teams: tuple[tuple[str, str], ...],
) -> tuple[tuple[str, ...], ...]:
    """The line-ups, in the order of play."""
    # All challengers play the same sets of rivals, so that they can be compared with each other. If teams are
    # kept apart, each challenger plays rivals of other teams.
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


FORMAT = Format(
    Config,
    _fixtures,
    _size,
    _describe,
    _problems,
    _complete,
    extendable=("bots", "groups", "challengers"),
    most_groups=groups_of_plan,
)
