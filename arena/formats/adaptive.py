"""Adaptive: each batch of line-ups is the one that takes most from the errors of the table so far."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from itertools import takewhile

from arena.core.values import MoreThanZero, Word
from arena.formats.config import Field, Games, Problem, Teams
from arena.formats.plan import WAIT, Due, Format, Plan, Played
from arena.formats.seating import seed_group
from arena.rating.adaptive import best_lineups, contrasts, prospects
from arena.rating.estimate import Settings, settings_of
from arena.rating.outcome import Outcome, to_arrays
from arena.rating.standings import Standing, rated, standings
from arena.records.deals import derive
from arena.records.fixture import Fixture, to_json
from arena.records.record import Summary
from arena.rules.chance import Chance

EXPLORE = 10  # of so many line-ups of each size one is drawn at random: the model is not the truth
GROWTH = 10  # a batch has at least a tenth of the groups so far, so that there are never too many batches
SURE = 30  # seed groups of a bot before its error is believed
PATIENCE = 120  # seed groups after which a bot that always wins, or always loses, has shown enough


@dataclass(frozen=True, kw_only=True)
class Config(Teams, Games):
    """When it ends."""

    target_error: MoreThanZero | None = None
    """An adaptive tournament ends when the error of every bot is at most so many Elo."""
    focus: Word | None = None
    """The bot whose error counts in an adaptive tournament, instead of all."""


def problems(config: Config, field: Field) -> Iterator[Problem]:
    yield from field.unknown("focus", [config.focus] if config.focus is not None else [])
    if config.games is None and config.target_error is None:
        yield "format", "adaptive needs games: or target_error:, to know when to stop"


def fixtures(plan: Plan[Config], played: Played) -> Due:
    """Batch after batch, each decided from the earlier ones alone, until the errors or the games say stop."""
    names, tag = tuple(sorted(plan.bots)), era(plan)
    known = known_before(plan, played, tag)
    games: list[Fixture] = []
    groups = 0
    while plan.config.games is None or len(games) < plan.config.games:
        outcomes = known + [outcome_of(played[game.id]) for game in games]
        if plan.config.target_error is not None and settled(plan, outcomes):
            return
        batch = range(groups, groups + max(len(names), groups // GROWTH))
        for number, lineup in zip(batch, choices(plan, names, outcomes, batch), strict=True):
            if plan.config.games is not None and len(games) >= plan.config.games:
                break
            group = seed_group(plan, lineup, f"{number}/{tag}", number)
            yield from group
            games += group
        groups = batch.stop
        yield WAIT


def era(plan: Plan[Config]) -> str:
    """Tells the groups that are decided with these very bots and this aim from all others of the run."""
    parts = [
        sorted((name, bot.fingerprint) for name, bot in plan.bots.items()),
        plan.config.focus,
        plan.seats,
    ]
    parts += [sorted(plan.teams.items())] if plan.teams else []
    return sha256(to_json(parts).encode()).hexdigest()[:6]


def known_before(plan: Plan[Config], played: Played, tag: str) -> list[Outcome]:
    """What the bots as they are now had played when this era began: before a newcomer came, say.

    What was played later for another aim is not in it: the choices of an era that goes on stay the same.
    """
    made = {name: bot.fingerprint for name, bot in plan.bots.items()}
    before = takewhile(lambda game: not game.seed_group.endswith(f"/{tag}"), played.values())
    return [
        outcome_of(game)
        for game in before
        if all(made.get(name) == print for name, print in zip(game.bots, game.fingerprints, strict=True))
    ]


def choices(
    plan: Plan[Config], names: Sequence[str], outcomes: Sequence[Outcome], batch: Sequence[int]
) -> Iterator[tuple[str, ...]]:
    """A line-up for each group of a batch, given by their numbers; tables of each size in turn."""
    bystanders = [Outcome((name,), (1,), "") for name in names]  # so that every bot has a number
    tables = [games for games in to_arrays([*outcomes, *bystanders])[1] if games.size > 1]
    theta, inverse = prospects(tables, len(names), Settings.prior)
    aim = contrasts(len(names), names.index(plan.config.focus) if plan.config.focus else None)
    drawn = {number: number // len(plan.seats) % EXPLORE == EXPLORE - 1 for number in batch}
    sizes = {number: plan.seats[number % len(plan.seats)] for number in batch}
    teams = {name: plan.teams.get(name, name) for name in names}
    numbers = [sorted(set(teams.values())).index(team) for team in teams.values()]
    best = best_lineups(
        theta, inverse, aim, (sizes[number] for number in batch if not drawn[number]), numbers
    )
    for number in batch:
        if drawn[number]:
            yield at_random(Chance(derive(plan.secret, f"lineup/{number}").hex()), teams, sizes[number])
        else:
            yield tuple(names[bot] for bot in next(best))


def at_random(chance: Chance, teams: Mapping[str, str], seats: int) -> tuple[str, ...]:
    """`teams` has that of each bot."""
    lineup: list[str] = []
    while len(lineup) < seats:
        taken = {teams[bot] for bot in lineup}
        lineup.append(chance.pick("lineup", tuple(bot for bot in teams if teams[bot] not in taken)))
    return tuple(sorted(lineup))


def settled(plan: Plan[Config], outcomes: Sequence[Outcome]) -> bool:
    """Whether the error of every bot, or of that in focus, is small enough and rests on enough groups."""
    rows = standings(rated(outcomes, settings_of(plan.run.rating.plain())))
    if len(rows) < len(plan.bots):
        return False
    return all(
        _is_settled(row, plan.config.target_error) for row in rows if plan.config.focus in (None, row.bot)
    )


def _is_settled(row: Standing, target: float | None) -> bool:
    """Errors of one-sided results are rough ones, and more of the same results would hardly help."""
    if set(row.flags) & set("~!<>"):
        return row.groups >= PATIENCE
    return row.error is not None and target is not None and row.error <= target and row.groups >= SURE


def outcome_of(game: Summary) -> Outcome:
    return Outcome(game.bots, game.places, game.seed_group, game.forfeits)


def size(plan: Plan[Config]) -> int | None:
    """Whole groups, so it may be a little more than `games`."""
    if plan.config.games is None:
        return None
    games = plan.config.games // sum(plan.seats) * sum(plan.seats)
    for seats in plan.seats:
        games += seats if games < plan.config.games else 0
    return games


def describe(plan: Plan[Config]) -> list[str]:
    whose = f"of {plan.config.focus}" if plan.config.focus else "of every bot"
    ends = (
        [f"the error {whose} is {plan.config.target_error:g} Elo"]
        if plan.config.target_error is not None
        else []
    )
    ends += [f"there are {plan.config.games} games"] if plan.config.games is not None else []
    seats = " or ".join(map(str, plan.seats))
    apart = ", authors apart" if plan.teams else ""
    return [f"{seats} seats{apart}, each batch what the table needs most, until {' or '.join(ends)}"]


FORMAT = Format(
    "adaptive",
    Config,
    fixtures,
    size,
    describe,
    problems,
    extendable=("bots",),
    free=("games", "target_error", "focus"),
)
