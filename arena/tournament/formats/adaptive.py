"""Adaptive: plays the line-ups that reduce the errors of the ratings most.

The games are played in batches. Each batch is chosen from the results of all earlier ones, so a run that
continues after a kill makes the same choices again. A new bot, another focus or an exclusion begins a new
*phase* of the run: its seed groups have their own tag in their names, and are numbered from 0.

Excluded bots do not play. Bots that forfeited their last `FORFEITS_IN_A_ROW` games are *failing*: their games
say nothing about strength. One of `TRIAL_EVERY` line-ups has a failing bot, to see whether it works again.
"""

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from itertools import takewhile
from math import inf
from typing import TYPE_CHECKING, Literal

from arena.config.text import list_words
from arena.config.values import Text
from arena.rating.settings import RatingSettings, Widening
from arena.referee.deals import derive
from arena.referee.fixture import Fixture, to_json
from arena.referee.record import Summary
from arena.rules.chance import Chance
from arena.tournament.formats.config import Games, MoreThanZero, Participants, Problem, Teams
from arena.tournament.formats.lineups import Bots
from arena.tournament.formats.plan import WAIT, Due, Format, Plan, Played
from arena.tournament.formats.seating import seed_group

if TYPE_CHECKING:  # These import numpy, which a plan of another format does not need.
    from arena.rating.outcomes import Outcome
    from arena.rating.standings import Standing

RANDOM_EVERY = 10  # One of so many line-ups of each size is random: the rating model may be wrong.
BATCH_DIVISOR = 10  # A batch is at least a tenth of the groups so far, which limits their number.
FORFEITS_IN_A_ROW = 10  # Then a bot counts as failing.
TRIAL_EVERY = 20  # One of so many line-ups of each size has a failing bot, if there are any.
MIN_GROUPS = 30  # With fewer seed groups the error of a bot is not reliable.
MIN_GROUPS_ONE_SIDED = 120  # So many seed groups are enough for a bot that always wins or loses.


@dataclass(frozen=True, kw_only=True)
class Config(Teams, Games):
    format: Literal["adaptive"] = "adaptive"
    target_error: MoreThanZero | None = None
    """An adaptive tournament ends when the error of every bot is at most this many Elo."""
    focus: Text | None = None
    """The only bot whose error counts in an adaptive tournament."""


def _problems(config: Config, field: Participants) -> Iterator[Problem]:
    yield from field.unknown("focus", [config.focus] if config.focus is not None else [])
    if config.games is None and config.target_error is None:
        yield "format", "adaptive needs games: or target_error:, to know when to stop"


def fixtures(plan: Plan[Config], played: Played) -> Due:
    """The games of the phase: batch after batch, until there are enough games or the errors are small."""
    tag = phase_tag(plan)
    before, most = _outcomes_before(plan, played, tag), _games_left(plan, played, tag)
    phase: list[Outcome] = []
    games: list[Fixture] = []  # of this batch; earlier ones are in the phase
    groups = 0
    while len(phase) + len(games) < most:
        # A `WAIT` ends each batch, so all of its games are in `played` now.
        phase += [_outcome_of(played[game.id]) for game in games]
        games.clear()
        failing = _failing_bots(plan, before, phase)
        if _reason_to_stop(plan, failing):
            return
        outcomes = before + phase
        if plan.config.target_error is not None and has_reached_target(plan, outcomes, failing):
            return
        # A batch has at least a group for each bot, and more later, because each batch needs a fit of all
        # games.
        batch = range(groups, groups + max(len(plan.bots) - len(plan.excluded), groups // BATCH_DIVISOR))
        for number, lineup in zip(batch, _next_lineups(plan, failing, outcomes, batch), strict=True):
            if len(phase) + len(games) >= most:
                break
            group = seed_group(plan, lineup, f"{number}/{tag}", number)
            yield from group
            games += group
        groups = batch.stop
        yield WAIT


def phase_tag(plan: Plan[Config]) -> str:
    """The tag of the plan's phase: a hash of its versions of bots, focus, seats, teams and exclusions."""
    # It has six hex digits, and four more if bots are excluded.
    bots = sorted((name, bot.fingerprint) for name, bot in plan.bots.items())
    parts = [bots, plan.config.focus, plan.seats]
    parts += [sorted(plan.teams.items())] if plan.teams else []
    tag = sha256(to_json(parts).encode()).hexdigest()[:6]
    return tag + sha256(to_json(sorted(plan.excluded)).encode()).hexdigest()[:4] if plan.excluded else tag


def _games_left(plan: Plan[Config], played: Played, tag: str) -> float:
    """The number of games that the key `games` allows the phase; inf without the key."""
    if plan.config.games is None:
        return inf
    # An exclusion does not prolong the run, so games from before it count. It keeps the first six digits of a
    # tag.
    tags = (game.seed_group.rpartition("/")[2] for game in played.values())
    earlier = [each for each in takewhile(lambda each: each != tag, tags) if each.startswith(tag[:6])]
    return plan.config.games - len(earlier)


def _outcomes_before(plan: Plan[Config], played: Played, tag: str) -> list["Outcome"]:
    """The games between current versions of bots that were played before this phase began.

    Excluded bots are taken out of the games.
    """
    # Without the games of later phases, a phase that continues has the same line-ups as before.
    versions = {name: bot.fingerprint for name, bot in plan.bots.items()}
    before = takewhile(lambda game: not game.seed_group.endswith(f"/{tag}"), played.values())
    current = [game for game in before if [*map(versions.get, game.bots)] == [*game.fingerprints]]
    outcomes = [_outcome_of(game).without(plan.excluded) for game in current]
    return [outcome for outcome in outcomes if outcome]


def _failing_bots(plan: Plan[Config], before: Sequence["Outcome"], phase: Sequence["Outcome"]) -> Bots:
    """The bots that forfeited at least their last `FORFEITS_IN_A_ROW` games, by name."""
    # The games `before` the phase are sorted by name, because the order of their ends is not repeatable.
    forfeits, others = Counter[str](), set[str]()
    earlier = sorted(before, key=lambda outcome: (outcome.group, outcome.bots))
    for outcome in reversed([*earlier, *phase]):
        for seat, bot in enumerate(outcome.bots):
            # This goes backwards in time, up to the latest game without a forfeit.
            if seat not in outcome.forfeits:
                others.add(bot)
            elif bot not in others:
                forfeits[bot] += 1
    return tuple(sorted(bot for bot, count in forfeits.items() if count >= FORFEITS_IN_A_ROW))


def _reason_to_stop(plan: Plan[Config], failing: Collection[str]) -> str:
    """Why no more games are due, with these exclusions and failing bots; "" if games may be due."""
    bots = plan.bots.keys() - plan.excluded
    working = {plan.teams.get(bot, bot) for bot in bots - set(failing)}
    only = f"{plan.config.focus}, the only bot whose error counts,"
    if plan.config.focus in plan.excluded:
        return f"{only} is excluded (arena exclude --undo)"
    if plan.config.focus in failing:
        return f"{only} has forfeited its last {FORFEITS_IN_A_ROW} games"
    if len(working) < max(plan.seats):
        return f"without excluded and forfeiting bots, too few are left for {max(plan.seats)} seats"
    return ""


def notices(plan: Plan[Config], played: Played) -> list[str]:
    """Notices for users about bots that play fewer games than others, or about the end of all games."""
    tag = phase_tag(plan)
    games = [game for game in played.values() if game.seed_group.endswith(f"/{tag}")]
    games.sort(key=lambda game: (int(game.seed_group.split()[-1].split("/")[0]), game.rotation))
    failing = _failing_bots(plan, _outcomes_before(plan, played, tag), list(map(_outcome_of, games)))
    share = f"at most {100 / TRIAL_EVERY:g} % of the line-ups from now on"
    told = [f"{bot} has forfeited its last {FORFEITS_IN_A_ROW} games: it plays in {share}" for bot in failing]
    reason = _reason_to_stop(plan, failing)
    return [f"no more games: {reason}"] if reason else told


def _next_lineups(
    plan: Plan[Config], failing: Sequence[str], outcomes: Sequence["Outcome"], batch: Sequence[int]
) -> Iterator[Bots]:
    """Yields a line-up for each group number in `batch`. The sizes of tables in `seats:` take turns."""
    from arena.rating.experiments import Estimates

    names = sorted(plan.bots.keys() - plan.excluded - set(failing))
    # The fit excludes the games of failing bots: a forfeit says nothing about the strength of the others.
    outcomes = [left for outcome in outcomes if (left := outcome.without(failing))]
    estimates = Estimates.of(outcomes, names, RatingSettings.prior)
    turns = {number: number // len(plan.seats) + 1 for number in batch}  # Each size of tables counts its own.
    sizes = {number: plan.seats[number % len(plan.seats)] for number in batch}
    teams = {name: plan.teams.get(name, name) for name in names}
    best_sizes = (sizes[number] for number in batch if turns[number] % RANDOM_EVERY)
    best = estimates.best_lineups(best_sizes, plan.config.focus or None, teams)
    # `best` chooses each line-up as if the earlier ones had been played, so it is read in group order.
    for number in batch:
        if turns[number] % RANDOM_EVERY:
            yield next(best)
        else:  # The line-up is random, or a trial.
            trial, rest = divmod(turns[number], TRIAL_EVERY)
            tried = [failing[trial % len(failing)]] if failing and not rest else []
            present = teams | {bot: plan.teams.get(bot, bot) for bot in tried}
            chance = Chance(derive(plan.secret, f"lineup/{number}").hex())
            while len(tried) < sizes[number]:
                taken = {present[bot] for bot in tried}
                tried.append(
                    chance.pick("lineup", tuple(bot for bot in present if present[bot] not in taken))
                )
            yield tuple(sorted(tried))


def has_reached_target(
    plan: Plan[Config], outcomes: Sequence["Outcome"], failing: Collection[str] = ()
) -> bool:
    """Whether every bot, or the bot in focus, has a small enough error from enough seed groups.

    Bots that are `failing` do not count.
    """
    from arena.rating.standings import rate_all

    # A bot without games has no row, and no error.
    rows = rate_all(outcomes, plan.run.rating, plan.format.widenings).standings()
    if len(rows) < len(plan.bots) - len(plan.excluded):
        return False
    counted = [row for row in rows if plan.config.focus in (None, row.bot) and row.bot not in failing]
    return all(_has_reached(row, plan.config.target_error) for row in counted)


def _has_reached(row: "Standing", target: float | None) -> bool:
    # One-sided results have rough errors, which more such results would hardly change. So they need more
    # groups instead.
    if set(row.flags) & set("~!<>"):
        return row.groups >= MIN_GROUPS_ONE_SIDED
    return row.error is not None and target is not None and row.error <= target and row.groups >= MIN_GROUPS


def _outcome_of(game: Summary) -> "Outcome":
    from arena.rating.outcomes import Outcome

    return Outcome(game.bots, game.places, game.seed_group, game.forfeits)


def _size(plan: Plan[Config]) -> int | None:
    if plan.config.games is None:
        return None
    # It may be more: seed groups are played whole.
    games = plan.config.games // sum(plan.seats) * sum(plan.seats)
    for seats in plan.seats:
        games += seats if games < plan.config.games else 0
    return games


def _describe(plan: Plan[Config]) -> list[str]:
    bots, target = plan.config.focus or "every bot", plan.config.target_error
    ends = [f"the error of {bots} is at most {target:g} Elo"] if target is not None else []
    ends += [f"there are {plan.config.games} games"] if plan.config.games is not None else []
    seats = list_words(plan.seats, "or")
    apart = ", authors apart" if plan.teams else ""
    return [f"{seats} seats{apart}, the line-ups that reduce the errors most, until {list_words(ends, 'or')}"]


FORMAT = Format(
    Config,
    fixtures,
    _size,
    _describe,
    _problems,
    extendable=("bots",),
    free=("games", "target_error", "focus"),
    notices=notices,
    open_ended=True,
    widenings=(Widening(0.75, groups=18),),
)
