"""Ladder: bots may join at any time, and play without end.

Newcomers first play bots of about their own strength. Then the bots that have met least play each other.
"""

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import inf
from typing import Literal

from arena.config.text import list_words
from arena.rating.settings import RatingSettings, Widening
from arena.referee.record import Summary
from arena.tournament.formats.config import Games, MoreThanZero, Teams
from arena.tournament.formats.lineups import Bots
from arena.tournament.formats.plan import WAIT, Due, Format, Plan, Played
from arena.tournament.formats.seating import seed_group

_NEWCOMER_GROUPS = 10  # A bot with fewer seed groups is a newcomer.
_NEIGHBOUR_FACTOR = 3  # neighbours of a newcomer, as a multiple of the other seats at its table
_BATCH_DIVISOR = 10  # A batch is at least a tenth of the groups so far: it takes long to rate many games.


@dataclass(frozen=True, kw_only=True)
class Config(Teams, Games):
    format: Literal["ladder"] = "ladder"
    hours: MoreThanZero | None = None
    """How many hours a ladder runs each time that it is started."""


def _fixtures(plan: Plan[Config], played: Played) -> Due:
    for lineup, number in _incomplete_groups(plan, played):
        yield from seed_group(plan, lineup, number, number)
    yield WAIT
    while plan.config.games is None or len(played) < plan.config.games:
        history = _MeetingHistory(plan, played)
        room = inf if plan.config.games is None else plan.config.games - len(played)
        for _ in range(max(len(plan.bots), sum(history.sizes.values()) // _BATCH_DIVISOR)):
            if room > 0:
                chosen = history.next_lineup()
                number = history.add(chosen)
                room -= len(chosen)
                yield from seed_group(plan, chosen, number, number)
        yield WAIT


def _incomplete_groups(plan: Plan[Config], played: Played) -> list[tuple[list[str], int]]:
    """The line-up and the number of each seed group of current versions of bots that lacks games."""
    versions = {name: bot.fingerprint for name, bot in plan.bots.items()}
    current = (game for game in played.values() if _versions_of(game).items() <= versions.items())
    count = Counter(game.seed_group for game in current)
    lacking = [name.split() for name in sorted(count) if count[name] < name.count(" ")]
    return [(lineup, int(number)) for *lineup, number in lacking if number.isdecimal()]


class _MeetingHistory:
    """Counts how often bots have met in a ladder, rates them, and chooses line-ups."""

    def __init__(self, plan: Plan[Config], played: Played):
        self.plan, self.names = plan, sorted(plan.bots)
        self.groups, self.met = Counter[str](), Counter[frozenset[str]]()
        self.sizes = Counter[int]()  # seed groups by the number of seats
        self.used: dict[Bots, int] = {}
        current = {(name, bot.fingerprint) for name, bot in plan.bots.items()}
        groups = {(game.seed_group, frozenset(_versions_of(game).items())) for game in played.values()}
        for name, versions in groups:
            *lineup, number = name.split()
            if number.isdecimal():
                self.used[tuple(lineup)] = max(self.used.get(tuple(lineup), -1), int(number))
            self.sizes[len(lineup)] += 1
            self._count([bot for bot, _ in versions & current])
        self.strength = self.strengths(played)

    def strengths(self, played: Played) -> dict[str, float]:
        """The strength of each bot's current version, in nats; old versions are rated as separate bots."""
        from arena.rating.experiments import Estimates  # These import numpy, which other formats do not need.
        from arena.rating.outcomes import Outcome

        current = {name: f"{name}@{bot.fingerprint}" for name, bot in self.plan.bots.items()}
        games = [
            Outcome(tuple(map("@".join, _versions_of(game).items())), game.places, game.seed_group, {})
            for game in played.values()
        ]
        prior = self.plan.run.rating.prior or RatingSettings.prior
        strength = Estimates.of(games, current.values(), prior).strengths
        return {name: strength[version] for name, version in current.items()}

    def next_lineup(self) -> Bots:
        """The next line-up, at a table of the size that was played least."""
        # A newcomer plays the neighbours that it has met least. Without newcomers, the bots that have met
        # least play each other.
        seats = min(self.plan.seats, key=lambda size: self.sizes[size])
        first = min(self.names, key=lambda bot: self.groups[bot])
        others = self.names
        if self.groups[first] < _NEWCOMER_GROUPS:
            lineup = [first]
            others = sorted(others, key=lambda bot: abs(self.strength[bot] - self.strength[first]))
            others = [bot for bot in others if self.may_meet(bot, first)][: _NEIGHBOUR_FACTOR * (seats - 1)]
        else:
            pairs = (pair for pair in combinations(self.names, 2) if self.may_meet(*pair))
            lineup = [*min(pairs, key=self.familiarity)]
        while len(lineup) < seats:
            free = self.may_join(lineup, others) or self.may_join(lineup, self.names)
            lineup.append(min(free, key=lambda bot: self.familiarity([bot, *lineup])))
        return tuple(sorted(lineup))

    def may_meet(self, one: str, other: str) -> bool:
        """Whether two names are different bots, and of different teams if teams are kept apart."""
        teams = self.plan.teams
        return one != other and (not teams or teams[one] != teams[other])

    def may_join(self, lineup: Sequence[str], bots: Sequence[str]) -> list[str]:
        """The bots, among these, that may meet all bots of the line-up."""
        return [bot for bot in bots if all(self.may_meet(bot, each) for each in lineup)]

    def familiarity(self, lineup: Collection[str]) -> tuple[int, int]:
        """The number of meetings, in pairs, of the bots of a line-up, and the sum of their seed groups."""
        met = sum(self.met[frozenset(pair)] for pair in combinations(lineup, 2))
        return met, sum(self.groups[bot] for bot in lineup)

    def add(self, lineup: Bots) -> int:
        """Count another seed group of a line-up; returns the number of this group, from 0."""
        self.used[lineup] = self.used.get(lineup, -1) + 1
        self.sizes[len(lineup)] += 1
        self._count(lineup)
        return self.used[lineup]

    def _count(self, lineup: Sequence[str]) -> None:
        self.groups.update(lineup)
        self.met.update(frozenset(pair) for pair in combinations(lineup, 2))


def _versions_of(game: Summary) -> dict[str, str]:
    return dict(zip(game.bots, game.fingerprints, strict=True))


def _size(plan: Plan[Config]) -> int | None:
    return plan.config.games


def _describe(plan: Plan[Config]) -> list[str]:
    ends = [f"there are {plan.config.games} games"] if plan.config.games is not None else []
    ends += [f"{plan.config.hours:g} hours have passed"] if plan.config.hours is not None else []
    seats, ends = list_words(plan.seats, "or"), ends or ["Ctrl-C"]
    return [f"a ladder of the bots in {plan.folder}, {seats} seats, until {list_words(ends, 'or')}"]


FORMAT = Format(
    Config,
    _fixtures,
    _size,
    _describe,
    extendable=("bots",),
    free=("games", "hours"),
    folder=True,
    open_ended=True,
    widenings=(Widening(1.25, groups=_NEWCOMER_GROUPS, power=2, at_larger=0.2),),
)
