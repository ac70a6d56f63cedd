"""Which games a plan still needs: a pure function of the plan and of what was played."""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from hashlib import sha256
from math import comb

from arena.chance import Chance
from arena.lineups import circles, lineups
from arena.plan import Plan
from arena.records import Fixture, to_json
from arena.rules import SEAT_NAMES, seat_name

Played = Mapping[str, Sequence[int]]
"""What was played: the id of a fixture, and the places that came of it."""

AGAIN = 1_000_000  # added to the group numbers of a line-up each further time that it is sampled


def due(plan: Plan, played: Played, running: Collection[str] = ()) -> Iterator[Fixture]:
    """The games that can be played now: all of the plan's, without those played and those running."""
    for fixture in fixtures(plan, played):
        if fixture.id not in played and fixture.id not in running:
            yield fixture


def fixtures(plan: Plan, played: Played) -> Iterator[Fixture]:
    return series(plan, played) if plan.format == "series" else round_robin(plan)


def size(plan: Plan) -> int:
    """How many games the plan has in all."""
    if plan.format == "series":
        return plan.groups
    return sum(len(meetings(plan, seats)) * plan.groups * seats for seats in plan.seats)


def describe(plan: Plan) -> str:
    """What will be played, in words and numbers: a line for each size of table."""
    if plan.format == "series":
        return f"{plan.game.name}, a series of {plan.groups} games between {', '.join(plan.bots)}"
    parts = []
    for seats in plan.seats:
        count = len(meetings(plan, seats))
        every = comb(len(plan.bots), seats)
        sample = "" if count == every else f" (balanced, of {every})"
        games = count * plan.groups * seats
        factors = f"{count} line-ups{sample} x {plan.groups} groups x {seats} rotations"
        parts.append(f"{seats} seats, {factors} = {games} games")
    return "\n  ".join([f"{plan.game.name}, {len(plan.bots)} bots", *parts])


def meetings(plan: Plan, seats: int) -> tuple[tuple[str, ...], ...]:
    return lineups(tuple(sorted(plan.bots)), seats, plan.lineups)


def round_robin(plan: Plan) -> Iterator[Fixture]:
    """Every line-up, `groups` times, in all its rotations.

    The first group of every line-up comes before the second of any, so that a table after a tenth
    of the games already means something.
    """
    for number in range(plan.groups):
        for seats in plan.seats:
            repeats: Counter[tuple[str, ...]] = Counter()
            circle = circles(seats)[number % len(circles(seats))]
            for lineup in meetings(plan, seats):
                group = number + AGAIN * repeats[lineup]
                repeats[lineup] += 1
                for rotation in range(seats):
                    bots = tuple(lineup[place] for place in circle[rotation:] + circle[:rotation])
                    yield fixture(plan, bots, group, rotation, plan.options)


def series(plan: Plan, played: Played) -> Iterator[Fixture]:
    """The same table over and over; with `starter: winner` each game waits for the one before (C7)."""
    bots, names = tuple(plan.bots), SEAT_NAMES[: len(plan.bots)]
    starter = plan.options.get("starter")
    winner_starts = starter == "winner"
    for number in range(plan.groups):
        if winner_starts and number == 0:
            starter = Chance(group_seed(plan, bots, number)).pick("starter", names)
        options = plan.options if starter is None else {**plan.options, "starter": starter}
        game = fixture(plan, bots, number, 0, options)
        yield game
        if winner_starts:
            if game.id not in played:
                return
            places = played[game.id]
            if places.count(1) == 1:  # after a shared win the old starter stays
                starter = seat_name(places.index(1))


def fixture(
    plan: Plan, bots: tuple[str, ...], number: int, rotation: int, options: Mapping[str, object]
) -> Fixture:
    return Fixture(
        game=plan.game.name,
        version=plan.game.version,
        options=options,
        bots=bots,
        fingerprints=tuple(plan.bots[name].fingerprint for name in bots),
        seed=group_seed(plan, bots, number),
        group=f"{' '.join(sorted(bots))} {number}",
        rotation=rotation,
        control=plan.control,
        strikes=plan.strikes,
        names=plan.names,
        limits=plan.limits,
    )


def group_seed(plan: Plan, bots: Sequence[str], number: int) -> str:
    """The seed of a seed group: a hash of plan seed, game, seats, bots by name, and group number."""
    parts = [plan.seed, plan.game.name, len(bots), sorted(bots), number]
    return sha256(to_json(parts).encode()).hexdigest()[:32]
