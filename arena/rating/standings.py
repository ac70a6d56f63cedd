"""Rates the outcomes of games: `rate_all` gives a `Field`, whose methods compute everything that is shown.

`FEW` is the number of seed groups below which an error bar is itself uncertain. The rows of tables are
`Standing`, `Opponent`, `SeatEffect`, `PairTest`, `CoursePoint` and `Change`; `Transitivity` is a test of all
duels. `Strengths` forecast a tournament, and `Performance` is the rating of one bot against a fixed pool.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from arena.rating.arrays import Floats, Ints, none_if_nan
from arena.rating.course import Change, CoursePoint, changes, course
from arena.rating.deals import DealEffect, deal_effects
from arena.rating.duels import Transitivity, transitivity
from arena.rating.estimate import ELO, FEW
from arena.rating.field import RatedField
from arena.rating.logit import logistic
from arena.rating.opponents import Opponent, all_opponents, difference_errors, differences, expected_scores
from arena.rating.outcomes import Outcome
from arena.rating.pairs import PairTest, pair_tests, third_tests
from arena.rating.performance import Performance
from arena.rating.points import head_to_head
from arena.rating.prospect import Strengths
from arena.rating.rows import Standing, flag_cycles, standings
from arena.rating.seats import SeatEffect, places_by_seat, seat_effects
from arena.rating.settings import RatingSettings, Widening
from arena.rating.superiority import superiorities, superiority

if TYPE_CHECKING:  # This imports scipy, which is an extra.
    from arena.rating.nash import PairResults

__all__ = [
    "FEW",
    "Change",
    "CoursePoint",
    "Field",
    "Opponent",
    "PairTest",
    "Performance",
    "SeatEffect",
    "Standing",
    "Strengths",
    "Transitivity",
    "rate_all",
    "surprises",
]


@dataclass(frozen=True, eq=False)
class Field(RatedField):
    """The rated bots, numbered in the order of their names, with their games, and what follows from them.

    Matrices (K, K) have a row and a column for each bot; the value is of the row's bot against the column's,
    and NaN if it is unknown.
    """

    def standings(self, cycles: bool = False) -> list[Standing]:
        """The rows of all bots: pool by pool, the main one first, then by size; within a pool by Elo.

        Bots with too few games are the last of their pool. With `order: points` all bots are ranked together,
        by points and tie-breaks. With `cycles`, bots in a cycle have the flag `C`.
        """
        rows = standings(self)
        return flag_cycles(rows, self.transitivity.cycles) if cycles and self.transitivity else rows

    @cached_property
    def transitivity(self) -> Transitivity | None:
        """The test whether one strength per bot explains the duels; None if fewer than three bots had any."""
        return transitivity(self)

    @cached_property
    def seat_effects(self) -> list[SeatEffect]:
        """The effects of all seats in the main pool, in the order of table sizes and seats."""
        return seat_effects(self)

    def places_by_seat(self) -> dict[int, Ints]:
        """For each number of seats, how often each seat (row) finished at each place (column): (n, n)."""
        return places_by_seat(self.arrays)

    def deal_effects(self) -> list[DealEffect]:
        """The effect of the deal at each size of table, ascending, from the games without a left-out bot."""
        return deal_effects(self)

    def opponents(self, bots: Iterable[str]) -> dict[str, list[Opponent]]:
        """By bot, a row for each opponent that it has met, strongest first; [] if it has not played.

        If there are several opponents, a row for all of them follows. One call for many bots is faster than
        one for each.
        """
        bots = list(bots)
        return {bot: [] for bot in bots} | all_opponents(self, bots)

    @cached_property
    def pair_tests(self) -> list[PairTest]:
        """The test of each pair that met, against the score that the Elo expects, with Holm's correction."""
        return pair_tests(self)

    @cached_property
    def third_tests(self) -> list[PairTest]:
        """The test of each pair with each third player, the smallest p-value first, with Holm's correction.

        The expected score is the score without the third. Bots that met too seldom are left out.
        """
        return third_tests(self)

    def head_to_head(self) -> tuple[Floats, Floats]:
        """The points of each bot against each other, and the number of their meetings, both (K, K)."""
        return head_to_head(self.arrays, len(self.names))

    def differences(self) -> Floats:
        """The differences in Elo (K, K), also NaN on the diagonal and between pools."""
        return differences(self.ratings)

    def difference_errors(self) -> Floats:
        """Half the confidence interval of each difference (K, K)."""
        return difference_errors(self.ratings, self.settings)

    def expected_scores(self) -> Floats:
        """The expected scores (K, K), from 0 to 1."""
        return expected_scores(self.ratings)

    def superiority(self) -> Floats:
        """The likelihood that the row's bot is better than the column's (K, K)."""
        return superiority(self.ratings)

    def superiorities(self, bots: Sequence[str]) -> list[float | None]:
        """The likelihood that each bot but the last is better than the next one; None if unknown."""
        numbers = np.array([self.names.index(bot) for bot in bots], int)
        return [*map(none_if_nan, superiorities(self.ratings, numbers[:-1], numbers[1:]))]

    def pair_results(self) -> "PairResults":
        """The results of each pair of bots by seed group, for Nash averages.

        Raises:
            ModuleNotFoundError: There is no scipy.
        """
        from arena.rating.nash import PairResults  # Importing scipy takes half a second.

        return PairResults.of(self.arrays, len(self.names))

    def course(
        self, outcomes: Sequence[Outcome], parts: int, widenings: Collection[Widening] = ()
    ) -> Iterator[CoursePoint]:
        """The ratings after 1, 2, … and all of `parts` equal parts of the seed groups of these outcomes.

        Each rating uses all games so far. The groups are in the order of their first games. There are at most
        as many parts as groups.
        """
        return course(outcomes, self.settings, parts, widenings)

    def changes(self, outcomes: Iterable[Outcome]) -> Iterator[list[Change]]:
        """The versions of each changed bot in the order of their first games, with the current one last."""
        return changes(self, outcomes)

    def strengths(self, names: Sequence[str]) -> Strengths | None:
        """The strengths of bots with these names after these games, which should be rated without anchor.

        None if too few bots have an Elo.
        """
        return Strengths.like(self, names)


def rate_all(
    outcomes: Iterable[Outcome], settings: RatingSettings, widenings: Collection[Widening] = ()
) -> Field:
    """Rate the outcomes, in any order. With `prior` 0, a pool without a finite estimate gets the default.

    `widenings` are from the formats that chose the games; the largest one counts.

    Raises:
        ValueError: The settings do not fit these games.
    """
    return Field.of(outcomes, settings, widenings)


def surprises(elo: Floats, places: Ints) -> tuple[Floats, Floats]:
    """The score and the expected score of each seat (m, n), from the Elo and places (m, n) in games.

    Both are mean shares of opponents beaten, where a tie counts half.
    """
    seats = elo.shape[1]
    others = max(1, seats - 1)
    # 0.5 is the score of a seat against itself.
    expected = logistic((elo[:, :, None] - elo[:, None, :]) / ELO).sum(axis=2) - 0.5
    ahead = (places[:, :, None] < places[:, None, :]) + (places[:, :, None] == places[:, None, :]) / 2
    score: Floats = (ahead.sum(axis=2) - 0.5) / others
    return score, np.asarray(expected / others, np.float64)
