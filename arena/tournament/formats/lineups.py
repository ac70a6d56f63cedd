"""Chooses line-ups, and neighbours at a table: balanced and without chance."""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cache
from itertools import combinations, islice, permutations, product
from math import comb, gcd

Bots = tuple[str, ...]
"""Names of bots: of a line-up, or at a table by seat."""

_PERIOD = 48  # The circles repeat after this number of seed groups.
_LOOKAHEAD = 64  # `interleaved` chooses the next line-up among this number.
_ATTEMPTS, _PASSES = 8, 16  # starts of a sample, and passes of improvement for each


@cache
def lineups(names: Bots, seats: int, most: int) -> tuple[Bots, ...]:
    """All line-ups for this number of seats, or a balanced sample of about `most` of them."""
    # In a sample, every bot plays equally often, and the numbers of meetings of two pairs mostly differ by at
    # most one. It consists of *cyclic* blocks, as in a difference family (Bose 1939): the bots form a circle,
    # and each block of positions is rotated through all of them. So only the distances within the blocks need
    # to be balanced. The sample of a small field may have a line-up twice.
    if comb(len(names), seats) <= most:
        return tuple(combinations(names, seats))
    bots = len(names)
    blocks = _balanced_blocks(bots, seats, max(1, most // bots))
    # With two places the distances may have a divisor in common with the number of bots, as 2, 4 and 6. Bots
    # at odd places would then never meet those at even ones. A distance of 1 links all.
    if seats == 2 and gcd(bots, *(one - two for one, two in blocks)) > 1:
        blocks[-1] = [0, 1]
    return tuple(
        tuple(sorted(names[(place + shift) % bots] for place in block))
        for shift in range(bots)
        for block in blocks
    )


def lineups_apart(teams: Mapping[str, str], seats: int, most: int) -> tuple[Bots, ...]:
    """All line-ups without two bots of a team, or a sample of about `most` of them.

    `teams` has the team of every bot.
    """
    # In a sample, each seat goes to the bot that has played least and has met the others at the table least.
    # Both numbers differ by one or two between bots. Bots of a large team have fewer possible opponents; they
    # play as often as they can.
    members: dict[str, list[str]] = {}
    for name in sorted(teams):
        members.setdefault(teams[name], []).append(name)
    if count_apart(teams, seats) <= most:
        chosen = [product(*some) for some in combinations(members.values(), seats)]
        return tuple(sorted(tuple(sorted(lineup)) for some in chosen for lineup in some))
    order = sorted(teams, key=lambda bot: (-len(members[teams[bot]]), bot))  # Large teams are hard to place.
    games, met = Counter[str](), Counter[tuple[str, str]]()
    found = []
    for _ in range(max(1, most // len(teams)) * len(teams)):
        lineup: list[str] = []
        while len(lineup) < seats:
            taken = {teams[bot] for bot in lineup}
            free = [bot for bot in order if teams[bot] not in taken]
            costs = [games[bot] + 2 * sum([met[bot, other] ** 2 for other in lineup]) for bot in free]
            lineup.append(free[costs.index(min(costs))])
        games.update(lineup)
        met.update(permutations(lineup, 2))
        found.append(tuple(sorted(lineup)))
    return tuple(found)


def count_apart(teams: Mapping[str, str], seats: int) -> int:
    """The number of line-ups without two bots of a team."""
    counts = [1] + [0] * seats  # for the teams so far, by the number of seats
    for size in Counter(teams.values()).values():
        counts = [count + size * fewer for count, fewer in zip(counts, [0, *counts], strict=False)]
    return counts[seats]


def interleaved(ordered: Sequence[Bots]) -> tuple[Bots, ...]:
    """The line-ups in an order in which all bots have played about equally often at any time."""
    # Steps of the golden section visit a list evenly, wherever they stop (Weyl 1916). Among the next line-ups
    # in this order, the one whose bots have played least is first.
    count, games = len(ordered), Counter[str]()
    step = next(step for step in range(round(count * 0.618), count + 2) if gcd(step, count) == 1)
    visited = (ordered[number * step % count] for number in range(count))
    ahead, order = list(islice(visited, _LOOKAHEAD)), []
    while ahead:
        played = [sorted([games[bot] for bot in lineup], reverse=True) for lineup in ahead]
        order.append(ahead.pop(played.index(min(played))))
        games.update(order[-1])
        ahead += islice(visited, 1)
    return tuple(order)


def _balanced_blocks(bots: int, seats: int, most: int) -> list[list[int]]:
    """At most `most` blocks, each of `seats` places (from 0) in a circle of so many bots.

    All distances between two places of a block are about equally frequent.
    """
    equal = [count for count in range(most, most // 2, -1) if count * seats * (seats - 1) % (bots - 1) == 0]
    best: list[list[int]] = []
    least = math.inf
    for count in [*equal[:1], most, most - 1]:
        for attempt in range(_ATTEMPTS if count else 0):
            start = [_starting_block(bots, seats, index, attempt) for index in range(count)]
            blocks, imbalance = _improve(start, bots)
            if imbalance < least:
                least, best = imbalance, blocks
            if imbalance <= (count * seats * (seats - 1) % (bots - 1) > 0):
                return blocks
    return best


def _starting_block(bots: int, seats: int, index: int, attempt: int) -> list[int]:
    block: list[int] = []
    for step in range(seats):  # A polynomial gives different places for each block and attempt.
        place = (step * (1 + index + attempt) + step * step * (index + 1)) % bots
        while place in block:
            place = (place + 1) % bots
        block.append(place)
    return block


def _improve(blocks: list[list[int]], bots: int) -> tuple[list[list[int]], int]:
    """Change the places in the blocks until pairs meet about equally often.

    Returns the blocks, and their imbalance: the meetings of the most frequent pair minus the meetings of the
    rarest.
    """
    # One place at a time moves to a position where pairs meet least, until nothing moves.
    met = [0] * bots  # meetings in all rotations of all blocks, by the distance of two bots in the circle

    def meet(place: int, others: Sequence[int], times: int) -> None:
        for other in others:
            met[place - other] += times  # A negative index goes round the circle.
            met[other - place] += times

    for block in blocks:
        for index, place in enumerate(block):
            meet(place, block[:index], 1)
    for _ in range(_PASSES):
        before = [block[:] for block in blocks]
        for block in blocks:
            for index in range(1, len(block)):
                others = block[:index] + block[index + 1 :]
                meet(block[index], others, -1)
                free = [block[index], *(place for place in range(bots) if place not in block)]
                costs = [sum([met[place - other] for other in others]) for place in free]
                block[index] = free[costs.index(min(costs))]
                meet(block[index], others, 1)
        if blocks == before:
            break
    return blocks, max(met[1:]) - min(met[1:])


@cache
def circles(seats: int) -> tuple[tuple[int, ...], ...]:
    """The orders of a line-up around the table that its seed groups use in turn.

    Each is an order of the indexes of its bots, from 0.
    """
    # For a prime number of seats these are the circles with the steps s = 1, 2, … (0, s, 2s, …): each bot
    # follows each other bot exactly once. Otherwise the next circle is always the one whose pairs of
    # neighbours were rarest.
    if all(seats % divisor for divisor in range(2, seats)):
        return tuple(tuple(step * place % seats for place in range(seats)) for step in range(1, seats))
    candidates = [(0, *rest) for rest in permutations(range(1, seats))]
    followed: Counter[tuple[int, int]] = Counter()
    chosen = []
    for _ in range(_PERIOD):
        chosen.append(min(candidates, key=lambda circle: sum(followed[arc] for arc in arcs(circle))))
        followed.update(arcs(chosen[-1]))
    return tuple(chosen)


def arcs(circle: Sequence[int]) -> list[tuple[int, int]]:
    """Each bot with the next one around the table, and the last with the first."""
    return list(zip(circle, [*circle[1:], circle[0]], strict=True))
