"""The rows of the standings: ratings and counts of all bots, ranked and flagged."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from arena.rating.arrays import Bools, none_if_nan
from arena.rating.bounds import bounds
from arena.rating.estimate import FEW
from arena.rating.field import RatedField
from arena.rating.outcome_arrays import scores_by_position, wins_by_position
from arena.rating.points import contest_columns, position_points
from arena.rating.superiority import superiorities

_TOO_FEW = "too few games"
_OF_ELO = ("elo", "se", "freedom", "error", "bound", "los")


@dataclass(frozen=True)
class Standing:
    """The results and the rating of one bot: a row of the standings.

    `error` is half the confidence interval in Elo: the standard error `se` times the quantile of Student's t
    with `freedom` degrees of freedom, or of the normal distribution if that is None. `bound` is the one end
    of the interval of a perfect score, `los` the likelihood of superiority over the next row. Shares are from
    0 to 1. `wins`, `draws`, `losses` and the share `drawn` count games of two. Unknown values are None.
    `unrated` is the reason if the Elo should not be printed; the bot then has no rank by Elo.

    `arena.show.tables.standings` defines each number for users, `notes.py` there defines the flags.
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


def standings(field: RatedField) -> list[Standing]:
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
        None if [name] == field.anchors else bound  # The Elo of a single anchor is given.
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


def tally(field: RatedField) -> dict[str, list[Any]]:
    """The columns of `Standing` that are counts and means, with a value for each bot.

    `forfeits` and the columns of `contest_columns`, which needs the `points`, are not included.
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


def _rank(field: RatedField) -> dict[str, list[Any]]:
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
