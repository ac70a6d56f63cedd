"""The rating methods: each reads a game as a list of stages, in which one bot is chosen from several.

A bot of strength θ wins a stage with probability exp(θ) / Σ exp(θ of its members): the conditional logit
(Luce 1959; McFadden 1974). The methods differ only in which stages they make of the places of a game.
"""

from collections.abc import Callable, Mapping
from itertools import combinations
from math import comb
from typing import NamedTuple

_MAX_TIED = 10  # seats that share a place; Plackett-Luce makes up to 2**10 stages of them


class Stage(NamedTuple):
    """One choice from several bots: their positions in the order of finish, and the share of the win of each.

    The shares add up to the weight of the stage.
    """

    members: tuple[int, ...]
    shares: tuple[float, ...]


def _pairs(places: tuple[int, ...]) -> list[Stage]:
    """A stage of two for every pair of seats (Bradley & Terry 1952, Biometrika 39:324)."""
    # A tie is half a win. With the weight 3/(n+1) the curvature agrees with the variance of a score among
    # equal bots.
    weight = 3 / (len(places) + 1)
    return [
        Stage((one, two), (weight / 2, weight / 2) if places[one] == places[two] else (weight, 0.0))
        for one, two in combinations(range(len(places)), 2)
    ]


def _plackett_luce(places: tuple[int, ...]) -> list[Stage]:
    """The winner is chosen from all, the second from the rest, and so on; ties make more stages.

    Raises:
        ValueError: More than `_MAX_TIED` seats share a place.
    """
    # The model is of Plackett (1975, Appl. Statist. 24:193). All orders of tied bots are equally likely, and
    # the log-likelihood is averaged over them. So each set of k of t tied bots, with all bots that finished
    # behind them, is a stage of weight 1/C(t,k).
    stages = []
    for place in sorted(set(places)):
        tied = [position for position, other in enumerate(places) if other == place]
        behind = tuple(position for position, other in enumerate(places) if other > place)
        if len(tied) > _MAX_TIED:
            raise ValueError(
                f"{len(tied)} seats share place {place}; plackett-luce allows at most {_MAX_TIED}"
            )
        for left in range(len(tied), 0, -1):
            weight = 1 / comb(len(tied), left)
            for some in combinations(tied, left):
                shares = (weight / left,) * left + (0.0,) * len(behind)
                stages.append(Stage((*some, *behind), shares))
    return [stage for stage in stages if len(stage.members) > 1]


def _winner(places: tuple[int, ...]) -> list[Stage]:
    """One stage: the winner is chosen from all; several winners share the win."""
    first = places.count(1)
    shares = (1 / first,) * first + (0.0,) * (len(places) - first)
    return [Stage(tuple(range(len(places))), shares)]


METHODS: Mapping[str, Callable[[tuple[int, ...]], list[Stage]]] = {
    "pairs": _pairs,
    "plackett-luce": _plackett_luce,
    "winner": _winner,
}
