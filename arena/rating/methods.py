"""How a game is read: as choices of one bot from a set, by the places in which it ended.

A `Stage` is such a choice: `members` are positions in the order of finish, `shares` what each won of the
stage's weight. A bot of strength θ wins a stage with probability exp(θ) / Σ exp(θ of its members): the
conditional logit (Luce 1959; McFadden 1974). The methods differ only in the stages that they see.
"""

from collections.abc import Callable, Mapping
from itertools import combinations
from math import comb
from typing import NamedTuple

MOST_TIED = 10  # seats that share a place; Plackett-Luce has 2 to that power stages for them


class Stage(NamedTuple):
    """One choice: positions in the order of finish, and what each of them won."""

    members: tuple[int, ...]
    shares: tuple[float, ...]


def pairs(places: tuple[int, ...]) -> list[Stage]:
    """Every pair of seats is a stage of two (Bradley & Terry 1952, Biometrika 39:324); a tie is half a win.

    Each weighs 3/(n+1): among equals, a score then varies as much as the curvature says.
    """
    weight = 3 / (len(places) + 1)
    return [
        Stage((one, two), (weight / 2, weight / 2) if places[one] == places[two] else (weight, 0.0))
        for one, two in combinations(range(len(places)), 2)
    ]


def plackett_luce(places: tuple[int, ...]) -> list[Stage]:
    """First the winner is chosen from all, then the next from the rest, and so on.

    (Plackett 1975, Appl. Statist. 24:193.) Of tied bots every order is as likely: the log-likelihood
    is averaged over them. So each set of k of t tied bots comes up in a share 1/C(t,k) of the orders,
    with all that finished behind.
    """
    stages = []
    for place in sorted(set(places)):
        tied = [position for position, other in enumerate(places) if other == place]
        behind = tuple(position for position, other in enumerate(places) if other > place)
        if len(tied) > MOST_TIED:
            raise ValueError(
                f"{len(tied)} seats share place {place}; plackett-luce takes {MOST_TIED} at most"
            )
        for left in range(len(tied), 0, -1):
            weight = 1 / comb(len(tied), left)
            for some in combinations(tied, left):
                shares = (weight / left,) * left + (0.0,) * len(behind)
                stages.append(Stage((*some, *behind), shares))
    return [stage for stage in stages if len(stage.members) > 1]


def winner(places: tuple[int, ...]) -> list[Stage]:
    """Only who came first counts, chosen from all; those who share the first place share the win."""
    first = places.count(1)
    shares = (1 / first,) * first + (0.0,) * (len(places) - first)
    return [Stage(tuple(range(len(places))), shares)]


METHODS: Mapping[str, Callable[[tuple[int, ...]], list[Stage]]] = {
    "pairs": pairs,
    "plackett-luce": plackett_luce,
    "winner": winner,
}
