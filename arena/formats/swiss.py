"""Swiss: in each round bots of about the same score meet, and nobody meets anybody twice while avoidable."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations

from arena.formats.pairing import cut, pairing, sitting_out, spread
from arena.formats.rounds import Round, finished, games_of, most_points, numbered, percent, seeded, set_up
from arena.formats.seating import Due, Played
from arena.plan.plan import Plan

GROWS = ("rounds",)


@dataclass(frozen=True)
class Row:
    """A bot's `points` in all rounds so far, the mean of those whom it met, and its `byes`."""

    bot: str
    points: int
    opponents: Fraction
    byes: int


def fixtures(plan: Plan, played: Played) -> Due:
    return games_of(plan, played, rounds)


def rounds(plan: Plan, played: Played) -> Iterator[Round]:
    past: list[Round] = []
    while len(past) < plan.rounds:
        past.append(next_round(plan, past, played) if past else first_round(plan))
        yield past[-1]


def first_round(plan: Plan) -> Round:
    """A bot of each part of the seeds at every table, so that the best do not meet at once."""
    order, seats = seeded(plan), plan.seats[0]
    out = next(sitting_out(order, seats, {}, plan.teams))
    order = [bot for bot in order if bot not in out]
    tables = len(order) // seats
    wanted = [table + part * tables for table in range(tables) for part in range(seats)]
    seated = spread(order, seats, plan.teams, wanted)
    return set_up(plan, 0, cut([order[place] for place in seated], seats), out)


def next_round(plan: Plan, past: Sequence[Round], played: Played) -> Round:
    rows = table(plan, past, played)
    order, byes = [row.bot for row in rows], {row.bot: row.byes for row in rows}
    tables, out = pairing(order, plan.seats[0], meetings(past), byes, plan.teams)
    return set_up(plan, len(past), tables, out)


def table(plan: Plan, past: Sequence[Round], played: Played) -> list[Row]:
    """The bots by points, then by those of the bots whom they met, then by seed."""
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


def ranking(plan: Plan, played: Played) -> list[str]:
    """The bots by their places after the rounds that have ended."""
    return [row.bot for row in table(plan, finished(plan, played, rounds), played)]


def placings(plan: Plan, played: Played) -> list[str]:
    past = finished(plan, played, rounds)
    most = most_points(plan) * max(1, len(past))
    lines = []
    for row in table(plan, past, played):
        byes = f", {row.byes} bye{'s' * (row.byes > 1)}" if row.byes else ""
        lines.append(
            f"{row.bot}  {percent(row.points, most)}, opponents {percent(row.opponents, most)}{byes}"
        )
    return [f"swiss after {len(past)} of {plan.rounds} rounds:", *numbered(lines)]


def size(plan: Plan) -> int:
    seats = plan.seats[0]
    return plan.rounds * (len(plan.bots) // seats) * plan.groups * seats


def describe(plan: Plan) -> list[str]:
    seats = plan.seats[0]
    tables, byes = divmod(len(plan.bots), seats)
    factors = f"{plan.rounds} rounds x {tables} tables x {plan.groups} groups x {seats} rotations"
    apart = ", authors apart" if plan.teams else ""
    lines = [f"swiss, {seats} seats{apart}, {factors} = {size(plan)} games"]
    return lines + ([f"{byes} of {len(plan.bots)} bots sit out in each round"] if byes else [])
