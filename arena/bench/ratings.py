"""Checks what the ratings promise, on simulated games: a row for each promise, a column for each method.

A share is how often the promise held. All random numbers are fixed, so the same number of samples gives the
same shares.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from functools import partial
from statistics import fmean
from typing import Any

from arena.bench.intervals import coverage, likelihoods, near_deterministic, newcomers
from arena.bench.pairing import saving_lines
from arena.bench.ranges import ranges
from arena.bench.simulated import LUCKS, Share
from arena.bench.speed import speed_lines
from arena.bench.verdicts import normalized_verdicts, verdicts
from arena.rating.methods import METHODS

ALL = "all"  # methods, which for two seats are the same
COLUMNS = ((ALL, 2), *((method, 4) for method in METHODS))  # method and seats
MEANINGS = {
    "interval": "95 % intervals that contain the truth",
    "LOS": "bots that are better, where LOS is from ... to ...; said: the mean LOS",
    "bound": "bounds of perfect scores that hold",
    "range": "ranges of ranks that are right, of 20 equal bots",
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


def further_lines() -> Iterator[str]:
    """What is not the share of a promise: speed, and the games that adaptive pairing saves."""
    yield from speed_lines()
    yield from saving_lines()
