"""The rated bots with their games: the basis of `arena.rating.standings.Field`."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from math import inf
from typing import Self

import numpy as np

from arena.rating.arrays import Bools, Floats, Ints
from arena.rating.best import best_ranks
from arena.rating.estimate import Ratings, rate, select
from arena.rating.outcome_arrays import OutcomeArrays, to_arrays
from arena.rating.outcomes import Outcome, Outcomes
from arena.rating.ranges import MAX_SIMULATED, needed_differences, record_levels, surely_better
from arena.rating.settings import RatingSettings, Widening


@dataclass(frozen=True, eq=False)
class RatedField:
    """The rated bots, numbered in the order of their names, with their games and ratings.

    `forfeits` counts the forfeits by bot and kind of fault in the games that count. In shapes, K is the
    number of bots.
    """

    names: list[str]
    arrays: list[OutcomeArrays]
    ratings: Ratings
    settings: RatingSettings
    forfeits: Mapping[str, Mapping[str, int]]

    @cached_property
    def surely(self) -> Bools:
        """Whether the row's bot is surely better than the column's (K, K)."""
        return surely_better(self.ratings, self.settings, self.needed)

    @cached_property
    def best_ranks(self) -> Ints:
        """The best rank that each bot (K,) may have in its pool, each separately (`arena.rating.best`)."""
        return best_ranks(self.ratings, self.settings)

    @cached_property
    def needed(self) -> Floats:
        """The difference in Elo beyond which the row's bot is surely better (K, K); NaN if unknown."""
        return needed_differences(self.ratings, self.settings)

    def times_as_many(self, one: int, two: int) -> float:
        """The factor of seed groups with such results that would make bot `one` surely better than `two`.

        It is at most 1 if `one` is surely better already, NaN if unknown.
        """
        ratings = self.ratings
        if ratings.strong[one] != ratings.strong[two]:
            with np.errstate(divide="ignore"):
                return float(
                    np.log(record_levels(ratings, self.settings)[one, 0])
                    / np.log(ratings.separation[one, two])
                )
        lead = ratings.elo[one] - ratings.elo[two]
        # Errors shrink with the root of the number of groups.
        return float((self.needed[one, two] / lead) ** 2) if lead > 0 else inf

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
        """Whether a pool got the default prior instead of 0, which would give it no finite estimate."""
        strong, pool = self.ratings.strong, self.ratings.pool
        return self.settings.prior == 0 and len(np.unique(strong)) > len(np.unique(pool))

    @property
    def anchors(self) -> list[str]:
        """The anchors that have played."""
        return [name for name in self.settings.anchors if name in self.names]

    @property
    def main(self) -> int:
        """The pool with most anchors, or the largest of several; pools are numbers as in `Ratings`."""
        pool = self.ratings.pool
        anchored = Counter(int(pool[self.names.index(name)]) for name in self.anchors)
        sizes: Counter[int] = Counter(pool.tolist())
        return max(sizes, key=lambda label: (anchored[label], sizes[label], -label))

    def main_games(self) -> tuple[list[str], list[OutcomeArrays]]:
        bots = np.flatnonzero(self.ratings.pool == self.main)
        return [self.names[bot] for bot in bots], select(self.arrays, bots, len(self.names))

    @classmethod
    def of(
        cls, outcomes: Iterable[Outcome], settings: RatingSettings, widenings: Collection[Widening] = ()
    ) -> Self:
        """The rating of the outcomes, as `arena.rating.standings.rate_all`.

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
        return cls(names, arrays, ratings, settings, _forfeits(outcomes.with_forfeits()))


def _forfeits(outcomes: Iterable[Outcome]) -> dict[str, dict[str, int]]:
    counted: Counter[tuple[str, str]] = Counter(
        (outcome.bots[seat], kind) for outcome in outcomes for seat, kind in outcome.forfeits.items()
    )
    by_bot: dict[str, dict[str, int]] = {}
    for (bot, kind), count in sorted(counted.items()):
        by_bot.setdefault(bot, {})[kind] = count
    return by_bot
