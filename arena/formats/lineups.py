"""Which bots meet at a table, and which sit next to each other: as evenly as possible, without chance."""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cache
from itertools import combinations, islice, permutations, product
from math import comb, gcd

PERIOD = 48  # groups after which the circles repeat
AHEAD = 64  # line-ups among which the next one is chosen
ATTEMPTS, PASSES = 8, 16  # starting points tried for a sample, and rounds of improving one


@cache
def lineups(names: tuple[str, ...], seats: int, most: int) -> tuple[tuple[str, ...], ...]:
    """All line-ups of so many seats, or a balanced sample of about `most` of them.

    In a sample every bot sits equally often, and the number of times that a pair meets differs
    little, mostly by at most one (equal where that can be). It is made of *cyclic* blocks, as in a
    difference family (Bose 1939): the bots stand in a circle, and each block of positions is turned
    through all of them, so that only the distances within the blocks need to be balanced. A small
    field may repeat a line-up.
    """
    if comb(len(names), seats) <= most:
        return tuple(combinations(names, seats))
    bots = len(names)
    return tuple(
        tuple(sorted(names[(place + turn) % bots] for place in block))
        for turn in range(bots)
        for block in balanced_blocks(bots, seats, max(1, most // bots))
    )


def lineups_apart(teams: Mapping[str, str], seats: int, most: int) -> tuple[tuple[str, ...], ...]:
    """All line-ups without two bots of a team, or a sample of about `most` of them.

    `teams` has the team of every bot. In a sample, the next bot at a table is the one that has met the
    others there least and has sat least: both are even, give or take one or two. A bot of a large team,
    which cannot be at as many tables as others, is at as many as can be.
    """
    members: dict[str, list[str]] = {}
    for name in sorted(teams):
        members.setdefault(teams[name], []).append(name)
    if count_apart(teams, seats) <= most:
        chosen = [product(*some) for some in combinations(members.values(), seats)]
        return tuple(sorted(tuple(sorted(lineup)) for some in chosen for lineup in some))
    order = sorted(teams, key=lambda bot: (-len(members[teams[bot]]), bot))  # large teams are hard to place
    sat, met = Counter[str](), Counter[tuple[str, str]]()
    found = []
    for _ in range(max(1, most // len(teams)) * len(teams)):
        lineup: list[str] = []
        while len(lineup) < seats:
            taken = {teams[bot] for bot in lineup}
            free = [bot for bot in order if teams[bot] not in taken]
            strain = [sat[bot] + 2 * sum([met[bot, other] ** 2 for other in lineup]) for bot in free]
            lineup.append(free[strain.index(min(strain))])
        sat.update(lineup)
        met.update(permutations(lineup, 2))
        found.append(tuple(sorted(lineup)))
    return tuple(found)


def count_apart(teams: Mapping[str, str], seats: int) -> int:
    """How many line-ups there are without two bots of a team."""
    ways = [1] + [0] * seats  # by the size of the table, with the teams so far
    for size in Counter(teams.values()).values():
        ways = [count + size * fewer for count, fewer in zip(ways, [0, *ways], strict=False)]
    return ways[seats]


def interleaved(meetings: Sequence[tuple[str, ...]]) -> tuple[tuple[str, ...], ...]:
    """The same line-ups in an order in which all bots have played about equally often at any moment.

    A step of the golden section goes through a list evenly, however early it is cut off (Weyl 1916);
    of the next few on this way, the line-up whose bots have played least comes first.
    """
    count, games = len(meetings), Counter[str]()
    step = next(step for step in range(round(count * 0.618), count + 2) if gcd(step, count) == 1)
    way = (meetings[number * step % count] for number in range(count))
    ahead, order = list(islice(way, AHEAD)), []
    while ahead:
        busy = [sorted([games[bot] for bot in lineup], reverse=True) for lineup in ahead]
        order.append(ahead.pop(busy.index(min(busy))))
        games.update(order[-1])
        ahead += islice(way, 1)
    return tuple(order)


def balanced_blocks(bots: int, seats: int, most: int) -> list[list[int]]:
    """At most `most` blocks of places in a circle of bots, their distances spread evenly."""
    equal = [count for count in range(most, most // 2, -1) if count * seats * (seats - 1) % (bots - 1) == 0]
    best: list[list[int]] = []
    least = math.inf
    for count in [*equal[:1], most, most - 1]:
        for attempt in range(ATTEMPTS if count else 0):
            start = [starting_block(bots, seats, index, attempt) for index in range(count)]
            blocks, spread = improve(start, bots)
            if spread < least:
                least, best = spread, blocks
            if spread <= (count * seats * (seats - 1) % (bots - 1) > 0):
                return blocks
    return best


def starting_block(bots: int, seats: int, index: int, attempt: int) -> list[int]:
    """Different places, scattered by a quadratic so that blocks and attempts differ."""
    block: list[int] = []
    for step in range(seats):
        place = (step * (1 + index + attempt) + step * step * (index + 1)) % bots
        while place in block:
            place = (place + 1) % bots
        block.append(place)
    return block


def improve(blocks: list[list[int]], bots: int) -> tuple[list[list[int]], int]:
    """Move one place at a time to where pairs have met least, until nothing moves.

    Returns the blocks, and by how much the pairs that meet most and least often differ.
    """
    met = [0] * bots  # by how far apart two bots are: their meetings in all turns of all blocks

    def meet(place: int, others: Sequence[int], times: int) -> None:
        for other in others:
            met[place - other] += times  # a negative index counts from the circle's other side
            met[other - place] += times

    for block in blocks:
        for index, place in enumerate(block):
            meet(place, block[:index], 1)
    for _ in range(PASSES):
        moved = False
        for block in blocks:
            for index in range(1, len(block)):
                others = block[:index] + block[index + 1 :]
                meet(block[index], others, -1)
                free = [block[index], *(place for place in range(bots) if place not in block)]
                costs = [sum([met[place - other] for other in others]) for place in free]
                place = free[costs.index(min(costs))]
                moved |= place != block[index]
                block[index] = place
                meet(place, others, 1)
        if not moved:
            break
    return blocks, max(met[1:]) - min(met[1:])


@cache
def circles(seats: int) -> tuple[tuple[int, ...], ...]:
    """Orders of a line-up around the table, one for each group in turn, before their rotations.

    For a prime number of seats these are the circles of every step (0, s, 2s, …): each bot follows
    each other exactly once. Otherwise each next circle is the one whose neighbours have been rarest.
    """
    if all(seats % divisor for divisor in range(2, seats)):
        return tuple(tuple(step * place % seats for place in range(seats)) for step in range(1, seats))
    candidates = [(0, *rest) for rest in permutations(range(1, seats))]
    followed: Counter[tuple[int, int]] = Counter()
    chosen = []
    for _ in range(PERIOD):
        chosen.append(min(candidates, key=lambda circle: sum(followed[arc] for arc in arcs(circle))))
        followed.update(arcs(chosen[-1]))
    return tuple(chosen)


def arcs(circle: Sequence[int]) -> list[tuple[int, int]]:
    """The pairs of neighbours, from the first seat to the last and back."""
    return list(zip(circle, [*circle[1:], circle[0]], strict=True))
