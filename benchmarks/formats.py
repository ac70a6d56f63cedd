"""How often the ± and the ranges of the standings hold in each format, by the pairing of the arena itself.

Some formats decide by the results so far which bots meet: their errors are widened by a `Widening` of
`arena.rating.settings`. The strengths of each tournament are normal, and there is no luck of deals, so a
round robin keeps its promises.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import fmean
from typing import Any, NamedTuple

import numpy as np
from promises import contained
from simulated import Share, share

from arena.games import GAMES
from arena.programs.bot import Bot
from arena.rating.arrays import Bools, Floats
from arena.rating.best import best_ranks
from arena.rating.bounds import bounds
from arena.rating.estimate import ELO
from arena.rating.outcomes import Outcome
from arena.rating.rows import tally
from arena.rating.settings import RatingSettings
from arena.rating.standings import Field, rate_all
from arena.referee.fixture import Fixture
from arena.referee.record import Summary
from arena.tournament import formats, schedule
from arena.tournament.formats.plan import Plan

BOTS = [f"b{number:02}" for number in range(16)]
SPREADS = (0, 50, 100, 200)  # standard deviations of the strengths in Elo
CLOSE = SPREADS[:2]  # for which ranges are measured: far bots are seldom in the wrong order
_SETTINGS = RatingSettings(average=0)
_LOOKS = 10  # at a round robin that ends when one bot is surely first


@dataclass(frozen=True)
class Case:
    """A format with these keys. `sure`: someone ends the round robin when one bot is surely first.

    `few`: it takes long, so only half of the tournaments are simulated.
    """

    name: str
    format: str
    keys: Mapping[str, Any] = field(default_factory=dict)
    sure: bool = False
    few: bool = False


CASES = (
    Case("round robin", "round-robin", {"groups": 1, "lineups": 120}),
    Case("until one is surely first", "round-robin", {"groups": _LOOKS, "lineups": 120}, sure=True, few=True),
    Case("gauntlet of four", "gauntlet", {"groups": 2, "lineups": 60, "challengers": tuple(BOTS[:4])}),
    *(
        Case(f"{form}, {groups} groups a bot", form, {"games": len(BOTS) * groups})
        for form, groups in (
            ("adaptive", 8),
            ("adaptive", 15),
            ("adaptive", 60),
            ("ladder", 8),
            ("ladder", 30),
        )
    ),
    Case("adaptive, until ±80", "adaptive", {"target_error": 80.0}, few=True),
    *(
        Case(
            f"swiss, {rounds} rounds of {groups} group{'s' * (groups > 1)}",
            "swiss",
            {"groups": groups, "rounds": rounds},
        )
        for rounds, groups in ((3, 12), (5, 1), (5, 12), (9, 6))
    ),
    Case("knockout, 8 groups", "knockout", {"groups": 8}),
)


class Standings(NamedTuple):
    """The ratings of a simulated tournament, and the true strengths of its bots in nats."""

    field: Field
    theta: Floats


class Measured(NamedTuple):
    """A row of the table: of a case and a number of seats.

    `intervals` and `ranges` have a share for each spread; `excess` is by how much the Elo of the first of
    equal bots is too high.
    """

    case: Case
    seats: int
    intervals: list[Share]
    ranges: list[Share]
    excess: float


def rows(samples: int) -> Iterator[Measured]:
    for case in CASES:
        for seats in (2, 4):
            yield measure(case, seats, max(1, samples // 2) if case.few else samples)


def measure(case: Case, seats: int, samples: int, seed: int = 1) -> Measured:
    intervals, ranges, first = [], [], []
    for spread in SPREADS:
        found = [tournament(case, seats, spread, f"{seed}-{spread}-{sample}") for sample in range(samples)]
        what, promised = f"{case.name}, {seats} seats, SD {spread}", _SETTINGS.confidence
        intervals.append(share("±", what, promised, [*map(hits, found)]))
        if spread in CLOSE:
            ranges.append(share("ranges", what, promised, [*map(are_right, found)]))
        if spread == 0:
            first = [max(each.field.ratings.elo - each.field.ratings.elo.mean()) for each in found]
    return Measured(case, seats, intervals, ranges, fmean(first))


def hits(found: Standings) -> Bools:
    """Whether each ± that the table shows contains the truth. Perfect scores have a bound instead."""
    rated = found.field
    shown = bounds(rated.arrays, rated.ratings, rated.settings, tally(rated)["score"])
    shown = ~np.isnan(rated.ratings.error) & ~rated.ratings.too_few & [bound is None for bound in shown]
    held: Bools = contained(rated.ratings, found.theta)[shown]
    return held


def are_right(found: Standings) -> bool:
    """Whether no bot is said to be surely better than an equal or better one."""
    return not (found.field.surely & (found.theta[:, None] <= found.theta)).any()


def tournament(case: Case, seats: int, spread: float, seed: str) -> Standings:
    form = formats.find(case.format)
    plan = Plan(
        name="simulated",
        game=GAMES["complots"],
        seats=(seats,),
        options={},
        bots={name: Bot(name, (), Path(), name) for name in BOTS},
        format=form,
        config=form.config(**case.keys),
        seed=seed,
    )
    rng = np.random.default_rng([*seed.encode()])
    theta = rng.normal(0, spread / ELO, len(BOTS))
    outcomes: list[Outcome] = []
    for batch in _played(plan, rng, dict(zip(BOTS, theta.tolist(), strict=True)), case.sure):
        outcomes += batch
        if case.sure and _is_sure(outcomes):
            break
    return Standings(rate_all(outcomes, _SETTINGS, form.widenings), theta)


def _is_sure(outcomes: Iterable[Outcome]) -> bool:
    return (best_ranks(rate_all(outcomes, _SETTINGS).ratings, _SETTINGS) == 1).sum() == 1


def _played(
    plan: Plan, rng: np.random.Generator, theta: Mapping[str, float], looks: bool
) -> Iterator[list[Outcome]]:
    """The games between two waits of the format, or with `looks`, those before each look."""
    played: dict[str, Summary] = {}
    batch: list[Fixture] = []
    size = schedule.size(plan) or 0
    for fixture in schedule.fixtures(plan, played):
        if fixture:
            batch.append(fixture)
        if fixture is None or (looks and len(batch) >= size / _LOOKS):
            yield _play(batch, rng, theta, played)
            batch = []
    yield _play(batch, rng, theta, played)


def _play(
    batch: Sequence[Fixture], rng: np.random.Generator, theta: Mapping[str, float], played: dict[str, Summary]
) -> list[Outcome]:
    found = []
    for game in batch:
        utility = [theta[bot] for bot in game.bots] + rng.gumbel(size=len(game.bots))
        places = tuple((1 + (-utility).argsort().argsort()).tolist())
        played[game.id] = Summary(
            game.id, game.bots, game.fingerprints, places, {}, 0, game.group, game.rotation
        )
        found.append(Outcome(game.bots, places, game.group, {}))
    return found


def table(found: Iterable[Measured]) -> Iterator[str]:
    """The rows as they are found, in percent; `error` is the largest standard error of ± in a row."""
    yield f"how often ± and all ranges together hold, in %, for {len(BOTS)} bots of this deviation in Elo,"
    yield "and by how much the Elo of the first of equal bots is too high"
    heads = "".join(f"{spread:>6}" for spread in SPREADS), "".join(f"{spread:>5}" for spread in CLOSE)
    yield f"{'':28}seats  ±{heads[0][3:]} error  ranges{heads[1][2:]}  first"
    for row in found:
        shares = "".join(f"{_percent(each.measured):>6}" for each in row.intervals)
        error = max((each.error for each in row.intervals if each.error is not None), default=None)
        ranges = "".join(f"{_percent(each.measured, 0):>5}" for each in row.ranges) + f"{row.excess:>+7.0f}"
        yield f"{row.case.name:<28}{row.seats:>5}{shares}{_percent(error):>6}      {ranges}"


def _percent(share: float | None, digits: int = 1) -> str:
    return "" if share is None else f"{100 * share:.{digits}f}"
