"""The standings: ratings and counts of all bots, ranked and flagged."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from math import log
from typing import Any

import numpy as np

from arena.rating.arrays import Bools, Floats
from arena.rating.estimate import ELO, Ratings, Settings, rate, select
from arena.rating.outcome import Outcome, OutcomeArrays, to_arrays
from arena.rating.ranges import superiority, surely_better

FEW = 30  # seed groups; an error bar from fewer is itself uncertain
FAR = 1e5  # Elo; no bound is farther from all opponents
HALVINGS = 60  # bisection steps, as many as the precision of a float allows


@dataclass(frozen=True)
class Standing:
    """One row of the standings.

    `error` is half the confidence interval in Elo, against the anchor (whose own error is 0) or against the
    mean of the comparable bots; None after too few groups. `bound` is the one end of the interval of a
    perfect score. `los` is the likelihood of superiority over the next row, None if unknown. `score` is the
    mean share of opponents beaten (ties count half) and `first` the share of games won, from 0 to 1; a draw
    of two is not won. `opponents` is the mean Elo of the opponents, `forfeits` the number by kind of
    fault, `without` the Elo from the games without a forfeit (None if the bot has no such game).

    Flags: `>` won every game, `<` lost every game: only the prior bounds the Elo; `~` only one-sided results
    link the bot with most others (or with the anchor), or all its groups ended alike: the error is from the
    curvature, not from the sandwich estimator; `?` fewer than 30 seed groups; `!` no game links the bot with
    the main pool: not comparable; `C` in a cycle of bots, each significantly beaten by another of them.
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
    """The rated bots, numbered in the order of their names, with their games and ratings."""

    names: list[str]
    arrays: list[OutcomeArrays]
    ratings: Ratings
    settings: Settings
    forfeits: Mapping[str, Mapping[str, int]]
    without: Mapping[str, float]

    @property
    def games(self) -> int:
        return sum(len(games.bots) for games in self.arrays)

    @property
    def groups(self) -> int:
        return len(np.unique(np.concatenate([games.group for games in self.arrays]))) if self.arrays else 0

    @property
    def replaced_prior(self) -> bool:
        """Whether a pool got the default prior instead of 0, as it has no finite estimate without one."""
        strong, pool = self.ratings.strong, self.ratings.pool
        return self.settings.prior == 0 and len(np.unique(strong)) > len(np.unique(pool))

    @property
    def main(self) -> int:
        """The pool of the anchor, or else the largest one; pools are numbers as in `Ratings`."""
        anchor = self.settings.anchor
        if anchor and anchor[0] in self.names:
            return int(self.ratings.pool[self.names.index(anchor[0])])
        return int(np.bincount(self.ratings.pool).argmax())

    def main_games(self) -> tuple[list[str], list[OutcomeArrays]]:
        """The bots of the main pool, numbered anew, and their games."""
        bots = np.flatnonzero(self.ratings.pool == self.main)
        return [self.names[bot] for bot in bots], select(self.arrays, bots, len(self.names))


def rated(outcomes: Iterable[Outcome], settings: Settings) -> Field:
    """Rate the outcomes, in any order. A pool without a finite estimate gets the default prior if it is 0."""
    outcomes = list(outcomes)
    clean = [outcome for outcome in outcomes if not outcome.forfeits]
    if settings.forfeits == "exclude":
        outcomes = clean
    names, arrays, ratings = _rate(outcomes, settings)
    without = dict(zip(names, ratings.elo.tolist(), strict=True))
    if len(clean) < len(outcomes):
        others, _, again = _rate(clean, settings)
        without = dict(zip(others, again.elo.tolist(), strict=True))
    return Field(names, arrays, ratings, settings, _forfeits(outcomes), without)


def _rate(outcomes: Sequence[Outcome], settings: Settings) -> tuple[list[str], list[OutcomeArrays], Ratings]:
    names, arrays = to_arrays(outcomes)
    anchor = settings.anchor[0] if settings.anchor else None
    number = names.index(anchor) if anchor is not None and anchor in names else None
    return names, arrays, rate(arrays, len(names), settings, number)


def _forfeits(outcomes: Iterable[Outcome]) -> dict[str, dict[str, int]]:
    counted: Counter[tuple[str, str]] = Counter(
        (outcome.bots[seat], kind) for outcome in outcomes for seat, kind in outcome.forfeits.items()
    )
    by_bot: dict[str, dict[str, int]] = {}
    for (bot, kind), count in sorted(counted.items()):
        by_bot.setdefault(bot, {})[kind] = count
    return by_bot


def standings(field: Field) -> list[Standing]:
    """The rows: pools apart, the main one first, then by size; in a pool by Elo, equal bots by name."""
    if not field.names:
        return []
    ratings = field.ratings
    columns: dict[str, list[Any]] = {
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
    sizes = Counter(ratings.pool.tolist())
    blocks = [(label != field.main, -sizes[label], label) for label in ratings.pool.tolist()]
    ordered = sorted(
        zip(blocks, (Standing(**row) for row in rows), strict=True),
        key=lambda pair: (pair[0], pair[1].rank, pair[1].bot),
    )
    return [row for _, row in ordered]


def tally(field: Field) -> dict[str, list[Any]]:
    """The columns of `Standing` that are counts and means."""
    size, elo = len(field.names), field.ratings.elo
    played, score, first, place, opponents = np.zeros((5, size))
    for games in field.arrays:
        places = np.array(games.places)
        finished = np.array([np.bincount(column, minlength=size) for column in games.bots.T])  # (n, K)
        played += finished.sum(axis=0)
        place += places @ finished
        first += wins_by_position(games) @ finished
        score += scores_by_position(games) @ finished
        met = (elo[games.bots].sum(axis=1, keepdims=True) - elo[games.bots]) / (games.size - 1)
        opponents += np.bincount(games.bots.ravel(), met.ravel(), size)
    return {
        "score": (score / played).tolist(),
        "first": (first / played).tolist(),
        "mean_place": (place / played).tolist(),
        "opponents": (opponents / played).tolist(),
        "games": played.astype(int).tolist(),
        "groups": field.ratings.groups.tolist(),
    }


def scores_by_position(games: OutcomeArrays) -> Floats:
    """The share of opponents beaten (ties count half) at each position in the order of finish (n,)."""
    places = np.array(games.places)
    beaten: Floats = np.sign(places - places[:, None]).sum(axis=1) / (2 * (games.size - 1))
    return beaten + 1 / 2


def wins_by_position(games: OutcomeArrays) -> Bools:
    """Whether each position in the order of finish is first (n,); a draw of two is no win."""
    won: Bools = (np.array(games.places) == 1) & (games.places != (1, 1))
    return won


def rank(ratings: Ratings, settings: Settings) -> dict[str, list[Any]]:
    """The columns of `Standing` that compare bots: rank (equal bots share one), rank range, superiority.

    Each pool has its own ranks.
    """
    elo, pool = np.round(ratings.elo, 6), ratings.pool
    better, surely = superiority(ratings), surely_better(ratings, settings)
    same: Bools = pool[:, None] == pool
    ranks = 1 + ((elo > elo[:, None]) & same).sum(axis=1)
    best, worst = 1 + surely.sum(axis=0), same.sum(axis=1) - surely.sum(axis=1)
    los: list[float | None] = [None] * len(elo)
    for this, following in pairwise(np.lexsort((ranks, pool))):
        los[this] = _known(better[this, following])
    return {
        "rank": ranks.tolist(),
        "rank_range": list(zip(best.tolist(), worst.tolist(), strict=True)),
        "los": los,
    }


def bounds(field: Field, scores: Sequence[float]) -> list[float | None]:
    """For a perfect score, the Elo at which it would have a probability of at most 2.5 %; else None.

    Games of a seed group may repeat each other, and so may results at one table. So a group counts as one
    meeting, with the opponent that is hardest to beat: to win all is no more likely than to win this one.
    Solves Π σ(±(x - R_j)) = .025 over these opponents, whose Elo R_j is kept. An anchor has no bound: its Elo
    is given.
    """
    anchor = field.settings.anchor[0] if field.settings.anchor else None
    return [
        _bound(field, bot, 1 if score == 1 else -1)
        if score in (0, 1) and field.names[bot] != anchor
        else None
        for bot, score in enumerate(scores)
    ]


def _bound(field: Field, bot: int, sign: int) -> float:
    hardest: dict[int, float] = {}
    for games in field.arrays:
        here = (games.bots == bot).any(axis=1)
        met = np.where(games.bots[here] == bot, -np.inf, sign * field.ratings.elo[games.bots[here]])
        for group, elo in zip(games.group[here].tolist(), met.max(axis=1).tolist(), strict=True):
            hardest[group] = max(elo, hardest.get(group, elo))
    elos = np.sort(list(hardest.values()))  # times the sign; sorted, so that all machines add up in one order
    target = log((1 - field.settings.confidence) / 2)
    low, high = float(elos[0]) - FAR, float(elos[-1]) + FAR
    for _ in range(HALVINGS):
        x = (low + high) / 2
        low, high = (x, high) if -np.logaddexp(0, (elos - x) / ELO).sum() < target else (low, x)
    return sign * low


def flags(scores: Sequence[float], rough: Bools, groups: Sequence[int], other_pool: Bools) -> list[str]:
    """The flags of each bot except `C`; see `Standing`."""
    return [
        ">" * (score == 1) + "<" * (score == 0) + "~" * bool(rough[bot])
        + "?" * (groups[bot] < FEW) + "!" * bool(other_pool[bot])
        for bot, score in enumerate(scores)
    ]  # fmt: skip


def with_cycles(rows: Iterable[Standing], cycles: Iterable[Iterable[str]]) -> list[Standing]:
    """The rows, with the flag `C` for the bots that are in a cycle."""
    cyclic = {bot for cycle in cycles for bot in cycle}
    return [replace(row, flags=row.flags + "C" * (row.bot in cyclic)) for row in rows]


def _known(number: float) -> float | None:
    return None if np.isnan(number) else float(number)
