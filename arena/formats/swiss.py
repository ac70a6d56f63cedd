"""Swiss: in each round, bots of about the same score meet, and no two meet twice while avoidable."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import combinations

from arena.core.values import Count
from arena.formats.config import Field, Problem
from arena.formats.pairing import cut, pairing, sitting_out, spread
from arena.formats.plan import Due, Format, Plan, Played
from arena.formats.rounds import (
    Round,
    RoundsConfig,
    finished,
    games_of,
    most_points,
    numbered,
    one_size,
    percent,
    seeded,
    set_up,
)


@dataclass(frozen=True, kw_only=True)
class Config(RoundsConfig):
    """How long it is."""

    rounds: Count | None = None
    """Rounds of a swiss; by default log2 of the bots."""


def problems(config: Config, field: Field) -> Iterator[Problem]:
    """Of each team, one bot at most sits at each table of a round; the others must be able to sit out."""
    yield from one_size("swiss", config, field)
    tables, byes = divmod(len(field.teams), field.seats[0])
    members = Counter(field.teams.values())
    if sum(max(0, count - tables) for count in members.values()) > byes:
        team, count = members.most_common(1)[0]
        words = f"{team} has {count} of {len(field.teams)} bots, for {tables} tables, and {byes} can sit out"
        yield "teams", f"leaves no round: {words}; it needs more bots of others"


def complete(config: Config, field: Field) -> Config:
    """Log2 of the bots, but no more rounds than can go without two bots meeting again."""
    bots, largest_team = len(field.bots), max(Counter(field.teams.values()).values(), default=1)
    most = (bots - largest_team) // (field.seats[0] - 1)
    return replace(config, rounds=config.rounds or max(1, min((bots - 1).bit_length(), most)))


def rounds_of(plan: Plan[Config]) -> int:
    return plan.config.rounds or 1


@dataclass(frozen=True)
class Row:
    """A bot's `points` in all rounds so far, the mean points of its opponents, and its `byes`."""

    bot: str
    points: int
    opponents: Fraction
    byes: int


def fixtures(plan: Plan[Config], played: Played) -> Due:
    return games_of(plan, played, rounds)


def rounds(plan: Plan[Config], played: Played) -> Iterator[Round]:
    past: list[Round] = []
    while len(past) < rounds_of(plan):
        past.append(next_round(plan, past, played) if past else first_round(plan))
        yield past[-1]


def first_round(plan: Plan[Config]) -> Round:
    """A bot of each part of the seeds at every table, so that the best do not meet at once."""
    order, seats = seeded(plan), plan.seats[0]
    out = next(sitting_out(order, seats, {}, plan.teams))
    order = [bot for bot in order if bot not in out]
    tables = len(order) // seats
    wanted = [table + part * tables for table in range(tables) for part in range(seats)]
    seated = spread(order, seats, plan.teams, wanted)
    return set_up(plan, 0, cut([order[place] for place in seated], seats), out)


def next_round(plan: Plan[Config], past: Sequence[Round], played: Played) -> Round:
    rows = table(plan, past, played)
    order, byes = [row.bot for row in rows], {row.bot: row.byes for row in rows}
    tables, out = pairing(order, plan.seats[0], meetings(past), byes, plan.teams)
    return set_up(plan, len(past), tables, out)


def table(plan: Plan[Config], past: Sequence[Round], played: Played) -> list[Row]:
    """The bots by points, then by the mean points of their opponents, then by seed."""
    byes = Counter(bot for each in past for bot in each.byes)
    points: Counter[str] = Counter()
    for each in past:
        points.update(each.points(plan, played))
    rivals: dict[str, list[int]] = {bot: [] for bot in plan.bots}
    for pair, times in meetings(past).items():
        one, two = sorted(pair)
        rivals[one] += times * [points[two]]
        rivals[two] += times * [points[one]]
    rows = [
        Row(bot, points[bot], Fraction(sum(rivals[bot]), len(rivals[bot]) or 1), byes[bot])
        for bot in seeded(plan)
    ]
    return sorted(rows, key=lambda row: (-row.points, -row.opponents))


def meetings(past: Sequence[Round]) -> Counter[frozenset[str]]:
    return Counter(
        frozenset(pair) for each in past for table in each.tables for pair in combinations(table, 2)
    )


def ranking(plan: Plan[Config], played: Played) -> list[str]:
    """The bots by their places after the rounds that have ended."""
    return [row.bot for row in table(plan, finished(plan, played, rounds), played)]


def placings(plan: Plan[Config], played: Played) -> list[str]:
    past = finished(plan, played, rounds)
    most = most_points(plan) * max(1, len(past))
    lines = []
    for row in table(plan, past, played):
        byes = f", {row.byes} bye{'s' * (row.byes > 1)}" if row.byes else ""
        lines.append(
            f"{row.bot}  {percent(row.points, most)}, opponents {percent(row.opponents, most)}{byes}"
        )
    return [f"swiss after {len(past)} of {rounds_of(plan)} rounds:", *numbered(lines)]


def size(plan: Plan[Config]) -> int:
    seats = plan.seats[0]
    return rounds_of(plan) * (len(plan.bots) // seats) * plan.config.groups * seats


def describe(plan: Plan[Config]) -> list[str]:
    seats = plan.seats[0]
    tables, byes = divmod(len(plan.bots), seats)
    factors = f"{rounds_of(plan)} rounds x {tables} tables x {plan.config.groups} groups x {seats} rotations"
    apart = ", authors apart" if plan.teams else ""
    lines = [f"swiss, {seats} seats{apart}, {factors} = {size(plan)} games"]
    return lines + ([f"{byes} of {len(plan.bots)} bots sit out in each round"] if byes else [])


FORMAT = Format(
    "swiss",
    Config,
    fixtures,
    size,
    describe,
    problems,
    complete,
    extendable=("rounds",),
    ranking=ranking,
    placings=placings,
    most_groups=lambda plan: float(plan["rounds"] * plan["groups"]),
)
