"""Seed groups: the games of one line-up with the same deal, one for each rotation over the seats."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from hashlib import sha256

from arena.formats.lineups import circles
from arena.formats.plan import Plan, Played
from arena.records.deals import run_name
from arena.records.fixture import Fixture


def seed_group(plan: Plan, lineup: Sequence[str], number: int | str, circle: int) -> list[Fixture]:
    """The games of group `number` of a line-up: the rotations of one of its circles."""
    group = group_name(lineup, number)
    return [fixture(plan, bots, group, rotation) for rotation, bots in enumerate(rotations(lineup, circle))]


def all_rotations(game: Fixture) -> list[Fixture]:
    """All games of the seed group of this game, in order."""
    seats, fingerprints = len(game.bots), game.fingerprints
    shifts = [(number, (number - game.rotation) % seats) for number in range(seats)]
    return [
        replace(
            game,
            bots=game.bots[first:] + game.bots[:first],
            fingerprints=fingerprints[first:] + fingerprints[:first],
            rotation=number,
        )
        for number, first in shifts
    ]


def rotations(lineup: Sequence[str], circle: int) -> list[tuple[str, ...]]:
    """The bots by seat, for each game of a group. `circle` is the number of a circle; numbers wrap around."""
    orders = circles(len(lineup))
    order = orders[circle % len(orders)]
    return [tuple(lineup[place] for place in order[first:] + order[:first]) for first in range(len(lineup))]


def fixture(
    plan: Plan,
    bots: tuple[str, ...],
    group: str,
    rotation: int = 0,
    options: Mapping[str, object] | None = None,
) -> Fixture:
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
    """Sixteen hex digits: a hash of the fingerprints of a seed group, in the order of the group's name."""
    return sha256(" ".join(fingerprints).encode()).hexdigest()[:16]


def whole_groups(plan: Plan, played: Played) -> set[str]:
    """The names of the seed groups of which all games were played by the current versions of their bots."""
    versions = {name: bot.fingerprint for name, bot in plan.bots.items()}
    seatings = {(game.bots, game.fingerprints) for game in played.values()}
    current = {each for each in seatings if [versions.get(name) for name in each[0]] == list(each[1])}
    games: dict[str, set[int]] = {}
    for game in played.values():
        if (game.bots, game.fingerprints) in current:
            games.setdefault(game.seed_group, set()).add(game.rotation)
    return {group for group, rotations in games.items() if len(rotations) == group.count(" ")}


def group_name(bots: Sequence[str], number: int | str) -> str:
    return f"{' '.join(sorted(bots))} {number}"
