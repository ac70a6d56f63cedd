"""Rounds: tables that play at the same time, and what a round says of the bots."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from numbers import Rational

from arena.formats.seating import WAIT, Due, Played, seed_group
from arena.plan.plan import Plan
from arena.records.deals import derive
from arena.records.fixture import Fixture


@dataclass(frozen=True)
class Round:
    """Who sits at which table, who sits out, and the games of all tables in order."""

    number: int
    tables: tuple[tuple[str, ...], ...]
    byes: tuple[str, ...]
    games: tuple[Fixture, ...]

    def has_ended(self, played: Played) -> bool:
        return all(game.id in played for game in self.games)

    def points(self, plan: Plan, played: Played) -> Counter[str]:
        """For each opponent beaten in each game two, for a tie one; for a bye half of the most."""
        points = Counter(dict.fromkeys(self.byes, most_points(plan) // 2))
        for game in self.games:
            places = played[game.id].places
            for bot, place in zip(game.bots, places, strict=True):
                points[bot] += sum(1 + (other > place) - (other < place) for other in places) - 1
        return points


Rounds = Callable[[Plan, Played], Iterator[Round]]
"""Yields rounds; the games of one must have been played before the next is asked for."""


def set_up(plan: Plan, number: int, tables: Sequence[Sequence[str]], byes: Sequence[str]) -> Round:
    """The round with its games: the first seed group of all tables comes before the second of any."""
    first = number * plan.groups
    games = [
        game
        for group in range(first, first + plan.groups)
        for table in tables
        for game in seed_group(plan, sorted(table), group, group)
    ]
    return Round(number, tuple(map(tuple, tables)), tuple(byes), tuple(games))


def games_of(plan: Plan, played: Played, rounds: Rounds) -> Due:
    """Round after round, each decided from the earlier ones alone."""
    for each in rounds(plan, played):
        yield from each.games
        yield WAIT


def finished(plan: Plan, played: Played, rounds: Rounds) -> list[Round]:
    """The rounds that have been played to their end."""
    past: list[Round] = []
    for each in rounds(plan, played):
        if not each.has_ended(played):
            break
        past.append(each)
    return past


def most_points(plan: Plan) -> int:
    """The points of a bot that beats everybody in a whole round."""
    seats = plan.seats[0]
    return 2 * (seats - 1) * seats * plan.groups


def seeded(plan: Plan) -> list[str]:
    """All bots, best seed first: the `seeds` of the plan, then the others as its seed draws them."""
    drawn = sorted(plan.bots, key=lambda name: derive(plan.seed, f"seeds/{name}"))
    return [*plan.seeds, *(name for name in drawn if name not in plan.seeds)]


def percent(points: Rational, most: int) -> str:
    return f"{float(100 * points / most):.0f}%"


def numbered(lines: Sequence[str]) -> list[str]:
    return [f"{number:>3}  {line}" for number, line in enumerate(lines, 1)]
