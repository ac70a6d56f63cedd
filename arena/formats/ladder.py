"""Ladder: newcomers play their neighbours, then come the pairs that have met least, without end."""

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import combinations

from arena.core.values import MoreThanZero
from arena.formats.config import Games, Teams
from arena.formats.plan import WAIT, Due, Format, Plan, Played
from arena.formats.seating import seed_group
from arena.rating.adaptive import prospects
from arena.rating.estimate import Settings
from arena.rating.outcome import Outcome, to_arrays
from arena.records.record import Summary

NEW = 10  # seed groups within which a bot is a newcomer
NEAR = 3  # times as many neighbours as there are seats for them
GROWTH = 10  # a batch has at least a tenth of the groups so far: ratings of many games take their time


@dataclass(frozen=True, kw_only=True)
class Config(Teams, Games):
    """When it ends."""

    hours: MoreThanZero | None = None
    """How long a ladder runs each time that it is started."""


def fixtures(plan: Plan[Config], played: Played) -> Due:
    """What was begun first; then batch after batch for these bots, until there are `games`."""
    for old, number in begun(plan, played):
        yield from seed_group(plan, old, number, number)
    yield WAIT
    while plan.config.games is None or len(played) < plan.config.games:
        history = MeetingHistory(plan, played)
        room = None if plan.config.games is None else plan.config.games - len(played)
        for _ in range(max(len(plan.bots), sum(history.sizes.values()) // GROWTH)):
            if room is None or room > 0:
                lineup = history.next_lineup()
                games = seed_group(plan, lineup, history.number(lineup), history.number(lineup))
                room = None if room is None else room - len(games)
                history.enter(lineup)
                yield from games
        yield WAIT


def begun(plan: Plan[Config], played: Played) -> list[tuple[list[str], int]]:
    """The seed groups of these bots that lack games, by line-up and number."""
    current = (
        game for game in played.values() if all(is_now(plan, *each) for each in versions_of(game).items())
    )
    count = Counter(game.seed_group for game in current)
    sizes = {name: len(name.split()) - 1 for name in count}
    lacking = [name.split() for name in sorted(count) if count[name] < sizes[name]]
    return [(lineup, int(number)) for *lineup, number in lacking if number.isdecimal()]


def is_now(plan: Plan[Config], name: str, made: str) -> bool:
    """Whether this is a bot of the plan as it is now."""
    return name in plan.bots and plan.bots[name].fingerprint == made


class MeetingHistory:
    """How often each two bots have met, and how strong each bot is by now."""

    def __init__(self, plan: Plan[Config], played: Played):
        self.plan, self.names = plan, sorted(plan.bots)
        self.groups, self.met = Counter[str](), Counter[frozenset[str]]()
        self.sizes = Counter[int]()  # seed groups by the number of seats
        self.used: dict[tuple[str, ...], int] = {}
        groups = {(game.seed_group, frozenset(versions_of(game).items())) for game in played.values()}
        for name, versions in groups:
            *lineup, number = name.split()
            if number.isdecimal():
                self.used[tuple(lineup)] = max(self.used.get(tuple(lineup), -1), int(number))
            self.sizes[len(lineup)] += 1
            self.count([bot for bot, made in versions if is_now(plan, bot, made)])
        self.strength = self.strengths(played)

    def strengths(self, played: Played) -> dict[str, float]:
        """In nats; an old version of a bot is another one."""
        now = {name: f"{name}@{bot.fingerprint}" for name, bot in self.plan.bots.items()}
        games = [
            Outcome(tuple(map("@".join, versions_of(game).items())), game.places, game.seed_group, {})
            for game in played.values()
        ]
        bystanders = [Outcome((name,), (1,), "") for name in now.values()]
        known, tables = to_arrays([*games, *bystanders])
        tables = [table for table in tables if table.size > 1]
        theta, _ = prospects(tables, len(known), self.plan.run.rating.prior or Settings.prior)
        strength = dict(zip(known, theta.tolist(), strict=True))
        return {name: strength[version] for name, version in now.items()}

    def next_lineup(self) -> tuple[str, ...]:
        """A newcomer and the neighbours that it has met least; without newcomers, the bots that met least.

        At a table of the size that was played least.
        """
        seats = min(self.plan.seats, key=lambda size: self.sizes[size])
        first = min(self.names, key=lambda bot: self.groups[bot])
        others = self.names
        if self.groups[first] < NEW:
            lineup = [first]
            others = sorted(others, key=lambda bot: abs(self.strength[bot] - self.strength[first]))
            others = [bot for bot in others if self.apart(bot, first)][: NEAR * (seats - 1)]
        else:
            pairs = (pair for pair in combinations(self.names, 2) if self.apart(*pair))
            strangers = min(pairs, key=self.familiarity)
            lineup = [*strangers]
        while len(lineup) < seats:
            free = self.may_join(lineup, others) or self.may_join(lineup, self.names)
            lineup.append(min(free, key=lambda bot: self.familiarity([bot, *lineup])))
        return tuple(sorted(lineup))

    def apart(self, one: str, other: str) -> bool:
        """Whether these may sit at one table."""
        teams = self.plan.teams
        return one != other and (not teams or teams[one] != teams[other])

    def may_join(self, lineup: Sequence[str], bots: Sequence[str]) -> list[str]:
        return [bot for bot in bots if all(self.apart(bot, each) for each in lineup)]

    def familiarity(self, lineup: Collection[str]) -> tuple[int, int]:
        """How often these have met, and played at all."""
        met = sum(self.met[frozenset(pair)] for pair in combinations(lineup, 2))
        return met, sum(self.groups[bot] for bot in lineup)

    def number(self, lineup: tuple[str, ...]) -> int:
        return self.used.get(lineup, -1) + 1

    def enter(self, lineup: tuple[str, ...]) -> None:
        self.used[lineup] = self.number(lineup)
        self.sizes[len(lineup)] += 1
        self.count(lineup)

    def count(self, lineup: Sequence[str]) -> None:
        self.groups.update(lineup)
        self.met.update(frozenset(pair) for pair in combinations(lineup, 2))


def versions_of(game: Summary) -> dict[str, str]:
    return dict(zip(game.bots, game.fingerprints, strict=True))


def size(plan: Plan[Config]) -> int | None:
    return plan.config.games


def describe(plan: Plan[Config]) -> list[str]:
    ends = [f"there are {plan.config.games} games"] if plan.config.games is not None else []
    ends += [f"{plan.config.hours:g} hours have passed"] if plan.config.hours is not None else []
    seats = " or ".join(map(str, plan.seats))
    return [f"a ladder of the bots in {plan.folder}, {seats} seats, until {' or '.join(ends) or 'Ctrl-C'}"]


FORMAT = Format(
    "ladder", Config, fixtures, size, describe, extendable=("bots",), free=("games", "hours"), folder=True
)
