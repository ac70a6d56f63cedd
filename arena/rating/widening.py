"""Larger errors for formats that choose by results which bots meet.

There lucky bots meet lucky ones, and their results seem to confirm each other. The sandwich estimator takes
the pairing as given, so it makes errors too small. No formula says by how much: it was simulated with the
pairing of each format, for equal bots, which need most (`benchmarks/formats.py`; `evidence.md`, "Formats").
"""

from dataclasses import dataclass
from math import inf
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # imports numpy, which a plan does not need
    from arena.rating.arrays import Floats, Ints


@dataclass(frozen=True)
class Widening:
    """What a format adds to the variance of each Elo, as a multiple of it.

    At tables of two seats it adds the `excess` until a bot has so many seed `groups`. After that the excess
    falls with this `power` of their number, as bots then meet more widely. At larger tables, where each game
    compares a bot with several others, it adds the share `at_larger` of it.
    """

    excess: float = 0.0
    groups: float = inf
    power: int = 1
    at_larger: float = 0.0

    def factor(self, groups: "Ints", seats: int) -> "Floats":
        """The factor of the error of each bot (K,); `seats` is the size of the smallest table."""
        left = (self.groups / groups.clip(1)).clip(0, 1) ** self.power
        factor: Floats = (1 + self.excess * left * (1 if seats == 2 else self.at_larger)) ** 0.5
        return factor
