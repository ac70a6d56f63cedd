"""Compare: seed groups in which two bots play the same games, until a sequential test decides."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Any

from arena.formats.config import FormatConfig
from arena.formats.lineups import lineups
from arena.formats.plan import WAIT, Due, Format, Plan, Played
from arena.formats.seating import fixture, group_name, rotations, seed_group
from arena.rating.sprt import Level, Sprt, TwinScore, cell, is_look
from arena.records.fixture import Fixture

MOST_FIELDS = 500  # sets of opponents


@dataclass(frozen=True, kw_only=True)
class Config(FormatConfig):
    """Is bot `one` better than bot `two`, by themselves or in the place of each other `against` a field?

    The sequential test decides between a difference of `elo0` and one of `elo1`, with the probabilities
    `alpha` and `beta` to be wrong. The games would stay the same under another `elo1`, say, but limits
    that are chosen when some games have been seen do not keep their promise of `alpha` and `beta`. How long
    to go on is free: the test looks at the same moments, and a verdict that is there stays.
    """

    one: str
    two: str
    against: tuple[str, ...]
    elo0: float
    elo1: float
    alpha: float
    beta: float
    max_groups: int

    def identity(self) -> dict[str, Any]:
        return super().identity() | {"against": list(self.against)}


def fixtures(plan: Plan[Config], played: Played) -> Due:
    """Groups in order, a look at the test in between; nothing is played beyond the look that decides."""
    test, waiting, counts, level = sprt(plan), [], Counter[float](), Level()
    lower, upper = test.bounds
    for number in range(plan.config.max_groups):
        waiting.append(group(plan, number))
        yield from waiting[-1]
        if is_look(number + 1):
            yield WAIT
            for games in waiting:
                score = group_score(plan, played, games)
                counts[cell(score)] += 1
                level.add(score)
            waiting.clear()
            if not lower < test.ratio(counts, level.mean) < upper:
                return


def group(plan: Plan[Config], number: int) -> list[Fixture]:
    """The two alone in both seatings; or each seating of a table twice, once with either of them."""
    one, two = plan.config.one, plan.config.two
    if not plan.config.against:
        return seed_group(plan, (one, two), number, number)
    fields = lineups(plan.config.against, plan.seats[0] - 1, MOST_FIELDS)
    field = fields[number % len(fields)]
    group_of = group_name((one, two, *field), number)
    return [
        fixture(plan, tuple(name or candidate for name in bots), group_of, 2 * turn + (candidate == two))
        for turn, bots in enumerate(rotations(("", *field), number // len(fields)))
        for candidate in (one, two)
    ]


def group_scores(plan: Plan[Config], played: Played, first: int = 0) -> Iterator[float]:
    """The scores of the groups from this one on, up to the first that is not complete."""
    for number in count(first):
        games = group(plan, number)
        if not all(game.id in played for game in games):
            return
        yield group_score(plan, played, games)


def group_score(plan: Plan[Config], played: Played, games: Sequence[Fixture]) -> float:
    """From 0 to 1: the mean score of the first bot, or in twin games that against the second one's."""
    one, two = plan.config.one, plan.config.two
    shares: Mapping[str, list[float]] = {one: [], two: []}
    for game in games:
        places = played[game.id].places
        for bot, place in zip(game.bots, places, strict=True):
            if bot in shares:
                shares[bot].append(share(place, places))
    own, other = sum(shares[one]) / len(shares[one]), sum(shares[two]) / len(shares[two])
    score = (1 + own - other) / 2
    return TwinScore(score, (own + other) / 2) if plan.config.against else score


def share(place: int, places: Sequence[int]) -> float:
    """The share of the others that were beaten, ties half."""
    ahead = sum((other > place) - (other < place) for other in places)
    return (1 + ahead / (len(places) - 1)) / 2


def sprt(plan: Plan[Config]) -> Sprt:
    keys = plan.config
    return Sprt(keys.elo0, keys.elo1, keys.alpha, keys.beta)


def size(plan: Plan[Config]) -> int:
    return plan.config.max_groups * 2 * (plan.seats[0] if plan.config.against else 1)


def describe(plan: Plan[Config]) -> list[str]:
    keys = plan.config
    against = f" against {', '.join(keys.against)}" if keys.against else ""
    return [
        f"is {keys.one} better than {keys.two}{against}? at tables of {plan.seats[0]}",
        f"{keys.elo0:g} or {keys.elo1:g} Elo, at most {keys.max_groups} groups ({size(plan)} games)",
    ]


FORMAT = Format(
    "compare",
    Config,
    fixtures,
    size,
    describe,
    extendable=(),  # a test that began with another version of a bot tests nothing
    free=("max_groups",),
    group_size=lambda plan, bots: 2 * (bots - 1) if plan["against"] else bots,
    paired=True,
    planned=False,
)
