"""Checks promises of the ratings in simulated games: `python benchmarks/ratings.py [--samples N] [--json]`.

A row of the first table is a promise, a column a method; a share is how often the promise held. The second
table has the formats, from two fifths of the samples. The last lines have the time for a million games,
compared with choix, and the games that adaptive pairing saves. All random numbers are fixed, so the same
number of samples gives the same shares.
"""

import argparse
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from functools import partial
from itertools import chain
from statistics import fmean
from time import perf_counter
from typing import Any

import formats
import numpy as np
from promises import (
    clean_records,
    coverage,
    first_places,
    likelihoods,
    near_deterministic,
    newcomers,
    normalized_verdicts,
    ranges,
    verdicts,
)
from saving import saving_lines
from simulated import LUCKS, Luck, Share, line_ups, play

from arena.rating.arrays import Floats
from arena.rating.estimate import ELO, rate
from arena.rating.methods import METHODS
from arena.rating.outcome_arrays import group_by_places
from arena.rating.settings import RatingSettings

ALL = "all"  # methods, which for two seats are the same
COLUMNS = ((ALL, 2), *((method, 4) for method in METHODS))  # method and seats
MEANINGS = {
    "interval": "95 % intervals that contain the truth",
    "LOS": "bots that are better, where LOS is from ... to ...; said: the mean LOS",
    "bound": "bounds of perfect scores that hold",
    "range": "ranges of ranks that are right, of 20 equal bots",
    "champion": "champions among 10 bots that are surely first, with so many groups for each bot",
    "twins": "standings of 10 bots, two of them equal champions, in which no claim is wrong",
    "first": "bots that are rightly said to be possible at the top",
    "verdict": "right verdicts of the sequential test, for all methods the same",
}
CLOSE = 0.1  # nats: a standard deviation of strengths below the errors

Row = Mapping[tuple[str, int], Share]  # by method and seats
Check = Callable[[str, int, int], Sequence[Share]]  # of a method, seats and samples

CHECKS: Sequence[Check] = (
    *(partial(coverage, luck=luck) for luck in LUCKS),
    newcomers,
    near_deterministic,
    likelihoods,
    partial(likelihoods, spread=CLOSE),
    ranges,
    clean_records,
    first_places,
)


def rows(samples: int) -> Iterator[Row]:
    """The shares of every check. The sequential test is the same for all methods."""
    for check in CHECKS:
        shares = [
            check(next(iter(METHODS)) if method == ALL else method, seats, samples)
            for method, seats in COLUMNS
        ]
        for row in zip(*shares, strict=True):
            yield dict(zip(COLUMNS, row, strict=True))
    tests: Sequence[Callable[[int, int], Sequence[Share]]] = (
        verdicts,
        partial(verdicts, repeats=True),
        normalized_verdicts,
    )
    for test in tests:
        for one, other in zip(test(2, samples), test(4, samples), strict=True):
            yield {column: one if column[1] == 2 else other for column in COLUMNS}


def text_lines(samples: int, found: Iterable[Row]) -> Iterator[str]:
    """The rows as they are found, in percent; `±` is the largest standard error in a row."""
    yield f"how often promises hold, in %; {samples} samples; 2 seats, and 4 seats by each method"
    yield f"{'':38}{'said':>6}{'2 seats':>9}{'pairs':>7}{'p-luce':>7}{'winner':>7}{'±':>6}"
    last = ""
    for row in found:
        check, case = next((share.check, share.case) for share in row.values())
        if check != last:
            yield MEANINGS[check]
            last = check
        measured = [percent(row[column].measured) for column in COLUMNS]
        cells = [percent(mean(share.promised for share in row.values())), *measured]
        error = max((share.error for share in row.values() if share.error is not None), default=None)
        widths = zip((6, 9, 7, 7, 7, 6), [*cells, percent(error)], strict=True)
        yield f"  {case:<36}" + "".join(f"{cell:>{width}}" for width, cell in widths)


def mean(shares: Iterable[float | None]) -> float | None:
    known = [share for share in shares if share is not None]
    return fmean(known) if known else None


def percent(share: float | None) -> str:
    return "" if share is None else f"{100 * share:.1f}"


def plain(row: Row) -> list[dict[str, Any]]:
    """A row for JSON: one object for each method and number of seats."""
    return [{"method": method, "seats": seats, **asdict(share)} for (method, seats), share in row.items()]


def speed_lines(bots: int = 200, groups: int = 250_000) -> Iterator[str]:
    """The time from games in memory to standings: sort the games, fit, and compute the errors."""
    rng = np.random.default_rng(1)
    theta, lineups = rng.normal(0, 1, bots), line_ups(rng, groups, bots, 4)
    games = play(rng, theta, lineups, Luck())
    seated, group = (np.concatenate([getattr(part, name) for part in games]) for name in ("bots", "group"))
    places = np.concatenate([np.tile(part.places, (len(part.bots), 1)) for part in games])
    mixed = rng.permutation(len(places))
    began = perf_counter()
    arrays = group_by_places(seated[mixed], places[mixed], group[mixed])
    ordered = perf_counter()
    rate(arrays, bots, RatingSettings())
    ended = perf_counter()
    yield (
        f"{bots} bots, {4 * groups:,} games of 4 seats: sort {ordered - began:.2f} s, "
        f"fit and errors {ended - ordered:.2f} s"
    )
    yield from compare_with_choix(rng, theta, 2 * groups)


def compare_with_choix(rng: np.random.Generator, theta: Floats, groups: int) -> Iterator[str]:
    """The same for duels, and the time that choix takes only for the strengths."""
    arrays = play(rng, theta, line_ups(rng, groups, len(theta), 2), Luck())
    began = perf_counter()
    mine = rate(arrays, len(theta), RatingSettings(prior=0, average=0))
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


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--samples", type=int, default=200, help="simulated tournaments of each kind")
    parser.add_argument("--json", action="store_true", help="the shares as JSON, and nothing else")
    given = parser.parse_args()
    by_format = formats.rows(max(1, given.samples * 2 // 5))
    if given.json:
        found = [each for row in rows(given.samples) for each in plain(row)]
        found += [asdict(each) for row in by_format for each in (*row.intervals, *row.ranges)]
        print(json.dumps(found, indent=2))
        return
    promises = text_lines(given.samples, rows(given.samples))
    for line in chain(promises, formats.table(by_format), speed_lines(), saving_lines()):
        print(line, flush=True)


if __name__ == "__main__":
    main()
