"""Standings: what the games of a run say about its bots, as an Elo table with honest error bars.

How strengths and errors are computed stands in `arena.bradley_terry`; this module counts, ranks and flags.
"""

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from itertools import pairwise
from statistics import NormalDist

import numpy as np

from arena.bradley_terry import GHOST, Games, Ratings, count_pairs, rate

FEW = 30  # seed groups; below it an error bar is itself uncertain
DIGITS = {"elo": 1, "error": 1, "los": 4, "score": 4, "first": 4, "mean_place": 3}


@dataclass(frozen=True)
class Outcome:
    """What one game says to the rating: by seat, the bot and its place (1 is first, ties share: 1, 2, 2, 4).

    `group` names the seed group, the games that share a seed. `forfeits` are seats; they are only counted,
    since the places already tell what a forfeit cost.
    """

    bots: tuple[str, ...]
    places: tuple[int, ...]
    group: str
    forfeits: frozenset[int] = frozenset()


@dataclass(frozen=True)
class Standing:
    """One row of the table.

    `error` is half the confidence interval in Elo: against the anchor (whose own is 0), else against the mean
    of the bots that can be compared; None where too few groups were played to tell. `los` is the likelihood
    of superiority over the next row, None where it cannot be told. `score` is the mean share of the opponents
    beaten (tied: half) and `first` the share of games won, from 0 to 1.

    Flags: `>` beat everyone always, `<` never scored: only the ghost bounds the Elo; `~` only one-sided
    results link the bot with most others (or with the anchor): the error is from the plain curvature, no
    sandwich; `?` fewer than 30 seed groups; `!` no game links the bot with the main pool: not comparable.
    """

    rank: int
    rank_range: tuple[int, int]
    bot: str
    elo: float
    error: float | None
    los: float | None
    games: int
    groups: int
    score: float
    first: float
    mean_place: float
    forfeits: int
    flags: str


def standings(
    outcomes: Iterable[Outcome],
    anchor: tuple[str, float] | None = None,
    average: float = 1500,
    prior: float = GHOST,
    confidence: float = 0.95,
) -> list[Standing]:
    """The table, best Elo first, equals by name.

    `anchor` is a bot and its Elo. Without one, before it has played, and in pools where it is not, the mean
    of the pool is `average`. Where `prior` is 0 but no finite estimate exists, the pool gets the usual ghost.
    """
    names, tables = tabulate(outcomes)
    if not names:
        return []
    fixed = (names.index(anchor[0]), anchor[1]) if anchor and anchor[0] in names else None
    ratings = rate(count_pairs(tables, len(names)), len(names), fixed, average, prior, confidence)
    main = ratings.pool[fixed[0]] if fixed else np.bincount(ratings.pool).argmax()
    columns = {"bot": names, "elo": ratings.elo.tolist(), "error": [_known(error) for error in ratings.error]}
    columns |= tally(tables, len(names)) | rank(ratings, confidence)
    columns["flags"] = flags(columns["score"], ratings.rough, columns["groups"], ratings.pool != main)
    rows = (dict(zip(columns, cells, strict=True)) for cells in zip(*columns.values(), strict=True))
    return sorted((Standing(**row) for row in rows), key=lambda row: (row.rank, row.bot))


def to_json(row: Standing) -> dict[str, object]:
    """A row as JSON has it, rounded so that machines agree on the bytes."""
    cells = asdict(row) | {"rank_range": list(row.rank_range)}
    known = {key: digits for key, digits in DIGITS.items() if cells[key] is not None}
    return cells | {key: round(cells[key], digits) + 0.0 for key, digits in known.items()}  # never -0.0


def tabulate(outcomes: Iterable[Outcome]) -> tuple[list[str], list[Games]]:
    """The names of the bots, sorted, and the games by number of seats; bots and groups become numbers."""
    by_seats: dict[int, list[Outcome]] = {}
    for outcome in outcomes:
        by_seats.setdefault(len(outcome.bots), []).append(outcome)
    every = [outcome for played in by_seats.values() for outcome in played]
    names = sorted({bot for outcome in every for bot in outcome.bots})
    bots = {name: number for number, name in enumerate(names)}
    groups = {name: number for number, name in enumerate(sorted({outcome.group for outcome in every}))}
    return names, [_numbers(by_seats[seats], seats, bots, groups) for seats in sorted(by_seats)]


def _numbers(played: list[Outcome], seats: int, bots: dict[str, int], groups: dict[str, int]) -> Games:
    columns = (
        [[bots[name] for name in outcome.bots] for outcome in played],
        [outcome.places for outcome in played],
        [groups[outcome.group] for outcome in played],
        [[seat in outcome.forfeits for seat in range(seats)] for outcome in played],
    )
    return Games(*(np.array(column, int) for column in columns))


def tally(tables: list[Games], size: int) -> dict[str, list]:
    """What is plainly counted for each bot, by the names of `Standing`."""
    score, (games, first, place, forfeits) = np.zeros(size), np.zeros((4, size), int)
    for table in tables:
        rivals = table.places.shape[1] - 1
        lead = sum(np.sign(rival[:, None] - table.places) for rival in table.places.T)
        score += _sums(table.bots, lead + rivals, size) / (2 * rivals)  # beaten twice, tied once
        first += _sums(table.bots, table.places == 1, size)
        place += _sums(table.bots, table.places, size)
        forfeits += _sums(table.bots, table.forfeits, size)
        games += np.bincount(table.bots.ravel(), minlength=size)
    cells = np.sort(np.concatenate([(table.group[:, None] * size + table.bots).ravel() for table in tables]))
    groups = np.bincount(cells[np.diff(cells, prepend=-1) > 0] % size, minlength=size)
    columns = {"games": games, "groups": groups, "forfeits": forfeits}
    columns |= {"score": score / games, "first": first / games, "mean_place": place / games}
    return {name: column.tolist() for name, column in columns.items()}


def _sums(bots: np.ndarray, values: np.ndarray, size: int) -> np.ndarray:
    """Whole numbers summed by bot: exact, so in any order."""
    return np.bincount(bots.ravel(), values.ravel(), size).astype(int)


def rank(ratings: Ratings, confidence: float) -> dict[str, list]:
    """Rank (equals share), rank range and likelihood of superiority, by the names of `Standing`."""
    elo, size = np.round(ratings.elo, 6), len(ratings.elo)  # less is noise
    z = (ratings.elo[:, None] - ratings.elo) / np.maximum(ratings.spread, 1e-6)
    surely = z > NormalDist().inv_cdf((1 + confidence) / 2)
    ranks = 1 + (elo > elo[:, None]).sum(axis=1)
    best, worst = 1 + surely.sum(axis=0), size - surely.sum(axis=1)
    los = [None] * size
    for this, following in pairwise(np.argsort(ranks, kind="stable")):
        los[this] = _known(NormalDist().cdf(z[this, following]))
    return {
        "rank": ranks.tolist(),
        "rank_range": list(zip(best.tolist(), worst.tolist(), strict=True)),
        "los": los,
    }


def flags(score: list[float], rough: np.ndarray, groups: list[int], apart: np.ndarray) -> list[str]:
    """The flags of each bot; see `Standing`."""
    score, few = np.array(score), np.array(groups) < FEW
    marks = {">": score == 1, "<": score == 0, "~": rough, "?": few, "!": apart}
    return ["".join(mark for mark, holds in marks.items() if holds[bot]) for bot in range(len(score))]


def _known(number: float) -> float | None:
    return None if np.isnan(number) else float(number)
