"""Simulates the scheduler and the rating at growing numbers of bots: `python benchmarks/season.py`.

Each line has the CPU time and the peak memory of a process that measures one part of the arena.
`docs/scale.md` has the results and their consequences.
"""

import argparse
import resource
import subprocess
import sys
from collections.abc import Callable
from time import process_time

import numpy as np
from simulated import Luck, line_ups, play

from arena.rating.adaptive import best_lineups, contrasts, prospects
from arena.rating.arrays import Floats
from arena.rating.estimate import ELO, rate
from arena.rating.logit import Model, Stages, count_stages, logistic
from arena.rating.outcome_arrays import OutcomeArrays
from arena.rating.settings import RatingSettings

SEATS, GROUPS_PER_BOT, SPREAD = 4, 20, 1.0  # of strengths, in nats


def simulated(bots: int, groups: int) -> tuple[Floats, list[OutcomeArrays]]:
    rng = np.random.default_rng(1)
    theta = rng.normal(0, SPREAD, bots)
    return theta, play(rng, theta, line_ups(rng, groups, bots, SEATS), Luck())


def rating(bots: int) -> str:
    """The estimate with its sandwich errors, as `arena table` computes it."""
    theta, arrays = simulated(bots, bots * GROUPS_PER_BOT // SEATS)
    began = process_time()
    found = rate(arrays, bots, RatingSettings())
    spent = process_time() - began
    off = found.elo - found.elo.mean() - ELO * (theta - theta.mean())
    return f"{spent:8.2f} s, error {rms(off):.0f} Elo (claimed {rms(found.se):.0f})"


def scheduler(bots: int) -> str:
    """Line-ups of the adaptive format after the fit of a batch."""
    _, arrays = simulated(bots, bots * GROUPS_PER_BOT // SEATS)
    began = process_time()
    theta, inverse = prospects(arrays, bots, RatingSettings.prior)
    fitted, count = process_time(), 20
    for _ in best_lineups(theta, inverse, contrasts(bots), [SEATS] * count):
        pass
    return f"{fitted - began:8.2f} s the fit, {(process_time() - fitted) / count * 1e3:8.1f} ms a line-up"


def sparse(bots: int) -> str:
    """A fit without K x K matrices, which the arena does not have: Newton's steps by conjugate gradients."""
    theta, arrays = simulated(bots, bots * GROUPS_PER_BOT // SEATS)
    began = process_time()
    at, curvature = sparse_fit(count_stages(Model("pairs", bots), arrays), bots, RatingSettings.prior)
    spent = process_time() - began
    off = ELO * (at - at.mean() - theta + theta.mean())
    claimed = ELO * np.sqrt((1 / curvature).mean())
    return f"{spent:8.2f} s, error {rms(off):.0f} Elo (claimed {claimed:.0f})"


def rms(values: Floats) -> float:
    return float(np.sqrt((values**2).mean()))


def sparse_fit(stages: list[Stages], bots: int, prior: float) -> tuple[Floats, Floats]:
    """The strengths and the diagonal of the curvature, for the method of pairs."""
    (part,) = stages
    (one, two), won = part.index[:, :, 0].T, part.won
    weight, at = won.sum(axis=1), np.zeros(bots)
    for _ in range(50):
        chance = logistic(at[one] - at[two])
        gap = won[:, 0] - weight * chance
        own = weight * chance * (1 - chance)
        diagonal = np.bincount(one, own, bots) + np.bincount(two, own, bots)
        diagonal += 2 * prior * logistic(at) * logistic(-at)
        slope = (
            np.bincount(one, gap, bots) - np.bincount(two, gap, bots) + prior * (logistic(-at) - logistic(at))
        )

        def times(x: Floats, own: Floats = own, diagonal: Floats = diagonal) -> Floats:
            return diagonal * x - np.bincount(one, own * x[two], bots) - np.bincount(two, own * x[one], bots)

        step = conjugate_gradients(times, slope, diagonal)
        at = at + step
        if np.abs(step).max() < 1e-9:
            break
    return at, diagonal


def conjugate_gradients(times: Callable[[Floats], Floats], target: Floats, diagonal: Floats) -> Floats:
    found, left = np.zeros_like(target), target.copy()
    along = scaled = left / diagonal
    size = left @ scaled
    for _ in range(200):
        image = times(along)
        length = size / (along @ image)
        found, left = found + length * along, left - length * image
        scaled = left / diagonal
        size, before = left @ scaled, size
        if size < 1e-24:
            break
        along = scaled + size / before * along
    return found


PARTS = {each.__name__: each for each in (rating, scheduler, sparse)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("bots", nargs="*", type=int, default=[250, 500, 1000, 2000])
    parser.add_argument("--part", choices=PARTS, action="append")
    parser.add_argument("--alone", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    for part in given.part or PARTS:
        for bots in given.bots:
            if given.alone:
                told = PARTS[part](bots)
                peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
                print(f"{part:10} {bots:6} bots {told}, {peak:6.0f} MB", flush=True)
            else:  # Its own process makes the peak of its memory known.
                command = [sys.executable, __file__, str(bots), "--part", part, "--alone"]
                subprocess.run(command, check=False)


if __name__ == "__main__":
    main()
