"""Pairing: makes the tables of a round, keeps teams apart and, in a swiss, avoids repeated meetings."""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import combinations, islice, takewhile

from arena.tournament.formats.lineups import Bots

_MAX_BYE_SETS = 256  # sets of bots with byes for which tables are searched
_MAX_STEPS = 20_000  # steps of the search, enough to try all tables of a small field
_TEAM_MATES_COST = 10**9  # Repeated meetings cost less, so no exchange seats team-mates together.

Pairs = Mapping[frozenset[str], int]
"""How often each pair of bots has met; pairs that never met may be missing."""

Teams = Mapping[str, object]
"""The team of each bot, by name; a missing bot has no team-mates."""


def pairing(
    order: Sequence[str], seats: int, met: Pairs, byes: Mapping[str, int], teams: Teams
) -> tuple[list[Bots], Bots]:
    """Pair the bots for the next round.

    Args:
        order: The bots by score, best first.
        seats: The size of a table.
        met: How often each pair of bots has met.
        byes: The number of earlier byes of each bot.
        teams: The team of each bot.

    Returns:
        The tables, and the bots that sit out.
    """
    # Among the bots with the fewest byes, the last in the standings sit out, or others if that avoids all
    # repeated meetings. If no such set is found, the first set sits out, and few meetings are repeated.
    # Team-mates never meet; the checks of a plan (`problems` in swiss) ensure that this is possible. A search
    # may take long, so its steps and the number of sets are limited. The limits are not in seconds, because
    # every machine must find the same tables.
    candidates = list(islice(sitting_out(order, seats, byes, teams), _MAX_BYE_SETS))
    steps = iter(range(_MAX_STEPS))  # for all candidates together
    for out in takewhile(lambda _: next(steps, None) is not None, candidates):
        if tables := _without_repeats([bot for bot in order if bot not in out], seats, met, teams, steps):
            return tables, out
    rest = [bot for bot in order if bot not in candidates[0]]
    return _with_few_repeats(rest, seats, met, teams), candidates[0]


def sitting_out(order: Sequence[str], seats: int, byes: Mapping[str, int], teams: Teams) -> Iterator[Bots]:
    """Yields the sets of bots that may sit out in this round: bots with the fewest byes, the last ones first.

    `order` and `byes` are as in `pairing`. If a team has more bots than tables, each set has enough of them
    to keep the others apart.
    """
    tables, count = divmod(len(order), seats)
    # If a team has more bots than there are tables, some of them must sit out. Such teams get their byes
    # first, one by one, and the remaining byes go to all bots.
    for team, size in Counter(teams.get(bot, bot) for bot in order).items():
        if size > tables:
            members = [bot for bot in order if teams.get(bot, bot) == team]
            for some in _fewest_byes(members, size - tables, byes):
                rest = [bot for bot in order if bot not in some]
                for more in sitting_out(rest, seats, byes, teams):
                    yield (*some, *more)
            return
    yield from _fewest_byes(order, count, byes)


def _fewest_byes(order: Sequence[str], count: int, byes: Mapping[str, int]) -> Iterator[Bots]:
    # The last in the standings are first. Bots with fewer byes than the others are in every set; the sets
    # differ in bots with equal byes.
    if not count:
        yield ()
        return
    by_byes = sorted(reversed(order), key=lambda bot: byes.get(bot, 0))
    most = byes.get(by_byes[count - 1], 0)
    fewer = [bot for bot in by_byes if byes.get(bot, 0) < most]
    equal = [bot for bot in by_byes if byes.get(bot, 0) == most]
    for some in combinations(equal, count - len(fewer)):
        yield (*fewer, *some)


def _without_repeats(
    order: Sequence[str], seats: int, met: Pairs, teams: Teams, steps: Iterator[int]
) -> list[Bots] | None:
    """Tables without repeated meetings, by backtracking; None if the search finds none within `steps`."""
    # Each table gets the best bot left, and then the next bots that have met no bot of the table. From here
    # on bots are numbers, by their place in the order, because a search with names takes longer. The `rivals`
    # of a bot may not sit at its table.
    team = [teams.get(bot, bot) for bot in order]
    rivals = [
        {two for two, bot in enumerate(order) if team[two] == team[one] or met.get(frozenset((name, bot)))}
        for one, name in enumerate(order)
    ]
    chosen: list[int] = []

    def fitting() -> Iterable[int]:
        taken, table = set(chosen), chosen[len(chosen) // seats * seats :]
        free = [bot for bot in range(len(order)) if bot not in taken]
        if not table:  # The order of tables does not matter, so one order is enough.
            return free[:1]
        taken.update(*(rivals[bot] for bot in table))
        # The order at a table does not matter either, so it is ascending.
        fit = [bot for bot in free if bot > table[-1] and bot not in taken]
        # A team with as many bots as tables left needs a seat here. This check cuts off most branches that
        # cannot succeed.
        must = _needed(team, free, len(chosen), seats)
        if not must <= {team[bot] for bot in fit}:
            return ()
        return [bot for bot in fit if team[bot] in must] if len(must) == seats - len(table) else fit

    # `ways` has the bots still to be tried for each seat.
    ways = [iter(fitting())]
    for _ in steps:
        if (bot := next(ways[-1], None)) is not None:
            chosen.append(bot)
            if len(chosen) == len(order):
                return tables_of([order[bot] for bot in chosen], seats)
            ways.append(iter(fitting()))
        elif chosen:  # No bot is left for this seat, so the previous seat gets another one.
            ways.pop()
            chosen.pop()
        else:
            break
    return None


def _needed(team: Sequence[object], free: Collection[int], seated: int, seats: int) -> set[object]:
    """The teams with as many `free` bots as there are tables left: each needs a seat at this table.

    `team` has the team of each bot, by its number; `seated` is the number of bots that have a seat.
    """
    tables = len(team) // seats - seated // seats
    return {name for name, count in Counter(team[bot] for bot in free).items() if count == tables}


def seat_apart(order: Sequence[str], seats: int, teams: Teams, wanted: Iterable[int]) -> list[int]:
    """The index in `order` of the bot for each seat, table by table, without team-mates at a table.

    Each seat gets the free bot nearest to its `wanted` index. No team may have more bots than there are
    tables.
    """
    team = [teams.get(bot, bot) for bot in order]
    free, chosen = list(range(len(order))), list[int]()
    for place in wanted:
        here = {team[bot] for bot in chosen[len(chosen) // seats * seats :]}
        must = _needed(team, free, len(chosen), seats)
        # If as many teams need a seat here as there are seats, they get all seats. If fewer need one, any
        # team may be next. No team needs two, because it has at most as many bots as there are tables.
        if len(must) == seats - len(here):
            fit = [bot for bot in free if team[bot] in must]
        else:
            fit = [bot for bot in free if team[bot] not in here]
        chosen.append(min(fit, key=lambda bot: abs(bot - place)))
        free.remove(chosen[-1])
    return chosen


def _with_few_repeats(order: Sequence[str], seats: int, met: Pairs, teams: Teams) -> list[Bots]:
    """Tables of neighbours in `order`, improved by exchanges of bots.

    Team-mates are kept apart first. Then exchanges make repeated meetings as rare as possible.
    """
    # The next exchange of two bots is the one that saves most; among equals, the one between the bots nearest
    # in the standings.
    size = len(order)
    # The cost of two bots at one table. The square prefers two pairs that meet a second time to one pair that
    # meets a third time.
    team = [teams.get(bot, bot) for bot in order]
    times = [
        [
            _TEAM_MATES_COST * (team[one] == team[two]) + met.get(frozenset((name, bot)), 0) ** 2
            for two, bot in enumerate(order)
        ]
        for one, name in enumerate(order)
    ]
    seated = seat_apart(order, seats, teams, range(size))  # the bots by place; a table has `seats` places

    def cost(bot: int, place: int, without: int) -> int:  # at the table of `place`, instead of `without`
        first = place // seats * seats
        return sum([times[bot][other] for other in seated[first : first + seats] if other != without])

    while True:
        # Only a bot with a cost can gain by an exchange. Each exchange makes the sum smaller, so it ends.
        costs = [cost(bot, place, bot) for place, bot in enumerate(seated)]
        best = (0, 0, 0, 0)
        for one in (place for place in range(size) if costs[place]):
            for two in (place for place in range(size) if place // seats != one // seats):
                after = cost(seated[one], two, seated[two]) + cost(seated[two], one, seated[one])
                distance = abs(seated[one] - seated[two])
                best = min(best, (after - costs[one] - costs[two], distance, one, two))
        saved, _, one, two = best
        if not saved:
            return tables_of([order[bot] for bot in seated], seats)
        seated[one], seated[two] = seated[two], seated[one]


def tables_of(names: Sequence[str], seats: int) -> list[Bots]:
    """The names, split into tables of so many seats."""
    return [tuple(names[first : first + seats]) for first in range(0, len(names), seats)]
