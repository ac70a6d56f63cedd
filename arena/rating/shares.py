"""Shares and ratios that are counted in many games, with intervals.

A figure is the sum of the counts of all games, divided by the sum of the chances. The chances of a seed group
depend on each other, so the error is computed from the differences between groups.
"""

from dataclasses import dataclass, field
from math import sqrt

from arena.rating.distributions import t_quantile


@dataclass
class Tallied:
    """A figure, added up over seed groups: how often something was counted (c), and the chances for it (o).

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
