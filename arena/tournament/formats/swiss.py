"""Swiss: in each round, bots with similar scores meet, and repeated meetings are avoided."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from itertools import combinations
from typing import Literal, NamedTuple

from arena.config.values import Count
from arena.rating.settings import Widening
from arena.referee.placings import Placing, Placings
from arena.tournament.formats.config import Participants, Problem
from arena.tournament.formats.pairing import pairing, seat_apart, sitting_out, tables_of
from arena.tournament.formats.plan import Format, Plan, Played
from arena.tournament.formats.rounds import (
    Round,
    RoundsConfig,
    finished_rounds,
    games_of,
    make_round,
    most_points,
    one_size,
    seed_order,
)


@dataclass(frozen=True, kw_only=True)
class Config(RoundsConfig):
    format: Literal["swiss"] = "swiss"
    rounds: Count | None = None
    """Rounds of a swiss; by default log2 of the number of bots, or fewer to avoid repeated meetings."""


def _problems(config: Config, field: Participants) -> Iterator[Problem]:
    yield from one_size("swiss", config, field)
    # A table has at most one bot of a team, so the team's other bots must sit out.
    tables, byes = divmod(len(field.teams), field.seats[0])
    members = Counter(field.teams.values())
    if sum(max(0, count - tables) for count in members.values()) > byes:
        team, count = members.most_common(1)[0]
        shortage = f"{team} has {count} of {len(field.teams)} bots, for {tables} tables"
        yield "teams", f"leaves no round: {shortage}, and {byes} can sit out; it needs more bots of others"
    bots = len(field.bots)
    if config.rounds and config.rounds > bots:  # After so many rounds, all bots can have met.
        yield "rounds", f"should be at most {bots}, the number of bots, not {config.rounds}"


def _complete(config: Config, field: Participants) -> Config:
    """The keys with the default of `rounds`: log2(bots), or fewer to avoid repeated meetings."""
    bots, largest_team = len(field.bots), max(Counter(field.teams.values()).values(), default=1)
    most = (bots - largest_team) // (field.seats[0] - 1)
    return replace(config, rounds=config.rounds or max(1, min((bots - 1).bit_length(), most)))


def _rounds_of(plan: Plan[Config]) -> int:
    return plan.config.rounds or 1


class SwissScore(NamedTuple):
    """The points of a bot in all rounds so far, the mean points of its opponents, and the number of byes."""

    bot: str
    points: int
    opponents: Fraction
    byes: int


def rounds(plan: Plan[Config], played: Played) -> Iterator[Round]:
    """The rounds (see `Rounds`)."""
    past = [_first_round(plan)]
    yield past[0]
    while len(past) < _rounds_of(plan):
        scores = standings(plan, past, played)
        order, byes = [score.bot for score in scores], {score.bot: score.byes for score in scores}
        tables, out = pairing(order, plan.seats[0], _meetings(past), byes, plan.teams)
        past.append(make_round(plan, len(past), tables, out))
        yield past[-1]


def _first_round(plan: Plan[Config]) -> Round:
    # Each table has a bot from each part of the seeds. So the best do not meet yet.
    order, seats = seed_order(plan), plan.seats[0]
    out = next(sitting_out(order, seats, {}, plan.teams))
    order = [bot for bot in order if bot not in out]
    tables = len(order) // seats
    wanted = [table + part * tables for table in range(tables) for part in range(seats)]
    seated = seat_apart(order, seats, plan.teams, wanted)
    return make_round(plan, 0, tables_of([order[place] for place in seated], seats), out)


def standings(plan: Plan[Config], past: Sequence[Round], played: Played) -> list[SwissScore]:
    """The bots after the rounds `past`, best first: by points, mean points of their opponents, and seed."""
    byes = Counter(bot for each in past for bot in each.byes)
    points = sum((each.points(plan, played) for each in past), Counter[str]())
    rivals: dict[str, list[int]] = {bot: [] for bot in plan.bots}
    for one, two in _meetings(past).elements():
        rivals[one].append(points[two])
        rivals[two].append(points[one])
    means = {bot: Fraction(sum(met), len(met) or 1) for bot, met in rivals.items()}
    scores = [SwissScore(bot, points[bot], means[bot], byes[bot]) for bot in seed_order(plan)]
    return sorted(scores, key=lambda score: (-score.points, -score.opponents))


def _meetings(past: Sequence[Round]) -> Counter[frozenset[str]]:
    return Counter(
        frozenset(pair) for each in past for table in each.tables for pair in combinations(table, 2)
    )


def _placings(plan: Plan[Config], played: Played) -> Placings:
    past = finished_rounds(rounds, plan, played)
    most = most_points(plan) * max(1, len(past))
    places = [
        Placing(score.bot, score.points / most, float(score.opponents / most), score.byes)
        for score in standings(plan, past, played)
    ]
    rounds_played = []
    for each in past:
        points = each.points(plan, played)
        ranked = [sorted(table, key=points.__getitem__, reverse=True) for table in each.tables]
        rounds_played.append(each.as_played(plan, points, ranked))
    return Placings(tuple(places), tuple(rounds_played), _rounds_of(plan))


def _size(plan: Plan[Config]) -> int:
    seats = plan.seats[0]
    return _rounds_of(plan) * (len(plan.bots) // seats) * plan.config.groups * seats


def _describe(plan: Plan[Config]) -> list[str]:
    seats = plan.seats[0]
    tables, byes = divmod(len(plan.bots), seats)
    factors = f"{_rounds_of(plan)} rounds x {tables} tables x {plan.config.groups} groups x {seats} rotations"
    apart = ", authors apart" if plan.teams else ""
    lines = [f"swiss, {seats} seats{apart}, {factors} = {_size(plan)} games"]
    return lines + ([f"{byes} of {len(plan.bots)} bots sit out in each round"] if byes else [])


FORMAT = Format(
    Config,
    partial(games_of, rounds),
    _size,
    _describe,
    _problems,
    _complete,
    extendable=("rounds",),
    placings=_placings,
    widenings=(Widening(1.0, at_larger=0.25),),
    most_groups=lambda plan: float(plan["rounds"] * plan["groups"]),
)
