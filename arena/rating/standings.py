"""The standings: ratings and counts of all bots, ranked and flagged."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import inf
from typing import Any

import numpy as np

from arena.rating.arrays import Bools, Floats, Ints, none_if_nan
from arena.rating.best import best_ranks
from arena.rating.bounds import bounds
from arena.rating.estimate import FEW, Ratings, rate, select
from arena.rating.outcome import Outcome, OutcomeArrays
from arena.rating.outcomes import Outcomes, to_arrays
from arena.rating.points import contest_columns, position_points
from arena.rating.ranges import MAX_SIMULATED, needed_differences, record_levels, surely_better
from arena.rating.settings import RatingSettings
from arena.rating.superiority import superiorities
from arena.rating.widening import Widening

_TOO_FEW = "too few games"
_OF_ELO = ("elo", "se", "freedom", "error", "bound", "los")


@dataclass(frozen=True)
class Standing:
    """The results and the rating of one bot: a row of the standings.

    `error` is half the confidence interval in Elo: the standard error `se` times the quantile of Student's t
    with `freedom` degrees of freedom (None: of the normal distribution). `bound` is the one end of the
    interval of a perfect score, `los` the likelihood of superiority over the next row. Shares are from 0 to
    1; `wins`, `draws`, `losses` and the share `drawn` are of games of two. What is unknown is None.
    `arena.show.tables.standings` defines each number for users, `notes.py` there the flags. `unrated` is the
    reason if the Elo should not be printed; the bot has no rank by Elo then.
    """

    rank: int | None
    rank_range: tuple[int, int]
    bot: str
    elo: float
    se: float | None
    freedom: int | None
    error: float | None
    bound: float | None
    los: float | None
    games: int
    groups: int
    score: float
    first: float
    mean_place: float
    wins: int | None
    draws: int | None
    losses: int | None
    drawn: float | None
    points: float
    direct: float | None
    sonneborn_berger: float
    buchholz: float
    net: float
    opponents: float
    forfeits: Mapping[str, int]
    flags: str
    unrated: str | None = None

    @property
    def ends(self) -> tuple[float, float]:
        """The ends of the interval, the lower one first; both are the Elo if the error is unknown.

        After a perfect score one end is the `bound`, the other the Elo.
        """
        if self.bound is not None:
            return min(self.bound, self.elo), max(self.bound, self.elo)
        return self.elo - (self.error or 0), self.elo + (self.error or 0)

    @property
    def shown(self) -> dict[str, Any]:
        """The fields by name; if the bot is `unrated`, the Elo and what follows from it are None."""
        return vars(self) | (dict.fromkeys(_OF_ELO) if self.unrated else {})


@dataclass(frozen=True, eq=False)
class Field:
    """The rated bots, numbered in the order of their names, with their games and ratings.

    `forfeits` has, by bot and kind of fault, the number of its forfeits in the games that count. In shapes, K
    is the number of bots.
    """

    names: list[str]
    arrays: list[OutcomeArrays]
    ratings: Ratings
    settings: RatingSettings
    forfeits: Mapping[str, Mapping[str, int]]

    @cached_property
    def surely(self) -> Bools:
        """Whether the bot of the row is surely better than that of the column (K, K)."""
        return surely_better(self.ratings, self.settings, self.needed)

    @cached_property
    def best_ranks(self) -> Ints:
        """The best rank that each bot (K,) may have in its pool, each by itself (`arena.rating.best`)."""
        return best_ranks(self.ratings, self.settings)

    @cached_property
    def needed(self) -> Floats:
        """The difference in Elo beyond which the row's bot is surely better (K, K); NaN if unknown."""
        return needed_differences(self.ratings, self.settings)

    def times_as_many(self, one: int, two: int) -> float:
        """How many times as many seed groups with such results would make bot `one` surely better than `two`.

        At most 1 if it is already, NaN if that is unknown.
        """
        ratings = self.ratings
        if ratings.strong[one] != ratings.strong[two]:
            with np.errstate(divide="ignore"):
                return float(
                    np.log(record_levels(ratings, self.settings)[one, 0])
                    / np.log(ratings.separation[one, two])
                )
        lead = ratings.elo[one] - ratings.elo[two]
        return float((self.needed[one, two] / lead) ** 2) if lead > 0 else inf  # errors shrink with the root

    @property
    def games(self) -> int:
        return sum(len(games.bots) for games in self.arrays)

    @property
    def groups(self) -> int:
        return 1 + max((int(games.group[-1]) for games in self.arrays), default=-1)

    @property
    def has_wide_ranges(self) -> bool:
        """Whether the ranges are a little too wide, because there are too many bots for a simulation."""
        return self.settings.ranges == "simultaneous" and len(self.names) > MAX_SIMULATED

    @property
    def replaced_prior(self) -> bool:
        """Whether a pool got the default prior instead of 0, as it has no finite estimate without a prior."""
        strong, pool = self.ratings.strong, self.ratings.pool
        return self.settings.prior == 0 and len(np.unique(strong)) > len(np.unique(pool))

    @property
    def anchors(self) -> list[str]:
        """The anchors that have played."""
        return [name for name in self.settings.anchors if name in self.names]

    @property
    def main(self) -> int:
        """The pool with most anchors, of several the largest one; pools are numbers as in `Ratings`."""
        pool = self.ratings.pool
        anchored = Counter(int(pool[self.names.index(name)]) for name in self.anchors)
        sizes: Counter[int] = Counter(pool.tolist())
        return max(sizes, key=lambda label: (anchored[label], sizes[label], -label))

    def main_games(self) -> tuple[list[str], list[OutcomeArrays]]:
        bots = np.flatnonzero(self.ratings.pool == self.main)
        return [self.names[bot] for bot in bots], select(self.arrays, bots, len(self.names))


def rate_all(
    outcomes: Iterable[Outcome], settings: RatingSettings, widenings: Collection[Widening] = ()
) -> Field:
    """Rate the outcomes, in any order. With `prior` 0, a pool without a finite estimate gets the default.

    `widenings` are those of the formats that have chosen the games; the largest one counts.

    Raises:
        ValueError: The settings do not fit these games.
    """
    outcomes = Outcomes.of(outcomes)
    if settings.forfeits == "exclude":
        outcomes = outcomes.without_forfeits()
    names, arrays = to_arrays(outcomes)
    anchors = {names.index(name): elo for name, elo in settings.anchors.items() if name in names}
    ratings = rate(arrays, len(names), settings, anchors)
    if arrays:
        ratings = ratings.widen(widenings, min(games.size for games in arrays))
    return Field(names, arrays, ratings, settings, _forfeits(outcomes.with_forfeits()))


def _forfeits(outcomes: Iterable[Outcome]) -> dict[str, dict[str, int]]:
    counted: Counter[tuple[str, str]] = Counter(
        (outcome.bots[seat], kind) for outcome in outcomes for seat, kind in outcome.forfeits.items()
    )
    by_bot: dict[str, dict[str, int]] = {}
    for (bot, kind), count in sorted(counted.items()):
        by_bot.setdefault(bot, {})[kind] = count
    return by_bot


def standings(field: Field) -> list[Standing]:
    """The rows of all bots: pool by pool, the main one first, then by size; within a pool by Elo.

    Bots with too few games are the last of their pool. With `order: points` all bots are ranked together, by
    points and tie-breaks.
    """
    if not field.names:
        return []
    ratings = field.ratings
    columns: dict[str, list[Any]] = {
        "bot": field.names,
        "elo": ratings.elo.tolist(),
        "se": [*map(none_if_nan, ratings.se)],
        "freedom": [int(freedom) if np.isfinite(freedom) else None for freedom in ratings.freedom],
        "error": [*map(none_if_nan, ratings.error)],
    }
    columns |= tally(field) | _rank(field)
    columns |= contest_columns(field.arrays, np.array(columns["points"]))
    columns["bound"] = [
        None if [name] == field.anchors else bound  # its Elo is given
        for name, bound in zip(
            field.names, bounds(field.arrays, ratings, field.settings, columns["score"]), strict=True
        )
    ]
    columns["forfeits"] = [field.forfeits.get(name, {}) for name in field.names]
    columns["unrated"] = [_TOO_FEW if few else None for few in ratings.too_few]
    columns["flags"] = _flags(columns["score"], ratings.rough, columns["groups"], ratings.pool != field.main)
    rows = (dict(zip(columns, cells, strict=True)) for cells in zip(*columns.values(), strict=True))
    sizes = Counter(ratings.pool.tolist())
    blocks = [(label != field.main, -sizes[label], label) for label in ratings.pool.tolist()]
    found = [Standing(**row) for row in rows]
    if field.settings.order == "points":
        return _rank_by_points(found)
    # Without ranks, the bots with too few games are the last of their pool, by score.
    ordered = sorted(
        zip(blocks, found, strict=True),
        key=lambda pair: (
            pair[0],
            pair[1].rank or len(found) + 1,
            -pair[1].score if pair[1].unrated else 0,
            pair[1].bot,
        ),
    )
    return [row for _, row in ordered]


def _rank_by_points(rows: Iterable[Standing]) -> list[Standing]:
    """The rows ranked by points, without `los`; ties go to direct encounters, Sonneborn-Berger, Buchholz."""

    def ties(row: Standing) -> tuple[float, ...]:
        return -row.points, -(row.direct or 0), -row.sonneborn_berger, -row.buchholz

    ordered = sorted(rows, key=lambda row: (ties(row), row.bot))
    ranks: dict[tuple[float, ...], int] = {}
    for number, row in enumerate(ordered, 1):
        ranks.setdefault(ties(row), number)
    return [replace(row, rank=ranks[ties(row)], los=None) for row in ordered]


def tally(field: Field) -> dict[str, list[Any]]:
    """The columns of `Standing` that are counts and means, except `forfeits` and those of `contest_columns`.

    Each has a value for each bot. `contest_columns` is given the `points`.
    """
    size, elo = len(field.names), field.ratings.elo
    played, score, first, place, opponents, points, net = np.zeros((7, size))
    for games in field.arrays:
        places = np.array(games.places)
        finished = np.array([np.bincount(column, minlength=size) for column in games.bots.T])  # (n, K)
        played += finished.sum(axis=0)
        place += places @ finished
        first += wins_by_position(games) @ finished
        score += scores_by_position(games) @ finished
        points += position_points(games.places, field.settings.points) @ finished
        net += (games.size / games.places.count(1) * (places == 1) - 1) @ finished
        met = (elo[games.bots].sum(axis=1, keepdims=True) - elo[games.bots]) / (games.size - 1)
        opponents += np.bincount(games.bots.ravel(), met.ravel(), size)
    return {
        "score": (score / played).tolist(),
        "first": (first / played).tolist(),
        "mean_place": (place / played).tolist(),
        "opponents": (opponents / played).tolist(),
        "points": points.tolist(),
        "net": (net / played).tolist(),
        "games": played.astype(int).tolist(),
        "groups": field.ratings.groups.tolist(),
    }


def scores_by_position(games: OutcomeArrays) -> Floats:
    """The share of opponents beaten (n,), with ties as half, at each position in the order of finish."""
    places = np.array(games.places)
    beaten: Floats = np.sign(places - places[:, None]).sum(axis=1) / (2 * (games.size - 1))
    return beaten + 1 / 2


def wins_by_position(games: OutcomeArrays) -> Bools:
    """Whether each position in the order of finish has won (n,): it is first, and not in a draw of two."""
    won: Bools = (np.array(games.places) == 1) & (games.places != (1, 1))
    return won


def _rank(field: Field) -> dict[str, list[Any]]:
    """The columns of `Standing` that compare bots, each pool by itself; equal bots share a rank."""
    ratings, surely = field.ratings, field.surely
    elo, pool, few = np.round(ratings.elo, 6), ratings.pool, ratings.too_few
    same: Bools = pool[:, None] == pool
    ranks = np.where(few, 0, 1 + ((elo > elo[:, None]) & same & ~few).sum(axis=1))
    best, worst = 1 + surely.sum(axis=0), same.sum(axis=1) - surely.sum(axis=1)
    los: list[float | None] = [None] * len(elo)
    ordered = np.lexsort((ranks, few, pool))
    better = superiorities(ratings, ordered[:-1], ordered[1:])
    for this, other, likelihood in zip(ordered, ordered[1:], better, strict=False):
        los[this] = None if few[other] else none_if_nan(likelihood)
    return {
        "rank": [rank or None for rank in ranks.tolist()],
        "rank_range": list(zip(best.tolist(), worst.tolist(), strict=True)),
        "los": los,
    }


def _flags(scores: Sequence[float], rough: Bools, groups: Sequence[int], other_pool: Bools) -> list[str]:
    return [
        ">" * (score == 1) + "<" * (score == 0) + "~" * bool(rough[bot])
        + "?" * (groups[bot] < FEW) + "!" * bool(other_pool[bot])
        for bot, score in enumerate(scores)
    ]  # fmt: skip


def flag_cycles(rows: Iterable[Standing], cycles: Iterable[Iterable[str]]) -> list[Standing]:
    """The rows, with the flag `C` for the bots that are in a cycle."""
    cyclic = {bot for cycle in cycles for bot in cycle}
    return [replace(row, flags=row.flags + "C" * (row.bot in cyclic)) for row in rows]
