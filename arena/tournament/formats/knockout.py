"""Knockout: the best bots of each table advance to the next round, until the last table has a winner."""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain
from typing import Annotated, Literal

from pydantic import Field as Constraint
from pydantic import Strict

from arena.config.values import MAX_COUNT, Count
from arena.rating.settings import Widening
from arena.referee.fixture import Fixture
from arena.referee.placings import Placing, Placings, PlayedRound
from arena.referee.record import Summary
from arena.tournament.formats.config import Participants, Problem
from arena.tournament.formats.lineups import Bots
from arena.tournament.formats.pairing import seat_apart, tables_of
from arena.tournament.formats.plan import Format, Plan, Played
from arena.tournament.formats.rounds import (
    Round,
    RoundsConfig,
    finished_rounds,
    games_of,
    make_round,
    one_size,
    seed_order,
)
from arena.tournament.formats.seating import seed_group

_TITLES = "final", "semi-finals", "quarter-finals"  # last rounds with 1, 2 and 4 tables
_FURTHER = 1_000_000  # This is added to the numbers of further seed groups.


@dataclass(frozen=True, kw_only=True)
class Config(RoundsConfig):
    format: Literal["knockout"] = "knockout"
    advance: Count | None = None
    """How many bots of each table of a knockout advance; by default half."""
    further_groups: Annotated[int, Strict(), Constraint(ge=0, le=MAX_COUNT)] = 10
    """The most further seed groups of a knockout table while a tie leaves open which bots advance."""


def _problems(config: Config, field: Participants) -> Iterator[Problem]:
    yield from one_size("knockout", config, field)
    if (config.advance or 1) >= field.seats[0]:
        yield "advance", f"should be less than the {field.seats[0]} seats of a table"


def _complete(config: Config, field: Participants) -> Config:
    return replace(config, advance=config.advance or field.seats[0] // 2)


def _advance_of(plan: Plan[Config]) -> int:
    return plan.config.advance or plan.seats[0] // 2


def _steps_of(plan: Plan[Config], bots: int) -> list[tuple[int, int, int]]:
    return steps(bots, plan.seats[0], _advance_of(plan))


def rounds(plan: Plan[Config], played: Played) -> Iterator[Round]:
    """The rounds (see `Rounds`); each is repeated with every set of further games that it needs."""
    remaining, lost, byes, number = seed_order(plan), list[str](), Counter[str](), 0
    while len(remaining) > 1:
        this = _draw(plan, number, remaining, lost, byes)
        yield this
        while games := _further_games(plan, this, played):
            this = replace(this, further=(*this.further, games))
            yield this
        scores = scores_of(plan, this, played)
        winners = set(advancing(plan, this, scores))
        lost = _lost(this, scores, winners)
        remaining = [bot for bot in remaining if bot in winners]
        byes.update(this.byes)
        number += 1


def _draw(
    plan: Plan[Config], number: int, remaining: Sequence[str], lost: Sequence[str], byes: Counter[str]
) -> Round:
    # The best seeds get the byes, bots with fewer byes first, and the best meet the worst. Beside the last
    # table, the best bots that `lost` in the previous round play for the next places.
    seats, ((_, count, left), *later) = plan.seats[0], _steps_of(plan, len(remaining))
    out = sorted(remaining, key=lambda bot: byes[bot])[: len(remaining) - count * seats]
    order = [bot for bot in remaining if bot not in out]
    wanted = chain.from_iterable(serpentine(len(order), count))
    seated = seat_apart(order, seats, _split_teams(order, plan.teams, count), wanted)
    tables = tables_of([order[place] for place in seated], seats)
    beside = [tuple(lost[:seats])] if not later and len(lost) >= seats else []
    this = make_round(plan, number, [*tables, *beside], out)
    named = len(later) < len(_TITLES) and count == 2 ** len(later)
    title = _TITLES[len(later)] if named else this.title
    return replace(this, tables=tuple(tables), title=title, left=left, consolation=sum(beside, ()))


def _further_games(plan: Plan[Config], this: Round, played: Played) -> tuple[Fixture, ...]:
    """A further seed group of each table whose tie leaves open which bots advance, or which is third.

    All games are in one tuple; () if there is no such tie, or `further_groups` were played.
    """
    if len(this.further) >= plan.config.further_groups:
        return ()
    number = _FURTHER + this.number * plan.config.further_groups + len(this.further)
    scores = scores_of(plan, this, played)
    tied = [table for table, best in _contests(plan, this) if _criterion(scores, table, best) > _BY_GAMES]
    return tuple(game for table in tied for game in seed_group(plan, sorted(table), number, number))


def _contests(plan: Plan[Config], this: Round) -> Iterator[tuple[Bots, int]]:
    """Each table, and the number of bots that its own games choose to advance or to be third."""
    # A single table chooses all bots that advance. Of several tables, each chooses its best; further games do
    # not choose among the others, because these have not met.
    best = this.left - len(this.byes) if len(this.tables) == 1 else _advance_of(plan)
    yield from ((table, best) for table in this.tables)
    if len(this.consolation) == 2:  # With more seats, its bots play for all of its places.
        yield this.consolation, 1


def serpentine(bots: int, tables: int) -> list[list[int]]:
    """The places in the order of the bots (0 is the best) that each table gets, dealt back and forth.

    Eight bots at two tables are [0, 3, 4, 7] and [1, 2, 5, 6].
    """
    seated: list[list[int]] = [[] for _ in range(tables)]
    for place in range(bots):
        lap, table = divmod(place, tables)
        seated[tables - 1 - table if lap % 2 else table].append(place)
    return seated


def _split_teams(order: Sequence[str], teams: Mapping[str, str], tables: int) -> dict[str, tuple[str, int]]:
    # Teams with more bots than tables are split into parts that fit, so few team-mates share a table.
    seen, parts = Counter[str](), {}
    for bot in order:
        team = teams.get(bot, bot)
        parts[bot] = team, seen[team] // tables
        seen[team] += 1
    return parts


def steps(bots: int, seats: int, advance: int) -> list[tuple[int, int, int]]:
    """The next rounds: for each the numbers of bots, of tables, and of bots left after it."""
    # Each round aims for the next number of bots from which no later round needs byes, such as 8, 4, 2. It
    # has the fewest tables that reach this number, or else as many as the bots fill. If the best of each
    # table and the byes are fewer than the aim, the best of the other bots advance as well.
    full = [seats]
    while full[-1] % advance == 0 and full[-1] < bots:
        full.append(full[-1] // advance * seats)
    rounds = []
    while bots > seats:
        aim = max(number for number in full if number < bots)
        tables = min(-(-(bots - aim) // (seats - advance)), bots // seats)
        left = max(aim, bots - tables * (seats - advance))
        rounds.append((bots, tables, left))
        bots = left
    return [*rounds, (seats, 1, 1)]


@dataclass(frozen=True)
class Scores:
    """The values that rank the bots of a round, by bot.

    `further` has the points in further games, `won` counts games won, including shared wins, and the best
    seed is 0.
    """

    points: Mapping[str, int]
    further: Mapping[str, int]
    won: Mapping[str, int]
    games: Mapping[str, Sequence[Summary]]
    seeds: Mapping[str, int]


def scores_of(plan: Plan[Config], this: Round, played: Played) -> Scores:
    """The scores of a round whose games were all played."""
    further = tuple(chain(*this.further))
    won, games = Counter[str](), defaultdict[str, list[Summary]](list)
    for game in (played[fixture.id] for fixture in this.games):
        won.update(bot for bot, place in zip(game.bots, game.places, strict=True) if place == 1)
    for game in (played[fixture.id] for fixture in (*this.games, *further)):
        for bot in game.bots:
            games[bot].append(game)
    seeds = {bot: seed for seed, bot in enumerate(seed_order(plan))}
    more = replace(this, games=further, byes=()).points(plan, played)
    return Scores(this.points(plan, played), more, won, games, seeds)


def advancing(plan: Plan[Config], this: Round, scores: Scores) -> list[str]:
    """The bots that advance: those with a bye, the best of each table, and more of the best if needed."""
    best, others, more = _by_tables(plan, this, scores)
    return [*this.byes, *best, *others[:more]]


def _by_tables(plan: Plan[Config], this: Round, scores: Scores) -> tuple[list[str], list[str], int]:
    """The best of each table, which advance; the others, best first; and how many others advance."""
    ranked = [(ranked_by(scores, table), best) for table, best in _contests(plan, this)][: len(this.tables)]
    chosen = [bot for table, best in ranked for bot in table[:best]]
    others = [bot for table, best in ranked for bot in table[best:]]
    return chosen, ranked_by(scores, others, met=False), this.left - len(this.byes) - len(chosen)


def ranked_by(scores: Scores, bots: Sequence[str], met: bool = True) -> list[str]:
    """The bots, best first.

    Further groups and games against each other count only if all have `met` at one table.
    """
    return sorted(bots, key=_keys(scores, bots, met).__getitem__)


_CRITERIA = "points", "more groups", "games won", "games against each other", "better seed"
_BY_GAMES = 1  # If a later criterion would decide a tie, further games are played instead.


def _keys(scores: Scores, bots: Sequence[str], met: bool) -> dict[str, tuple[int, ...]]:
    """By bot, the sort key: a number for each of `_CRITERIA`, lower for the better bot."""
    values = {bot: (scores.points[bot], scores.further[bot] * met, scores.won[bot]) for bot in bots}
    keys = {}
    for bot, value in values.items():
        equals = [other for other in bots if values[other] == value]
        ahead = _net_wins(scores.games[bot], bot, equals) if met and len(equals) > 1 else 0
        keys[bot] = (*(-each for each in value), -ahead, scores.seeds[bot])
    return keys


def _criterion(scores: Scores, bots: Sequence[str], best: int, met: bool = True) -> int:
    """The index in `_CRITERIA` of the criterion that separates the `best` bots from the others.

    It is 0, as for points, if all bots or none are among the best.
    """
    keys = sorted(_keys(scores, bots, met).values())
    if not 0 < best < len(keys):
        return 0
    pairs = zip(keys[best - 1], keys[best], strict=True)
    return next(number for number, (one, two) in enumerate(pairs) if one != two)


def _net_wins(games: Sequence[Summary], bot: str, rivals: Collection[str]) -> int:
    """How often the bot finished ahead of one of these rivals, minus how often it finished behind one."""
    net = 0
    for game in games:
        place = dict(zip(game.bots, game.places, strict=True))
        here = place.keys() & set(rivals)
        net += sum((place[rival] > place[bot]) - (place[rival] < place[bot]) for rival in here)
    return net


def _lost(this: Round, scores: Scores, winners: Collection[str]) -> list[str]:
    """The bots that do not advance, best first, and after them the bots of the table beside the last one."""
    seated = [bot for table in this.tables for bot in table]
    order = ranked_by(scores, seated, met=len(this.tables) == 1)
    return [bot for bot in order if bot not in winners] + ranked_by(scores, this.consolation)


def _placings(plan: Plan[Config], played: Played) -> Placings:
    # Bots are sorted by the last round that they reached, then by their rank in it. Before the end, bots that
    # are still in are first, by seed.
    lost: list[str] = []
    remaining = seed_order(plan)
    rounds_played = []
    for this in finished_rounds(rounds, plan, played):
        scores = scores_of(plan, this, played)
        winners = set(advancing(plan, this, scores))
        lost = _lost(this, scores, winners) + [bot for bot in lost if bot not in this.consolation]
        remaining = [bot for bot in remaining if bot in winners]
        rounds_played.append(_as_played(plan, this, scores, winners))
    return Placings(tuple(map(Placing, remaining + lost)), tuple(rounds_played))


def _as_played(plan: Plan[Config], this: Round, scores: Scores, winners: Collection[str]) -> PlayedRound:
    ranked = [ranked_by(scores, table) for table in (*this.tables, this.consolation) if table]
    found = this.as_played(plan, scores.points, ranked, winners)
    reasons = [[_decision(this, scores, *contest)] for contest in _contests(plan, this)]
    _, others, more = _by_tables(plan, this, scores)
    if others and (criterion := _criterion(scores, others, more, met=False)):
        last = others[more - 1]
        where = next(number for number, table in enumerate(ranked) if last in table)
        reasons[where].append(f"{last} by {_CRITERIA[criterion]}")
    tables = [
        replace(table, decided="; ".join(filter(None, why)))
        for table, why in zip(found.tables, [*reasons, []], strict=False)
    ]
    if this.consolation:
        tables[-1] = replace(tables[-1], title=_places_beside(plan.seats[0]))
    return replace(found, tables=tuple(tables))


def _places_beside(seats: int) -> str:
    return "third place" if seats == 2 else f"places {seats + 1} to {2 * seats}"


def _decision(this: Round, scores: Scores, table: Sequence[str], best: int) -> str:
    """The criterion that decided a tie between a table's `best` bots and others; "" if there was no tie."""
    criterion = _criterion(scores, table, best)
    groups = sum(any(set(game.bots) == set(table) for game in games) for games in this.further)
    more = f"{groups} more group{'s' * (groups != 1)}"
    if criterion <= _BY_GAMES:
        return more if criterion else ""
    return _CRITERIA[criterion] + (f" after {more}" if groups else "")


def _tables_of(plan: Plan[Config]) -> tuple[int, int]:
    """The number of tables of all rounds, and the number (0 or 1) beside the last one."""
    rounds = _steps_of(plan, len(plan.bots))
    beside = int(any(bots - left >= plan.seats[0] for bots, _, left in rounds[-2:-1]))
    return sum(tables for _, tables, _ in rounds) + beside, beside


def _size(plan: Plan[Config]) -> int:
    return _tables_of(plan)[0] * plan.config.groups * plan.seats[0]  # Ties may need more games.


def _describe(plan: Plan[Config]) -> list[str]:
    seats, rounds, most = plan.seats[0], _steps_of(plan, len(plan.bots)), plan.config.further_groups
    tables, beside = _tables_of(plan)
    path = "".join(f"{bots} bots at {tables} tables, then " for bots, tables, _ in rounds[:-1])
    last = f"a last table{f' and one for {_places_beside(seats)}' * beside}"
    apart = ", authors apart as far as possible" if plan.teams else ""
    factors = f"{tables} tables x {plan.config.groups} groups x {seats} rotations"
    more = f", and up to {most} more groups where a tie leaves open who advances" if most else ""
    return [
        f"knockout{apart}, the best {_advance_of(plan)} of {seats} advance: {path}{last}",
        f"{factors} = {_size(plan)} games{more}",
    ]


FORMAT = Format(
    Config,
    partial(games_of, rounds),
    _size,
    _describe,
    _problems,
    _complete,
    placings=_placings,
    widenings=(Widening(0.45, at_larger=0.5),),
)
