"""The time from a million games in memory to standings, also compared with choix."""

from collections.abc import Iterator
from time import perf_counter

import numpy as np

from arena.bench.simulated import Luck, line_ups, play
from arena.rating.arrays import Floats
from arena.rating.estimate import ELO, rate
from arena.rating.outcome import in_order
from arena.rating.settings import Settings


def speed_lines(bots: int = 200, groups: int = 250_000) -> Iterator[str]:
    """The time from games in memory to standings: sort the games, fit, and compute the errors."""
    rng = np.random.default_rng(1)
    theta, lineups = rng.normal(0, 1, bots), line_ups(rng, groups, bots, 4)
    games = play(rng, theta, lineups, Luck())
    seated, group = (np.concatenate([getattr(part, name) for part in games]) for name in ("bots", "group"))
    places = np.concatenate([np.tile(part.places, (len(part.bots), 1)) for part in games])
    mixed = rng.permutation(len(places))
    began = perf_counter()
    arrays = in_order(seated[mixed], places[mixed], group[mixed])
    ordered = perf_counter()
    rate(arrays, bots, Settings())
    ended = perf_counter()
    yield (
        f"{bots} bots, {4 * groups:,} games of 4 seats: sort {ordered - began:.2f} s, "
        f"fit and errors {ended - ordered:.2f} s"
    )
    yield from compare_with_choix(rng, theta, 2 * groups)


def compare_with_choix(rng: np.random.Generator, theta: Floats, groups: int) -> Iterator[str]:
    """The same for duels, and the time that choix takes for the strengths alone."""
    arrays = play(rng, theta, line_ups(rng, groups, len(theta), 2), Luck())
    began = perf_counter()
    mine = rate(arrays, len(theta), Settings(prior=0, average=0))
    seconds = perf_counter() - began
    line = f"{len(theta)} bots, {2 * groups:,} duels: fit and errors {seconds:.2f} s"
    try:
        import choix
    except ImportError:
        yield f"{line} (choix is not installed)"
        return
    duels, size = arrays[0].bots, len(theta)
    won = np.bincount(duels[:, 0] * size + duels[:, 1], minlength=size * size).reshape(size, size)
    began = perf_counter()
    other = ELO * choix.ilsr_pairwise_dense(won.astype(float))
    seconds, apart = perf_counter() - began, np.abs(mine.elo - other + other.mean()).max()
    yield f"{line}; choix: fit from counts {seconds:.2f} s, largest difference {apart:.5f} Elo"
