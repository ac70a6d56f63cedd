"""The outcomes of games for a rating: each with its bots and places, many in little memory, and tallies.

- `Outcome` is a game; `Outcomes` is a sequence of them that stores each distinct value once. `Result` is
  the type of one of its parts, and `Codes` numbers such values.
- `Tallied` is a share or ratio that is counted in many games, with its interval; `error_of_mean` is half the
  interval of a mean over games, and `paired_differences` compares bots that played the same deals.
"""

from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from math import nan, sqrt
from statistics import fmean, stdev
from typing import Any, TypeVar, overload

import numpy as np

from arena.rating.arrays import Bools, Floats, Ints
from arena.rating.distributions import t_quantile

__all__ = ["Codes", "Outcome", "Outcomes", "Result", "Tallied", "error_of_mean", "paired_differences"]

Key = TypeVar("Key", bound=Hashable)
_Seats = tuple[tuple[str, ...], tuple[int, tuple[int, ...]] | None]
"""The `bots` and `seated` of an outcome."""

Result = tuple[tuple[int, ...], Mapping[int, str]]
"""The `places` and `forfeits` of an outcome."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """The outcome of a game: the bot and its place by seat (1 is first, ties share: 1, 2, 2, 4).

    `group` names the seed group, the games that share a seed. `forfeits` has the kind of the fault for each
    index in `bots` that forfeited; the places already include the penalty. `seated` is None unless bots were
    left out. Then it has the number of seats of the table, and the seats of the bots that remain.
    """

    bots: tuple[str, ...]
    places: tuple[int, ...]
    group: str
    forfeits: Mapping[int, str] = field(default_factory=dict)
    seated: tuple[int, tuple[int, ...]] | None = None

    @property
    def table(self) -> int:
        """The number of seats of the table, including the seats of bots that are left out."""
        return self.seated[0] if self.seated else len(self.bots)

    @property
    def seats(self) -> tuple[int, ...]:
        return self.seated[1] if self.seated else tuple(range(len(self.bots)))

    def without(self, bots: Collection[str]) -> "Outcome | None":
        """The game as if these bots had not played; None if fewer than two bots remain."""
        seats = [seat for seat, bot in enumerate(self.bots) if bot not in bots]
        if len(seats) == len(self.bots) or len(seats) < 2:
            return self if len(seats) > 1 else None
        left = [self.places[seat] for seat in seats]
        return Outcome(
            tuple(self.bots[seat] for seat in seats),
            tuple(1 + sum(other < place for other in left) for place in left),
            self.group,
            {number: self.forfeits[seat] for number, seat in enumerate(seats) if seat in self.forfeits},
            (self.table, tuple(self.seats[seat] for seat in seats)),
        )


class Codes(dict[Key, int]):
    """Numbers for keys: looking up a new key adds it with the next number: 0, 1, …"""

    def __missing__(self, key: Key) -> int:
        self[key] = number = len(self)
        return number


@dataclass(frozen=True, eq=False)
class Outcomes(Sequence[Outcome]):
    """A sequence of m outcomes in little memory.

    A row of `rows` (m, 3) has the indices of an outcome in `seats`, `results` and `groups`, which store each
    distinct value once.
    """

    seats: list[_Seats]
    results: list[Result]
    groups: list[str]
    rows: Ints

    @classmethod
    def of(cls, outcomes: Iterable[Outcome]) -> "Outcomes":
        if isinstance(outcomes, Outcomes):
            return outcomes
        seats, groups = Codes[_Seats](), Codes[str]()
        results: dict[tuple[Any, ...], tuple[int, Result]] = {}
        rows = []
        for each in outcomes:
            key = (each.places, *sorted(each.forfeits.items())) if each.forfeits else each.places
            result, _ = results.setdefault(key, (len(results), (each.places, each.forfeits)))
            rows.append((seats[each.bots, each.seated], result, groups[each.group]))
        found = [result for _, result in results.values()]
        return cls([*seats], found, [*groups], np.array(rows, np.int64).reshape(-1, 3))

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[Outcome]:
        return (self._outcome(*row) for row in self.rows.tolist())

    @overload
    def __getitem__(self, index: int) -> Outcome: ...
    @overload
    def __getitem__(self, index: slice) -> "Outcomes": ...
    def __getitem__(self, index: int | slice) -> "Outcome | Outcomes":
        if isinstance(index, slice):
            return replace(self, rows=self.rows[index])
        return self._outcome(*self.rows[index].tolist())

    def without_forfeits(self) -> "Outcomes":
        return replace(self, rows=self.rows[~self._have_forfeits()])

    def with_forfeits(self) -> "Outcomes":
        return replace(self, rows=self.rows[self._have_forfeits()])

    def _have_forfeits(self) -> Bools:
        marked = np.array([bool(forfeits) for _, forfeits in self.results], bool)
        return marked[self.rows[:, 1]]

    def _outcome(self, seats: int, result: int, group: int) -> Outcome:
        (bots, seated), (places, forfeits) = self.seats[seats], self.results[result]
        return Outcome(bots, places, self.groups[group], forfeits, seated)


@dataclass
class Tallied:
    """A figure, added up over seed groups: how often something was counted (c), and the chances for it (o).

    The figure is the sum of the counts of all games, divided by the sum of the chances. The chances of a seed
    group depend on each other, so the error is computed from the differences between groups.

    `counted` and `of` are the sums of c and o. `cc`, `co` and `oo` are the sums of c², c·o and o². `groups`
    is the number of groups. All are whole numbers, because the order in which groups are added must not
    matter.
    """

    counted: int = 0
    of: int = 0
    groups: int = 0
    cc: int = 0
    co: int = 0
    oo: int = 0
    _newest: tuple[str, int, int] = field(default=("", 0, 0), compare=False)  # group, and its c and o

    def add(self, counted: int, of: int, group: str = "") -> None:
        """Add the count of a game with `of` chances. Add the games of a group one after another.

        With `group` "" the game is a group of its own. A game in which both numbers are 0 is left out.
        """
        if counted or of:
            _, c, o = self._newest if group and group == self._newest[0] else ("", 0, 0)
            self.groups += not (c or o)
            self._newest = group, c + counted, o + of
            self.counted += counted
            self.of += of
            self.cc += (c + counted) ** 2 - c**2
            self.co += (c + counted) * (o + of) - c * o
            self.oo += (o + of) ** 2 - o**2

    def merge(self, other: "Tallied") -> None:
        for name in ("counted", "of", "groups", "cc", "co", "oo"):
            setattr(self, name, getattr(self, name) + getattr(other, name))

    @property
    def value(self) -> float | None:
        """The share or ratio; None without chances."""
        return self.counted / self.of if self.of else None

    @property
    def variance(self) -> float:
        """The variance of the value, from the differences between groups; at least two must have chances."""
        # The variance of a ratio of sums, linearised (Cochran 1977, Sampling Techniques, 6.4).
        value = self.counted / self.of
        squares = max(0.0, self.cc - 2 * value * self.co + value * value * self.oo)
        return squares / self.of**2 * self.groups / (self.groups - 1)

    def interval(self, ratio: bool, confidence: float = 0.95) -> tuple[float, float] | None:
        """The confidence interval of a share or, with `ratio`, of a ratio, which may be any number from 0.

        None without chances, or from fewer than two groups.
        """
        if not self.of or self.groups < 2:
            return None
        quantile = t_quantile(confidence, self.groups - 1)
        value = self.counted / self.of
        if ratio:
            error = quantile * sqrt(self.variance)
            return max(0.0, value - error), value + error
        # The interval uses the number of independent chances with this variance (Korn and Graubard 1998). It
        # stays within 0 and 1, and has a width even if nothing or everything was counted.
        return _wilson(value, self.independent, quantile)

    @property
    def independent(self) -> float:
        """The number of independent chances that would give this variance, at most `of`.

        It is the number of groups if nothing or everything was counted, or if all groups are alike.
        """
        value = self.counted / self.of
        if not 0 < value < 1 or not self.variance:
            return min(self.groups, self.of)
        return min(self.of, value * (1 - value) / self.variance)


def _wilson(share: float, chances: float, quantile: float) -> tuple[float, float]:
    """Wilson's interval of a share that was counted in independent chances (JASA 1927, 22:209)."""
    z = quantile * quantile / chances
    middle = (share + z / 2) / (1 + z)
    half = sqrt(z * (share * (1 - share) + z / 4)) / (1 + z)
    return max(0.0, middle - half), min(1.0, middle + half)


def error_of_mean(values: Floats, groups: Sequence[str], confidence: float) -> float | None:
    """Half the confidence interval of the mean of `values` (m,); None from fewer than two groups.

    `groups` has the seed group of each value. The values of a group depend on each other.
    """
    _, group = np.unique(groups, return_inverse=True)
    sums = np.bincount(group, values - float(values.mean()))
    count = len(sums)
    spread = sqrt(float(sums @ sums) * count / max(count - 1, 1)) / len(values)
    return t_quantile(confidence, count - 1) * spread if count > 1 else None


@dataclass(frozen=True)
class Paired:
    """How much more bot `one` scored than bot `two`: the mean over their common deals, from -1 to 1.

    `deals` is the number of common deals. `error` is half the confidence interval; None with fewer than two.
    """

    one: str
    two: str
    deals: int
    difference: float
    error: float | None


def paired_differences(games: Iterable[tuple[str, Hashable, float]], confidence: float) -> list[Paired]:
    """The difference between each two bots with common deals.

    A game is a bot, its deal, and its score from 0 to 1.
    """
    scores: dict[str, dict[Hashable, list[float]]] = {}
    for bot, deal, score in games:
        scores.setdefault(bot, {}).setdefault(deal, []).append(score)
    means = {bot: {deal: fmean(each) for deal, each in found.items()} for bot, found in scores.items()}
    found = [_pair(one, two, means, confidence) for one, two in combinations(sorted(means), 2)]
    return [each for each in found if each]


def _pair(
    one: str, two: str, means: Mapping[str, Mapping[Hashable, float]], confidence: float
) -> Paired | None:
    differences = [mean - means[two][deal] for deal, mean in means[one].items() if deal in means[two]]
    count = len(differences)
    if not count:
        return None
    error = t_quantile(confidence, count - 1) * stdev(differences) / sqrt(count) if count > 1 else nan
    return Paired(one, two, count, fmean(differences), None if error != error else error)
