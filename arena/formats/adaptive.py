"""Adaptive: plays the line-ups that reduce the errors of the ratings most.

The games come in batches. Each batch is chosen from the results of all earlier ones, so a run that continues
after a kill chooses the same again. A new bot, or another focus, begins a new *phase* of the run: its seed
groups have their own tag in their names, and are numbered from 0.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from itertools import takewhile
from typing import TYPE_CHECKING

from arena.core.values import MoreThanZero, Text
from arena.formats.config import Field, Games, Problem, Teams
from arena.formats.plan import WAIT, Due, Format, Plan, Played
from arena.formats.seating import seed_group
from arena.records.deals import derive
from arena.records.fixture import Fixture, to_json
from arena.records.record import Summary
from arena.rules.chance import Chance

if TYPE_CHECKING:  # they import numpy, which a plan of another format does not need
    from arena.rating.outcome import Outcome
    from arena.rating.standings import Standing

RANDOM_EVERY = 10  # of so many line-ups of each size, one is random: the model of the ratings may be wrong
BATCH_DIVISOR = 10  # a batch has at least a tenth of the groups so far, which limits the number of batches
MIN_GROUPS = 30  # seed groups that a bot needs before its error is reliable
MIN_GROUPS_ONE_SIDED = 120  # seed groups after which a bot that always wins, or always loses, needs no more


@dataclass(frozen=True, kw_only=True)
class Config(Teams, Games):
    """The keys of an adaptive tournament."""

    target_error: MoreThanZero | None = None
    """An adaptive tournament ends when the error of every bot is at most this many Elo."""
    focus: Text | None = None
    """The only bot whose error counts in an adaptive tournament."""


def problems(config: Config, field: Field) -> Iterator[Problem]:
    yield from field.unknown("focus", [config.focus] if config.focus is not None else [])
    if config.games is None and config.target_error is None:
        yield "format", "adaptive needs games: or target_error:, to know when to stop"


def fixtures(plan: Plan[Config], played: Played) -> Due:
    """Batch after batch, until there are enough games or the errors are small enough."""
    names, tag = tuple(sorted(plan.bots)), phase_tag(plan)
    before = outcomes_before(plan, played, tag)
    games: list[Fixture] = []
    groups = 0
    while plan.config.games is None or len(games) < plan.config.games:
        outcomes = before + [outcome_of(played[game.id]) for game in games]
        if plan.config.target_error is not None and target_reached(plan, outcomes):
            return
        batch = range(groups, groups + max(len(names), groups // BATCH_DIVISOR))
        for number, lineup in zip(batch, next_lineups(plan, names, outcomes, batch), strict=True):
            if plan.config.games is not None and len(games) >= plan.config.games:
                break
            group = seed_group(plan, lineup, f"{number}/{tag}", number)
            yield from group
            games += group
        groups = batch.stop
        yield WAIT


def phase_tag(plan: Plan[Config]) -> str:
    """Six hex digits for the phase of the run with these versions of bots, this focus, seats and teams."""
    parts = [
        sorted((name, bot.fingerprint) for name, bot in plan.bots.items()),
        plan.config.focus,
        plan.seats,
    ]
    parts += [sorted(plan.teams.items())] if plan.teams else []
    return sha256(to_json(parts).encode()).hexdigest()[:6]


def outcomes_before(plan: Plan[Config], played: Played, tag: str) -> list["Outcome"]:
    """The games between current versions of bots that were played before this phase began.

    Games of later phases are left out, so that a phase that continues has the same line-ups as before.
    """
    versions = {name: bot.fingerprint for name, bot in plan.bots.items()}
    before = takewhile(lambda game: not game.seed_group.endswith(f"/{tag}"), played.values())
    return [
        outcome_of(game)
        for game in before
        if all(versions.get(bot) == each for bot, each in zip(game.bots, game.fingerprints, strict=True))
    ]


def next_lineups(
    plan: Plan[Config], names: Sequence[str], outcomes: Sequence["Outcome"], batch: Sequence[int]
) -> Iterator[tuple[str, ...]]:
    """A line-up for each group of a batch. `batch` has the group numbers; numbers of seats take turns."""
    from arena.rating.adaptive import best_lineups, contrasts, prospects
    from arena.rating.estimate import Settings
    from arena.rating.outcome import Outcome, to_arrays

    single = [Outcome((name,), (1,), "") for name in names]  # bots without games need an index, too
    arrays = [games for games in to_arrays([*outcomes, *single])[1] if games.size > 1]
    theta, inverse = prospects(arrays, len(names), Settings.prior)
    aim = contrasts(len(names), names.index(plan.config.focus) if plan.config.focus else None)
    is_random = {number: number // len(plan.seats) % RANDOM_EVERY == RANDOM_EVERY - 1 for number in batch}
    sizes = {number: plan.seats[number % len(plan.seats)] for number in batch}
    teams = {name: plan.teams.get(name, name) for name in names}
    team_numbers = [sorted(set(teams.values())).index(team) for team in teams.values()]
    best_sizes = (sizes[number] for number in batch if not is_random[number])
    best = best_lineups(theta, inverse, aim, best_sizes, team_numbers)
    for number in batch:
        if is_random[number]:
            yield random_lineup(Chance(derive(plan.secret, f"lineup/{number}").hex()), teams, sizes[number])
        else:
            yield tuple(names[bot] for bot in next(best))


def random_lineup(chance: Chance, teams: Mapping[str, str], seats: int) -> tuple[str, ...]:
    """A random line-up without two bots of a team. `teams` has the team of each bot."""
    lineup: list[str] = []
    while len(lineup) < seats:
        taken = {teams[bot] for bot in lineup}
        lineup.append(chance.pick("lineup", tuple(bot for bot in teams if teams[bot] not in taken)))
    return tuple(sorted(lineup))


def target_reached(plan: Plan[Config], outcomes: Sequence["Outcome"]) -> bool:
    """Whether the error of every bot, or of the bot in focus, is small enough and from enough seed groups."""
    from arena.rating.estimate import settings_of
    from arena.rating.standings import rated, standings

    rows = standings(rated(outcomes, settings_of(plan.run.rating.plain())))
    if len(rows) < len(plan.bots):
        return False
    return all(
        _bot_reached(row, plan.config.target_error) for row in rows if plan.config.focus in (None, row.bot)
    )


def _bot_reached(row: "Standing", target: float | None) -> bool:
    """One-sided results have rough errors, which more of the same results would hardly change."""
    if set(row.flags) & set("~!<>"):
        return row.groups >= MIN_GROUPS_ONE_SIDED
    return row.error is not None and target is not None and row.error <= target and row.groups >= MIN_GROUPS


def outcome_of(game: Summary) -> "Outcome":
    from arena.rating.outcome import Outcome

    return Outcome(game.bots, game.places, game.seed_group, game.forfeits)


def size(plan: Plan[Config]) -> int | None:
    """Whole seed groups are played, so this may be a little more than `games`."""
    if plan.config.games is None:
        return None
    games = plan.config.games // sum(plan.seats) * sum(plan.seats)
    for seats in plan.seats:
        games += seats if games < plan.config.games else 0
    return games


def describe(plan: Plan[Config]) -> list[str]:
    bots, target = plan.config.focus or "every bot", plan.config.target_error
    ends = [f"the error of {bots} is at most {target:g} Elo"] if target is not None else []
    ends += [f"there are {plan.config.games} games"] if plan.config.games is not None else []
    seats = " or ".join(map(str, plan.seats))
    apart = ", authors apart" if plan.teams else ""
    return [f"{seats} seats{apart}, the line-ups that reduce the errors most, until {' or '.join(ends)}"]


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
