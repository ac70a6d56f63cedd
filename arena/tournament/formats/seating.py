"""Seed groups: the games of one line-up with the same deal, one for each rotation over the seats."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from hashlib import sha256

from arena.referee.deals import run_name
from arena.referee.fixture import Fixture
from arena.tournament.formats.lineups import Bots, circles
from arena.tournament.formats.plan import Plan, Played


def seed_group(plan: Plan, lineup: Sequence[str], number: int | str, circle: int) -> list[Fixture]:
    """The games of seed group `number` of a line-up: all rotations of its circle number `circle`."""
    group = group_name(lineup, number)
    return [fixture(plan, bots, group, rotation) for rotation, bots in enumerate(rotations(lineup, circle))]


def all_rotations(game: Fixture) -> list[Fixture]:
    """All games of the seed group of a game, by rotation."""
    found, made = [], game.fingerprints
    for rotation in range(len(game.bots)):
        first = (rotation - game.rotation) % len(game.bots)
        bots = game.bots[first:] + game.bots[:first]
        turned = replace(game, bots=bots, fingerprints=made[first:] + made[:first], rotation=rotation)
        found.append(turned)
    return found


def rotations(lineup: Sequence[str], circle: int) -> list[Bots]:
    """The bots by seat, for each game of a seed group.

    `circle` is the index of one of `circles`, modulo their number.
    """
    orders = circles(len(lineup))
    order = orders[circle % len(orders)]
    return [tuple(lineup[place] for place in order[first:] + order[:first]) for first in range(len(lineup))]


def fixture(
    plan: Plan, bots: Bots, group: str, rotation: int = 0, options: Mapping[str, object] | None = None
) -> Fixture:
    """A game of the plan, without its deal. `bots` are by seat; `options` replace the plan's options."""
    return Fixture(
        game=plan.game.name,
        version=plan.game.version,
        options=plan.options if options is None else options,
        bots=bots,
        fingerprints=tuple(plan.bots[name].fingerprint for name in bots),
        run=run_name(plan.secret),
        group=group,
        lineup=lineup_hash(tuple(plan.bots[name].fingerprint for name in group.split()[:-1])),
        rotation=rotation,
        conditions=plan.conditions,
    )


@lru_cache(1 << 14)
def lineup_hash(fingerprints: tuple[str, ...]) -> str:
    """A hash of the fingerprints of a seed group's bots, in the order of its name: sixteen hex digits."""
    return sha256(" ".join(fingerprints).encode()).hexdigest()[:16]


def whole_groups(plan: Plan, played: Played) -> set[str]:
    """The names of the seed groups that the current versions of their bots have completely played."""
    versions = {name: bot.fingerprint for name, bot in plan.bots.items()}
    whole, lacking = set[str](), Counter[str]()  # Only a few lack games at a time.
    for game in played.values():
        group = game.seed_group
        if group.rpartition(" ")[2].isdecimal() and [*map(versions.get, game.bots)] == [*game.fingerprints]:
            lacking[group] += 1
            if lacking[group] == group.count(" "):
                whole.add(group)
                del lacking[group]
    return whole


def group_name(bots: Sequence[str], number: int | str) -> str:
    """The name of a seed group: its bots, sorted, and its number, separated by spaces."""
    return f"{' '.join(sorted(bots))} {number}"
