"""How the Elo of the bots changes as games are added, and from version to version of a bot."""

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from arena.rating.arrays import none_if_nan
from arena.rating.field import RatedField
from arena.rating.opponents import difference_errors, differences
from arena.rating.outcomes import Outcome
from arena.rating.settings import RatingSettings, Widening
from arena.rating.superiority import superiority

_VERSION = re.compile("(.+)@[0-9a-f]{6}")  # the name of an old version


@dataclass(frozen=True)
class CoursePoint:
    """The Elo by bot after a number of seed groups and games, and half its interval (NaN if unknown).

    Bots with too few games are left out.
    """

    groups: int
    games: int
    elo: dict[str, float]
    error: dict[str, float]


@dataclass(frozen=True)
class Change:
    """A version of a bot: its Elo (None if it has too few games), and its `gain` over the previous version.

    `error` is half the interval of the gain, `los` the likelihood of superiority over the previous version.
    These three are None for the first version, and if unknown.
    """

    bot: str
    elo: float | None
    gain: float | None
    error: float | None
    los: float | None


def course(
    outcomes: Sequence[Outcome], settings: RatingSettings, parts: int, widenings: Collection[Widening] = ()
) -> Iterator[CoursePoint]:
    """The ratings after 1, 2, … and all of `parts` equal parts of the seed groups.

    Each rating uses all games so far. The groups are in the order of their first games. There are at most as
    many parts as groups.
    """
    order: dict[str, int] = {}
    for outcome in outcomes:
        order.setdefault(outcome.group, len(order))
    parts = min(parts, len(order))
    for part in range(1, parts + 1):
        count = -(-len(order) * part // parts)
        played = [outcome for outcome in outcomes if order[outcome.group] < count]
        field = RatedField.of(played, settings, widenings)
        ratings, rated = field.ratings, np.flatnonzero(~field.ratings.too_few).tolist()
        elo, error = (
            {field.names[bot]: float(each[bot]) for bot in rated} for each in (ratings.elo, ratings.error)
        )
        yield CoursePoint(count, len(played), elo, error)


def changes(field: RatedField, outcomes: Iterable[Outcome]) -> Iterator[list[Change]]:
    """The versions of each changed bot in the order of their first games, with the current one last."""
    versions: dict[str, list[str]] = {}
    for name in dict.fromkeys(name for outcome in outcomes for name in outcome.bots if name in field.names):
        old = _VERSION.fullmatch(name)
        versions.setdefault(old[1] if old else name, []).append(name)
    for base, names in sorted(versions.items()):
        names.sort(key=lambda name: name == base)
        if len(names) > 1:
            yield _gains(field, names)


def _gains(field: RatedField, versions: Sequence[str]) -> list[Change]:
    ratings, errors = field.ratings, difference_errors(field.ratings, field.settings)
    matrices = differences(ratings), errors, superiority(ratings)
    numbers = [field.names.index(name) for name in versions]
    elos = np.where(ratings.too_few, np.nan, ratings.elo)
    found = [Change(versions[0], none_if_nan(elos[numbers[0]]), None, None, None)]
    for name, (old, new) in zip(versions[1:], pairwise(numbers), strict=True):
        gained = (none_if_nan(matrix[new, old]) for matrix in matrices)
        found.append(Change(name, none_if_nan(elos[new]), *gained))
    return found
