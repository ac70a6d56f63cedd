"""Compare: two bots play the same games in seed groups until a sequential test decides."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import count
from typing import TYPE_CHECKING, Any, Literal

from arena.rating.settings import EloModel
from arena.referee.fixture import Fixture
from arena.tournament.formats.config import FormatConfig
from arena.tournament.formats.lineups import Bots, lineups
from arena.tournament.formats.plan import WAIT, Due, Format, Plan, Played
from arena.tournament.formats.seating import fixture, group_name, rotations, seed_group

if TYPE_CHECKING:
    from arena.rating.experiments import Sprt

_MAX_OPPONENTS = 500  # sets of opponents, about; more become a balanced sample


@dataclass(frozen=True, kw_only=True)
class Config(FormatConfig):
    """The keys of a comparison: is bot `one` better than bot `two`?

    They meet each other, or take turns on one seat `against` the bots of a field. The sequential test decides
    between a difference of `elo0` and one of `elo1`, with error probabilities `alpha` and `beta`.
    """

    # A run cannot change the keys of the test: if they are chosen after some games, errors are more frequent
    # than the keys say. `max_groups` changes neither the looks of the test nor a verdict.

    format: Literal["compare"] = "compare"
    one: str
    two: str
    against: Bots
    elo0: float
    elo1: float
    alpha: float
    beta: float
    max_groups: int
    elo_model: EloModel = "logistic"

    def identity(self) -> dict[str, Any]:
        """As in `FormatConfig`, but `against` may be [], and a default `elo_model` is left out."""
        keys = super().identity() | {"against": list(self.against)}
        return {key: value for key, value in keys.items() if (key, value) != ("elo_model", "logistic")}


def _fixtures(plan: Plan[Config], played: Played) -> Due:
    from arena.rating.experiments import Trial  # It imports numpy, which other formats do not need.

    trial, pending = Trial(sprt(plan)), []
    for number in range(plan.config.max_groups):
        pending.append(_group(plan, number))
        yield from pending[-1]
        if trial.test.is_look(number + 1):
            yield WAIT
            for games in pending:
                trial.add(_group_score(plan, played, games))
            pending.clear()
            if trial.is_decided:
                return


def _group(plan: Plan[Config], number: int) -> list[Fixture]:
    """The games of a seed group: the two seatings of the two bots.

    Against a field, each rotation of the table has two games: one with each of the two bots.
    """
    one, two = plan.config.one, plan.config.two
    if not plan.config.against:
        return seed_group(plan, (one, two), number, number)
    opponents = lineups(plan.config.against, plan.seats[0] - 1, _MAX_OPPONENTS)
    others = opponents[number % len(opponents)]
    name = group_name((one, two, *others), number)
    return [
        fixture(plan, tuple(bot or candidate for bot in bots), name, 2 * rotation + (candidate == two))
        for rotation, bots in enumerate(rotations(("", *others), number // len(opponents)))
        for candidate in (one, two)
    ]


def group_scores(plan: Plan[Config], played: Played, first: int = 0) -> Iterator[float]:
    """Yields the scores of the seed groups from number `first` on, up to the first incomplete one."""
    for number in count(first):
        games = _group(plan, number)
        if not all(game.id in played for game in games):
            return
        yield _group_score(plan, played, games)


def _group_score(plan: Plan[Config], played: Played, games: Sequence[Fixture]) -> float:
    """The score of bot `one` against bot `two` in a group, from 0 to 1: ½ if their mean scores are equal."""
    from arena.rating.experiments import TwinScore

    def mean(bot: str) -> float:
        seats = [(game.bots.index(bot), played[game.id].places) for game in games if bot in game.bots]
        return sum(score(places[seat], places) for seat, places in seats) / len(seats)

    own, other = mean(plan.config.one), mean(plan.config.two)
    result = (1 + own - other) / 2
    return TwinScore(result, (own + other) / 2) if plan.config.against else result


def score(place: int, places: Sequence[int]) -> float:
    """The share of the other bots that finished behind this place; ties count half."""
    net_wins = sum((other > place) - (other < place) for other in places)
    return (1 + net_wins / (len(places) - 1)) / 2


def sprt(plan: Plan[Config]) -> "Sprt":
    """The sequential test of the comparison."""
    from arena.rating.experiments import Sprt

    keys = plan.config
    return Sprt(keys.elo0, keys.elo1, keys.alpha, keys.beta, keys.elo_model)


def games_per_group(plan: Plan[Config]) -> int:
    return 2 * (plan.seats[0] if plan.config.against else 1)


def _size(plan: Plan[Config]) -> int:
    return plan.config.max_groups * games_per_group(plan)


def _describe(plan: Plan[Config]) -> list[str]:
    keys = plan.config
    against = f" against {', '.join(keys.against)}" if keys.against else ""
    test = f"{keys.elo0:g} or {keys.elo1:g} {unit(plan)}, at most {keys.max_groups} groups"
    question = f"is {keys.one} better than {keys.two}{against}? at tables of {plan.seats[0]}"
    return [question, f"{test} ({_size(plan)} games)"]


def unit(plan: Plan[Config]) -> str:
    """The unit of `elo0` and `elo1`, the differences between which the test decides: `Elo` or `nElo`."""
    return "nElo" if plan.config.elo_model == "normalized" else "Elo"


FORMAT = Format(
    Config,
    _fixtures,
    _size,
    _describe,
    extendable=(),  # Games of two versions of a bot cannot be tested together.
    free=("max_groups",),
    group_size=lambda plan, bots: 2 * (bots - 1) if plan["against"] else bots,
    paired=True,
    open_ended=True,
    planned=False,
)
