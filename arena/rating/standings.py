"""The Elo table: what outcomes say about the bots, counted, ranked and flagged."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from math import log
from statistics import NormalDist

import numpy as np

from arena.rating.estimate import ELO, Ratings, Settings, rate, select
from arena.rating.outcome import Games, Outcome, tabulate

FEW = 30  # seed groups; below it an error bar is itself uncertain
EQUAL = 1e-6  # Elo; less is noise
FAR = 1e5  # Elo; no bound is farther from all rivals
HALVINGS = 60  # of an interval, until nothing is left of it


@dataclass(frozen=True)
class Standing:
    """One row of the table.

    `error` is half the confidence interval in Elo: against the anchor (whose own is 0), else against the mean
    of the bots that can be compared; None where too few groups were played to tell. `bound` is there for
    perfect scores, whose interval has one end. `los` is the likelihood of superiority over the next row, None
    where it cannot be told. `score` is the mean share of the opponents beaten (tied: half) and `first` the
    share of games won, from 0 to 1. `opponents` is the mean Elo of those met, `forfeits` the number by kind
    of fault, `without` the Elo from the games that nobody forfeited (None where the bot has no such game).

    Flags: `>` beat everyone always, `<` never scored: only the ghost bounds the Elo; `~` only one-sided
    results link the bot with most others (or with the anchor), or its groups all ended alike: the error is
    from the plain curvature, no sandwich; `?` fewer than 30 seed groups; `!` no game links the bot
    with the main pool: not comparable; `C` in a cycle, each of whom surely beats the next.
    """

    rank: int
    rank_range: tuple[int, int]
    bot: str
    elo: float
    error: float | None
    bound: float | None
    los: float | None
    games: int
    groups: int
    score: float
    first: float
    mean_place: float
    opponents: float
    forfeits: Mapping[str, int]
    without: float | None
    flags: str


@dataclass(frozen=True, eq=False)
class Field:
    """Bots by number, in the order of their names, and what their games say of them."""

    names: list[str]
    tables: list[Games]
    ratings: Ratings
    settings: Settings
    forfeits: Mapping[str, Mapping[str, int]]
    without: Mapping[str, float]

    @property
    def games(self) -> int:
        return sum(len(games.bots) for games in self.tables)

    @property
    def groups(self) -> int:
        return len(np.unique(np.concatenate([games.group for games in self.tables]))) if self.tables else 0

    @property
    def main(self) -> int:
        """The pool of the anchor, or else the largest one; pools are numbers as in `Ratings`."""
        anchor = self.settings.anchor
        if anchor and anchor[0] in self.names:
            return int(self.ratings.pool[self.names.index(anchor[0])])
        return int(np.bincount(self.ratings.pool).argmax())

    def pooled(self) -> tuple[list[str], list[Games]]:
        """The main pool alone: its bots by new numbers, and its games."""
        bots = np.flatnonzero(self.ratings.pool == self.main)
        return [self.names[bot] for bot in bots], select(self.tables, bots, len(self.names))


def rated(outcomes: Iterable[Outcome], settings: Settings) -> Field:
    """Rate the outcomes, in any order. Where `prior` is 0 but no finite estimate exists, there is a ghost."""
    outcomes = list(outcomes)
    clean = [outcome for outcome in outcomes if not outcome.forfeits]
    if settings.forfeits == "exclude":
        outcomes = clean
    names, tables, ratings = _rate(outcomes, settings)
    without = dict(zip(names, ratings.elo.tolist(), strict=True))
    if len(clean) < len(outcomes):
        others, _, again = _rate(clean, settings)
        without = dict(zip(others, again.elo.tolist(), strict=True))
    return Field(names, tables, ratings, settings, _forfeits(outcomes), without)


def _rate(outcomes: Sequence[Outcome], settings: Settings) -> tuple[list[str], list[Games], Ratings]:
    names, tables = tabulate(outcomes)
    anchor = settings.anchor[0] if settings.anchor else None
    number = names.index(anchor) if anchor in names else None
    return names, tables, rate(tables, len(names), settings, number)


def _forfeits(outcomes: Iterable[Outcome]) -> dict[str, dict[str, int]]:
    counted: Counter[tuple[str, str]] = Counter(
        (outcome.bots[seat], kind) for outcome in outcomes for seat, kind in outcome.forfeits.items()
    )
    by_bot: dict[str, dict[str, int]] = {}
    for (bot, kind), count in sorted(counted.items()):
        by_bot.setdefault(bot, {})[kind] = count
    return by_bot


def standings(field: Field) -> list[Standing]:
    """The rows, best Elo first, equals by name."""
    if not field.names:
        return []
    ratings = field.ratings
    columns = {
        "bot": field.names,
        "elo": ratings.elo.tolist(),
        "error": [_known(error) for error in ratings.error],
    }
    columns |= tally(field) | rank(ratings, field.settings)
    columns["bound"] = bounds(field, columns["score"])
    columns["forfeits"] = [field.forfeits.get(name, {}) for name in field.names]
    columns["without"] = [field.without.get(name) for name in field.names]
    columns["flags"] = flags(columns["score"], ratings.rough, columns["groups"], ratings.pool != field.main)
    rows = (dict(zip(columns, cells, strict=True)) for cells in zip(*columns.values(), strict=True))
    return sorted((Standing(**row) for row in rows), key=lambda row: (row.rank, row.bot))


def tally(field: Field) -> dict[str, list]:
    """What is plainly counted for each bot, by the names of `Standing`."""
    size, elo = len(field.names), field.ratings.elo
    games, score, first, place, opponents = np.zeros((5, size))
    for table in field.tables:
        rivals, places = table.size - 1, np.array(table.places)
        ends = np.array([np.bincount(column, minlength=size) for column in table.bots.T])  # (n, K)
        shares = np.sign(places - places[:, None]).sum(axis=1) / (2 * rivals) + 1 / 2
        games, place, first = games + ends.sum(axis=0), place + places @ ends, first + (places == 1) @ ends
        score += shares @ ends
        met = (elo[table.bots].sum(axis=1, keepdims=True) - elo[table.bots]) / rivals
        opponents += np.bincount(table.bots.ravel(), met.ravel(), size)
    cells = np.concatenate([(table.group[:, None] * size + table.bots).ravel() for table in field.tables])
    groups = np.bincount(np.unique(cells) % size, minlength=size)
    columns = {"score": score / games, "first": first / games, "mean_place": place / games}
    columns |= {"opponents": opponents / games, "games": games.astype(int), "groups": groups}
    return {name: column.tolist() for name, column in columns.items()}


def superiority(ratings: Ratings) -> np.ndarray:
    """The likelihood (K, K) that the bot of the row is better than that of the column; NaN where unknown."""
    z = (ratings.elo[:, None] - ratings.elo) / np.maximum(ratings.spread, EQUAL)
    return np.vectorize(NormalDist().cdf, otypes=[float])(z)


def rank(ratings: Ratings, settings: Settings) -> dict[str, list]:
    """Rank (equals share), rank range and likelihood of superiority, by the names of `Standing`."""
    elo, size = np.round(ratings.elo, 6), len(ratings.elo)
    better = superiority(ratings)
    surely = better > settings.tail
    ranks = 1 + (elo > elo[:, None]).sum(axis=1)
    best, worst = 1 + surely.sum(axis=0), size - surely.sum(axis=1)
    los = [None] * size
    for this, following in pairwise(np.argsort(ranks, kind="stable")):
        los[this] = _known(better[this, following])
    return {
        "rank": ranks.tolist(),
        "rank_range": list(zip(best.tolist(), worst.tolist(), strict=True)),
        "los": los,
    }


def bounds(field: Field, scores: Sequence[float]) -> list[float | None]:
    """For perfect scores, the Elo beyond which they would have come up less often than in 2.5 % of cases.

    Solves Π σ(±(x - R_j)) = .025 over all rivals met, who keep their Elo; a rival at a table of n
    counts 3/(n+1) times, as in the fit. An anchor has none: its Elo is given.
    """
    anchor = field.settings.anchor[0] if field.settings.anchor else None
    return [
        _bound(field, bot, 1 if score == 1 else -1)
        if score in (0, 1) and field.names[bot] != anchor
        else None
        for bot, score in enumerate(scores)
    ]


def _bound(field: Field, bot: int, sign: int) -> float:
    rivals, weights = [], []
    for table in field.tables:
        here = table.bots[(table.bots == bot).any(axis=1)]
        met = here[here != bot]
        rivals.append(field.ratings.elo[met])
        weights.append(np.full(len(met), 3 / (table.size + 1)))
    rivals, weights = np.concatenate(rivals), np.concatenate(weights)
    chance = log((1 - field.settings.confidence) / 2)
    low, high = rivals.min() - FAR, rivals.max() + FAR
    for _ in range(HALVINGS):
        x = (low + high) / 2
        likelihood = -(weights * np.logaddexp(0, sign * (rivals - x) / ELO)).sum()
        low, high = (x, high) if (likelihood < chance) == (sign > 0) else (low, x)
    return low


def flags(score: list[float], rough: np.ndarray, groups: list[int], apart: np.ndarray) -> list[str]:
    """The flags of each bot but `C`; see `Standing`."""
    score, few = np.array(score), np.array(groups) < FEW
    marks = {">": score == 1, "<": score == 0, "~": rough, "?": few, "!": apart}
    return ["".join(mark for mark, holds in marks.items() if holds[bot]) for bot in range(len(score))]


def with_cycles(rows: Iterable[Standing], cycles: Iterable[Iterable[str]]) -> list[Standing]:
    """The rows with the flag of those who are in a cycle."""
    among = {bot for cycle in cycles for bot in cycle}
    return [replace(row, flags=row.flags + "C" * (row.bot in among)) for row in rows]


def _known(number: float) -> float | None:
    return None if np.isnan(number) else float(number)
