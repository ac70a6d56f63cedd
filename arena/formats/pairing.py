"""Who sits with whom in a round of a swiss: near in the standing, and nobody twice while avoidable."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations, islice, takewhile

MOST_BYES = 256  # choices of who sits out that are tried
STEPS = 20_000  # of the search: enough for all ways of a small field

Bots = tuple[str, ...]
Pairs = Mapping[frozenset[str], int]
"""How often each two have met."""


def pairing(order: Sequence[str], seats: int, met: Pairs, byes: Mapping[str, int]) -> tuple[list[Bots], Bots]:
    """The tables, and who sits out. `order` is the standing, best first; `byes` counts those so far.

    Whoever had fewest byes sits out, from the end of the standing; another of these, where it saves
    all repeats. If none is found that does, the first choice stays, with few repeats.
    """
    choices = list(islice(sitting_out(order, len(order) % seats, byes), MOST_BYES))
    time = iter(range(STEPS))  # for all choices together
    for out in takewhile(lambda _: next(time, None) is not None, choices):
        if tables := search([bot for bot in order if bot not in out], seats, met, time):
            return tables, out
    rest = [bot for bot in order if bot not in choices[0]]
    return improved(rest, seats, met), choices[0]


def sitting_out(order: Sequence[str], count: int, byes: Mapping[str, int]) -> Iterator[Bots]:
    """The sets of bots whose turn it is to sit out, the last in the standing first."""
    if not count:
        yield ()
        return
    turn = sorted(reversed(order), key=lambda bot: byes.get(bot, 0))
    last = byes.get(turn[count - 1], 0)
    sure = [bot for bot in turn if byes.get(bot, 0) < last]
    open_to = [bot for bot in turn if byes.get(bot, 0) == last]
    for more in combinations(open_to, count - len(sure)):
        yield (*sure, *more)


def search(order: Sequence[str], seats: int, met: Pairs, time: Iterator[int]) -> list[Bots] | None:
    """From the top, each table takes the best bot left, and then the next ones that have met nobody there.

    At a dead end the last choice is changed, until there is none left, or no `time`.
    """
    rivals = [{two for two, bot in enumerate(order) if met.get(frozenset((one, bot)))} for one in order]
    chosen: list[int] = []

    def fitting() -> Iterator[int]:
        """The bots that may be next."""
        taken, table = set(chosen), chosen[len(chosen) // seats * seats :]
        if not table:
            yield next(bot for bot in range(len(order)) if bot not in taken)
            return
        taken.update(*(rivals[bot] for bot in table))
        yield from (bot for bot in range(table[-1] + 1, len(order)) if bot not in taken)

    ways = [fitting()]
    for _ in time:
        if (bot := next(ways[-1], None)) is not None:
            chosen.append(bot)
            if len(chosen) == len(order):
                return cut([order[bot] for bot in chosen], seats)
            ways.append(fitting())
        elif chosen:
            ways.pop()
            chosen.pop()
        else:
            break
    return None


def improved(order: Sequence[str], seats: int, met: Pairs) -> list[Bots]:
    """Neighbours in the standing at first; then two bots change places for as long as that saves repeats.

    Of all exchanges the one that saves most is next, of equals that of the nearest in the standing.
    """
    size = len(order)
    times = [[met.get(frozenset((one, two)), 0) ** 2 for two in order] for one in order]
    seated = list(range(size))  # the bots by place; a table has `seats` places

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
