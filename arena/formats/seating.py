"""Seed groups: one line-up in all its rotations over the seats, with the same deal."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from hashlib import sha256

from arena.formats.lineups import circles
from arena.formats.plan import Plan, Played
from arena.records.deals import run_name
from arena.records.fixture import Fixture


def seed_group(plan: Plan, lineup: Sequence[str], number: int | str, turn: int) -> list[Fixture]:
    """The games of group `number` of a line-up: the rotations of a circle, which `turn` picks."""
    group = group_name(lineup, number)
    return [fixture(plan, bots, group, at) for at, bots in enumerate(rotations(lineup, turn))]


def all_rotations(game: Fixture) -> list[Fixture]:
    """All games of the seed group of one of them, in order."""
    seats, prints = len(game.bots), game.fingerprints
    turns = [(number, (number - game.rotation) % seats) for number in range(seats)]
    return [
        replace(
            game,
            bots=game.bots[first:] + game.bots[:first],
            fingerprints=prints[first:] + prints[:first],
            rotation=number,
        )
        for number, first in turns
    ]


def rotations(lineup: Sequence[str], turn: int) -> list[tuple[str, ...]]:
    """The bots by seat, for each game of a group."""
    orders = circles(len(lineup))
    circle = orders[turn % len(orders)]
    return [tuple(lineup[place] for place in circle[first:] + circle[:first]) for first in range(len(lineup))]


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
    """Sixteen hex digits for the versions of the bots of a seed group, in the order of its name."""
    return sha256(" ".join(fingerprints).encode()).hexdigest()[:16]


def whole_groups(plan: Plan, played: Played) -> set[str]:
    """The names of the seed groups of which every game was played, by the bots as they are now."""
    made = {name: bot.fingerprint for name, bot in plan.bots.items()}
    seatings = {(game.bots, game.fingerprints) for game in played.values()}
    current = {both for both in seatings if [made.get(name) for name in both[0]] == list(both[1])}
    games: dict[str, set[int]] = {}
    for game in played.values():
        if (game.bots, game.fingerprints) in current:
            games.setdefault(game.seed_group, set()).add(game.rotation)
    return {group for group, rotations in games.items() if len(rotations) == group.count(" ")}


def group_name(bots: Sequence[str], number: int | str) -> str:
    return f"{' '.join(sorted(bots))} {number}"
