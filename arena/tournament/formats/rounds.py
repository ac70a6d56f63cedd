"""Rounds: tables that play at the same time, and the points of their bots."""

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

from arena.config.values import Text
from arena.referee.deals import derive
from arena.referee.fixture import Fixture
from arena.referee.placings import PlayedRound, PlayedTable, Seated
from arena.tournament.formats.config import Groups, Participants, Problem, Teams
from arena.tournament.formats.lineups import Bots
from arena.tournament.formats.plan import WAIT, Due, Plan, Played
from arena.tournament.formats.seating import seed_group


@dataclass(frozen=True, kw_only=True)
class RoundsConfig(Groups, Teams):
    seeds: tuple[Text, ...] = ()
    """Bots from best to worst, for the draw of a swiss or a knockout."""


def one_size(name: str, config: RoundsConfig, field: Participants) -> Iterator[Problem]:
    yield from field.unknown("seeds", config.seeds)
    if len(field.seats) > 1:
        yield "seats", f"a {name} has tables of one size"


@dataclass(frozen=True)
class Round:
    """One round, numbered from 0: the bots of each table, bots that sit out, and the games of all tables."""

    number: int
    tables: tuple[Bots, ...]
    byes: Bots
    games: tuple[Fixture, ...]
    title: str
    left: int = 0  # bots that advance in a knockout
    consolation: Bots = ()  # bots that play for the next places in the last round of a knockout
    further: tuple[tuple[Fixture, ...], ...] = ()  # sets of further games of tied tables

    @property
    def latest(self) -> tuple[Fixture, ...]:
        """The games that were added last."""
        return self.further[-1] if self.further else self.games

    def points(self, plan: Plan[RoundsConfig], played: Played) -> Counter[str]:
        """The points of each bot: in each game 2 for a rival that it beat, 1 for a tie.

        A bye gives half of `most_points`. All `games` of the round must have been played.
        """
        points = Counter(dict.fromkeys(self.byes, most_points(plan) // 2))
        for game in self.games:
            places = played[game.id].places
            for bot, place in zip(game.bots, places, strict=True):
                points[bot] += sum(1 + (other > place) - (other < place) for other in places) - 1
        return points

    def as_played(
        self,
        plan: Plan[RoundsConfig],
        points: Mapping[str, int],
        ranked: Sequence[Sequence[str]],
        winners: Collection[str] | None = None,
    ) -> PlayedRound:
        """The round as a value for reports.

        `ranked` has the bots of each table, best first. `winners` are the bots that advance; None in a format
        without eliminations.
        """
        most = most_points(plan)

        def seated(bot: str) -> Seated:
            return Seated(bot, points[bot] / most, None if winners is None else bot in winners)

        tables = []
        for bots in ranked:
            every = chain(self.games, *self.further)
            games = tuple(game.id for game in every if set(game.bots) == set(bots))
            order = sorted(map(seated, bots), key=lambda each: not each.advanced)
            tables.append(PlayedTable(tuple(order), games))
        return PlayedRound(self.number + 1, self.title, tuple(tables), self.byes)


Rounds = Callable[[Plan, Played], Iterator[Round]]
"""Yields the rounds in order; a round is repeated when further games are added to it.

All games that it has yielded must be in `played` before it continues.
"""


def make_round(
    plan: Plan[RoundsConfig], number: int, tables: Sequence[Sequence[str]], byes: Sequence[str]
) -> Round:
    """A round with its games: the first seed group of all tables, then the second, and so on."""
    first = number * plan.config.groups
    games = [
        game
        for group in range(first, first + plan.config.groups)
        for table in tables
        for game in seed_group(plan, sorted(table), group, group)
    ]
    return Round(number, tuple(map(tuple, tables)), tuple(byes), tuple(games), f"round {number + 1}")


def games_of(rounds: Rounds, plan: Plan, played: Played) -> Due:
    """The games of all rounds, with a `WAIT` after each round and after each set of further games."""
    for each in rounds(plan, played):
        yield from each.latest
        yield WAIT


def finished_rounds(rounds: Rounds, plan: Plan, played: Played) -> list[Round]:
    """The rounds whose games were all played."""
    past: dict[int, Round] = {}
    for each in rounds(plan, played):
        if not all(game.id in played for game in each.latest):
            past.pop(each.number, None)  # Its further games are missing.
            break
        past[each.number] = each
    return list(past.values())


def most_points(plan: Plan[RoundsConfig]) -> int:
    """The points of a bot that beats all its opponents in all games of a round."""
    seats = plan.seats[0]
    return 2 * (seats - 1) * seats * plan.config.groups


def seed_order(plan: Plan[RoundsConfig]) -> list[str]:
    """All bots, best seed first: the `seeds` of the plan, then the others in random order."""
    drawn = sorted(plan.bots, key=lambda name: derive(plan.secret, f"seeds/{name}"))
    return [*plan.config.seeds, *(name for name in drawn if name not in plan.config.seeds)]
