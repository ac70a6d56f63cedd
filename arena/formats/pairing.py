"""The tables of a round: team-mates never meet, and in a swiss no two bots meet twice while avoidable."""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import combinations, islice, takewhile

MOST_BYES = 256  # sets of bots that sit out: how many are tried
STEPS = 20_000  # of the search: enough for all ways of a small field
NEVER = 10**9  # times that two have met: so no exchange brings team-mates together

Bots = tuple[str, ...]
Pairs = Mapping[frozenset[str], int]
"""How often each two have met."""

Teams = Mapping[str, object]
"""The team of each bot; a bot that has none has no team-mates."""


def pairing(
    order: Sequence[str], seats: int, met: Pairs, byes: Mapping[str, int], teams: Teams
) -> tuple[list[Bots], Bots]:
    """The tables, and the bots that sit out. `order` is the standing, best first; `byes` counts those so far.

    The bots with fewest byes sit out, the last in the standing first; others of these if that saves
    all repeats. If none is found that does, the first choice stays, with few repeats. Team-mates never
    meet: there is a way if `surplus` is no more than can sit out.
    """
    choices = list(islice(sitting_out(order, seats, byes, teams), MOST_BYES))
    time = iter(range(STEPS))  # for all choices together
    for out in takewhile(lambda _: next(time, None) is not None, choices):
        if tables := search([bot for bot in order if bot not in out], seats, met, teams, time):
            return tables, out
    rest = [bot for bot in order if bot not in choices[0]]
    return improved(rest, seats, met, teams), choices[0]


def sitting_out(order: Sequence[str], seats: int, byes: Mapping[str, int], teams: Teams) -> Iterator[Bots]:
    """The sets of bots whose turn it is to sit out, the last in the standing first.

    Of a team with more bots than tables it is the turn of some in any case.
    """
    tables, count = divmod(len(order), seats)
    yield from _sitting_out(order, tables, count, byes, teams)


def _sitting_out(
    order: Sequence[str], tables: int, count: int, byes: Mapping[str, int], teams: Teams
) -> Iterator[Bots]:
    for team, size in Counter(teams.get(bot, bot) for bot in order).items():
        if size > tables:
            members = [bot for bot in order if teams.get(bot, bot) == team]
            for some in in_turn(members, size - tables, byes):
                rest = [bot for bot in order if bot not in some]
                for more in _sitting_out(rest, tables, count - len(some), byes, teams):
                    yield (*some, *more)
            return
    yield from in_turn(order, count, byes)


def in_turn(order: Sequence[str], count: int, byes: Mapping[str, int]) -> Iterator[Bots]:
    """The sets of so many bots with fewest byes, the last in the standing first."""
    if not count:
        yield ()
        return
    turn = sorted(reversed(order), key=lambda bot: byes.get(bot, 0))
    last = byes.get(turn[count - 1], 0)
    sure = [bot for bot in turn if byes.get(bot, 0) < last]
    open_to = [bot for bot in turn if byes.get(bot, 0) == last]
    for more in combinations(open_to, count - len(sure)):
        yield (*sure, *more)


def search(
    order: Sequence[str], seats: int, met: Pairs, teams: Teams, time: Iterator[int]
) -> list[Bots] | None:
    """From the top, each table takes the best bot left, and then the next ones that have met no bot there.

    At a dead end the last choice is changed, until there is none left, or no `time`.
    """
    team = [teams.get(bot, bot) for bot in order]
    rivals = [
        {two for two, bot in enumerate(order) if team[two] == team[one] or met.get(frozenset((name, bot)))}
        for one, name in enumerate(order)
    ]
    chosen: list[int] = []

    def fitting() -> Iterable[int]:
        """The bots that may be next."""
        taken, table = set(chosen), chosen[len(chosen) // seats * seats :]
        free = [bot for bot in range(len(order)) if bot not in taken]
        if not table:
            return free[:1]
        taken.update(*(rivals[bot] for bot in table))
        fit = [bot for bot in free if bot > table[-1] and bot not in taken]
        must = needed(team, free, len(chosen), seats)
        if not must <= {team[bot] for bot in fit}:
            return ()
        return [bot for bot in fit if team[bot] in must] if len(must) == seats - len(table) else fit

    ways = [iter(fitting())]
    for _ in time:
        if (bot := next(ways[-1], None)) is not None:
            chosen.append(bot)
            if len(chosen) == len(order):
                return cut([order[bot] for bot in chosen], seats)
            ways.append(iter(fitting()))
        elif chosen:
            ways.pop()
            chosen.pop()
        else:
            break
    return None


def needed(team: Sequence[object], free: Collection[int], seated: int, seats: int) -> set[object]:
    """The teams that have a bot for every table from this one on: one of each must sit here."""
    tables = len(team) // seats - seated // seats
    return {name for name, count in Counter(team[bot] for bot in free).items() if count == tables}


def spread(order: Sequence[str], seats: int, teams: Teams, wanted: Iterable[int]) -> list[int]:
    """Seat by seat the bot that stands nearest to the `wanted` place of the order, and no team-mate.

    Returns places. No team may have more bots than there are tables; then there always is one.
    """
    team = [teams.get(bot, bot) for bot in order]
    free, chosen = list(range(len(order))), list[int]()
    for place in wanted:
        here = {team[bot] for bot in chosen[len(chosen) // seats * seats :]}
        must = needed(team, free, len(chosen), seats)
        if len(must) == seats - len(here):
            fit = [bot for bot in free if team[bot] in must]
        else:
            fit = [bot for bot in free if team[bot] not in here]
        chosen.append(min(fit, key=lambda bot: abs(bot - place)))
        free.remove(chosen[-1])
    return chosen


def improved(order: Sequence[str], seats: int, met: Pairs, teams: Teams) -> list[Bots]:
    """Neighbours in the standing at first; then two bots change places for as long as that saves repeats.

    Of all exchanges the one that saves most is next, of equals that of the nearest in the standing.
    """
    size = len(order)
    team = [teams.get(bot, bot) for bot in order]
    times = [
        [
            NEVER * (team[one] == team[two]) + met.get(frozenset((name, bot)), 0) ** 2
            for two, bot in enumerate(order)
        ]
        for one, name in enumerate(order)
    ]
    seated = spread(order, seats, teams, range(size))  # the bots by place; a table has `seats` places

    def strain(bot: int, place: int, without: int) -> int:
        """What a bot repeats at the table of a place, where another one has left."""
        first = place // seats * seats
        return sum([times[bot][other] for other in seated[first : first + seats] if other != without])

    while True:
        own = [strain(bot, place, bot) for place, bot in enumerate(seated)]
        best = (0, 0, 0, 0)
        for one in (place for place in range(size) if own[place]):
            for two in (place for place in range(size) if place // seats != one // seats):
                after = strain(seated[one], two, seated[two]) + strain(seated[two], one, seated[one])
                distance = abs(seated[one] - seated[two])
                best = min(best, (after - own[one] - own[two], distance, one, two))
        saved, _, one, two = best
        if not saved:
            return cut([order[bot] for bot in seated], seats)
        seated[one], seated[two] = seated[two], seated[one]


def cut(names: Sequence[str], seats: int) -> list[Bots]:
    return [tuple(names[first : first + seats]) for first in range(0, len(names), seats)]
