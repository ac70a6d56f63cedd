"""Simulated games, and how often a promise of the ratings holds in them.

The utility of a bot in a game is its strength, plus luck, plus a Gumbel variable; places are in the order of
utilities. So the Plackett-Luce model is true, and Bradley-Terry for each pair. Luck is normal and lasts for a
seed group, which is a line-up in all its rotations. Luck of a *seat* is a good hand, which every bot has once
in a group; luck of a *bot* is a deal that suits it in any seat. With *deals of their own* a hand lasts for
one game, and luck of a bot is a suitable order of seats, which stays the same in the group. With luck the
model of every method is wrong: its intervals should then contain the estimate from very many groups. If the
games of a group *repeat* each other, as between deterministic bots, the Gumbel variable also lasts for the
group, and the model is true.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from arena.rating.arrays import Floats, Ints
from arena.rating.outcome_arrays import OutcomeArrays, group_by_places

Number = TypeVar("Number", np.float64, np.int64)


@dataclass(frozen=True)
class Luck:
    """Standard deviations in nats of the luck that lasts for a seed group; do its games repeat each other?

    With `own_deals` luck of seats lasts only for a game.
    """

    seat: float = 0.0
    bot: float = 0.0
    repeats: bool = False
    own_deals: bool = False


LUCKS = {
    "no luck": Luck(),
    "luck of seats": Luck(seat=1.0),
    "luck of bots": Luck(bot=1.0),
    "deals of their own": Luck(seat=1.0, bot=0.5, own_deals=True),
}


@dataclass(frozen=True)
class Share:
    """How often a promise held.

    `promised` is the promised share from 0 to 1, None if there was no promise; `measured` is the share in
    simulated cases, None without any, and `error` its standard error. The error is estimated from the
    differences between the samples (simulated tournaments), because the cases in one sample are not
    independent.
    """

    check: str
    case: str
    promised: float | None
    measured: float | None
    error: float | None
    samples: int


def share(check: str, case: str, promised: float | None, held: Sequence[ArrayLike]) -> Share:
    """The share of the cases that held, True or False, given for each sample."""
    counts = np.array([(np.sum(cases), np.size(cases)) for cases in held], float).reshape(-1, 2)
    hits, total = counts.sum(axis=0)
    if not total:
        return Share(check, case, promised, None, None, len(held))
    spread = counts[:, 0] - hits / total * counts[:, 1]
    error = float(np.sqrt((spread**2).sum() * len(held) / max(len(held) - 1, 1)) / total)
    return Share(check, case, promised, float(hits / total), error, len(held))


def play(rng: np.random.Generator, theta: Floats, lineups: Ints, luck: Luck) -> list[OutcomeArrays]:
    """Simulate a seed group of each line-up (G, n), in its n rotations."""
    groups, seats = lineups.shape
    deals = seats if luck.own_deals else 1  # of a group
    hands = rng.normal(0, luck.seat, (groups, deals, seats))
    suits = rng.normal(0, luck.bot, (groups, seats))
    if luck.repeats:
        utility = rotations(theta[lineups] + suits + rng.gumbel(size=lineups.shape)) + hands
    else:
        utility = rotations(theta[lineups] + suits) + hands + rng.gumbel(size=(groups, seats, seats))
    places = 1 + (-utility).argsort(axis=2).argsort(axis=2)
    group = np.repeat(np.arange(groups), seats)
    return group_by_places(rotations(lineups).reshape(-1, seats), places.reshape(-1, seats), group)


def rotations(cells: NDArray[Number]) -> NDArray[Number]:
    """All n rotations of each line: (G, n) becomes (G, n, n)."""
    return np.stack([np.roll(cells, -turn, axis=1) for turn in range(cells.shape[1])], axis=1)


def line_ups(rng: np.random.Generator, groups: int, bots: int, seats: int) -> Ints:
    """Random line-ups of different bots, (groups, seats)."""
    drawn = rng.integers(bots, size=(groups, seats))
    while len(again := np.flatnonzero((np.diff(np.sort(drawn)) == 0).any(axis=1))):
        drawn[again] = rng.integers(bots, size=(len(again), seats))
    return drawn
