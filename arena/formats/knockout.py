"""Knockout: the best of each table go on, until a last table has a winner."""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain

from arena.core.values import Count
from arena.formats.config import Field, Problem
from arena.formats.pairing import cut, spread
from arena.formats.plan import Due, Format, Plan, Played
from arena.formats.rounds import (
    Round,
    RoundsConfig,
    finished,
    games_of,
    most_points,
    numbered,
    one_size,
    percent,
    seeded,
    set_up,
)
from arena.records.record import Summary


@dataclass(frozen=True, kw_only=True)
class Config(RoundsConfig):
    """How many bots go on."""

    advance: Count | None = None
    """How many of a knockout's table go on; by default half."""


def problems(config: Config, field: Field) -> Iterator[Problem]:
    yield from one_size("knockout", config, field)
    if (config.advance or 1) >= field.seats[0]:
        yield "advance", f"should be less than the {field.seats[0]} seats of a table"


def complete(config: Config, field: Field) -> Config:
    return replace(config, advance=config.advance or field.seats[0] // 2)


def advance_of(plan: Plan[Config]) -> int:
    return plan.config.advance or plan.seats[0] // 2


def fixtures(plan: Plan[Config], played: Played) -> Due:
    return games_of(plan, played, rounds)


def rounds(plan: Plan[Config], played: Played) -> Iterator[Round]:
    alive, byes, number = seeded(plan), Counter[str](), 0
    while len(alive) > 1:
        this = draw(plan, number, alive, byes)
        yield this
        on = set(going_on(plan, this, scores(plan, this, played)))
        alive = [bot for bot in alive if bot in on]
        byes.update(this.byes)
        number += 1


def draw(plan: Plan[Config], number: int, alive: Sequence[str], byes: Counter[str]) -> Round:
    """`alive` are the bots by seed. The best have the byes (fewest so far first); best meets worst."""
    seats = plan.seats[0]
    count = steps(len(alive), seats, advance_of(plan))[0][1]
    out = sorted(alive, key=lambda bot: byes[bot])[: len(alive) - count * seats]
    order = [bot for bot in alive if bot not in out]
    wanted = chain.from_iterable(serpentine(len(order), count))
    seated = spread(order, seats, parted(order, plan.teams, count), wanted)
    return set_up(plan, number, cut([order[place] for place in seated], seats), out)


def serpentine(bots: int, tables: int) -> list[list[int]]:
    """Places dealt out forth and back: 0 7 and 1 6 and 2 5 and 3 4; or 0 3 4 7 and 1 2 5 6."""
    seated: list[list[int]] = [[] for _ in range(tables)]
    for place in range(bots):
        lap, table = divmod(place, tables)
        seated[tables - 1 - table if lap % 2 else table].append(place)
    return seated


def parted(order: Sequence[str], teams: Mapping[str, str], tables: int) -> dict[str, tuple[str, int]]:
    """The teams in parts for which there are tables enough: so few of a large one meet at each."""
    seen, parts = Counter[str](), {}
    for bot in order:
        team = teams.get(bot, bot)
        parts[bot] = team, seen[team] // tables
        seen[team] += 1
    return parts


def steps(bots: int, seats: int, advance: int) -> list[tuple[int, int, int]]:
    """The rounds to come: how many bots there are, how many tables, and how many bots go on.

    The aim of a round is the next number from which all further rounds are full, such as 8, 4, 2. As few
    tables play as lead there, all that can be filled if even these do not. More than the best of each
    table go on where fewer than the aim would be left.
    """
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
    """What a round says of its bots: points, games won, the games of each; and their seeds."""

    points: Mapping[str, int]
    won: Mapping[str, int]
    games: Mapping[str, Sequence[Summary]]
    seeds: Mapping[str, int]


def scores(plan: Plan[Config], this: Round, played: Played) -> Scores:
    won: Counter[str] = Counter()
    games: dict[str, list[Summary]] = {}
    for game in (played[fixture.id] for fixture in this.games):
        for bot, place in places_of(game):
            won[bot] += place == 1
            games.setdefault(bot, []).append(game)
    seeds = {bot: seed for seed, bot in enumerate(seeded(plan))}
    return Scores(this.points(plan, played), won, games, seeds)


def going_on(plan: Plan[Config], this: Round, known: Scores) -> list[str]:
    """Those with a bye, the best of each table, and the best of the rest where places are left."""
    bots = len(this.byes) + sum(map(len, this.tables))
    left = steps(bots, plan.seats[0], advance_of(plan))[0][2]
    best = min(advance_of(plan), left)  # one in the final
    placed = [placing(known, table) for table in this.tables]
    on = [*this.byes, *(bot for table in placed for bot in table[:best])]
    rest = placing(known, [bot for table in placed for bot in table[best:]], duels=False)
    return on + rest[: left - len(on)]


def placing(known: Scores, bots: Sequence[str], duels: bool = True) -> list[str]:
    """These bots, best first: by points, then games won, then points among equals, then seed.

    Without `duels`, bots from different tables can be compared.
    """

    def key(bot: str) -> tuple[int, int, int, int]:
        worth = known.points[bot], known.won[bot]
        equals = [other for other in bots if (known.points[other], known.won[other]) == worth]
        ahead = lead(known.games[bot], bot, equals) if duels and len(equals) > 1 else 0
        return -worth[0], -worth[1], -ahead, known.seeds[bot]

    return sorted(bots, key=key)


def places_of(game: Summary) -> Iterator[tuple[str, int]]:
    return zip(game.bots, game.places, strict=True)


def lead(games: Sequence[Summary], bot: str, rivals: Collection[str]) -> int:
    """How much oftener the bot was before one of these rivals than behind one."""
    return sum(
        (other > place) - (other < place)
        for game in games
        for place in [game.places[game.bots.index(bot)]]
        for rival, other in places_of(game)
        if rival in rivals
    )


def ranking(plan: Plan[Config], played: Played) -> list[str]:
    """The bots by their places: by the last round that they reached, then by their place in it.

    Before the end, bots that are still in come first, by seed.
    """
    places: list[str] = []
    alive = seeded(plan)
    for this in finished(plan, played, rounds):
        known = scores(plan, this, played)
        on = set(going_on(plan, this, known))
        seated = [bot for table in this.tables for bot in table]
        order = placing(known, seated, duels=len(this.tables) == 1)
        places = [bot for bot in order if bot not in on] + places
        alive = [bot for bot in alive if bot in on]
    return alive + places


def placings(plan: Plan[Config], played: Played) -> list[str]:
    """Each table of each round: the bots that went on, and the others; then the places."""
    lines = []
    for this in finished(plan, played, rounds):
        known = scores(plan, this, played)
        on = set(going_on(plan, this, known))
        lines.append(f"round {this.number + 1}:" + f" {', '.join(this.byes)} sat out" * bool(this.byes))
        for table in this.tables:
            order = placing(known, table)
            words = {bot: f"{bot} {percent(known.points[bot], most_points(plan))}" for bot in order}
            went, left = ([words[bot] for bot in order if (bot in on) == kept] for kept in (True, False))
            lines.append(f"     {', '.join(went) or 'none'} before {', '.join(left) or 'none'}")
    return [*lines, "places:", *numbered(ranking(plan, played))]


def size(plan: Plan[Config]) -> int:
    seats = plan.seats[0]
    tables = sum(tables for _, tables, _ in steps(len(plan.bots), seats, advance_of(plan)))
    return tables * plan.config.groups * seats


def describe(plan: Plan[Config]) -> list[str]:
    seats, rounds = plan.seats[0], steps(len(plan.bots), plan.seats[0], advance_of(plan))
    way = "".join(f"{bots} bots at {tables} tables, then " for bots, tables, _ in rounds[:-1])
    apart = ", authors apart while they can be" if plan.teams else ""
    tables = size(plan) // (plan.config.groups * seats)
    return [
        f"knockout{apart}, the best {advance_of(plan)} of {seats} go on: {way}a last table",
        f"{tables} tables x {plan.config.groups} groups x {seats} rotations = {size(plan)} games",
    ]


FORMAT = Format(
    "knockout", Config, fixtures, size, describe, problems, complete, ranking=ranking, placings=placings
)
