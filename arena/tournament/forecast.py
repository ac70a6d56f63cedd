"""What is known of a run before it begins: the games that are due, and how exact its standings will be."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import dropwhile, takewhile

import numpy as np

from arena.rating.arrays import Ints
from arena.rating.prospect import Prospect, prospect
from arena.referee.fixture import Fixture
from arena.tournament import schedule
from arena.tournament.formats.plan import WAIT, Plan

EXAMPLE_SEED = "trial"  # bots that are tried must not see the deals of the run beforehand
_MAX_BOTS = 200  # whose standings are simulated: the time grows with the third power of their number


def first_games(plan: Plan) -> Iterator[Fixture]:
    """The games that are due before any result is known; with a fixed seed if the plan has none."""
    if len(plan.bots) >= max(plan.seats):
        seeded = replace(plan, seed=EXAMPLE_SEED if plan.seed is None else plan.seed)
        due = dropwhile(lambda game: game is WAIT, schedule.due(seeded, {}))  # a ladder starts with one
        yield from takewhile(lambda game: game is not WAIT, due)


def forecast(plan: Plan) -> Prospect | None:
    """How exact the standings of the plan will be, or None if it is unknown.

    It is known if the games do not follow from results. For an adaptive tournament it is that of random
    line-ups, which it betters a little.
    """
    games, settings = schedule.size(plan), plan.run.rating
    if not games or plan.format.placings or len(plan.bots) > _MAX_BOTS or settings.order == "points":
        return None
    lineups = _lineups(plan, games)
    numbers = {name: number for number, name in enumerate(plan.bots)}
    anchors = {numbers[bot]: elo for bot, elo in settings.anchors.items() if bot in numbers}
    return prospect(lineups, len(numbers), settings, anchors, widenings=plan.format.widenings)


def _lineups(plan: Plan, games: int) -> list[Ints]:
    """The line-ups of all seed groups, (G, n) for each number n of seats."""
    numbers = {name: number for number, name in enumerate(plan.bots)}
    groups: dict[str, tuple[int, ...]] = {}
    count = 0
    for game in first_games(plan):
        groups.setdefault(game.group, tuple(numbers[bot] for bot in game.bots))
        count += 1
    by_size = [[lineup for lineup in groups.values() if len(lineup) == size] for size in plan.seats]
    if count == games:
        return [np.array(lineups) for lineups in by_size if lineups]
    rng = np.random.default_rng(1)
    share = games // len(plan.seats)
    return [
        np.argsort(rng.random((max(1, share // size), len(plan.bots))), axis=1)[:, :size]
        for size in plan.seats
    ]
