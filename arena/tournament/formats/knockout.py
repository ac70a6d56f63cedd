"""Knockout: the best bots of each table advance to the next round, until one table is left."""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain
from typing import Literal

from arena.config.values import Count
from arena.referee.placings import Place, Placings
from arena.referee.record import Summary
from arena.tournament.formats.config import Field, Problem
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


@dataclass(frozen=True, kw_only=True)
class Config(RoundsConfig):
    format: Literal["knockout"] = "knockout"
    advance: Count | None = None
    """How many bots of each table of a knockout advance; by default half."""


def _problems(config: Config, field: Field) -> Iterator[Problem]:
    yield from one_size("knockout", config, field)
    if (config.advance or 1) >= field.seats[0]:
        yield "advance", f"should be less than the {field.seats[0]} seats of a table"


def _complete(config: Config, field: Field) -> Config:
    return replace(config, advance=config.advance or field.seats[0] // 2)


def _advance_of(plan: Plan[Config]) -> int:
    return plan.config.advance or plan.seats[0] // 2


def rounds(plan: Plan[Config], played: Played) -> Iterator[Round]:
    remaining, byes, number = seed_order(plan), Counter[str](), 0
    while len(remaining) > 1:
        this = _draw(plan, number, remaining, byes)
        yield this
        winners = set(advancing(plan, this, scores_of(plan, this, played)))
        remaining = [bot for bot in remaining if bot in winners]
        byes.update(this.byes)
        number += 1


def _draw(plan: Plan[Config], number: int, remaining: Sequence[str], byes: Counter[str]) -> Round:
    # The best seeds have the byes, bots with fewer byes first, and the best meet the worst.
    seats = plan.seats[0]
    count = steps(len(remaining), seats, _advance_of(plan))[0][1]
    out = sorted(remaining, key=lambda bot: byes[bot])[: len(remaining) - count * seats]
    order = [bot for bot in remaining if bot not in out]
    wanted = chain.from_iterable(serpentine(len(order), count))
    seated = seat_apart(order, seats, _split_teams(order, plan.teams, count), wanted)
    return make_round(plan, number, tables_of([order[place] for place in seated], seats), out)


def serpentine(bots: int, tables: int) -> list[list[int]]:
    """The places at each table, dealt back and forth: 0 3 4 7 and 1 2 5 6 for eight bots at two tables."""
    seated: list[list[int]] = [[] for _ in range(tables)]
    for place in range(bots):
        lap, table = divmod(place, tables)
        seated[tables - 1 - table if lap % 2 else table].append(place)
    return seated


def _split_teams(order: Sequence[str], teams: Mapping[str, str], tables: int) -> dict[str, tuple[str, int]]:
    # Teams with more bots than tables become parts that fit, so that few team-mates share a table.
    seen, parts = Counter[str](), {}
    for bot in order:
        team = teams.get(bot, bot)
        parts[bot] = team, seen[team] // tables
        seen[team] += 1
    return parts


def steps(bots: int, seats: int, advance: int) -> list[tuple[int, int, int]]:
    """The rounds to come: the numbers of bots, of tables, and of bots that advance."""
    # Each round aims for the next number of bots from which all further rounds need no byes, such as 8, 4, 2.
    # It has as few tables as reach this number, or as many as the bots fill if that is not enough. If the
    # best of each table and the byes are fewer than the aim, the best of the other bots advance, too.
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
    """The values that rank the bots after a round, by bot: points, games won, games, and seed."""

    points: Mapping[str, int]
    won: Mapping[str, int]
    games: Mapping[str, Sequence[Summary]]
    seeds: Mapping[str, int]


def scores_of(plan: Plan[Config], this: Round, played: Played) -> Scores:
    won: Counter[str] = Counter()
    games: dict[str, list[Summary]] = {}
    for game in (played[fixture.id] for fixture in this.games):
        for bot, place in zip(game.bots, game.places, strict=True):
            won[bot] += place == 1
            games.setdefault(bot, []).append(game)
    seeds = {bot: seed for seed, bot in enumerate(seed_order(plan))}
    return Scores(this.points(plan, played), won, games, seeds)


def advancing(plan: Plan[Config], this: Round, scores: Scores) -> list[str]:
    """The bots that advance: those with a bye, the best of each table, and more of the best if needed."""
    bots = len(this.byes) + sum(map(len, this.tables))
    left = steps(bots, plan.seats[0], _advance_of(plan))[0][2]
    best = min(_advance_of(plan), left)  # one in the final
    ranked = [ranked_by(scores, table) for table in this.tables]
    first = [*this.byes, *(bot for table in ranked for bot in table[:best])]
    rest = ranked_by(scores, [bot for table in ranked for bot in table[best:]], duels=False)
    return first + rest[: left - len(first)]


def ranked_by(scores: Scores, bots: Sequence[str], duels: bool = True) -> list[str]:
    """The bots, best first: by points, then games won, then results among equals, then seed."""
    # Bots from different tables did not meet; they are ranked without `duels`, the results among equals.

    def key(bot: str) -> tuple[int, int, int, int]:
        score = scores.points[bot], scores.won[bot]
        equals = [other for other in bots if (scores.points[other], scores.won[other]) == score]
        ahead = _net_wins(scores.games[bot], bot, equals) if duels and len(equals) > 1 else 0
        return -score[0], -score[1], -ahead, scores.seeds[bot]

    return sorted(bots, key=key)


def _net_wins(games: Sequence[Summary], bot: str, rivals: Collection[str]) -> int:
    """How often the bot finished ahead of one of these rivals, minus how often it finished behind one."""
    net = 0
    for game in games:
        place = dict(zip(game.bots, game.places, strict=True))
        met = place.keys() & set(rivals)
        net += sum((place[rival] > place[bot]) - (place[rival] < place[bot]) for rival in met)
    return net


def _placings(plan: Plan[Config], played: Played) -> Placings:
    # By the last round that they reached, then by their rank in it. Before the end, bots that are still in
    # come first, by seed.
    eliminated: list[str] = []
    remaining = seed_order(plan)
    rounds_played = []
    for this in finished_rounds(rounds, plan, played):
        scores = scores_of(plan, this, played)
        winners = set(advancing(plan, this, scores))
        seated = [bot for table in this.tables for bot in table]
        order = ranked_by(scores, seated, duels=len(this.tables) == 1)
        eliminated = [bot for bot in order if bot not in winners] + eliminated
        remaining = [bot for bot in remaining if bot in winners]
        ranked = [ranked_by(scores, table) for table in this.tables]
        rounds_played.append(this.as_played(plan, scores.points, ranked, winners))
    return Placings(tuple(map(Place, remaining + eliminated)), tuple(rounds_played))


def _size(plan: Plan[Config]) -> int:
    seats = plan.seats[0]
    tables = sum(tables for _, tables, _ in steps(len(plan.bots), seats, _advance_of(plan)))
    return tables * plan.config.groups * seats


def _describe(plan: Plan[Config]) -> list[str]:
    seats, rounds = plan.seats[0], steps(len(plan.bots), plan.seats[0], _advance_of(plan))
    path = "".join(f"{bots} bots at {tables} tables, then " for bots, tables, _ in rounds[:-1])
    apart = ", authors apart as far as possible" if plan.teams else ""
    tables = _size(plan) // (plan.config.groups * seats)
    return [
        f"knockout{apart}, the best {_advance_of(plan)} of {seats} advance: {path}a last table",
        f"{tables} tables x {plan.config.groups} groups x {seats} rotations = {_size(plan)} games",
    ]


FORMAT = Format(Config, partial(games_of, rounds), _size, _describe, _problems, _complete, placings=_placings)
